// Level sets to meshes: closed, oriented, the right volume, whatever the level set looks like.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/memory.h"
#include "base/vec.h"
#include "shape/manifold.h"
#include "shape/mesher.h"
#include "shape/topology.h"

#include <stdlib.h>
#include <time.h>

// A dense block of tiles with its first cell anywhere.
typedef struct Block {
    int tiles;
    int first;
    double cell;
    tlwTileSet set;
    tlwTileSource source;
    int32_t *first_cells;
    int64_t *bases;
    float *phi;
} Block;

static Block makeBlock(int tiles, int first, double cell)
{
    Block block = {.tiles = tiles, .first = first, .cell = cell};
    int64_t count = (int64_t)tiles * tiles * tiles, n = 8 * tiles;
    block.first_cells = malloc(3 * (size_t)count * sizeof(int32_t));
    block.bases = malloc((size_t)count * sizeof(int64_t));
    block.phi = malloc((size_t)(n * n * n) * sizeof(float));
    for (int64_t t = 0; t < count; t++) {
        int64_t x = t % tiles, y = t / tiles % tiles, z = t / tiles / tiles;
        block.first_cells[3 * t] = first + 8 * (int32_t)x;
        block.first_cells[3 * t + 1] = first + 8 * (int32_t)y;
        block.first_cells[3 * t + 2] = first + 8 * (int32_t)z;
        block.bases[t] = 8 * (x + n * (y + n * z));
    }
    block.set = (tlwTileSet){.first_cells = block.first_cells,
                             .count = count,
                             .cell_size = cell,
                             .origin = {0.5 * cell, 0.5 * cell, 0.5 * cell}};
    block.source =
        (tlwTileSource){.field = block.phi, .bases = block.bases, .stride_x = 1, .stride_y = n, .stride_z = n * n};
    return block;
}

static void freeBlock(Block *block)
{
    free(block->first_cells);
    free(block->bases);
    free(block->phi);
}

typedef double PhiFn(tlwVec3 p, void *user);

static void fillBlock(Block *block, PhiFn *fn, void *user)
{
    int n = 8 * block->tiles;
    double band = 3 * block->cell;
    for (int64_t i = 0; i < (int64_t)n * n * n; i++) {
        tlwVec3 p = {(double)(block->first + i % n) + 0.5, (double)(block->first + i / n % n) + 0.5,
                     (double)(block->first + i / n / n) + 0.5};
        block->phi[i] = (float)tlwClamp(fn(tlwScale(p, block->cell), user), -band, band);
    }
}

static tlwMesh meshBlock(const Block *block, int detail, tlwThreads *threads)
{
    tlwMesherDef def = {.background = (float)(3 * block->cell), .detail = detail};
    tlwMesh mesh;
    tlwMessage message;
    if (tlwMeshLevelSet(&block->set, &block->source, &def, threads, &message, &mesh) != TLW_OK)
        fail_msg("%s", message.text);
    return mesh;
}

static tlwMeshCheck assertClean(const tlwMesh *mesh)
{
    tlwMeshCheck check;
    assert_int_equal(tlwCheckMesh(mesh, NULL, &check), TLW_OK);
    assert_int_equal(check.bad_indices, 0);
    assert_int_equal(check.open_edges, 0);
    assert_int_equal(check.nonmanifold_edges, 0);
    assert_int_equal(check.misoriented_edges, 0);
    assert_int_equal(check.degenerate, 0);
    return check;
}

typedef struct Ball {
    tlwVec3 centre;
    double radius;
} Ball;

static double ballPhi(tlwVec3 p, void *user)
{
    const Ball *ball = user;
    return tlwLength(tlwSub(p, ball->centre)) - ball->radius;
}

static void test_sphere_is_closed_and_has_its_volume(void **state)
{
    (void)state;
    for (int detail = 1; detail <= 2; detail++) {
        Block block = makeBlock(4, -16, 0.1);
        Ball ball = {{0.03, -0.02, 0.05}, 1};
        fillBlock(&block, ballPhi, &ball);
        tlwMesh mesh = meshBlock(&block, detail, NULL);
        tlwMeshCheck check = assertClean(&mesh);
        double volume = 4 * TEST_PI / 3;
        print_message("detail %d: %lld triangles, volume %+.3f %%\n", detail, (long long)mesh.triangle_count,
                      100 * (check.volume / volume - 1));
        assert_true(fabs(check.volume / volume - 1) < 0.005);
        double worst = 0;
        for (int64_t v = 0; v < mesh.vertex_count; v++) {
            const float *p = mesh.positions + 3 * v;
            worst = fmax(worst, fabs(tlwLength(tlwSub((tlwVec3){p[0], p[1], p[2]}, ball.centre)) - 1));
        }
        print_message("  farthest vertex %.4f cells off\n", worst / 0.1);
        assert_true(worst < 0.02 * 0.1);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static double slabPhi(tlwVec3 p, void *user)
{
    return p.z - *(double *)user;
}

static void test_pool_that_fills_its_box_ends_at_the_walls(void **state)
{
    (void)state;
    for (int detail = 1; detail <= 2; detail++) {
        Block block = makeBlock(3, 0, 0.1);
        double level = 1.13;
        fillBlock(&block, slabPhi, &level);
        // Domain of 20 x 24 x 24 cells: in x it ends within a tile.
        int32_t high[3] = {20, 24, 24};
        memcpy(block.set.clip_high, high, sizeof high);
        tlwMesh mesh = meshBlock(&block, detail, NULL);
        tlwMeshCheck check = assertClean(&mesh);
        tlwVec3 low, top;
        tlwGetMeshBounds(&mesh, &low, &top);
        print_message("pool: volume %.4f of %.4f\n", check.volume, 2.0 * 2.4 * level);
        assert_true(fabs(check.volume / (2.0 * 2.4 * level) - 1) < 0.01);
        assert_true(tlwLength(tlwSub(low, (tlwVec3){0, 0, 0})) < 1e-3);
        assert_true(tlwLength(tlwSub(top, (tlwVec3){2.0, 2.4, level})) < 1e-3);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static void test_pool_ends_within_a_cell(void **state)
{
    (void)state;
    const double parts[] = {-0.5 + 1e-9, -0.47, -0.2, 0.02, 0.31, 0.5};
    for (int n = 0; n < 12; n++) {
        Block block = makeBlock(3, 0, 0.1);
        double level = 1.13, beyond = parts[n / 2], width = 2.0 + 0.1 * beyond, depth = 1.6 + 0.1 * beyond;
        fillBlock(&block, slabPhi, &level);
        int32_t high[3] = {20, 16, 24}; // along y the cells end with a tile
        memcpy(block.set.clip_high, high, sizeof high);
        block.set.clip_beyond[0] = block.set.clip_beyond[1] = beyond;
        tlwMesh mesh = meshBlock(&block, 1 + n % 2, NULL);
        tlwMeshCheck check = assertClean(&mesh);
        tlwVec3 low, top;
        tlwGetMeshBounds(&mesh, &low, &top);
        print_message("%+.2f cells beyond: volume %.4f of %.4f\n", beyond, check.volume, width * depth * level);
        assert_true(fabs(check.volume / (width * depth * level) - 1) < 0.01);
        assert_true(tlwLength(tlwSub(top, (tlwVec3){width, depth, level})) < 1e-3);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static void test_liquid_at_the_edge_of_the_tiles_is_closed(void **state)
{
    (void)state;
    for (int detail = 1; detail <= 2; detail++) {
        Block block = makeBlock(2, -8, 0.1);
        Ball ball = {{0, 0, 0}, 1.0}; // larger than the tiles reach
        fillBlock(&block, ballPhi, &ball);
        tlwMesh mesh = meshBlock(&block, detail, NULL);
        assertClean(&mesh);
        assert_true(tlwGetMeshVolume(&mesh) > 3);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static void test_noise_is_meshed_watertight(void **state)
{
    (void)state;
    uint32_t seed = 42;
    for (int round = 0; round < 24; round++) {
        Block block = makeBlock(2 + round % 2, -8, 0.01);
        int64_t n = 8 * block.tiles;
        // From coarse random blobs to plain white noise, some of it exactly on the isovalue.
        for (int64_t i = 0; i < n * n * n; i++) {
            block.phi[i] = (float)randomIn(&seed, -0.03, 0.03);
            if (round % 4 == 1)
                block.phi[i] = block.phi[i] > 0 ? 0.03f : -0.03f;
            if (round % 4 == 2 && randomIn(&seed, 0, 1) < 0.3)
                block.phi[i] = 0;
            if (round % 4 == 3)
                block.phi[i] += (float)(0.02 * sin(0.9 * (double)(i % n)) * cos(0.7 * (double)(i / n % n)));
        }
        int detail = 1 + round / 12;
        tlwMesh mesh = meshBlock(&block, detail, NULL);
        assert_true(mesh.triangle_count > 1000);
        assertClean(&mesh);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static void test_cells_that_touch_in_edges_and_corners(void **state)
{
    (void)state;
    // Checkerboards in 2 and 3 dimensions: every voxel face is ambiguous.
    for (int kind = 0; kind < 3; kind++) {
        Block block = makeBlock(2, 0, 1);
        for (int64_t i = 0; i < 16 * 16 * 16; i++) {
            int x = (int)(i % 16), y = (int)(i / 16 % 16), z = (int)(i / 256);
            bool in = kind == 0 ? (x + y + z) % 2 : kind == 1 ? (x + y) % 2 : (x / 2 + y / 2 + z / 2) % 2;
            block.phi[i] = in ? -1.0f : 1.0f;
        }
        tlwMesh mesh = meshBlock(&block, 1, NULL);
        assertClean(&mesh);
        assert_true(tlwGetMeshVolume(&mesh) > 0);
        tlwDestroyMesh(&mesh);
        freeBlock(&block);
    }
}

static void test_edges_with_four_triangles_are_taken_apart(void **state)
{
    (void)state;
    // Two boxes that share an edge by index, and two tetrahedra back to back on the same edge twice.
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    addBox(&mesh, (tlwVec3){1, 1, 0}, (tlwVec3){2, 2, 1});
    for (int64_t i = 36; i < 72; i++) {
        if (mesh.triangles[i] == 8)
            mesh.triangles[i] = 3;
        if (mesh.triangles[i] == 12)
            mesh.triangles[i] = 7;
    }
    tlwMeshCheck check;
    tlwCheckMesh(&mesh, NULL, &check);
    assert_int_equal(check.nonmanifold_edges, 1);
    assert_int_equal(tlwMakeManifold(NULL, &mesh, 1, NULL), TLW_OK);
    check = assertClean(&mesh);
    assert_true(fabs(check.volume - 2) < 1e-6);
    tlwDestroyMesh(&mesh);

    // Two cubes touch along an edge. Joined above, splitting vertices is enough; joined above and below, both ends of
    // the edge stay shared and the edge itself must be cut.
    int8_t solid[3][3][3] = {{{0}}};
    solid[0][0][1] = solid[1][1][1] = 1;
    solid[0][0][2] = solid[0][1][2] = solid[1][0][2] = solid[1][1][2] = 1;
    for (int kind = 0; kind < 2; kind++) {
        tlwMesh grid = {0};
        for (int v = 0; v < 64; v++)
            tlwAddVertex(&grid, (float)(v % 4), (float)(v / 4 % 4), (float)(v / 16));
        for (int c = 0; c < 27; c++) {
            int p[3] = {c % 3, c / 3 % 3, c / 9};
            if (!solid[p[0]][p[1]][p[2]])
                continue;
            for (int axis = 0; axis < 3; axis++)
                for (int up = 0; up < 2; up++) {
                    int q[3] = {p[0], p[1], p[2]};
                    q[axis] += up ? 1 : -1;
                    bool out = q[axis] < 0 || q[axis] > 2 || !solid[q[0]][q[1]][q[2]];
                    if (!out)
                        continue;
                    int strides[3] = {1, 4, 16}, s = strides[(axis + 1) % 3], t = strides[(axis + 2) % 3];
                    int32_t a = p[0] + 4 * p[1] + 16 * p[2] + up * strides[axis];
                    int32_t quad[4] = {a, a + s, a + s + t, a + t};
                    for (int h = 0; h < 2; h++)
                        tlwAddTriangle(&grid, quad[0], up ? quad[1 + h] : quad[2 + h], up ? quad[2 + h] : quad[1 + h]);
                }
        }
        double volume = tlwGetMeshVolume(&grid);
        assert_true(volume > 4);
        assert_int_equal(tlwMakeManifold(NULL, &grid, 1, NULL), TLW_OK);
        check = assertClean(&grid);
        assert_true(fabs(check.volume - volume) < 1e-5);
        tlwDestroyMesh(&grid);
        solid[0][0][0] = solid[0][1][0] = solid[1][0][0] = solid[1][1][0] = 1;
    }
}

static void test_empty_level_set_gives_an_empty_mesh(void **state)
{
    (void)state;
    Block block = makeBlock(2, 0, 0.1);
    for (int i = 0; i < 16 * 16 * 16; i++)
        block.phi[i] = 0.3f;
    tlwMesh mesh = meshBlock(&block, 1, NULL);
    assert_int_equal(mesh.triangle_count, 0);
    tlwDestroyMesh(&mesh);
    block.set.count = 0;
    mesh = meshBlock(&block, 2, NULL);
    assert_int_equal(mesh.triangle_count, 0);
    tlwDestroyMesh(&mesh);
    freeBlock(&block);
}

static void test_same_mesh_for_any_thread_count(void **state)
{
    (void)state;
    Block block = makeBlock(4, -16, 0.1);
    uint32_t seed = 9;
    for (int64_t i = 0; i < 32 * 32 * 32; i++)
        block.phi[i] = (float)(randomIn(&seed, -0.1, 0.1) + 0.1 * sin(0.3 * (double)(i % 32)));
    for (int detail = 1; detail <= 2; detail++) {
        tlwMesh one = meshBlock(&block, detail, NULL);
        for (int n = 2; n < 5; n++) {
            tlwThreads *threads = tlwCreateThreads(n);
            tlwMesh more = meshBlock(&block, detail, threads);
            assert_int_equal(one.vertex_count, more.vertex_count);
            assert_int_equal(one.triangle_count, more.triangle_count);
            assert_memory_equal(one.positions, more.positions, 12 * (size_t)one.vertex_count);
            assert_memory_equal(one.triangles, more.triangles, 12 * (size_t)one.triangle_count);
            tlwDestroyMesh(&more);
            tlwDestroyThreads(threads);
        }
        tlwDestroyMesh(&one);
    }
    freeBlock(&block);
}

static void test_speed_is_shown(void **state)
{
    (void)state;
#ifndef TLW_SANITIZED
    Block block = makeBlock(16, 0, 0.01);
    Ball ball = {{0.64, 0.64, 0.64}, 0.55};
    fillBlock(&block, ballPhi, &ball);
    for (int detail = 1; detail <= 2; detail++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        tlwMesh mesh = meshBlock(&block, detail, NULL);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        print_message("128^3, detail %d: %lld triangles in %.3f s\n", detail, (long long)mesh.triangle_count,
                      (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
        tlwDestroyMesh(&mesh);
    }
    freeBlock(&block);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_is_closed_and_has_its_volume),
        cmocka_unit_test(test_pool_that_fills_its_box_ends_at_the_walls),
        cmocka_unit_test(test_pool_ends_within_a_cell),
        cmocka_unit_test(test_liquid_at_the_edge_of_the_tiles_is_closed),
        cmocka_unit_test(test_noise_is_meshed_watertight),
        cmocka_unit_test(test_cells_that_touch_in_edges_and_corners),
        cmocka_unit_test(test_edges_with_four_triangles_are_taken_apart),
        cmocka_unit_test(test_empty_level_set_gives_an_empty_mesh),
        cmocka_unit_test(test_same_mesh_for_any_thread_count),
        cmocka_unit_test(test_speed_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
