#include "step/views/surface_mesh.h"

#include "base/context.h"
#include "scene/scene.h"
#include "shape/mesher.h"
#include "step/views/refine.h"
#include "step/views/shown.h"
#include "step/views/smooth.h"
#include "step/views/volume.h"

// Give the mesh the volume of the particles, and unmelted material its detail. `detail` is null when it keeps none.
static tlwResult fitMesh(const tlwFrameState *state, const tlwShownMesh *shown, tlwDetail *detail, double *volume)
{
    TLW_TRY(detail ? tlwRememberMesh(state, shown->mesh, detail) : TLW_OK);
    if (tlwSmoothMesh(state->context->threads, shown, state->scene->def.mesh_smoothing) != TLW_OK ||
        tlwFitVolume(state->context->threads, shown, state->stats->particle_volume, volume) != TLW_OK)
        return tlwFailMemory(&state->context->message, "the surface mesh");
    if (!detail)
        return TLW_OK;
    tlwKeepDetail(state, shown->mesh, detail);
    TLW_TRY(tlwRefineDetail(state, shown->mesh, detail));
    if (tlwGetOpenVolume(state->context->threads, shown, volume) != TLW_OK)
        return tlwFailMemory(&state->context->message, "the surface mesh");
    return TLW_OK;
}

tlwResult tlwMakeSurface(const tlwFrameState *state, tlwSurfaceBuffers *buffers, tlwSurfaceView *view)
{
    tlwMessage *message = &state->context->message;
    const tlwGrid *grid = &state->flow->grid;
    tlwGridTiles tiles;
    bool keeps = state->scene->def.keep_detail && tlwCanFreeze(state->scene), carries = tlwCarries(state->scene);
    TLW_TRY(keeps ? tlwPrepareDetail(state, &buffers->detail) : TLW_OK);
    TLW_TRY(tlwListGridTiles(grid, message, &tiles));
    tlwTileSource source = {.fill = tlwFillVisibleTile, .user = (void *)state->flow};
    if (keeps)
        source = (tlwTileSource){.fill = tlwFillKeptTile, .user = &buffers->detail};
    tlwMesherDef def = {.background = (float)(TLW_PHI_BAND * grid->dx), .detail = state->scene->def.mesh_detail};
    tlwMesh mesh;
    tlwResult result = tlwMeshLevelSet(&tiles.set, &source, &def, state->context->threads, message, &mesh);
    tlwFreeGridTiles(&tiles);
    TLW_TRY(result);
    tlwDestroyMesh(&buffers->mesh);
    buffers->mesh = mesh;
    tlwShownMesh shown = {grid, tlwGetFloats(grid, state->flow->solid), def.detail, &buffers->mesh};
    double volume;
    TLW_TRY(fitMesh(state, &shown, keeps ? &buffers->detail : NULL, &volume));
    mesh = buffers->mesh;
    TLW_TRY(carries ? tlwPrepareOrigins(state, mesh.vertex_count, &buffers->origins) : TLW_OK);
    TLW_TRY(tlwFillAttributes(state, &buffers->mesh, &buffers->vertices, carries ? buffers->origins.places : NULL));
    if (keeps && carries)
        tlwKeepPlaces(&buffers->detail, mesh.vertex_count, buffers->origins.places);
    TLW_TRY(carries ? tlwFindOrigins(state, &buffers->mesh, &buffers->origins) : TLW_OK);
    *view = (tlwSurfaceView){.vertex_count = (int)mesh.vertex_count,
                             .triangle_count = (int)mesh.triangle_count,
                             .position = mesh.positions,
                             .triangle = mesh.triangles,
                             .attribute_count = TLW_VERTEX_ATTRIBUTES,
                             .attributes = buffers->vertices.attributes,
                             .origins = carries ? buffers->origins.vertices : NULL,
                             .seams = buffers->origins.seams,
                             .seam_count = (int)buffers->origins.seam_count,
                             .volume = volume};
    return TLW_OK;
}

void tlwFreeSurfaceBuffers(tlwSurfaceBuffers *buffers)
{
    tlwDestroyMesh(&buffers->mesh);
    tlwFreeVertexData(&buffers->vertices);
    tlwFreeOrigins(&buffers->origins);
    tlwFreeDetail(&buffers->detail);
}
