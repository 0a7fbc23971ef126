// Building a distance field. Sampling is in sdf_sample.c.
#include "shape/sdf.h"

#include "base/memory.h"
#include "base/vec.h"
#include "shape/islands.h"
#include "shape/sdf_data.h"
#include "shape/sdf_fill.h"

#define MAX_VOXELS 268435456.0 // in the bounding box, 2^28
#define GROWN 1.5              // voxels per length asked for in a mesh whose thin parts grow

tlwSdfDef tlwDefaultSdfDef(void)
{
    return (tlwSdfDef){.min_refinement = 1, .max_refinement = 4};
}

// See tlwCreateSdf: fine enough for the thinnest part, coarse enough for the memory.
static double chooseVoxelSize(const tlwMesh *mesh, const tlwSdfDef *def, tlwVec3 size)
{
    double thin = def->thin ? 2 * def->voxel_size / GROWN : tlwGetThinnestPart(mesh, def->voxel_size);
    double wanted = thin > 0 ? 2 * def->voxel_size / thin : 1;
    double refine = ceil(2 * tlwClamp(wanted, 1, fmax(def->max_refinement, 1)) - 1e-6) / 2;
    double voxel = def->voxel_size / fmax(refine, def->min_refinement);
    double band = 2 * fmax(def->exterior_band, 3 * voxel);
    double box = (size.x + band) * (size.y + band) * (size.z + band);
    return fmax(voxel, cbrt(box / MAX_VOXELS));
}

// `exterior` is how far from the mesh distances are needed, m.
static void placeBlocks(tlwSdf *sdf, tlwVec3 low, tlwVec3 high, double exterior)
{
    // Faces often lie on round coordinates. The odd offset keeps nodes away from them: on a face, rounding would decide
    // the sign.
    static const double offset[3] = {0.4142, 0.3247, 0.4656};
    double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    for (int a = 0; a < 3; a++) {
        double margin = exterior + (1 + offset[a]) * sdf->voxel;
        sdf->origin[a] = from[a] - margin;
        sdf->blocks[a] = (int32_t)ceil(((to[a] - from[a]) + margin + exterior + sdf->voxel) / (8 * sdf->voxel));
    }
}

static tlwResult buildSdf(tlwSdf *sdf, const tlwMesh *mesh, const tlwSdfDef *def, tlwThreads *threads,
                          tlwMessage *message)
{
    tlwVec3 low, high;
    tlwGetMeshBounds(mesh, &low, &high);
    tlwVec3 size = tlwSub(high, low);
    sdf->voxel = chooseVoxelSize(mesh, def, size);
    double deepest = fmin(size.x, fmin(size.y, size.z)) / 2 + sdf->voxel;
    sdf->exterior = (float)(def->exterior_band > 0 ? def->exterior_band : 3 * sdf->voxel);
    sdf->interior =
        (float)(def->interior_band > 0 ? fmin(def->interior_band, fmax(deepest, 3 * sdf->voxel)) : 3 * sdf->voxel);
    double most = def->thin ? def->thin->most : 0;
    placeBlocks(sdf, low, high, sdf->exterior + most);
    TLW_TRY(tlwFillSdf(sdf, mesh, def->thin, def->keep_triangles, threads, message));
    if (def->keep_triangles)
        TLW_TRY(tlwCopyMesh(mesh, message, &sdf->mesh));
    return TLW_OK;
}

tlwResult tlwCreateSdf(const tlwMesh *mesh, const tlwSdfDef *def, tlwThreads *threads, tlwMessage *message,
                       tlwSdf **sdf)
{
    *sdf = NULL;
    if (!(def->voxel_size > 0) || !isfinite(def->voxel_size) || mesh->triangle_count == 0)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "A distance field needs a mesh with faces and a positive voxel size.");
    tlwSdf *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return tlwFailMemory(message, "the distance field of a mesh");
    tlwResult result = buildSdf(made, mesh, def, threads, message);
    if (result != TLW_OK) {
        tlwDestroySdf(made);
        return result;
    }
    *sdf = made;
    return TLW_OK;
}

void tlwDestroySdf(tlwSdf *sdf)
{
    if (!sdf)
        return;
    tlwFree(sdf->table);
    tlwFree(sdf->block_of);
    tlwFree(sdf->values);
    tlwFree(sdf->nearest);
    tlwDestroyMesh(&sdf->mesh);
    tlwFree(sdf);
}

double tlwGetSdfVoxelSize(const tlwSdf *sdf)
{
    return sdf->voxel;
}

double tlwGetSdfBand(const tlwSdf *sdf)
{
    return sdf->exterior;
}

void tlwGetSdfBounds(const tlwSdf *sdf, tlwVec3 *low, tlwVec3 *high)
{
    *low = (tlwVec3){sdf->origin[0], sdf->origin[1], sdf->origin[2]};
    *high = tlwAdd(*low, tlwScale((tlwVec3){sdf->blocks[0], sdf->blocks[1], sdf->blocks[2]}, 8 * sdf->voxel));
}

void tlwGetSdfWorldBounds(const tlwSdf *sdf, const tlwSdfFrame *frame, tlwVec3 *low, tlwVec3 *high)
{
    tlwVec3 a, b;
    tlwGetSdfBounds(sdf, &a, &b);
    tlwVec3 half = tlwScale(tlwSub(b, a), 0.5);
    tlwVec3 centre = tlwAdd(tlwRotate(frame->rotation, tlwScale(tlwAdd(a, b), 0.5)), frame->position);
    tlwMat3 r = tlwQuatToMat3(frame->rotation);
    tlwVec3 reach = {fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
                     fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
                     fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
    *low = tlwSub(centre, reach);
    *high = tlwAdd(centre, reach);
}
