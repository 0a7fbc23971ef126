// A scene: everything that is simulated, checked and copied. Filled through tallow.h, or from a scene folder by load.c.
#ifndef TLW_SCENE_SCENE_H
#define TLW_SCENE_SCENE_H

#include "scene/material.h"
#include "shape/mesh.h"

// Cookies of the Def structs: a struct of another version of tallow.h is refused.
#define TLW_SCENE_COOKIE (0x7A110002 ^ TLW_ABI_VERSION)
#define TLW_OBJECT_COOKIE (0x7A110004 ^ TLW_ABI_VERSION)
#define TLW_FORCE_COOKIE (0x7A110005 ^ TLW_ABI_VERSION)
#define TLW_JOINT_COOKIE (0x7A110006 ^ TLW_ABI_VERSION)

// Limits. A scene beyond them is probably a typing mistake.
#define TLW_MAX_AXIS_CELLS 4096
#define TLW_MAX_DOMAIN_CELLS 4e9
#define TLW_MAX_LIQUID_CELLS 60e6
#define TLW_MAX_MATERIALS 256 // particles store the material in a byte

typedef struct tlwDeformFiles tlwDeformFiles;

typedef struct tlwObject {
    tlwObjectDef def;             // def.name and def.keys are owned; def.mesh and def.carried show the meshes below
    tlwMesh mesh;                 // repaired; object space (world space at frame_start when the object deforms)
    int64_t sheet;                // not 0: the first triangles of `mesh` are a sheet that encloses nothing, like a cup
                                  // without thickness; the others fill its holes and count for the mass only
    tlwMesh carried;              // object space, as it was given
    int number;                   // among the objects that have a material
    tlwDeformFiles *deform_files; // owned; null unless the scene folder names numbered meshes
} tlwObject;

typedef struct tlwForce {
    tlwForceDef def; // def.name and def.keys are owned
} tlwForce;

typedef struct tlwJoint {
    tlwJointDef def; // def.name is owned; axis has length 1
} tlwJoint;

struct tlwScene {
    tlwContext *context; // not owned
    tlwSceneDef def;     // def.name and def.world_keys are owned; the name is never null
    int dims[3];         // cells of the domain, from domain_min upwards; covers domain_max
    double extent[3];    // cells from domain_min to the upper sides; an open side is `dims` away
    tlwMaterial *materials;
    int material_count;
    tlwObject *objects;
    int object_count;
    tlwForce *forces;
    int force_count;
    tlwJoint *joints;
    int joint_count;
    int64_t material_capacity, object_capacity, force_capacity, joint_capacity;
    tlwVec3 gravity;     // m/s2, in the present step. Each step sets it (step.c); def.gravity unless the world has keys
    double *world_times; // owned: simulated seconds of each key in def.world_keys
    bool retimed;        // simulated time is not the shot's
    int threads;         // what scene.json asks for; 0 = one per core
};

// Index of the object with that name, or -1.
int tlwFindObject(const tlwScene *scene, const char *name);
int tlwFindMaterial(const tlwScene *scene, const char *name);

// Other cells for the same domain. On failure the scene stays as it was.
tlwResult tlwSetCellSize(tlwScene *scene, double cell_size);

// Whether the surface carries attributes of any object.
bool tlwCarries(const tlwScene *scene);

// Whether the material of any object in the scene can become a rigid piece.
bool tlwCanFreeze(const tlwScene *scene);

#endif
