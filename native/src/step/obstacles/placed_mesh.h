// Meshes of the scene, each with a distance field and its place at a time: obstacles, sources, heated volumes.
#ifndef TLW_STEP_OBSTACLES_PLACED_MESH_H
#define TLW_STEP_OBSTACLES_PLACED_MESH_H

#include "scene/keys.h"
#include "scene/role.h"
#include "shape/sdf.h"

// One mesh. Its distance field is in object space with the scale applied.
typedef struct tlwPlacedMesh {
    int object; // index in the scene
    tlwSdf *sdf;
    tlwSdf *wet;       // what liquid meets: `sdf`, or a field in which thin parts have grown (shape/thin.h)
    float *thin_sides; // per triangle, from tlwFindThinSides; null where nothing is thin
    tlwSdf *last_sdf;  // the previous field, which colliders of bodies still use; null where no body can touch the mesh
    int builds;        // number of fields built so far
    tlwVec3 scale;     // the scale that the field was built with
    tlwSdfFrame frame; // at the end of the present substep
    tlwVec3 low, high; // world box of `wet`
    tlwMotion motion;  // over the next substep
    bool enabled, moves;
    bool body;                      // placed by tlwSetMeshPose instead of keys
    float *vertex_velocity;         // deforming meshes: 3 per vertex, m/s
    tlwMesh deform_from, deform_to; // the frames around the present time
    int deform_frame;
    tlwMesh shape; // deforming meshes: as the field was built
} tlwPlacedMesh;

// A set of placed meshes: all obstacles, or all sources and sinks.
typedef struct tlwPlacedMeshes {
    tlwContext *context;
    const tlwScene *scene;
    tlwPlacedMesh *items;
    int count;
    bool split; // operator split (bodies/split.h): the pressure solve treats bodies as liquid, so their faces stay open
    bool deep;  // fields hold distances at any depth, so that a rigid body inside a solid finds the way out
    bool thin;  // some obstacle has a wall that a particle could pass in one step
    double max_speed; // m/s over the next substep
} tlwPlacedMeshes;

// Build distance fields for every object that `filter` accepts, and place them as at the start.
tlwResult tlwPlaceMeshes(tlwContext *context, const tlwScene *scene, double dx, tlwObjectFilter *filter,
                         tlwPlacedMeshes *solids);
void tlwDestroyPlacedMeshes(tlwPlacedMeshes *solids);

// Put meshes where they are at time + dt. Their motion is the mean over the dt after that, which carries the liquid
// next to them.
tlwResult tlwMovePlacedMeshes(tlwPlacedMeshes *solids, double time, double dt, double dx);

// The placed mesh of a scene object, or null.
const tlwPlacedMesh *tlwFindPlacedMesh(const tlwPlacedMeshes *solids, int object);

// Set a body's pose and motion from the rigid solver. `motion.velocity` is the velocity of the point `motion.origin`.
void tlwSetMeshPose(tlwPlacedMesh *solid, tlwSdfFrame frame, tlwMotion motion);

#endif
