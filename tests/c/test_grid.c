// The sparse grid: windows move, contents stay, memory follows the tiles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "grid/grid.h"

static tlwGrid makeGrid(void)
{
    tlwGrid grid;
    tlwInitGrid(&grid, (tlwVec3){0, 0, 0}, (int[3]){4096, 4096, 4096}, 0.01);
    return grid;
}

static void test_kept_field_survives_a_moving_window(void **state)
{
    (void)state;
    tlwGrid grid = makeGrid();
    float seven = 7;
    int phi = tlwAddField(&grid, sizeof(float), &seven, true);
    int coords[2][3] = {{3, 3, 3}, {4, 3, 3}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, coords, 2), TLW_OK);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] == 7);
    tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] = 1.5f;
    tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 24, 24, 24)] = 2.5f;
    int next[2][3] = {{9, 3, 3}, {4, 3, 3}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, next, 2), TLW_OK);
    assert_int_equal(grid.tile_count, 2);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] == 1.5f);
    // The tile that was left holds the background again, and so does the new one.
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 31, 24, 24)] == 7);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 72, 24, 24)] == 7);
    int back[3][3] = {{3, 3, 3}, {4, 3, 3}, {9, 3, 3}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, back, 3), TLW_OK);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 24, 24, 24)] == 7);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] == 1.5f);
    tlwFreeGrid(&grid);
}

static void test_left_tile_is_clean_within_the_same_window(void **state)
{
    (void)state;
    tlwGrid grid = makeGrid();
    float zero = 0;
    int u = tlwAddField(&grid, sizeof(float), &zero, true);
    int coords[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, coords, 3), TLW_OK);
    tlwFillFloats(NULL, &grid, tlwGetFloats(&grid, u), 5);
    int fewer[2][3] = {{0, 0, 0}, {2, 0, 0}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, fewer, 2), TLW_OK);
    assert_true(tlwGetFloats(&grid, u)[tlwCellIndex(&grid, 9, 0, 0)] == 0);
    assert_true(tlwGetFloats(&grid, u)[tlwCellIndex(&grid, 17, 0, 0)] == 5);
    tlwFreeGrid(&grid);
}

static void test_tiles_of_one_color_never_touch(void **state)
{
    (void)state;
    tlwGrid grid = makeGrid();
    int coords[125][3], count = 0;
    for (int k = -2; k < 3; k++)
        for (int j = -2; j < 3; j++)
            for (int i = -2; i < 3; i++, count++) {
                coords[count][0] = i;
                coords[count][1] = j;
                coords[count][2] = k;
            }
    assert_int_equal(tlwActivateTiles(NULL, &grid, coords, count), TLW_OK);
    assert_int_equal(grid.color_start[8], 125);
    for (int color = 0; color < 8; color++)
        for (int a = grid.color_start[color]; a < grid.color_start[color + 1]; a++)
            for (int b = a + 1; b < grid.color_start[color + 1]; b++) {
                const int *p = grid.tiles[grid.color_tiles[a]].cell, *q = grid.tiles[grid.color_tiles[b]].cell;
                bool apart = abs(p[0] - q[0]) > 8 || abs(p[1] - q[1]) > 8 || abs(p[2] - q[2]) > 8;
                assert_true(apart);
            }
    tlwFreeGrid(&grid);
}

static void test_far_apart_tiles_cost_little_memory(void **state)
{
    (void)state;
    int64_t before = tlwGetPeakMemory();
    tlwGrid grid = makeGrid();
    float zero = 0;
    for (int f = 0; f < 4; f++)
        tlwAddField(&grid, sizeof(float), &zero, false);
    int coords[2][3] = {{0, 0, 0}, {100, 100, 100}};
    assert_int_equal(tlwActivateTiles(NULL, &grid, coords, 2), TLW_OK); // 5e8 window cells, 8 GB if dense
    for (int f = 0; f < 4; f++)
        tlwFillFloats(NULL, &grid, tlwGetFloats(&grid, f), 1);
    assert_true(tlwGetPeakMemory() - before < 64 << 20);
    tlwFreeGrid(&grid);
}

#define SIDE 10 // tiles along a side of the box in which tiles come and go

// What the tile at a place holds: 0 when it is not active, else a number of its own for as long as it stays.
typedef struct Model {
    int mark[SIDE][SIDE][SIDE];
    int next;
} Model;

static float valueOf(int mark, int cell)
{
    return (float)(TLW_TILE_CELLS * mark + cell);
}

// Kept values on tiles that stay, backgrounds on new ones and around them.
static void checkTiles(const tlwGrid *grid, int kept, int fresh, const Model *before, const Model *now)
{
    const float *values = tlwGetFloats(grid, kept), *others = tlwGetFloats(grid, fresh);
    for (int k = -1; k <= SIDE; k++)
        for (int j = -1; j <= SIDE; j++)
            for (int i = -1; i <= SIDE; i++) {
                bool inside = i >= 0 && j >= 0 && k >= 0 && i < SIDE && j < SIDE && k < SIDE;
                bool active = inside && now->mark[k][j][i], near = false;
                for (int n = 0; n < 27 && !near; n++) {
                    int x = i + n % 3 - 1, y = j + n / 3 % 3 - 1, z = k + n / 9 - 1;
                    near = x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < SIDE && now->mark[z][y][x];
                }
                assert_int_equal(tlwFindTile(grid, i, j, k) >= 0, active);
                for (int cell = 0; near && cell < TLW_TILE_CELLS; cell++) {
                    int64_t c = tlwCellIndex(grid, 8 * i + cell % 8, 8 * j + cell / 8 % 8, 8 * k + cell / 64);
                    int mark = active ? before->mark[k][j][i] : 0;
                    assert_true(values[c] == (mark ? valueOf(mark, cell) : 7));
                    assert_true(mark || others[c] == 0);
                }
            }
}

// Tiles come and go at random, windows with them; on one thread and on several.
static void test_tiles_come_and_go(void **state)
{
    (void)state;
    for (int count = 0; count < 4; count += 3) {
        tlwThreads *threads = count ? tlwCreateThreads(count) : NULL;
        assert_true(threads || !count);
        int low[3] = {0}, size[3] = {0}, moved = 0;
        tlwGrid grid = makeGrid();
        float seven = 7, zero = 0;
        int kept = tlwAddField(&grid, sizeof(float), &seven, true);
        int fresh = tlwAddField(&grid, sizeof(float), &zero, false);
        Model before = {.next = 1};
        srand(5);
        for (int round = 0; round < 40; round++) {
            int coords[SIDE * SIDE * SIDE][3], tiles = 0, window[3];
            Model now = before;
            for (int a = 0; a < 3 && round % 2 == 0; a++) { // a new box in every other round
                size[a] = 1 + rand() % SIDE;
                low[a] = rand() % (SIDE + 1 - size[a]);
            }
            for (int k = 0; k < SIDE; k++)
                for (int j = 0; j < SIDE; j++)
                    for (int i = 0; i < SIDE; i++) {
                        bool in = i >= low[0] && j >= low[1] && k >= low[2] && i < low[0] + size[0] &&
                                  j < low[1] + size[1] && k < low[2] + size[2] && rand() % 3;
                        if (!in) {
                            now.mark[k][j][i] = 0;
                            continue;
                        }
                        if (!now.mark[k][j][i])
                            now.mark[k][j][i] = now.next++;
                        memcpy(coords[tiles++], (int[3]){i, j, k}, sizeof *coords);
                    }
            if (!tiles)
                continue;
            memcpy(window, grid.window_min, sizeof window);
            assert_int_equal(tlwActivateTiles(threads, &grid, (const int(*)[3])coords, tiles), TLW_OK);
            moved += memcmp(window, grid.window_min, sizeof window) != 0;
            checkTiles(&grid, kept, fresh, &before, &now);
            for (int t = 0; t < tiles; t++)
                for (int cell = 0; cell < TLW_TILE_CELLS; cell++) {
                    const int *c = coords[t];
                    int64_t index =
                        tlwCellIndex(&grid, 8 * c[0] + cell % 8, 8 * c[1] + cell / 8 % 8, 8 * c[2] + cell / 64);
                    tlwGetFloats(&grid, kept)[index] = valueOf(now.mark[c[2]][c[1]][c[0]], cell);
                    tlwGetFloats(&grid, fresh)[index] = 3;
                }
            before = now;
        }
        assert_true(moved >= 5 && moved <= 35); // both ways are gone
        tlwFreeGrid(&grid);
        tlwDestroyThreads(threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_field_survives_a_moving_window),
        cmocka_unit_test(test_left_tile_is_clean_within_the_same_window),
        cmocka_unit_test(test_tiles_of_one_color_never_touch),
        cmocka_unit_test(test_tiles_come_and_go),
        cmocka_unit_test(test_far_apart_tiles_cost_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
