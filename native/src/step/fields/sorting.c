#include "step/fields/sorting.h"

#include "base/memory.h"
#include "base/pages.h"

#include <string.h>

#define BLOCK 32768
#define TILE_BITS 3 // TLW_TILE = 1 << TILE_BITS

void tlwFreeParticleOrder(tlwParticleOrder *order)
{
    tlwFree(order->tile_start);
    tlwFree(order->cell_start);
    memset(order, 0, sizeof *order);
}

static inline int floorCell(float x)
{
    int i = (int)x;
    return i - (x < (float)i);
}

// A byte for each tile of the domain and of a ring around it. Pages that no mark touches cost no memory.
typedef struct Mask {
    const tlwParticles *particles;
    uint8_t *bytes, *layers; // layers: one byte per layer of tiles, set when the layer has a mark
    int min[3], size[3];
    float margin;
} Mask;

static void mark(uint8_t *byte)
{
    if (!__atomic_load_n(byte, __ATOMIC_RELAXED))
        __atomic_store_n(byte, 1, __ATOMIC_RELAXED);
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    const Mask *m = context;
    int low[3] = {0}, high[3] = {-1, -1, -1};
    for (int64_t n = begin; n < end; n++) {
        bool same = true; // same tiles as the previous particle, which is common in nearly sorted particles
        for (int a = 0; a < 3; a++) {
            float x = m->particles->position[a][n];
            int from = (floorCell(x - m->margin) >> TILE_BITS) - m->min[a];
            int to = (floorCell(x + m->margin) >> TILE_BITS) - m->min[a];
            from = from < 0 ? 0 : from;
            to = to >= m->size[a] ? m->size[a] - 1 : to;
            same = same && from == low[a] && to == high[a];
            low[a] = from;
            high[a] = to;
        }
        if (same)
            continue;
        for (int k = low[2]; k <= high[2]; k++) {
            mark(&m->layers[k]);
            for (int j = low[1]; j <= high[1]; j++)
                for (int i = low[0]; i <= high[0]; i++)
                    mark(&m->bytes[i + (int64_t)m->size[0] * (j + (int64_t)m->size[1] * k)]);
        }
    }
}

tlwResult tlwActivateAroundParticles(tlwThreads *threads, const tlwParticles *particles, float margin, tlwGrid *grid)
{
    Mask m = {.particles = particles, .margin = margin};
    size_t bytes = 1;
    for (int a = 0; a < 3; a++) {
        m.min[a] = -2;
        m.size[a] = grid->dims[a] / TLW_TILE + 5;
        bytes *= (size_t)m.size[a];
    }
    m.bytes = tlwAllocPages(bytes + (size_t)m.size[2]);
    if (!m.bytes)
        return TLW_OUT_OF_MEMORY;
    m.layers = m.bytes + bytes;
    tlwParallelFor(threads, particles->count, BLOCK, markRange, &m);
    int(*coords)[3] = NULL;
    int64_t capacity = 0;
    int count = 0;
    tlwResult result = TLW_OK;
    for (int k = 0; k < m.size[2]; k++)
        for (int j = 0; m.layers[k] && j < m.size[1]; j++) { // skips empty layers of a tall domain
            const uint8_t *row = m.bytes + (int64_t)m.size[0] * (j + (int64_t)m.size[1] * k);
            for (int i = 0; i < m.size[0]; i++) {
                if (!row[i])
                    continue;
                if (!tlwReserve((void **)&coords, &capacity, count + 1, sizeof *coords)) {
                    result = TLW_OUT_OF_MEMORY;
                    break;
                }
                coords[count][0] = i + m.min[0];
                coords[count][1] = j + m.min[1];
                coords[count++][2] = k + m.min[2];
            }
        }
    if (result == TLW_OK)
        result = tlwActivateTiles(threads, grid, (const int(*)[3])coords, count);
    tlwFree(coords);
    tlwFreePages(m.bytes);
    return result;
}

// Stable counting sort by tile: each block counts its particles, the counts are summed in order, each block places its
// particles.
typedef struct Sort {
    const tlwGrid *grid;
    const tlwParticles *particles;
    uint32_t *tile;   // tile of each particle; shares memory with `scratch`, which is used later
    int64_t *offsets; // per block and tile
    uint32_t *order;
    uint32_t *scratch;
    int64_t *tile_start;
    int32_t *cell_start;
} Sort;

static void countRange(void *context, int64_t begin, int64_t end)
{
    const Sort *s = context;
    int64_t *counts = s->offsets + (begin / BLOCK) * s->grid->tile_count;
    int at[3] = {0}, tile = -1;
    for (int64_t n = begin; n < end; n++) {
        bool same = tile >= 0; // as the particle before
        for (int a = 0; a < 3; a++) {
            int here = floorCell(s->particles->position[a][n]) >> TILE_BITS;
            same = same && here == at[a];
            at[a] = here;
        }
        if (!same) {
            tile = tlwFindTile(s->grid, at[0], at[1], at[2]);
            tile = tile < 0 ? 0 : tile;
        }
        s->tile[n] = (uint32_t)tile;
        counts[tile]++;
    }
}

static void placeRange(void *context, int64_t begin, int64_t end)
{
    const Sort *s = context;
    int64_t *offsets = s->offsets + (begin / BLOCK) * s->grid->tile_count;
    for (int64_t n = begin; n < end; n++)
        s->order[offsets[s->tile[n]]++] = (uint32_t)n;
}

static inline int cellInTile(const tlwParticles *particles, int64_t n)
{
    int i = floorCell(particles->position[0][n]) & 7, j = floorCell(particles->position[1][n]) & 7,
        k = floorCell(particles->position[2][n]) & 7;
    return i + TLW_TILE * (j + TLW_TILE * k);
}

static void cellRange(void *context, int64_t begin, int64_t end)
{
    const Sort *s = context;
    for (int64_t t = begin; t < end; t++) {
        int32_t *start = s->cell_start + t * (TLW_TILE_CELLS + 1), next[TLW_TILE_CELLS];
        int64_t first = s->tile_start[t], last = s->tile_start[t + 1];
        memset(start, 0, (TLW_TILE_CELLS + 1) * sizeof *start);
        for (int64_t n = first; n < last; n++)
            start[1 + cellInTile(s->particles, s->order[n])]++;
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            start[c + 1] += start[c];
            next[c] = start[c];
        }
        for (int64_t n = first; n < last; n++)
            s->scratch[first + next[cellInTile(s->particles, s->order[n])]++] = s->order[n];
    }
}

// `by_tile` has room for an index per particle.
static tlwResult indexParticles(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                                tlwParticleOrder *order, uint32_t *indices, uint32_t *by_tile)
{
    int64_t count = particles->count, blocks = (count + BLOCK - 1) / BLOCK, tiles = grid->tile_count;
    Sort s = {.grid = grid, .particles = particles, .tile = indices, .order = by_tile, .scratch = indices};
    s.offsets = tlwAlloc((size_t)(blocks * tiles), sizeof *s.offsets);
    bool ok = s.offsets &&
              tlwReserve((void **)&order->tile_start, &order->tile_capacity, tiles + 1, sizeof *order->tile_start) &&
              tlwReserve((void **)&order->cell_start, &order->cell_capacity, tiles * (TLW_TILE_CELLS + 1),
                         sizeof *order->cell_start);
    if (ok) {
        s.tile_start = order->tile_start;
        s.cell_start = order->cell_start;
        tlwParallelFor(threads, count, BLOCK, countRange, &s);
        int64_t total = 0;
        for (int64_t t = 0; t < tiles; t++) {
            order->tile_start[t] = total;
            for (int64_t b = 0; b < blocks; b++) {
                int64_t here = s.offsets[b * tiles + t];
                s.offsets[b * tiles + t] = total;
                total += here;
            }
        }
        order->tile_start[tiles] = total;
        tlwParallelFor(threads, count, BLOCK, placeRange, &s);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, cellRange, &s);
    }
    tlwFree(s.offsets);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

tlwResult tlwIndexParticles(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                            tlwParticleOrder *order, uint32_t *indices)
{
    uint32_t *scratch = tlwAllocScratch((size_t)particles->count * sizeof *scratch);
    if (!scratch)
        return TLW_OUT_OF_MEMORY;
    tlwResult result = indexParticles(threads, grid, particles, order, indices, scratch);
    tlwFreePages(scratch);
    return result;
}

// The scratch array of the sort becomes the spare array of tlwReorderParticlesBy.
tlwResult tlwSortParticles(tlwThreads *threads, const tlwGrid *grid, tlwParticles *particles, tlwParticleOrder *order)
{
    uint32_t *indices = tlwAllocScratch((size_t)particles->count * sizeof *indices);
    void *scratch = tlwAllocScratch((size_t)particles->capacity * sizeof(uint32_t));
    tlwResult result = indices && scratch ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        result = indexParticles(threads, grid, particles, order, indices, scratch);
    if (result == TLW_OK)
        result = tlwReorderParticlesBy(threads, particles, indices, particles->count, &scratch);
    tlwFreePages(indices);
    tlwFreePages(scratch);
    return result;
}
