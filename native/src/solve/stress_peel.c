#include "solve/stress_peel.h"

#include "base/memory.h"

#include <string.h>

static const double GHOST_MASS = 0.02; // of a full face: a ghost has no more

// Shear samples that touch a ghost face; 0 when the face is no ghost.
static int countGhostSamples(const tlwStressSystem *system, int component, int64_t face)
{
    const tlwStressLevel *level = &system->level;
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    const float *normal = level->c[component];
    float mass = level->mass[component][face];
    if (!(mass > 0) || mass > GHOST_MASS * system->unit_mass || normal[face] > 0 ||
        normal[face - stride[component]] > 0)
        return 0;
    int count = 0;
    for (int kind = TLW_XY; kind <= TLW_YZ; kind++) {
        int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2;
        if (component != a && component != b)
            continue;
        const float *c = level->c[kind];
        count += (c[face] > 0) + (c[face + stride[component == a ? b : a]] > 0);
    }
    return count;
}

static tlwResult peelSample(tlwStressSystem *system, tlwStressPeel *peel, int kind, int64_t i)
{
    tlwStressLevel *level = &system->level;
    int component[4], sign[4], samples[4];
    int64_t face[4], start = peel->count;
    int faces = tlwSampleFaces(&level->grid, kind, i, component, face, sign);
    double c = level->c[kind][i], compliance = 1 / c, offset = 0;
    if (!tlwReserve((void **)&peel->faces, &peel->capacity, peel->count + 4, sizeof *peel->faces))
        return TLW_OUT_OF_MEMORY;
    for (int f = 0; f < faces; f++) {
        samples[f] = countGhostSamples(system, component[f], face[f]);
        if (!samples[f])
            continue;
        float whole = level->mass[component[f]][face[f]], share = 1 / (float)samples[f];
        float old = system->b.at[component[f]][face[f]] / whole;
        compliance += 1 / (whole * share);
        offset += sign[f] * old;
        peel->faces[peel->count++] = (tlwPeeledFace){.face = face[f],
                                                     .sample = i,
                                                     .component = (int8_t)component[f],
                                                     .kind = (int8_t)kind,
                                                     .sign = (int8_t)sign[f],
                                                     .share = share,
                                                     .mass = whole * share,
                                                     .old = old};
    }
    if (peel->count == start)
        return TLW_OK;
    level->c[kind][i] = (float)(1 / compliance);
    for (int f = 0; f < faces; f++)
        if (!samples[f] && level->mass[component[f]][face[f]] > 0)
            system->b.at[component[f]][face[f]] -= (float)(sign[f] * level->c[kind][i] * offset);
    return TLW_OK;
}

// All four cells around the edge hold samples, so none of its faces is a ghost.
static bool isInside(const tlwStressLevel *level, int kind, int64_t i)
{
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    const int64_t a = stride[kind == TLW_YZ ? 1 : 0], b = stride[kind == TLW_XY ? 1 : 2];
    const float *c = level->c[TLW_XX];
    return c[i] > 0 && c[i - a] > 0 && c[i - b] > 0 && c[i - a - b] > 0;
}

typedef struct Search {
    const tlwStressLevel *level;
    uint8_t *rows; // per row of each tile: it has samples at the liquid's edge
} Search;

static void edgeRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwGrid *grid = &s->level->grid;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *found = s->rows + t * TLW_TILE * TLW_TILE;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
        {
            *found = 0;
            for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                for (int64_t i = row; i < row + TLW_TILE; i++)
                    *found |= s->level->c[kind][i] > 0 && !isInside(s->level, kind, i);
            found++;
        }
    }
}

tlwResult tlwPeelStress(tlwThreads *threads, tlwStressSystem *system, tlwStressPeel *peel)
{
    const tlwStressLevel *level = &system->level;
    memset(peel, 0, sizeof *peel);
    Search s = {level, tlwAlloc((size_t)level->grid.tile_count * TLW_TILE * TLW_TILE, 1)};
    tlwResult result = s.rows ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        tlwParallelFor(threads, level->grid.tile_count, TLW_TILE_BLOCK, edgeRange, &s);
    const uint8_t *found = s.rows; // peeling has an order: what one sample gives to its faces the next one finds
    for (int t = 0; result == TLW_OK && t < level->grid.tile_count; t++)
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
    if (*found++)
        for (int i = 0; i < TLW_TILE; i++)
            for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                if (result == TLW_OK && level->c[kind][row + i] > 0 && !isInside(level, kind, row + i))
                    result = peelSample(system, peel, kind, row + i);
    tlwFree(s.rows);
    TLW_TRY(result);
    for (int64_t n = 0; n < peel->count; n++) {
        const tlwPeeledFace *p = &peel->faces[n];
        system->level.mass[p->component][p->face] = 0;
        system->b.at[p->component][p->face] = 0;
        system->x.at[p->component][p->face] = 0;
    }
    return TLW_OK;
}

void tlwUnpeelStress(const tlwStressSystem *system, const tlwStressPeel *peel, tlwFaceDoubles *x)
{
    const tlwStressLevel *level = &system->level;
    for (int64_t n = 0; n < peel->count; n++)
        x->at[peel->faces[n].component][peel->faces[n].face] = 0;
    for (int64_t n = 0; n < peel->count;) {
        const tlwPeeledFace *first = &peel->faces[n];
        int component[4], sign[4];
        int64_t face[4], end = n;
        int faces = tlwSampleFaces(&level->grid, first->kind, first->sample, component, face, sign);
        double strain = 0;
        for (; end < peel->count && peel->faces[end].sample == first->sample && peel->faces[end].kind == first->kind;
             end++)
            strain += peel->faces[end].sign * (double)peel->faces[end].old;
        for (int f = 0; f < faces; f++) {
            bool peeled = false;
            for (int64_t m = n; m < end; m++)
                peeled |= peel->faces[m].component == component[f] && peel->faces[m].face == face[f];
            strain += peeled ? 0 : sign[f] * x->at[component[f]][face[f]];
        }
        double stress = level->c[first->kind][first->sample] * strain;
        for (; n < end; n++) {
            const tlwPeeledFace *p = &peel->faces[n];
            x->at[p->component][p->face] += p->share * (p->old - p->sign * stress / p->mass);
        }
    }
}

void tlwFreeStressPeel(tlwStressPeel *peel)
{
    tlwFree(peel->faces);
    memset(peel, 0, sizeof *peel);
}
