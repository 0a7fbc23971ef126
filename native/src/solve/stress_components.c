#include "solve/stress_components.h"

#include "base/memory.h"
#include "solve/row_runs.h"

#include <stdlib.h>
#include <string.h>

static const double THRESHOLDS[] = {1, 1e2, 1e4, 1e6, 1e8};
enum { CLASSES = 5, DEPTHS = 4, MAX_DEPTH = 6, LEVELS = (CLASSES + 1) * DEPTHS };
static const int DEPTH_OF[MAX_DEPTH + 1] = {0, 0, 1, 2, 2, 3, 3}; // cells below the surface -> depth step
static const int SMALLEST = 10;                                   // cells of a part
static const int THICK = 3, THICK_REACH = 5; // a part is thick within 5 cells of where it is 3 deep
static const int REACH = 8;                  // cells a basin grows into a neck between two
static const double SAME_SHARE = 0.98;       // of the softer part around: not worth its own label

typedef struct Flood {
    tlwThreads *threads;
    tlwStressLevel *level;
    const tlwGrid *grid;
    uint8_t *class;  // per cell: thresholds it exceeds
    uint8_t *depth;  // per cell: cells below the surface of its class, 1 .. MAX_DEPTH
    uint8_t *before; // depth of the pass before
    int16_t *basin;  // per cell; 0 = none yet
    float limit[CLASSES];
    int basins;
    tlwRowRuns runs;
    int level_now; // of floodLevel
} Flood;

static void classifyRange(void *context, int64_t begin, int64_t end)
{
    Flood *flood = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        float c = flood->level->c[TLW_XX][row + i];
        int class = 0;
        for (int n = 0; n < CLASSES; n++)
            class += c > flood->limit[n];
        flood->class[row + i] = (uint8_t) class;
        flood->depth[row + i] = 1;
    }
}

// A cell is one deeper than its shallowest neighbour; softer neighbours are the surface.
static void deepenRange(void *context, int64_t begin, int64_t end)
{
    Flood *flood = context;
    const int64_t stride[3] = {1, flood->grid->stride_y, flood->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        int64_t at = row + i;
        int least = MAX_DEPTH;
        for (int n = 0; n < 6; n++) {
            int64_t other = at + (n & 1 ? stride[n >> 1] : -stride[n >> 1]);
            int depth = flood->class[other] >= flood->class[at] ? flood->before[other] : 0;
            least = depth < least ? depth : least;
        }
        flood->depth[at] = (uint8_t)(least < MAX_DEPTH ? least + 1 : MAX_DEPTH);
    }
}

static void measureDepth(Flood *flood)
{
    tlwParallelFor(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, classifyRange, flood);
    for (int n = 1; n < MAX_DEPTH; n++) {
        uint8_t *keep = flood->before;
        flood->before = flood->depth;
        flood->depth = keep;
        tlwParallelFor(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, deepenRange, flood);
    }
}

// Thin parts bend: a coarse grid makes them too stiff, so they are cut into short pieces. `before` becomes the highest
// class that is thick near a cell.
static void thickRange(void *context, int64_t begin, int64_t end)
{
    Flood *flood = context;
    const int64_t stride[3] = {1, flood->grid->stride_y, flood->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        int64_t at = row + i;
        uint8_t most = flood->before[at];
        for (int n = 0; n < 6; n++) {
            uint8_t other = flood->before[at + (n & 1 ? stride[n >> 1] : -stride[n >> 1])];
            most = other > most ? other : most;
        }
        flood->depth[at] = most;
    }
}

static void deepRange(void *context, int64_t begin, int64_t end)
{
    Flood *flood = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++)
        flood->depth[row + i] = flood->depth[row + i] >= THICK ? flood->class[row + i] : 0;
}

static void findThick(Flood *flood)
{
    tlwParallelFor(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, deepRange, flood);
    for (int n = 0; n <= THICK_REACH; n++) {
        uint8_t *keep = flood->before;
        flood->before = flood->depth;
        flood->depth = keep;
        if (n < THICK_REACH)
            tlwParallelFor(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, thickRange, flood);
    }
}

static int levelOf(const Flood *flood, int64_t at)
{
    int class = flood->class[at];
    return class ? class * DEPTHS + DEPTH_OF[flood->depth[at]] : 0;
}

// What is known of a component while its runs are visited.
typedef struct Component {
    int cells;
    int low, high; // basins in it
} Component;

// Most rows lie in one basin, or in none yet: eight cells at a time are told apart from the others.
static inline bool isRowOf(const int16_t *row, int basin)
{
    int differs = 0;
    for (int i = 0; i < TLW_TILE; i++)
        differs |= row[i] ^ basin;
    return !differs;
}

static inline bool hasCellsWithout(const int16_t *row)
{
    bool any = false;
    for (int i = 0; i < TLW_TILE; i++)
        any |= row[i] == 0;
    return any;
}

static Component *gatherComponents(const Flood *flood)
{
    Component *components = tlwAlloc((size_t)flood->runs.count, sizeof *components);
    for (int64_t t = 0, r; components && t < flood->grid->tile_count; t++) {
        if (!tlwHasRuns(&flood->runs, t))
            continue;
        r = t * TLW_TILE_ROWS;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
        {
            int run = flood->runs.first[r];
            bool empty = isRowOf(flood->basin + row, 0);
            TLW_FOR_RUNS(flood->runs.mask[r], bits)
            {
                Component *c = &components[tlwFindRoot(&flood->runs, run++)];
                c->cells += __builtin_popcount(bits);
                if (empty || (c->low == c->high && isRowOf(flood->basin + row, c->low)))
                    continue;
                for (int i = 0; i < TLW_TILE; i++) {
                    int basin = bits >> i & 1 ? flood->basin[row + i] : 0;
                    if (basin) {
                        c->low = !c->low || basin < c->low ? basin : c->low;
                        c->high = basin > c->high ? basin : c->high;
                    }
                }
            }
            r++;
        }
    }
    return components;
}

// Cells of components with one basin join it; cells between basins are listed for grow().
static tlwResult settle(Flood *flood, Component *components, int64_t **open, int64_t *open_count)
{
    int64_t capacity = 0;
    for (int n = 0; n < flood->runs.count; n++) {
        Component *c = &components[n];
        if (flood->runs.parent[n] == n && !c->low && c->cells >= SMALLEST && flood->basins < TLW_MAX_PARTS)
            c->low = c->high = ++flood->basins;
    }
    for (int64_t t = 0, r; t < flood->grid->tile_count; t++) {
        if (!tlwHasRuns(&flood->runs, t))
            continue;
        r = t * TLW_TILE_ROWS;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
        {
            int run = flood->runs.first[r];
            TLW_FOR_RUNS(flood->runs.mask[r], bits)
            {
                const Component *c = &components[tlwFindRoot(&flood->runs, run++)];
                if (!hasCellsWithout(flood->basin + row))
                    continue;
                if (!tlwReserve((void **)open, &capacity, *open_count + TLW_TILE, sizeof **open))
                    return TLW_OUT_OF_MEMORY;
                for (int i = 0; i < TLW_TILE; i++) {
                    if (!(bits >> i & 1) || flood->basin[row + i])
                        continue;
                    if (c->low == c->high)
                        flood->basin[row + i] = (int16_t)c->low;
                    else
                        (*open)[(*open_count)++] = row + i;
                }
            }
            r++;
        }
    }
    return TLW_OK;
}

// Basins grow into the cells between them, one layer at a time. What they do not reach stays for softer levels.
static void grow(Flood *flood, int64_t *open, int64_t count)
{
    const int64_t stride[3] = {1, flood->grid->stride_y, flood->grid->stride_z};
    for (int pass = 0; pass < REACH && count; pass++) {
        int64_t left = 0;
        for (int64_t n = 0; n < count; n++) {
            int64_t at = open[n];
            int16_t basin = 0;
            for (int m = 0; m < 6 && !basin; m++) {
                basin = flood->basin[at + (m & 1 ? stride[m >> 1] : -stride[m >> 1])];
                basin = basin > 0 ? basin : 0;
            }
            if (basin)
                flood->basin[at] = (int16_t)-basin; // visible to the next pass only
            else
                open[left++] = at;
        }
        if (left == count)
            break;
        for (int t = 0; t < flood->grid->tile_count; t++)
            TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
        for (int i = 0; i < TLW_TILE; i++)
            flood->basin[row + i] = (int16_t)abs(flood->basin[row + i]);
        count = left;
    }
}

// Which cells lie at the present level or above; returns their number.
static double maskRange(void *context, int64_t begin, int64_t end)
{
    const Flood *flood = context;
    int cells = 0;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *out = flood->runs.mask + t * TLW_TILE * TLW_TILE;
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
        {
            unsigned mask = 0;
            for (int i = 0; i < TLW_TILE; i++)
                mask |= (unsigned)(levelOf(flood, row + i) >= flood->level_now) << i;
            cells += __builtin_popcount(mask);
            *out++ = (uint8_t)mask;
        }
    }
    return cells;
}

static tlwResult floodLevel(Flood *flood, int level)
{
    flood->level_now = level;
    if (!(tlwParallelSum(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, maskRange, flood) > 0))
        return TLW_OK;
    TLW_TRY(tlwJoinRowRuns(&flood->runs));
    int64_t *open = NULL, open_count = 0;
    Component *components = gatherComponents(flood);
    tlwResult result = components ? settle(flood, components, &open, &open_count) : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        grow(flood, open, open_count);
    tlwFree(components);
    tlwFree(open);
    return result;
}

// A label per basin and class, where the class is a part of its own.
static void numberBasins(const Flood *flood, const int (*cells)[CLASSES + 1], int16_t (*number)[CLASSES + 1],
                         int *count)
{
    int size[TLW_MAX_PARTS + 1] = {0};
    // Softer classes first: a face between two parts belongs to the higher label, and must be the stiffer one's.
    for (int class = 1; class <= CLASSES; class ++)
        for (int b = 1; b <= flood->basins; b++) {
            int softer = number[b][class - 1], around = softer ? size[softer] : 0, here = cells[b][class];
            bool own = here >= SMALLEST && (!around || here <= SAME_SHARE * around) && *count < TLW_MAX_PARTS;
            number[b][class] = (int16_t)(own ? ++*count : softer);
            if (own)
                size[*count] = here;
        }
}

typedef struct Piece {
    int label, cube[3], cells;
} Piece;

static int comparePieces(const void *a, const void *b)
{
    const Piece *p = a, *q = b;
    if (p->label != q->label)
        return p->label < q->label ? -1 : 1;
    for (int n = 0; n < 3; n++)
        if (p->cube[n] != q->cube[n])
            return p->cube[n] < q->cube[n] ? -1 : 1;
    return 0;
}

// New labels: of the piece that a thin cell lies in, or of what its label has become.
typedef struct Renaming {
    const Flood *flood;
    const Piece *pieces; // sorted; `cells` is the new label
    int64_t count;
    int size;
    const int16_t *shifted; // by old label
    int16_t *label;
} Renaming;

static void renameRange(void *context, int64_t begin, int64_t end)
{
    const Renaming *r = context;
    const Flood *flood = r->flood;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        int16_t *at = &r->label[row + i];
        if (!*at)
            continue;
        Piece key = {*at,
                     {tlwFloorDiv(flood->grid->tiles[t].cell[0] + i + 3, r->size), tlwFloorDiv((int)j + 3, r->size),
                      tlwFloorDiv(k + 3, r->size)},
                     0};
        const Piece *piece = NULL;
        if (flood->before[row + i] < flood->class[row + i])
            piece = bsearch(&key, r->pieces, (size_t)r->count, sizeof key, comparePieces);
        *at = piece ? (int16_t)piece->cells : r->shifted[*at];
    }
}

// Cut the thin parts of every label by cubes of `size` cells. Labels keep their order, so that the stiffer stay higher.
static tlwResult cutThin(Flood *flood, int16_t *label, int *count, int size, bool *fits)
{
    const tlwGrid *grid = flood->grid;
    Piece *pieces = NULL;
    int64_t capacity = 0, found = 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        if (!label[row + i] || flood->before[row + i] >= flood->class[row + i])
            continue;
        Piece piece = {label[row + i],
                       {tlwFloorDiv(grid->tiles[t].cell[0] + i + 3, size), tlwFloorDiv((int)j + 3, size),
                        tlwFloorDiv(k + 3, size)},
                       1};
        if (found && comparePieces(&piece, &pieces[found - 1]) == 0) {
            pieces[found - 1].cells++;
            continue;
        }
        if (!tlwReserve((void **)&pieces, &capacity, found + 1, sizeof *pieces)) {
            tlwFree(pieces);
            return TLW_OUT_OF_MEMORY;
        }
        pieces[found++] = piece;
    }
    *fits = true;
    if (!found)
        return TLW_OK;
    qsort(pieces, (size_t)found, sizeof *pieces, comparePieces);
    int64_t unique = 0;
    for (int64_t n = 0; n < found; n++) {
        if (unique && comparePieces(&pieces[unique - 1], &pieces[n]) == 0)
            pieces[unique - 1].cells += pieces[n].cells;
        else
            pieces[unique++] = pieces[n];
    }
    // New numbers: the label itself first, then its pieces.
    int16_t shifted[TLW_MAX_PARTS + 1] = {0};
    int next = 0;
    int64_t p = 0;
    for (int n = 1; n <= *count; n++) {
        shifted[n] = (int16_t)++next;
        for (; p < unique && pieces[p].label == n; p++)
            pieces[p].cells = pieces[p].cells >= SMALLEST / 2 ? ++next : shifted[n];
    }
    *fits = next <= TLW_MAX_PARTS;
    Renaming renaming = {flood, pieces, unique, size, shifted, label};
    if (*fits) {
        tlwParallelFor(flood->threads, grid->tile_count, TLW_TILE_BLOCK, renameRange, &renaming);
        *count = next;
    }
    tlwFree(pieces);
    return TLW_OK;
}

typedef struct Labelling {
    const Flood *flood;
    const int16_t (*number)[CLASSES + 1];
    int16_t *label;
} Labelling;

static void labelRange(void *context, int64_t begin, int64_t end)
{
    const Labelling *l = context;
    const Flood *flood = l->flood;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++)
        l->label[row + i] = flood->basin[row + i] ? l->number[flood->basin[row + i]][flood->class[row + i]] : 0;
}

static tlwResult labelBasins(Flood *flood, int16_t *label, int *count)
{
    int(*cells)[CLASSES + 1] = tlwAlloc((size_t)flood->basins + 1, sizeof *cells);
    int16_t(*number)[CLASSES + 1] = tlwAlloc((size_t)flood->basins + 1, sizeof *number);
    tlwResult result = cells && number ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        for (int t = 0; t < flood->grid->tile_count; t++)
            TLW_FOR_ROWS(flood->grid, &flood->grid->tiles[t], j, k, row)
        for (int i = 0; i < TLW_TILE; i++)
            for (int class = 1; class <= flood->class[row + i]; class ++)
                cells[flood->basin[row + i]][class]++;
        numberBasins(flood, (const int(*)[CLASSES + 1]) cells, number, count);
        Labelling labelling = {flood, (const int16_t(*)[CLASSES + 1]) number, label};
        tlwParallelFor(flood->threads, flood->grid->tile_count, TLW_TILE_BLOCK, labelRange, &labelling);
        bool fits = *count == 0;
        findThick(flood);
        for (int size = TLW_TILE; result == TLW_OK && !fits && size <= 1024; size *= 2)
            result = cutThin(flood, label, count, size, &fits);
    }
    tlwFree(cells);
    tlwFree(number);
    return result;
}

tlwResult tlwFindStiffParts(tlwThreads *threads, tlwStressLevel *level, double unit_mass, int16_t *label, int *count)
{
    Flood flood = {.threads = threads, .level = level, .grid = &level->grid, .basin = label};
    int slot[3];
    *count = 0;
    for (int n = 0; n < 3; n++) {
        slot[n] = tlwBorrowField(&level->grid, 1);
        if (slot[n] < 0)
            return TLW_OUT_OF_MEMORY;
    }
    flood.class = tlwGetBytes(&level->grid, slot[0]);
    flood.depth = tlwGetBytes(&level->grid, slot[1]);
    flood.before = tlwGetBytes(&level->grid, slot[2]);
    for (int n = 0; n < CLASSES; n++)
        flood.limit[n] = (float)(2 * THRESHOLDS[n] * unit_mass);
    tlwResult result = tlwInitRowRuns(&flood.runs, flood.grid) ? TLW_OK : TLW_OUT_OF_MEMORY;
    measureDepth(&flood);
    for (int n = LEVELS - 1; n >= DEPTHS && result == TLW_OK; n--)
        result = floodLevel(&flood, n);
    if (result == TLW_OK)
        result = labelBasins(&flood, label, count);
    tlwFreeRowRuns(&flood.runs);
    for (int n = 0; n < 3; n++)
        tlwReturnField(&level->grid, slot[n]);
    return result;
}
