#include "solve/stress/peel.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

static const double GHOST_MASS = 0.02; // largest mass of a ghost, as a share of a full face

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

// All four cells around the edge hold samples, so none of its faces is a ghost.
static bool isInside(const tlwStressLevel *level, int kind, int64_t i)
{
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    const int64_t a = stride[kind == TLW_YZ ? 1 : 0], b = stride[kind == TLW_XY ? 1 : 2];
    const float *c = level->c[TLW_XX];
    return c[i] > 0 && c[i - a] > 0 && c[i - b] > 0 && c[i - a - b] > 0;
}

typedef struct Search {
    tlwStressSystem *system;
    uint8_t *rows;  // per row of each tile: it has samples with ghost faces
    int64_t *start; // per tile: its first peeled face
    tlwPeeledFace *faces;
} Search;

// The ghost faces of a sample at the liquid's edge; returns how many there are. `out` may be null.
static int findGhosts(const tlwStressSystem *system, int kind, int64_t i, tlwPeeledFace *out)
{
    const tlwStressLevel *level = &system->level;
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES], count = 0;
    int64_t face[TLW_SAMPLE_FACES];
    if (!(level->c[kind][i] > 0) || isInside(level, kind, i))
        return 0;
    int faces = tlwSampleFaces(&level->grid, kind, i, component, face, sign);
    for (int f = 0; f < faces; f++) {
        int samples = countGhostSamples(system, component[f], face[f]);
        if (!samples)
            continue;
        float whole = level->mass[component[f]][face[f]], share = 1 / (float)samples;
        if (out)
            out[count] = (tlwPeeledFace){.face = face[f],
                                         .sample = i,
                                         .component = (int8_t)component[f],
                                         .kind = (int8_t)kind,
                                         .sign = (int8_t)sign[f],
                                         .share = share,
                                         .mass = whole * share,
                                         .old = system->b.at[component[f]][face[f]] / whole};
        count++;
    }
    return count;
}

static void countRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwGrid *grid = &s->system->level.grid;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *found = s->rows + t * TLW_TILE * TLW_TILE;
        int64_t all = 0;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            int count = 0;
            for (int64_t i = row; i < row + TLW_TILE; i++)
                for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                    count += findGhosts(s->system, kind, i, NULL);
            *found++ = count > 0;
            all += count;
        }
        s->start[t] = all;
    }
}

static void listRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwGrid *grid = &s->system->level.grid;
    for (int64_t t = begin; t < end; t++) {
        const uint8_t *found = s->rows + t * TLW_TILE * TLW_TILE;
        tlwPeeledFace *out = s->faces + s->start[t];
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            if (*found++)
                for (int64_t i = row; i < row + TLW_TILE; i++)
                    for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                        out += findGhosts(s->system, kind, i, out);
    }
}

static bool isListed(const tlwPeeledFace *faces, int64_t count, int component, int64_t face)
{
    bool listed = false;
    for (int64_t n = 0; n < count; n++)
        listed |= faces[n].component == component && faces[n].face == face;
    return listed;
}

static int64_t endOfSample(const tlwStressPeel *peel, int64_t begin)
{
    const tlwPeeledFace *first = &peel->faces[begin];
    int64_t end = begin + 1;
    while (end < peel->count && peel->faces[end].sample == first->sample && peel->faces[end].kind == first->kind)
        end++;
    return end;
}

// Soften a sample by its ghost faces, and move the ghosts' right-hand side to its other faces. `ghosts` are all of one
// sample.
static void peelSample(tlwStressSystem *system, const tlwPeeledFace *ghosts, int64_t count)
{
    tlwStressLevel *level = &system->level;
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES], kind = ghosts->kind;
    int64_t face[TLW_SAMPLE_FACES], i = ghosts->sample;
    int faces = tlwSampleFaces(&level->grid, kind, i, component, face, sign);
    double c = level->c[kind][i], compliance = 1 / c, offset = 0;
    for (int64_t n = 0; n < count; n++) {
        compliance += 1 / ghosts[n].mass;
        offset += ghosts[n].sign * ghosts[n].old;
    }
    level->c[kind][i] = (float)(1 / compliance);
    for (int f = 0; f < faces; f++)
        if (level->mass[component[f]][face[f]] > 0 && !isListed(ghosts, count, component[f], face[f]))
            system->b.at[component[f]][face[f]] -= (float)(sign[f] * level->c[kind][i] * offset);
}

// Find all ghost faces, tile by tile in order.
static tlwResult listGhosts(tlwThreads *threads, tlwStressSystem *system, tlwStressPeel *peel)
{
    size_t tiles = (size_t)system->level.grid.tile_count;
    Search s = {system, tlwAlloc(tiles * TLW_TILE * TLW_TILE, 1), tlwAlloc(tiles, sizeof *s.start), NULL};
    tlwResult result = TLW_OUT_OF_MEMORY;
    if (!s.rows || !s.start)
        goto done;
    tlwParallelFor(threads, (int64_t)tiles, TLW_TILE_BLOCK, countRange, &s);
    for (size_t t = 0; t < tiles; t++) {
        int64_t count = s.start[t];
        s.start[t] = peel->count;
        peel->count += count;
    }
    if (!tlwReserve((void **)&peel->faces, &peel->capacity, peel->count + 1, sizeof *peel->faces))
        goto done;
    s.faces = peel->faces;
    tlwParallelFor(threads, (int64_t)tiles, TLW_TILE_BLOCK, listRange, &s);
    result = TLW_OK;
done:
    tlwFree(s.rows);
    tlwFree(s.start);
    return result;
}

tlwResult tlwPeelStress(tlwThreads *threads, tlwStressSystem *system, tlwStressPeel *peel)
{
    memset(peel, 0, sizeof *peel);
    TLW_TRY(listGhosts(threads, system, peel));
    for (int64_t n = 0, end; n < peel->count; n = end) { // on one thread: samples share faces
        end = endOfSample(peel, n);
        peelSample(system, peel->faces + n, end - n);
    }
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
        int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
        int64_t face[TLW_SAMPLE_FACES], end = endOfSample(peel, n);
        int faces = tlwSampleFaces(&level->grid, first->kind, first->sample, component, face, sign);
        double strain = 0;
        for (int64_t m = n; m < end; m++)
            strain += peel->faces[m].sign * (double)peel->faces[m].old;
        for (int f = 0; f < faces; f++)
            if (!isListed(first, end - n, component[f], face[f]))
                strain += sign[f] * x->at[component[f]][face[f]];
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
