#include "solve/stress/basins.h"

#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/row_runs.h"

enum { DEPTHS = 4, MAX_DEPTH = 6, LEVELS = (TLW_STIFF_CLASSES + 1) * DEPTHS };
static const uint8_t DEPTH_OF[MAX_DEPTH + 1] = {0, 0, 1, 2, 2, 3, 3}; // cells below the surface -> depth step
static const int REACH = 8;                                           // cells a basin may grow between two basins

// A lump or component of flooded cells.
typedef struct Component {
    int cells;
    int low, high; // lowest and highest basin in it; 0 = none
} Component;

typedef struct Flood {
    tlwThreads *threads;
    tlwBasins *basins;
    const tlwGrid *grid;
    int most;
    tlwRowRuns runs;
    int now;               // level
    Component *components; // per run that names a lump or a component
    int64_t capacity;
    int *open; // per tile: cells between basins
} Flood;

static void classifyRange(void *context, int64_t begin, int64_t end)
{
    tlwBasins *b = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(b->grid, &b->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int class = 0;
                for (int n = 0; n < TLW_STIFF_CLASSES; n++)
                    class += b->c[row + i] > b->limit[n];
                b->class[row + i] = (uint8_t) class;
                b->depth[row + i] = 1;
            }
}

// A cell is one deeper than its shallowest neighbour. Neighbours of a softer class are outside, with depth 0.
static void deepenRange(void *context, int64_t begin, int64_t end)
{
    tlwBasins *b = context;
    const int64_t stride[3] = {1, b->grid->stride_y, b->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(b->grid, &b->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = row + i;
                int least = MAX_DEPTH;
                for (int n = 0; n < 6; n++) {
                    int64_t other = at + (n & 1 ? stride[n >> 1] : -stride[n >> 1]);
                    int depth = b->class[other] >= b->class[at] ? b->before[other] : 0;
                    least = depth < least ? depth : least;
                }
                b->depth[at] = (uint8_t)(least < MAX_DEPTH ? least + 1 : MAX_DEPTH);
            }
}

// Writes the level at which each cell is flooded to `before`; 0 = never.
static void levelRange(void *context, int64_t begin, int64_t end)
{
    tlwBasins *b = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(b->grid, &b->grid->tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                b->before[i] = b->class[i] ? (uint8_t)(b->class[i] * DEPTHS + DEPTH_OF[b->depth[i]]) : 0;
}

static void measureDepth(Flood *flood)
{
    tlwBasins *b = flood->basins;
    tlwParallelFor(flood->threads, b->grid->tile_count, TLW_TILE_BLOCK, classifyRange, b);
    for (int n = 1; n < MAX_DEPTH; n++) {
        uint8_t *keep = b->before;
        b->before = b->depth;
        b->depth = keep;
        tlwParallelFor(flood->threads, b->grid->tile_count, TLW_TILE_BLOCK, deepenRange, b);
    }
    tlwParallelFor(flood->threads, b->grid->tile_count, TLW_TILE_BLOCK, levelRange, b);
}

// Which cells lie at the present level or above; returns their number.
static double maskRange(void *context, int64_t begin, int64_t end)
{
    const Flood *flood = context;
    int cells = 0;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *out = flood->runs.mask + t * TLW_TILE_ROWS;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row) {
            unsigned mask = 0;
            for (int i = 0; i < TLW_TILE; i++)
                mask |= (unsigned)(flood->basins->before[row + i] >= flood->now) << i;
            cells += __builtin_popcount(mask);
            *out++ = (uint8_t)mask;
        }
    }
    return cells;
}

static void addBasin(Component *c, int low, int high)
{
    c->low = !c->low || low < c->low ? low : c->low;
    c->high = high > c->high ? high : c->high;
}

// Size and basins of each tile's lumps.
static void gatherRange(void *context, int64_t begin, int64_t end)
{
    const Flood *flood = context;
    const tlwRowRuns *runs = &flood->runs;
    for (int64_t t = begin; t < end; t++) {
        int64_t r = t * TLW_TILE_ROWS;
        for (int n = runs->start[t]; n < runs->start[t + 1]; n++)
            flood->components[n] = (Component){0};
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row) {
            const int16_t *basin = flood->basins->basin + row;
            const int mask = runs->mask[r];
            int run = runs->first[r++];
            bool empty = !mask || tlwIsRowOf(basin, 0);
            TLW_FOR_RUNS((unsigned)mask, bits) {
                Component *c = &flood->components[runs->lump[run++]];
                c->cells += __builtin_popcount(bits);
                if (empty || (c->low == c->high && tlwIsRowOf(basin, c->low)))
                    continue;
                for (int i = 0; i < TLW_TILE; i++)
                    if ((bits >> i & 1) && basin[i])
                        addBasin(c, basin[i], basin[i]);
            }
        }
    }
}

// Add lumps up to components. A component without a basin that is large enough becomes a new basin.
static void nameComponents(Flood *flood)
{
    TLW_FOR_LUMPS(&flood->runs, n) {
        const Component *lump = &flood->components[n];
        Component *c = &flood->components[flood->runs.component[n]];
        if (c == lump)
            continue;
        c->cells += lump->cells;
        if (lump->low)
            addBasin(c, lump->low, lump->high);
    }
    TLW_FOR_LUMPS(&flood->runs, n) {
        Component *c = &flood->components[n];
        if (flood->runs.component[n] == n && !c->low && c->cells >= TLW_SMALLEST_PART &&
            flood->basins->count < flood->most)
            c->low = c->high = ++flood->basins->count;
    }
}

// New cells of a component with one basin join that basin. New cells of a component with several basins are counted.
static double settleRange(void *context, int64_t begin, int64_t end)
{
    const Flood *flood = context;
    const tlwRowRuns *runs = &flood->runs;
    int all = 0;
    for (int64_t t = begin; t < end; t++) {
        int64_t r = t * TLW_TILE_ROWS;
        int open = 0;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row) {
            int16_t *basin = flood->basins->basin + row;
            const int mask = runs->mask[r];
            int run = runs->first[r++];
            TLW_FOR_RUNS((unsigned)mask, bits) {
                const Component *c = &flood->components[runs->component[run++]];
                for (int i = 0; i < TLW_TILE; i++) {
                    bool waits = (bits >> i & 1) && !basin[i];
                    open += waits && c->low != c->high;
                    basin[i] = waits && c->low == c->high ? (int16_t)c->low : basin[i];
                }
            }
        }
        flood->open[t] = open;
        all += open;
    }
    return all;
}

// List the cells without a basin whose component has several basins.
static void listOpen(const Flood *flood, int64_t *list)
{
    const tlwRowRuns *runs = &flood->runs;
    int64_t count = 0;
    for (int64_t t = 0; t < flood->grid->tile_count; t++) {
        int64_t r = t * TLW_TILE_ROWS;
        if (!flood->open[t])
            continue;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row) {
            int run = runs->first[r];
            TLW_FOR_RUNS((unsigned)runs->mask[r], bits) {
                const Component *c = &flood->components[runs->component[run++]];
                for (int i = 0; i < TLW_TILE && c->low != c->high; i++)
                    if ((bits >> i & 1) && !flood->basins->basin[row + i])
                        list[count++] = row + i;
            }
            r++;
        }
    }
}

// Grow basins into the cells between them, one layer at a time. Returns the number of cells that no basin reaches; they
// wait for softer levels. `reached` is scratch as large as the list.
static int64_t grow(const Flood *flood, int64_t *open, int64_t *reached, int64_t count)
{
    const int64_t stride[3] = {1, flood->grid->stride_y, flood->grid->stride_z};
    int16_t *of = flood->basins->basin;
    for (int pass = 0; pass < REACH && count; pass++) {
        int64_t left = 0, met = 0;
        for (int64_t n = 0; n < count; n++) {
            int64_t at = open[n];
            int16_t basin = 0;
            for (int m = 0; m < 6 && basin <= 0; m++)
                basin = of[at + (m & 1 ? stride[m >> 1] : -stride[m >> 1])];
            if (basin > 0) {
                of[at] = (int16_t)-basin; // visible to the next pass only
                reached[met++] = at;
            } else
                open[left++] = at;
        }
        for (int64_t n = 0; n < met; n++)
            of[reached[n]] = (int16_t)-of[reached[n]];
        count = left;
        if (!met)
            break;
    }
    return count;
}

static tlwResult shareOpen(Flood *flood, int64_t count, int64_t *left)
{
    int64_t *open = tlwAlloc((size_t)count, sizeof *open), *reached = tlwAlloc((size_t)count, sizeof *reached);
    bool ok = open && reached;
    if (ok) {
        listOpen(flood, open);
        *left = grow(flood, open, reached, count);
    }
    tlwFree(open);
    tlwFree(reached);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

static tlwResult floodLevel(Flood *flood, int64_t *left)
{
    const int tiles = flood->grid->tile_count;
    TLW_TRY(tlwJoinRowRuns(flood->threads, &flood->runs));
    if (!tlwReserve((void **)&flood->components, &flood->capacity, flood->runs.count, sizeof *flood->components))
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(flood->threads, tiles, TLW_TILE_BLOCK, gatherRange, flood);
    nameComponents(flood);
    int64_t open = (int64_t)tlwParallelSum(flood->threads, tiles, TLW_TILE_BLOCK, settleRange, flood);
    *left = 0;
    return open ? shareOpen(flood, open, left) : TLW_OK;
}

tlwResult tlwFindBasins(tlwThreads *threads, tlwBasins *basins, int most)
{
    Flood flood = {.threads = threads, .basins = basins, .grid = basins->grid, .most = most};
    flood.open = tlwAlloc((size_t)basins->grid->tile_count, sizeof *flood.open);
    tlwResult result = tlwInitRowRuns(&flood.runs, flood.grid) && flood.open ? TLW_OK : TLW_OUT_OF_MEMORY;
    basins->count = 0;
    double before = 0;
    int64_t left = 0;
    if (result == TLW_OK)
        measureDepth(&flood);
    for (int n = LEVELS - 1; n >= DEPTHS && result == TLW_OK; n--) {
        flood.now = n;
        double cells = tlwParallelSum(threads, flood.grid->tile_count, TLW_TILE_BLOCK, maskRange, &flood);
        if (cells > before || left) // without new or waiting cells nothing would change
            result = floodLevel(&flood, &left);
        before = cells;
    }
    tlwFreeRowRuns(&flood.runs);
    tlwFree(flood.components);
    tlwFree(flood.open);
    return result;
}
