// Meshes of the scene with a distance field, where they are at a time: obstacles, sources, heated volumes.
#ifndef TLW_STEP_OBSTACLES_PLACED_MESH_H
#define TLW_STEP_OBSTACLES_PLACED_MESH_H

#include "scene/keys.h"
#include "scene/role.h"
#include "shape/sdf.h"

// One mesh. Its distance field is in object space with the scale applied.
typedef struct tlwPlacedMesh {
    int object; // index in the scene
    tlwSdf *sdf;
    tlwSdf *last_sdf;  // the one before, which bodies still touch; null where they cannot
    int builds;        // of fields so far
    tlwVec3 scale;     // that the field was built with
    tlwSdfFrame frame; // at the end of the present substep
    tlwVec3 low, high; // world box of the field
    tlwMotion motion;  // over the next substep
    bool enabled, moves;
    bool body;                      // placed by tlwSetMeshPose instead of keys
    float *vertex_velocity;         // deforming meshes: 3 per vertex, m/s
    tlwMesh deform_from, deform_to; // the frames around the present time
    int deform_frame;
    tlwMesh shape; // deforming meshes: as the field was built
} tlwPlacedMesh;

// A set of them: all obstacles, or all sources and sinks.
typedef struct tlwPlacedMeshes {
    tlwContext *context;
    const tlwScene *scene;
    tlwPlacedMesh *items;
    int count;
    bool split;       // bodies are liquid to the pressure solve (bodies/split.h): they leave faces open
    bool deep;        // fields know distances all the way in, so that rigid bodies find the way out
    double max_speed; // m/s over the next substep
} tlwPlacedMeshes;

// Distance fields for every object that `filter` lets pass, placed as at the start.
tlwResult tlwPlaceMeshes(tlwContext *context, const tlwScene *scene, double dx, tlwObjectFilter *filter,
                         tlwPlacedMeshes *solids);
void tlwDestroyPlacedMeshes(tlwPlacedMeshes *solids);

// Put meshes where they are at time + dt, with their mean velocity over the dt after that: the velocity that liquid
// next to them will be carried along with.
tlwResult tlwMovePlacedMeshes(tlwPlacedMeshes *solids, double time, double dt, double dx);

// The one that belongs to a scene object, or null.
const tlwPlacedMesh *tlwFindPlacedMesh(const tlwPlacedMeshes *solids, int object);

// A body's pose and motion, from the rigid solver. `motion.origin` is the point that `motion.velocity` belongs to.
void tlwSetMeshPose(tlwPlacedMesh *solid, tlwSdfFrame frame, tlwMotion motion);

#endif
