// The sparse grid: windows move, contents stay, memory follows the tiles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
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
    assert_int_equal(tlwActivateTiles(&grid, coords, 2), TLW_OK);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] == 7);
    tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] = 1.5f;
    tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 24, 24, 24)] = 2.5f;
    int next[2][3] = {{9, 3, 3}, {4, 3, 3}};
    assert_int_equal(tlwActivateTiles(&grid, next, 2), TLW_OK);
    assert_int_equal(grid.tile_count, 2);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 39, 24, 24)] == 1.5f);
    // The tile that was left holds the background again, and so does the new one.
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 31, 24, 24)] == 7);
    assert_true(tlwGetFloats(&grid, phi)[tlwCellIndex(&grid, 72, 24, 24)] == 7);
    int back[3][3] = {{3, 3, 3}, {4, 3, 3}, {9, 3, 3}};
    assert_int_equal(tlwActivateTiles(&grid, back, 3), TLW_OK);
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
    assert_int_equal(tlwActivateTiles(&grid, coords, 3), TLW_OK);
    tlwFillFloats(NULL, &grid, tlwGetFloats(&grid, u), 5);
    int fewer[2][3] = {{0, 0, 0}, {2, 0, 0}};
    assert_int_equal(tlwActivateTiles(&grid, fewer, 2), TLW_OK);
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
    assert_int_equal(tlwActivateTiles(&grid, coords, count), TLW_OK);
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
    assert_int_equal(tlwActivateTiles(&grid, coords, 2), TLW_OK); // 5e8 window cells, 8 GB if dense
    for (int f = 0; f < 4; f++)
        tlwFillFloats(NULL, &grid, tlwGetFloats(&grid, f), 1);
    assert_true(tlwGetPeakMemory() - before < 64 << 20);
    tlwFreeGrid(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_field_survives_a_moving_window),
        cmocka_unit_test(test_left_tile_is_clean_within_the_same_window),
        cmocka_unit_test(test_tiles_of_one_color_never_touch),
        cmocka_unit_test(test_far_apart_tiles_cost_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
