#include "grid/grid.h"

#include "base/memory.h"
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

// States of a window tile. A tile that leaves the untouched or the active state is filled with background values, so a
// clean tile can become active at no cost.
enum { TILE_UNTOUCHED = 0, TILE_CLEAN = 1, TILE_ACTIVE = 2 };

typedef struct Window {
    int min[3], size[3]; // in tiles
} Window;

static Window getWindow(const tlwGrid *grid)
{
    Window w;
    for (int a = 0; a < 3; a++) {
        w.min[a] = tlwFloorDiv(grid->window_min[a], TLW_TILE);
        w.size[a] = grid->window_size[a] / TLW_TILE;
    }
    return w;
}

static int64_t tileCount(const Window *w)
{
    return (int64_t)w->size[0] * w->size[1] * w->size[2];
}

static int64_t tileIndex(const Window *w, int ti, int tj, int tk)
{
    return (ti - w->min[0]) + (int64_t)w->size[0] * ((tj - w->min[1]) + (int64_t)w->size[1] * (tk - w->min[2]));
}

static bool hasTile(const Window *w, int ti, int tj, int tk)
{
    return ti >= w->min[0] && ti < w->min[0] + w->size[0] && tj >= w->min[1] && tj < w->min[1] + w->size[1] &&
           tk >= w->min[2] && tk < w->min[2] + w->size[2];
}

static int64_t tileBase(const Window *w, int ti, int tj, int tk)
{
    int64_t stride_y = (int64_t)w->size[0] * TLW_TILE, stride_z = stride_y * w->size[1] * TLW_TILE;
    return TLW_TILE * ((ti - w->min[0]) + stride_y * (tj - w->min[1]) + stride_z * (tk - w->min[2]));
}

void tlwInitGrid(tlwGrid *grid, tlwVec3 origin, const int dims[3], double dx)
{
    memset(grid, 0, sizeof *grid);
    grid->origin = origin;
    grid->dx = dx;
    memcpy(grid->dims, dims, sizeof grid->dims);
    for (int a = 0; a < 3; a++)
        grid->extent[a] = dims[a];
}

void tlwFreeGrid(tlwGrid *grid)
{
    for (int f = 0; f < grid->field_count; f++)
        tlwFreePages(grid->fields[f].data);
    tlwFree(grid->tiles);
    tlwFree(grid->tile_lookup);
    tlwFree(grid->tile_state);
    tlwFree(grid->color_tiles);
    memset(grid, 0, sizeof *grid);
}

static bool isZero(const tlwFieldSlot *field)
{
    for (size_t b = 0; b < field->element; b++)
        if (field->background[b])
            return false;
    return true;
}

static void fillTile(const tlwFieldSlot *field, const tlwGrid *grid, int64_t base)
{
    bool zero = isZero(field);
    for (int k = 0; k < TLW_TILE; k++)
        for (int j = 0; j < TLW_TILE; j++) {
            char *row = (char *)field->data + field->element * (size_t)(base + j * grid->stride_y + k * grid->stride_z);
            if (zero) {
                memset(row, 0, field->element * TLW_TILE);
                continue;
            }
            for (int i = 0; i < TLW_TILE; i++)
                memcpy(row + field->element * (size_t)i, field->background, field->element);
        }
}

// Fill a tile that leaves `state` with background values. Fresh pages are zero already.
static void cleanTile(const tlwGrid *grid, int64_t base, int state)
{
    for (int f = 0; f < grid->field_count; f++) {
        const tlwFieldSlot *field = &grid->fields[f];
        if (field->data && (state == TILE_ACTIVE || !isZero(field)))
            fillTile(field, grid, base);
    }
}

// Tiles that are cleaned together.
typedef struct Cleaning {
    tlwGrid *grid;
    int64_t *base;
    uint8_t *state;
    int64_t count;
} Cleaning;

static bool initCleaning(Cleaning *c, tlwGrid *grid, int64_t tiles)
{
    *c = (Cleaning){grid, tlwAlloc((size_t)tiles, sizeof *c->base), tlwAlloc((size_t)tiles, sizeof *c->state), 0};
    return c->base && c->state;
}

static void freeCleaning(Cleaning *c)
{
    tlwFree(c->base);
    tlwFree(c->state);
}

static void cleanRange(void *context, int64_t begin, int64_t end)
{
    const Cleaning *c = context;
    for (int64_t n = begin; n < end; n++)
        cleanTile(c->grid, c->base[n], c->state[n]);
}

static void cleanTiles(tlwThreads *threads, Cleaning *c)
{
    tlwParallelFor(threads, c->count, 4, cleanRange, c);
    c->count = 0;
}

// Queue a tile of the window for the next cleanTiles.
static void addTile(Cleaning *c, const Window *w, int ti, int tj, int tk)
{
    uint8_t *state = &c->grid->tile_state[tileIndex(w, ti, tj, tk)];
    c->base[c->count] = tileBase(w, ti, tj, tk);
    c->state[c->count++] = *state;
    *state = TILE_CLEAN;
}

static int compareTiles(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int axis = 2; axis >= 0; axis--)
        if (p[axis] != q[axis])
            return p[axis] < q[axis] ? -1 : 1;
    return 0;
}

// Box of the tiles plus one tile on each side. Keeps the present window while it fits and is not far too large.
static Window chooseWindow(const tlwGrid *grid, const int (*coords)[3], int count)
{
    Window need;
    for (int a = 0; a < 3; a++) {
        int low = coords[0][a], high = coords[0][a];
        for (int t = 1; t < count; t++) {
            low = coords[t][a] < low ? coords[t][a] : low;
            high = coords[t][a] > high ? coords[t][a] : high;
        }
        need.min[a] = low - 1;
        need.size[a] = high - low + 3;
    }
    Window have = getWindow(grid);
    bool fits = tileCount(&have) > 0;
    for (int a = 0; a < 3; a++)
        fits = fits && need.min[a] >= have.min[a] && need.min[a] + need.size[a] <= have.min[a] + have.size[a];
    if (fits && tileCount(&have) <= 2 * tileCount(&need))
        return have;
    return need;
}

// Copies the tiles of a kept field that are active in both windows.
typedef struct KeptCopy {
    const tlwFieldSlot *field; // in the old window
    char *data;                // in the new one
    const tlwGrid *old;
    const Window *from, *to;
    const int (*coords)[3]; // the new active tiles
} KeptCopy;

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const KeptCopy *s = context;
    size_t element = s->field->element;
    int64_t to_y = (int64_t)s->to->size[0] * TLW_TILE, to_z = to_y * s->to->size[1] * TLW_TILE;
    for (int64_t t = begin; t < end; t++) {
        const int *c = s->coords[t];
        if (!hasTile(s->from, c[0], c[1], c[2]) ||
            s->old->tile_state[tileIndex(s->from, c[0], c[1], c[2])] != TILE_ACTIVE)
            continue;
        int64_t src = tileBase(s->from, c[0], c[1], c[2]), dst = tileBase(s->to, c[0], c[1], c[2]);
        for (int k = 0; k < TLW_TILE; k++)
            for (int j = 0; j < TLW_TILE; j++)
                memcpy(s->data + element * (size_t)(dst + j * to_y + k * to_z),
                       (char *)s->field->data + element * (size_t)(src + j * s->old->stride_y + k * s->old->stride_z),
                       element * TLW_TILE);
    }
}

// Give every field memory for the new window. On failure the grid is as it was.
static tlwResult moveWindow(tlwThreads *threads, tlwGrid *grid, const Window *to, const int (*coords)[3], int count,
                            Cleaning *cleaning)
{
    Window from = getWindow(grid);
    int64_t tiles = tileCount(to), cells = tiles * TLW_TILE_CELLS;
    int *lookup = tlwAlloc((size_t)tiles, sizeof *lookup);
    uint8_t *state = tlwAlloc((size_t)tiles, 1);
    void *data[TLW_MAX_FIELDS] = {0};
    bool ok = lookup && state;
    if (grid->cell_count)
        tlwDropPages(); // make room: the old and the new window exist at once
    for (int f = 0; ok && f < grid->field_count; f++) {
        data[f] = tlwAllocPages(grid->fields[f].element * (size_t)cells);
        ok = data[f] != NULL;
    }
    if (!ok) {
        for (int f = 0; f < grid->field_count; f++)
            tlwFreePages(data[f]);
        tlwFree(lookup);
        tlwFree(state);
        return TLW_OUT_OF_MEMORY;
    }
    tlwGrid old = *grid;
    for (int a = 0; a < 3; a++) {
        grid->window_min[a] = to->min[a] * TLW_TILE;
        grid->window_size[a] = to->size[a] * TLW_TILE;
    }
    grid->stride_y = grid->window_size[0];
    grid->stride_z = grid->stride_y * grid->window_size[1];
    grid->cell_count = cells;
    for (int f = 0; f < grid->field_count; f++)
        grid->fields[f].data = data[f];
    grid->tile_lookup = lookup;
    grid->tile_state = state;
    // The new active tiles get background values before kept values are copied in; updateStates cleans the tiles
    // around.
    for (int t = 0; t < count; t++)
        addTile(cleaning, to, coords[t][0], coords[t][1], coords[t][2]);
    cleanTiles(threads, cleaning);
    for (int f = 0; f < grid->field_count; f++) {
        KeptCopy copy = {&old.fields[f], data[f], &old, &from, to, coords};
        if (old.fields[f].keep && old.cell_count)
            tlwParallelFor(threads, count, TLW_TILE_BLOCK, keepRange, &copy);
        tlwReleasePages(threads, &old.fields[f].data, 1); // on all threads; unmapping alone would use one
        tlwUnmapPages(old.fields[f].data);                // not kept for reuse: windows move seldom
    }
    tlwFree(old.tile_lookup);
    tlwFree(old.tile_state);
    return TLW_OK;
}

static void colorTiles(tlwGrid *grid)
{
    int next = 0;
    for (int color = 0; color < 8; color++) {
        grid->color_start[color] = next;
        for (int t = 0; t < grid->tile_count; t++) {
            const int *c = grid->tiles[t].cell;
            int parity = ((c[0] / TLW_TILE) & 1) | ((c[1] / TLW_TILE) & 1) << 1 | ((c[2] / TLW_TILE) & 1) << 2;
            if (parity == color)
                grid->color_tiles[next++] = t;
        }
    }
    grid->color_start[8] = next;
}

// Clean the tiles that are no longer active, then activate the new ones and clean untouched tiles around them.
// `cleaning` has room for all.
static void updateStates(tlwThreads *threads, tlwGrid *grid, const Window *w, const int (*coords)[3], int count,
                         Cleaning *cleaning)
{
    int64_t tiles = tileCount(w);
    memset(grid->tile_lookup, -1, (size_t)tiles * sizeof *grid->tile_lookup);
    for (int t = 0; t < count; t++)
        grid->tile_lookup[tileIndex(w, coords[t][0], coords[t][1], coords[t][2])] = t;
    for (int t = 0; t < grid->tile_count; t++) {
        const int *cell = grid->tiles[t].cell;
        int ti = tlwFloorDiv(cell[0], TLW_TILE), tj = tlwFloorDiv(cell[1], TLW_TILE),
            tk = tlwFloorDiv(cell[2], TLW_TILE);
        if (!hasTile(w, ti, tj, tk))
            continue;
        int64_t index = tileIndex(w, ti, tj, tk);
        if (grid->tile_state[index] == TILE_ACTIVE && grid->tile_lookup[index] < 0)
            addTile(cleaning, w, ti, tj, tk);
    }
    for (int t = 0; t < count; t++) {
        const int *c = coords[t];
        for (int dk = -1; dk <= 1; dk++)
            for (int dj = -1; dj <= 1; dj++)
                for (int di = -1; di <= 1; di++)
                    if (grid->tile_state[tileIndex(w, c[0] + di, c[1] + dj, c[2] + dk)] == TILE_UNTOUCHED)
                        addTile(cleaning, w, c[0] + di, c[1] + dj, c[2] + dk);
        grid->tile_state[tileIndex(w, c[0], c[1], c[2])] = TILE_ACTIVE;
    }
    cleanTiles(threads, cleaning);
}

tlwResult tlwActivateTiles(tlwThreads *threads, tlwGrid *grid, const int (*coords)[3], int count)
{
    static const int none[1][3] = {{0, 0, 0}};
    if (count == 0) {
        coords = none;
        count = 1;
    }
    int(*sorted)[3] = tlwAlloc((size_t)count, sizeof *sorted);
    if (!sorted)
        return TLW_OUT_OF_MEMORY;
    memcpy(sorted, coords, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compareTiles);
    int unique = 0;
    for (int t = 0; t < count; t++)
        if (t == 0 || compareTiles(sorted[unique - 1], sorted[t]) != 0)
            memmove(sorted[unique++], sorted[t], sizeof *sorted);
    const int(*view)[3] = (const int(*)[3])sorted;

    Window from = getWindow(grid), to = chooseWindow(grid, view, unique);
    tlwTile *tiles = tlwAlloc((size_t)unique, sizeof *tiles);
    int *colors = tlwAlloc((size_t)unique, sizeof *colors);
    Cleaning cleaning;
    int64_t most = grid->tile_count + 27 * (int64_t)unique; // old tiles, and new ones with their neighbours
    tlwResult result = initCleaning(&cleaning, grid, most < tileCount(&to) ? most : tileCount(&to)) && tiles && colors
                           ? TLW_OK
                           : TLW_OUT_OF_MEMORY;
    bool moved = memcmp(&from, &to, sizeof to) != 0;
    if (result == TLW_OK && moved)
        result = moveWindow(threads, grid, &to, view, unique, &cleaning);
    if (result != TLW_OK) {
        freeCleaning(&cleaning);
        tlwFree(tiles);
        tlwFree(colors);
        tlwFree(sorted);
        return result;
    }
    updateStates(threads, grid, &to, view, unique, &cleaning);
    freeCleaning(&cleaning);
    tlwFree(grid->tiles);
    tlwFree(grid->color_tiles);
    grid->tiles = tiles;
    grid->color_tiles = colors;
    grid->tile_count = unique;
    for (int t = 0; t < unique; t++) {
        for (int a = 0; a < 3; a++)
            tiles[t].cell[a] = sorted[t][a] * TLW_TILE;
        tiles[t].base = tileBase(&to, sorted[t][0], sorted[t][1], sorted[t][2]);
    }
    colorTiles(grid);
    tlwFree(sorted);
    return TLW_OK;
}

int tlwFindTile(const tlwGrid *grid, int ti, int tj, int tk)
{
    Window w = getWindow(grid);
    return hasTile(&w, ti, tj, tk) ? grid->tile_lookup[tileIndex(&w, ti, tj, tk)] : -1;
}

int tlwAddField(tlwGrid *grid, size_t element, const void *background, bool keep)
{
    if (grid->field_count == TLW_MAX_FIELDS)
        return -1;
    tlwFieldSlot *field = &grid->fields[grid->field_count];
    *field = (tlwFieldSlot){.element = element, .keep = keep};
    memcpy(field->background, background, element);
    if (grid->cell_count) {
        field->data = tlwAllocPages(element * (size_t)grid->cell_count);
        if (!field->data)
            return -1;
        Window w = getWindow(grid);
        for (int tk = 0; tk < w.size[2] && !isZero(field); tk++)
            for (int tj = 0; tj < w.size[1]; tj++)
                for (int ti = 0; ti < w.size[0]; ti++) {
                    int c[3] = {ti + w.min[0], tj + w.min[1], tk + w.min[2]};
                    if (grid->tile_state[tileIndex(&w, c[0], c[1], c[2])] != TILE_UNTOUCHED)
                        fillTile(field, grid, tileBase(&w, c[0], c[1], c[2]));
                }
    }
    return grid->field_count++;
}

int tlwBorrowField(tlwGrid *grid, size_t element)
{
    for (int f = 0; f < grid->field_count; f++) {
        tlwFieldSlot *field = &grid->fields[f];
        if (field->scratch && !field->borrowed && field->element == element) {
            field->borrowed = true;
            return f;
        }
    }
    static const unsigned char zero[8] = {0};
    int slot = tlwAddField(grid, element, zero, false);
    if (slot >= 0)
        grid->fields[slot].scratch = grid->fields[slot].borrowed = true;
    return slot;
}

void tlwReturnField(tlwGrid *grid, int slot)
{
    if (slot >= 0)
        grid->fields[slot].borrowed = false;
}

void tlwReleaseFields(tlwThreads *threads, tlwGrid *grid, const int *slots, int count)
{
    void *blocks[TLW_MAX_FIELDS];
    for (int n = 0; n < count; n++)
        blocks[n] = slots[n] < 0 ? NULL : grid->fields[slots[n]].data;
    tlwReleasePages(threads, blocks, count);
}

void tlwReleaseScratch(tlwThreads *threads, tlwGrid *grid, size_t element)
{
    int slots[TLW_MAX_FIELDS], count = 0;
    for (int f = 0; f < grid->field_count; f++)
        if (grid->fields[f].scratch && !grid->fields[f].borrowed && (!element || grid->fields[f].element == element))
            slots[count++] = f;
    tlwReleaseFields(threads, grid, slots, count);
}

typedef struct FillContext {
    const tlwGrid *grid;
    float *field;
    float value;
} FillContext;

static void fillRange(void *context, int64_t begin, int64_t end)
{
    FillContext *c = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(c->grid, &c->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                c->field[row + i] = c->value;
}

void tlwFillFloats(tlwThreads *threads, const tlwGrid *grid, float *field, float value)
{
    FillContext context = {grid, field, value};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, fillRange, &context);
}

typedef struct CopyContext {
    const tlwGrid *grid;
    const float *from;
    float *to;
} CopyContext;

static void copyRange(void *context, int64_t begin, int64_t end)
{
    CopyContext *c = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(c->grid, &c->grid->tiles[t], j, k, row)
            memcpy(c->to + row, c->from + row, TLW_TILE * sizeof(float));
}

void tlwCopyFloats(tlwThreads *threads, const tlwGrid *grid, const float *from, float *to)
{
    CopyContext context = {grid, from, to};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, copyRange, &context);
}
