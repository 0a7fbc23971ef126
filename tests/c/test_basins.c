// Basins of stiff parts: the fast flooding finds what a plain one finds that visits every cell at every level.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "solve/stress/basins.h"

#define MOST 40

typedef struct Case {
    tlwGrid grid;
    float *c;
    uint8_t *bytes[3];
    int16_t *basin;
} Case;

static unsigned mix(uint64_t n)
{
    n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (unsigned)((n ^ n >> 29) * 0x94d049bb133111ebu >> 40);
}

static bool isInBall(const int at[3], int x, int y, int z, int radius)
{
    int d[3] = {at[0] - x, at[1] - y, at[2] - z};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius;
}

// Either two balls on a rod that is too long to be shared among them at once, or one that fills many tiles.
static bool isStiff(const int at[3], bool rod)
{
    if (!rod)
        return isInBall(at, 20, 20, 20, 11);
    return isInBall(at, 2, 12, 12, 4) || isInBall(at, 29, 12, 12, 4) || (at[1] == 12 && at[2] == 12);
}

// Balls of different stiffness in soft liquid, some of which touch: thick parts, necks, crumbs. With none, see above.
static void makeCase(Case *c, int balls, int largest)
{
    int coords[64][3], count = 0;
    tlwInitGrid(&c->grid, (tlwVec3){0, 0, 0}, (int[3]){32, 32, 32}, 1);
    for (int t = 0; t < 64; t++)
        if (!balls || mix((uint64_t)(t + balls)) % 8) {
            coords[count][0] = t % 4;
            coords[count][1] = t / 4 % 4;
            coords[count++][2] = t / 16;
        }
    assert_int_equal(tlwActivateTiles(NULL, &c->grid, (const int(*)[3])coords, count), TLW_OK);
    size_t cells = (size_t)c->grid.cell_count;
    c->c = tlwAlloc(cells, sizeof *c->c);
    c->basin = tlwAlloc(cells, sizeof *c->basin);
    for (int n = 0; n < 3; n++)
        c->bytes[n] = tlwAlloc(cells, 1);
    for (int t = 0; t < c->grid.tile_count; t++)
        TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                const int at[3] = {c->grid.tiles[t].cell[0] + i, (int)j, k};
                float *stiffness = &c->c[row + i];
                *stiffness = !balls || mix((uint64_t)(row + i)) % 64 ? 0.3f : 30; // crumbs
                for (int b = 0; b < balls; b++) {
                    int radius = 1 + (int)mix((uint64_t)b * 5 + 3) % largest, class = (int)mix((uint64_t)b * 5 + 4) % 6;
                    int centre[3];
                    for (int a = 0; a < 3; a++)
                        centre[a] = (int)mix((uint64_t)(b * 5 + a)) % 32;
                    static const float OF[6] = {0.5f, 3, 3e2f, 3e4f, 3e6f, 3e8f};
                    if (isInBall(at, centre[0], centre[1], centre[2], radius) && OF[class] > *stiffness)
                        *stiffness = OF[class];
                }
                if (!balls && isStiff(at, largest > 1))
                    *stiffness = 3e8f;
            }
}

static void freeCase(Case *c)
{
    tlwFree(c->c);
    tlwFree(c->basin);
    for (int n = 0; n < 3; n++)
        tlwFree(c->bytes[n]);
    tlwFreeGrid(&c->grid);
}

static tlwBasins startBasins(const Case *c)
{
    tlwBasins b = {.grid = &c->grid,
                   .c = c->c,
                   .limit = {2, 2e2f, 2e4f, 2e6f, 2e8f},
                   .class = c->bytes[0],
                   .depth = c->bytes[1],
                   .before = c->bytes[2],
                   .basin = c->basin};
    memset(c->basin, 0, sizeof *c->basin * (size_t)c->grid.cell_count);
    return b;
}

// The cells of one component, by a stack. `seen` is the level at which a cell was last visited.
static int64_t visit(const Case *c, const int *level, int now, int64_t from, int *seen, int64_t *list)
{
    const int64_t stride[3] = {1, c->grid.stride_y, c->grid.stride_z};
    int64_t count = 0;
    list[count++] = from;
    seen[from] = now;
    for (int64_t n = 0; n < count; n++)
        for (int m = 0; m < 6; m++) {
            int64_t next = m & 1 ? list[n] + stride[m / 2] : list[n] - stride[m / 2];
            if (level[next] < now || seen[next] == now)
                continue;
            seen[next] = now;
            list[count++] = next;
        }
    return count;
}

static int64_t settle(const int64_t *list, int64_t count, int16_t *basin, int *basins, int64_t *open)
{
    int low = 0, high = 0;
    int64_t waiting = 0;
    for (int64_t n = 0; n < count; n++)
        if (basin[list[n]]) {
            low = !low || basin[list[n]] < low ? basin[list[n]] : low;
            high = basin[list[n]] > high ? basin[list[n]] : high;
        }
    if (!low && count >= TLW_SMALLEST_PART && *basins < MOST)
        low = high = ++*basins;
    for (int64_t n = 0; n < count; n++)
        if (!basin[list[n]] && low == high)
            basin[list[n]] = (int16_t)low;
        else if (!basin[list[n]])
            open[waiting++] = list[n];
    return waiting;
}

static void grow(const Case *c, int64_t *open, int64_t count, int16_t *basin)
{
    const int64_t stride[3] = {1, c->grid.stride_y, c->grid.stride_z};
    size_t bytes = sizeof *basin * (size_t)c->grid.cell_count;
    int16_t *old = tlwAlloc(bytes, 1);
    for (int pass = 0; pass < 8; pass++) {
        memcpy(old, basin, bytes);
        for (int64_t n = 0; n < count; n++)
            for (int m = 0; m < 6 && !basin[open[n]]; m++)
                basin[open[n]] = old[m & 1 ? open[n] + stride[m / 2] : open[n] - stride[m / 2]];
    }
    tlwFree(old);
}

// What tlwFindBasins promises, from its classes and depths.
static int floodPlainly(const Case *c, const tlwBasins *b, int16_t *basin)
{
    static const int STEP[7] = {0, 0, 1, 2, 2, 3, 3};
    size_t cells = (size_t)c->grid.cell_count;
    int *level = tlwAlloc(cells, sizeof *level), *seen = tlwAlloc(cells, sizeof *seen), basins = 0;
    int64_t *list = tlwAlloc(cells, sizeof *list), *open = tlwAlloc(cells, sizeof *open);
    for (size_t i = 0; i < cells; i++)
        level[i] = b->class[i] ? 4 * b->class[i] + STEP[b->depth[i]] : 0;
    for (int now = 23; now >= 4; now--) {
        int64_t waiting = 0;
        for (int t = 0; t < c->grid.tile_count; t++)
            TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row)
                for (int64_t i = row; i < row + TLW_TILE; i++)
                    if (level[i] >= now && seen[i] != now)
                        waiting += settle(list, visit(c, level, now, i, seen, list), basin, &basins, open + waiting);
        grow(c, open, waiting, basin);
    }
    tlwFree(level);
    tlwFree(seen);
    tlwFree(list);
    tlwFree(open);
    return basins;
}

static void test_basins_are_those_of_a_plain_flooding(void **state)
{
    (void)state;
    static const int CASES[][2] = {{0, 1}, {0, 2}, {1, 9}, {6, 8}, {30, 5}, {80, 4}, {200, 3}, {60, 7}};
    int shared = 0;
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        Case c;
        makeCase(&c, CASES[n][0], CASES[n][1]);
        size_t bytes = sizeof *c.basin * (size_t)c.grid.cell_count;
        int16_t *expected = tlwAlloc(bytes, 1);
        int count = -1;
        for (int threads = 1; threads <= 2; threads++) {
            tlwThreads *pool = tlwCreateThreads(threads);
            tlwBasins b = startBasins(&c);
            assert_int_equal(tlwFindBasins(pool, &b, MOST), TLW_OK);
            if (count < 0)
                count = floodPlainly(&c, &b, expected);
            assert_int_equal(b.count, count);
            assert_memory_equal(c.basin, expected, bytes);
            tlwDestroyThreads(pool);
        }
        shared += count > 3;
        tlwFree(expected);
        freeCase(&c);
    }
    assert_true(shared >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_basins_are_those_of_a_plain_flooding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
