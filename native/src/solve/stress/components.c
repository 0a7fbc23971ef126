#include "solve/stress/components.h"

#include "base/memory.h"
#include "solve/stress/basins.h"

#include <stdlib.h>

static const double THRESHOLDS[TLW_STIFF_CLASSES] = {1, 1e2, 1e4, 1e6, 1e8};
static const int THICK = 3, THICK_REACH = 5; // a part is thick within 5 cells of where it is 3 deep
static const double SAME_SHARE = 0.98;       // a part larger than this share of the softer one gets no own label

static bool isRowOfClass(const uint8_t *row, int class)
{
    int differs = 0;
    for (int i = 0; i < TLW_TILE; i++)
        differs |= row[i] ^ class;
    return !differs;
}

// Thin parts bend, and a coarse grid makes them too stiff. So thin parts are cut into short pieces. This spreads the
// highest class that is thick by one cell; after findThick, `before` holds that class near each cell.
static void thickRange(void *context, int64_t begin, int64_t end)
{
    tlwBasins *basins = context;
    const int64_t stride[3] = {1, basins->grid->stride_y, basins->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(basins->grid, &basins->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = row + i;
                uint8_t most = basins->before[at];
                for (int n = 0; n < 6; n++) {
                    uint8_t other = basins->before[at + (n & 1 ? stride[n >> 1] : -stride[n >> 1])];
                    most = other > most ? other : most;
                }
                basins->depth[at] = most;
            }
}

static void deepRange(void *context, int64_t begin, int64_t end)
{
    tlwBasins *basins = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(basins->grid, &basins->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                basins->depth[row + i] = basins->depth[row + i] >= THICK ? basins->class[row + i] : 0;
}

static void findThick(tlwThreads *threads, tlwBasins *basins)
{
    tlwParallelFor(threads, basins->grid->tile_count, TLW_TILE_BLOCK, deepRange, basins);
    for (int n = 0; n <= THICK_REACH; n++) {
        uint8_t *keep = basins->before;
        basins->before = basins->depth;
        basins->depth = keep;
        if (n < THICK_REACH)
            tlwParallelFor(threads, basins->grid->tile_count, TLW_TILE_BLOCK, thickRange, basins);
    }
}

// A label per basin and class, where the class is a part of its own.
static void numberBasins(const tlwBasins *basins, const int (*cells)[TLW_STIFF_CLASSES + 1],
                         int16_t (*number)[TLW_STIFF_CLASSES + 1], int *count)
{
    int size[TLW_MAX_PARTS + 1] = {0};
    // Softer classes get lower labels: a face between two parts belongs to the higher label, which must be the stiffer.
    for (int class = 1; class <= TLW_STIFF_CLASSES; class ++)
        for (int b = 1; b <= basins->count; b++) {
            int softer = number[b][class - 1], around = softer ? size[softer] : 0, here = cells[b][class];
            bool own = here >= TLW_SMALLEST_PART && (!around || here <= SAME_SHARE * around) && *count < TLW_MAX_PARTS;
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

// New labels: a thin cell takes the label of its piece, another cell the new number of its label.
typedef struct Renaming {
    const tlwBasins *basins;
    const Piece *pieces; // sorted; `cells` is the new label
    int64_t count;
    int size;
    const int16_t *shifted; // by old label
    int16_t *label;
} Renaming;

static void renameRange(void *context, int64_t begin, int64_t end)
{
    const Renaming *r = context;
    const tlwBasins *basins = r->basins;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(basins->grid, &basins->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int16_t *at = &r->label[row + i];
                if (!*at)
                    continue;
                Piece key = {*at,
                             {tlwFloorDiv(basins->grid->tiles[t].cell[0] + i + 3, r->size),
                              tlwFloorDiv((int)j + 3, r->size), tlwFloorDiv(k + 3, r->size)},
                             0};
                const Piece *piece = NULL;
                if (basins->before[row + i] < basins->class[row + i])
                    piece = bsearch(&key, r->pieces, (size_t)r->count, sizeof key, comparePieces);
                *at = piece ? (int16_t)piece->cells : r->shifted[*at];
            }
}

// Whether any cell of a row is in a thin part.
static bool isThinRow(const tlwBasins *basins, const int16_t *label, int64_t row)
{
    bool any = false;
    for (int64_t i = row; i < row + TLW_TILE; i++)
        any |= (label[i] != 0) & (basins->before[i] < basins->class[i]);
    return any;
}

// The pieces of thin parts. A piece is listed once for every row that passes through it.
static bool listPieces(const tlwBasins *basins, const int16_t *label, int size, Piece **pieces, int64_t *found)
{
    const tlwGrid *grid = basins->grid;
    int64_t capacity = 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            if (!isThinRow(basins, label, row))
                continue;
            if (!tlwReserve((void **)pieces, &capacity, *found + TLW_TILE, sizeof **pieces))
                return false;
            for (int i = 0; i < TLW_TILE; i++) {
                if (!label[row + i] || basins->before[row + i] >= basins->class[row + i])
                    continue;
                Piece piece = {label[row + i],
                               {tlwFloorDiv(grid->tiles[t].cell[0] + i + 3, size), tlwFloorDiv((int)j + 3, size),
                                tlwFloorDiv(k + 3, size)},
                               1};
                if (*found && comparePieces(&piece, &(*pieces)[*found - 1]) == 0)
                    (*pieces)[*found - 1].cells++;
                else
                    (*pieces)[(*found)++] = piece;
            }
        }
    return true;
}

// Cut the thin parts of every label into cubes of `size` cells. Labels keep their order, so stiffer parts stay higher.
static tlwResult cutThin(tlwThreads *threads, tlwBasins *basins, int16_t *label, int *count, int size, bool *fits)
{
    Piece *pieces = NULL;
    int64_t found = 0;
    if (!listPieces(basins, label, size, &pieces, &found)) {
        tlwFree(pieces);
        return TLW_OUT_OF_MEMORY;
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
            pieces[p].cells = pieces[p].cells >= TLW_SMALLEST_PART / 2 ? ++next : shifted[n];
    }
    *fits = next <= TLW_MAX_PARTS;
    Renaming renaming = {basins, pieces, unique, size, shifted, label};
    if (*fits) {
        tlwParallelFor(threads, basins->grid->tile_count, TLW_TILE_BLOCK, renameRange, &renaming);
        *count = next;
    }
    tlwFree(pieces);
    return TLW_OK;
}

typedef struct Labelling {
    const tlwBasins *basins;
    const int16_t (*number)[TLW_STIFF_CLASSES + 1];
    int16_t *label;
} Labelling;

static void labelRange(void *context, int64_t begin, int64_t end)
{
    const Labelling *l = context;
    const tlwBasins *basins = l->basins;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(basins->grid, &basins->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                l->label[row + i] =
                    basins->basin[row + i] ? l->number[basins->basin[row + i]][basins->class[row + i]] : 0;
}

// Cells of each basin that are in a class or in a stiffer one.
static void countCells(const tlwBasins *basins, int (*cells)[TLW_STIFF_CLASSES + 1])
{
    for (int t = 0; t < basins->grid->tile_count; t++)
        TLW_FOR_ROWS(basins->grid, &basins->grid->tiles[t], j, k, row) {
            const uint8_t *class = basins->class + row;
            const int16_t *basin = basins->basin + row;
            bool same = isRowOfClass(class, class[0]) && tlwIsRowOf(basin, basin[0]);
            for (int i = 0; i < (same ? 1 : TLW_TILE); i++)
                for (int n = 1; n <= class[i]; n++)
                    cells[basin[i]][n] += same ? TLW_TILE : 1;
        }
}

static tlwResult labelBasins(tlwThreads *threads, tlwBasins *basins, int16_t *label, int *count)
{
    int(*cells)[TLW_STIFF_CLASSES + 1] = tlwAlloc((size_t)basins->count + 1, sizeof *cells);
    int16_t(*number)[TLW_STIFF_CLASSES + 1] = tlwAlloc((size_t)basins->count + 1, sizeof *number);
    tlwResult result = cells && number ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        countCells(basins, cells);
        numberBasins(basins, (const int(*)[TLW_STIFF_CLASSES + 1]) cells, number, count);
        Labelling labelling = {basins, (const int16_t(*)[TLW_STIFF_CLASSES + 1]) number, label};
        tlwParallelFor(threads, basins->grid->tile_count, TLW_TILE_BLOCK, labelRange, &labelling);
        bool fits = *count == 0;
        findThick(threads, basins);
        for (int size = TLW_TILE; result == TLW_OK && !fits && size <= 1024; size *= 2)
            result = cutThin(threads, basins, label, count, size, &fits);
    }
    tlwFree(cells);
    tlwFree(number);
    return result;
}

tlwResult tlwFindStiffParts(tlwThreads *threads, tlwStressLevel *level, double unit_mass, int16_t *label, int *count)
{
    tlwBasins basins = {.grid = &level->grid, .c = level->c[TLW_XX], .basin = label};
    int slot[3];
    *count = 0;
    for (int n = 0; n < 3; n++) {
        slot[n] = tlwBorrowField(&level->grid, 1);
        if (slot[n] < 0)
            return TLW_OUT_OF_MEMORY;
    }
    basins.class = tlwGetBytes(&level->grid, slot[0]);
    basins.depth = tlwGetBytes(&level->grid, slot[1]);
    basins.before = tlwGetBytes(&level->grid, slot[2]);
    for (int n = 0; n < TLW_STIFF_CLASSES; n++)
        basins.limit[n] = (float)(2 * THRESHOLDS[n] * unit_mass);
    tlwResult result = tlwFindBasins(threads, &basins, TLW_MAX_PARTS);
    if (result == TLW_OK)
        result = labelBasins(threads, &basins, label, count);
    for (int n = 0; n < 3; n++)
        tlwReturnField(&level->grid, slot[n]);
    return result;
}
