// Connected parts: the fast labelling finds what a plain flood fill finds, number by number, on any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "grid/components.h"
#include "solve/stress/row_runs.h"

#define TILES 4

typedef struct Case {
    tlwGrid grid;
    uint8_t *member;
    unsigned share; // of 16 members that hang together
} Case;

static unsigned mix(uint64_t n)
{
    n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (unsigned)((n ^ n >> 29) * 0x94d049bb133111ebu >> 40);
}

static bool isMember(void *user, int64_t cell)
{
    return ((const Case *)user)->member[cell];
}

static bool isJoined(void *user, int64_t cell, int axis)
{
    return mix((uint64_t)cell * 3 + (uint64_t)axis) % 16 < ((const Case *)user)->share;
}

static void makeCase(Case *c, unsigned filled, unsigned share)
{
    tlwInitGrid(&c->grid, (tlwVec3){0, 0, 0}, (int[3]){64, 64, 64}, 1);
    int coords[TILES * TILES * TILES][3], count = 0;
    for (int t = 0; t < TILES * TILES * TILES; t++) {
        if (mix((uint64_t)t) % 8 == 0) // a hole in the grid
            continue;
        coords[count][0] = t % TILES;
        coords[count][1] = t / TILES % TILES;
        coords[count++][2] = t / TILES / TILES;
    }
    assert_int_equal(tlwActivateTiles(NULL, &c->grid, (const int(*)[3])coords, count), TLW_OK);
    c->member = tlwAlloc((size_t)c->grid.cell_count, 1);
    c->share = share;
    for (int t = 0; t < c->grid.tile_count; t++)
        TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                c->member[i] = mix((uint64_t)i + 77) % 16 < filled;
}

static int flood(const Case *c, int32_t *labels)
{
    const int64_t stride[3] = {1, c->grid.stride_y, c->grid.stride_z};
    int64_t *stack = tlwAlloc((size_t)c->grid.cell_count * 6 + 1, sizeof *stack);
    int count = 0;
    for (int t = 0; t < c->grid.tile_count; t++)
        TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++) {
                if (!c->member[i] || labels[i])
                    continue;
                int64_t top = 0;
                stack[top++] = i;
                labels[i] = ++count;
                while (top) {
                    int64_t at = stack[--top];
                    for (int n = 0; n < 6; n++) {
                        int64_t next = n & 1 ? at + stride[n / 2] : at - stride[n / 2];
                        if (!c->member[next] || labels[next] || !isJoined((void *)c, n & 1 ? next : at, n / 2))
                            continue;
                        labels[next] = count;
                        stack[top++] = next;
                    }
                }
            }
    tlwFree(stack);
    return count;
}

static void test_labels_are_those_of_a_flood_fill(void **state)
{
    (void)state;
    static const unsigned CASES[][2] = {{5, 16}, {8, 16}, {12, 7}, {16, 4}, {16, 16}, {0, 16}};
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        Case c;
        makeCase(&c, CASES[n][0], CASES[n][1]);
        int32_t *expected = tlwAlloc((size_t)c.grid.cell_count, sizeof *expected);
        int parts = flood(&c, expected);
        for (int threads = 1; threads <= 2; threads++) {
            tlwThreads *pool = tlwCreateThreads(threads);
            int32_t *labels = tlwAlloc((size_t)c.grid.cell_count, sizeof *labels);
            int count = -1;
            tlwComponentRule rule = {isMember, isJoined, &c};
            assert_int_equal(tlwLabelComponents(pool, &c.grid, &rule, labels, &count), TLW_OK);
            assert_int_equal(count, parts);
            assert_memory_equal(labels, expected, sizeof *labels * (size_t)c.grid.cell_count);
            tlwFree(labels);
            tlwDestroyThreads(pool);
        }
        tlwFree(expected);
        tlwFree(c.member);
        tlwFreeGrid(&c.grid);
    }
}

static void fillMasks(const Case *c, tlwRowRuns *runs)
{
    for (int t = 0, r = 0; t < c->grid.tile_count; t++)
        TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row) {
            runs->mask[r] = 0;
            for (int i = 0; i < TLW_TILE; i++)
                runs->mask[r] |= (uint8_t)(c->member[row + i] << i);
            r++;
        }
}

// Components are named after their first run, so in the order of names they are a flood fill's labels.
static void checkRuns(const Case *c, const tlwRowRuns *runs, const int32_t *expected)
{
    int *label = tlwAlloc((size_t)runs->count + 1, sizeof *label), count = 0, lumps = 0;
    for (int t = 0, r = 0; t < c->grid.tile_count; t++)
        TLW_FOR_ROWS(&c->grid, &c->grid.tiles[t], j, k, row) {
            int run = runs->first[r];
            TLW_FOR_RUNS((unsigned)runs->mask[r], bits) {
                int of = runs->component[run];
                assert_int_equal(runs->component[runs->lump[run]], of);
                assert_true(runs->lump[run] >= runs->start[t] && runs->lump[run] <= run);
                label[of] = label[of] ? label[of] : ++count;
                for (int i = 0; i < TLW_TILE; i++)
                    if (bits >> i & 1)
                        assert_int_equal(label[of], expected[row + i]);
                run++;
            }
            r++;
        }
    TLW_FOR_LUMPS(runs, n) {
        assert_int_equal(runs->lump[n], n);
        lumps++;
    }
    for (int n = 0; n < runs->count; n++)
        lumps -= runs->lump[n] == n;
    assert_int_equal(lumps, 0);
    tlwFree(label);
}

static void test_runs_are_joined_as_by_a_flood_fill(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        tlwThreads *pool = tlwCreateThreads(threads);
        for (unsigned filled = 0; filled <= 16; filled++) {
            Case c;
            tlwRowRuns runs;
            makeCase(&c, filled, 16);
            int32_t *expected = tlwAlloc((size_t)c.grid.cell_count, sizeof *expected);
            flood(&c, expected);
            assert_true(tlwInitRowRuns(&runs, &c.grid));
            for (int round = 0; round < 2; round++) { // nothing is left of other masks
                memset(runs.mask, round ? 0 : 0xa5, (size_t)c.grid.tile_count * TLW_TILE_ROWS);
                assert_int_equal(tlwJoinRowRuns(pool, &runs), TLW_OK);
                fillMasks(&c, &runs);
                assert_int_equal(tlwJoinRowRuns(pool, &runs), TLW_OK);
                checkRuns(&c, &runs, expected);
            }
            tlwFreeRowRuns(&runs);
            tlwFree(expected);
            tlwFree(c.member);
            tlwFreeGrid(&c.grid);
        }
        tlwDestroyThreads(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels_are_those_of_a_flood_fill),
                                       cmocka_unit_test(test_runs_are_joined_as_by_a_flood_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
