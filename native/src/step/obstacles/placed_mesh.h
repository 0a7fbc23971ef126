// Obstacles on the grid: static, keyframed and deforming solids, rigid bodies, domain walls.
#ifndef TLW_STEP_OBSTACLES_PLACED_MESH_H
#define TLW_STEP_OBSTACLES_PLACED_MESH_H

#include "grid/grid.h"
#include "scene/keys.h"
#include "shape/sdf.h"

// Values of flow.solid_object beside object indices.
enum { TLW_NO_OBJECT = -1, TLW_WALL_OBJECT = -2 };

// One obstacle. Its distance field is in object space with the scale applied.
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

// A set of placed meshes: the obstacles, or the sources and sinks.
typedef struct tlwPlacedMeshes {
    tlwContext *context;
    const tlwScene *scene;
    tlwPlacedMesh *items;
    int count;
    bool split;       // bodies are liquid to the pressure solve (bodies/split.h): they leave faces open
    bool deep;        // fields know distances all the way in, so that rigid bodies find the way out
    double max_speed; // m/s over the next substep
} tlwPlacedMeshes;

// Which objects belong to a set.
typedef bool tlwObjectFilter(const tlwObjectDef *def);
bool tlwIsObstacle(const tlwObjectDef *def); // solids, rigid bodies, hot solids

// Distance fields for every object that `filter` lets pass, placed as at the start.
tlwResult tlwPlaceMeshes(tlwContext *context, const tlwScene *scene, double dx, tlwObjectFilter *filter,
                         tlwPlacedMeshes *solids);
void tlwDestroyPlacedMeshes(tlwPlacedMeshes *solids);

// Put obstacles where they are at time + dt, with their mean velocity over the dt after that: the velocity that liquid
// next to them will be carried along with.
tlwResult tlwMovePlacedMeshes(tlwPlacedMeshes *solids, double time, double dt, double dx);

// The obstacle that a scene object is, or null.
const tlwPlacedMesh *tlwFindPlacedMesh(const tlwPlacedMeshes *solids, int object);

// A body's pose and motion, from the rigid solver. `motion.origin` is the point that `motion.velocity` belongs to.
void tlwSetMeshPose(tlwPlacedMesh *solid, tlwSdfFrame frame, tlwMotion motion);

// The same from distances at (TLW_FACE_PARTS + 1)^2 points of the face, row after row.
#define TLW_FACE_PARTS 4

// The node that tells which solid a covered face belongs to: the deepest of its corners and of those one cell to
// either side. A corner where two solids meet may be named after the other one.
static inline int64_t tlwFindDeepestNode(const tlwGrid *grid, const float *solid, int axis, int64_t face)
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int64_t b = stride[(axis + 1) % 3], c = stride[(axis + 2) % 3];
    int64_t deepest = face;
    for (int n = 1; n < 12; n++) {
        int64_t node = face + (n & 1 ? b : 0) + (n & 2 ? c : 0) + (n < 4 ? 0 : n < 8 ? -stride[axis] : stride[axis]);
        if (solid[node] < solid[deepest])
            deepest = node;
    }
    return deepest;
}

#endif
