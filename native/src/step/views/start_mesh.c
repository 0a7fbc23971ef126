#include "step/views/start_mesh.h"

#include "base/context.h"
#include "scene/keys.h"

tlwResult tlwPlaceStartMesh(const tlwFrameState *state, const tlwObject *object, const tlwMesh *mesh,
                            tlwStartMesh *start)
{
    tlwMessage *message = &state->context->message;
    tlwKey key = tlwSampleKeys(object->def.keys, object->def.key_count, 0);
    tlwMesh placed;
    TLW_TRY(tlwCopyMesh(mesh, message, &placed));
    // Each vertex by itself: tlwTransformMesh would turn the triangles of a mirrored mesh and so change their weights.
    for (int64_t v = 0; v < placed.vertex_count; v++) {
        float *p = placed.positions + 3 * v;
        tlwVec3 world = tlwToWorld(&key, (tlwVec3){p[0], p[1], p[2]});
        p[0] = (float)world.x;
        p[1] = (float)world.y;
        p[2] = (float)world.z;
    }
    tlwVec3 low, high;
    tlwGetMeshBounds(&placed, &low, &high);
    *start = (tlwStartMesh){.middle = {0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)},
                            .dx = state->flow->grid.dx,
                            .number = object->number,
                            .mirrored = key.scale.x * key.scale.y * key.scale.z < 0};
    start->bvh = tlwCreateBvh(&placed, start->middle, start->dx);
    tlwDestroyMesh(&placed);
    return start->bvh ? TLW_OK : tlwFailMemory(message, "the meshes of the start");
}
