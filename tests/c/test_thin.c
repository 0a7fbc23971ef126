// Walls thinner than cells grow, on the side that does not count.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "shape/repair.h"
#include "shape/sdf_data.h"
#include "shape/sdf_sample.h"
#include "shape/thin.h"

#include <string.h>

#define LEAST 0.19 // m, with cells of 0.1

// A box open at the top around the inside -1..1. `thick` 0 leaves a sheet.
static tlwMesh makeCup(double thick)
{
    tlwMesh mesh = {0};
    double t = thick;
    addBox(&mesh, (tlwVec3){-1 - t, -1 - t, -1 - t}, (tlwVec3){1 + t, 1 + t, 1});
    int64_t outer = mesh.triangle_count;
    int64_t kept = 0;
    if (t > 0)
        addBox(&mesh, (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 1});
    if (t > 0)
        invert(&mesh, outer);
    for (int64_t n = 0; n < mesh.triangle_count; n++) { // leave out both tops
        int high = 0;
        for (int k = 0; k < 3; k++)
            high += mesh.positions[3 * (int64_t)mesh.triangles[3 * n + k] + 2] > 0.99;
        if (high < 3)
            memmove(mesh.triangles + 3 * kept++, mesh.triangles + 3 * n, 3 * sizeof(int32_t));
    }
    mesh.triangle_count = kept;
    for (int side = 0; side < 4 && t > 0; side++) { // the rim
        static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        const double *a = corner[side], *b = corner[(side + 1) % 4];
        int32_t first = (int32_t)mesh.vertex_count;
        double s = 1 + t;
        tlwAddVertex(&mesh, (float)(s * a[0]), (float)(s * a[1]), 1);
        tlwAddVertex(&mesh, (float)(s * b[0]), (float)(s * b[1]), 1);
        tlwAddVertex(&mesh, (float)b[0], (float)b[1], 1);
        tlwAddVertex(&mesh, (float)a[0], (float)a[1], 1);
        tlwAddTriangle(&mesh, first, first + 1, first + 2);
        tlwAddTriangle(&mesh, first, first + 2, first + 3);
    }
    return mesh;
}

static tlwSdf *grow(const tlwMesh *mesh, const tlwThinDef *def, tlwThreads *threads)
{
    tlwMessage message;
    float *sides = NULL;
    double thinnest;
    tlwThin thin;
    tlwSdf *sdf = NULL;
    assert_int_equal(tlwFindThinSides(mesh, def, threads, &message, &thinnest, &sides), TLW_OK);
    assert_int_equal(tlwMeasureThin(mesh, sides, def->least, def->sheet, threads, &message, &thin), TLW_OK);
    tlwSdfDef sdf_def = tlwDefaultSdfDef();
    sdf_def.voxel_size = 0.1;
    sdf_def.exterior_band = 0.4;
    sdf_def.thin = &thin;
    if (thin.reach)
        assert_int_equal(tlwCreateSdf(mesh, &sdf_def, threads, &message, &sdf), TLW_OK);
    tlwFreeThin(&thin);
    tlwFree(sides);
    return sdf;
}

static float sampleAt(const tlwSdf *sdf, double x, double y, double z)
{
    float p[3] = {(float)x, (float)y, (float)z}, d;
    tlwSampleSdf(sdf, p, 1, &d);
    return d;
}

static void test_a_cup_grows_outside_and_keeps_its_inside(void **state)
{
    (void)state;
    static const double walls[] = {0, 0.01, 0.05, 0.1};
    for (int n = 0; n < 4; n++) {
        tlwMesh mesh = makeCup(walls[n]);
        tlwThinDef def = {.least = LEAST, .look = LEAST, .sheet = walls[n] == 0};
        tlwSdf *sdf = grow(&mesh, &def, NULL);
        assert_non_null(sdf);
        for (double x = -0.7; x < 0.8; x += 0.13) {
            assert_true(fabs(sampleAt(sdf, x, 0.2, -0.9) - 0.1) < 0.02); // inside: as far from the floor as it was
            assert_true(fabs(sampleAt(sdf, 0.87, x, 0.1) - 0.13) < 0.02);
            assert_true(fabs(sampleAt(sdf, x, 0.2, -1.3) - (0.3 - LEAST)) < 0.02); // outside: nearer
            assert_true(fabs(sampleAt(sdf, 1.35, x, 0.1) - (0.35 - LEAST)) < 0.02);
            assert_true(sampleAt(sdf, x, 0.2, -1.09) < -0.07);
        }
        tlwDestroySdf(sdf);
        tlwDestroyMesh(&mesh);
    }
}

// From the edge inside, where floor and wall meet, no way out is shorter than the wall is thick.
static void test_no_groove_stays_at_the_foot_of_a_wall(void **state)
{
    (void)state;
    for (int n = 1; n <= 15; n++) {
        tlwMesh mesh = makeCup(0.01 * n);
        tlwThinDef def = {.least = LEAST, .look = LEAST};
        tlwSdf *sdf = grow(&mesh, &def, NULL);
        for (int angle = 0; angle <= 90; angle += 10)
            for (double way = 0.06; way < 0.15; way += 0.02) {
                double c = cos(angle * 0.0174533), s = sin(angle * 0.0174533);
                assert_true(sampleAt(sdf, 1 + c * way, 0.3, -1 - s * way) < 0);
            }
        tlwDestroySdf(sdf);
        tlwDestroyMesh(&mesh);
    }
}

static void test_a_floating_cup_grows_inside_and_a_plank_not_at_all(void **state)
{
    (void)state;
    tlwMesh mesh = makeCup(0.05), plank = {0};
    tlwThinDef def = {.least = LEAST, .look = LEAST, .keeps_outside = true};
    tlwSdf *sdf = grow(&mesh, &def, NULL);
    assert_non_null(sdf);
    assert_true(fabs(sampleAt(sdf, 0.2, 0.1, -1.2) - 0.15) < 0.02);
    assert_true(fabs(sampleAt(sdf, 0.2, 0.1, -0.7) - (0.35 - LEAST)) < 0.02);
    tlwDestroySdf(sdf);
    addBox(&plank, (tlwVec3){-1, -0.4, 0}, (tlwVec3){1, 0.4, 0.08});
    assert_null(grow(&plank, &def, NULL));
    tlwDestroyMesh(&plank);
    tlwDestroyMesh(&mesh);
}

static void test_thick_solids_do_not_grow(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-1, -1, 0}, (tlwVec3){1, 1, 0.2});
    addSphere(&mesh, (tlwVec3){3, 0, 0}, 1, 24);
    tlwThinDef def = {.least = LEAST, .look = 0.3};
    float *sides;
    double thinnest;
    tlwMessage message;
    assert_int_equal(tlwFindThinSides(&mesh, &def, NULL, &message, &thinnest, &sides), TLW_OK);
    assert_null(sides);
    assert_true(fabs(thinnest - 0.2) < 1e-5);
    tlwDestroyMesh(&mesh);
}

static void test_a_plane_grows_away_from_the_liquid(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-1, -1, 0}, (tlwVec3){1, 1, 1});
    mesh.triangle_count = 0;
    tlwAddTriangle(&mesh, 0, 1, 3); // corner i has x, y and z from its bits
    tlwAddTriangle(&mesh, 0, 3, 2);
    for (int side = -1; side <= 1; side += 2) {
        tlwThinDef def = {.least = LEAST, .look = LEAST, .sheet = true, .has_liquid = true, .liquid = {0, 0, side}};
        tlwSdf *sdf = grow(&mesh, &def, NULL);
        assert_true(fabs(sampleAt(sdf, 0.1, 0.2, side * 0.2) - 0.2) < 0.02);
        assert_true(fabs(sampleAt(sdf, 0.1, 0.2, -side * 0.3) - (0.3 - LEAST)) < 0.02);
        tlwDestroySdf(sdf);
    }
    tlwDestroyMesh(&mesh);
}

static void test_growth_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    tlwThreads *threads = tlwCreateThreads(3);
    tlwMesh mesh = makeCup(0.05);
    tlwThinDef def = {.least = LEAST, .look = LEAST};
    tlwSdf *one = grow(&mesh, &def, NULL), *three = grow(&mesh, &def, threads);
    assert_int_equal(one->block_count, three->block_count);
    assert_memory_equal(one->values, three->values, (size_t)one->block_count * TLW_SDF_BLOCK * sizeof(float));
    tlwDestroySdf(one);
    tlwDestroySdf(three);
    tlwDestroyMesh(&mesh);
    tlwDestroyThreads(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cup_grows_outside_and_keeps_its_inside),
        cmocka_unit_test(test_no_groove_stays_at_the_foot_of_a_wall),
        cmocka_unit_test(test_a_floating_cup_grows_inside_and_a_plank_not_at_all),
        cmocka_unit_test(test_thick_solids_do_not_grow),
        cmocka_unit_test(test_a_plane_grows_away_from_the_liquid),
        cmocka_unit_test(test_growth_is_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
