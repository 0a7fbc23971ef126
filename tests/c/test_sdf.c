// Signed distance fields of meshes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/parallel.h"
#include "base/vec.h"
#include "shape/sdf_data.h"
#include "shape/sdf_sample.h"
#include "shape/sdf_sign.h"

#include <stdlib.h>
#include <time.h>

static tlwSdf *build(const tlwMesh *mesh, double voxel, double band)
{
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = voxel;
    def.exterior_band = def.interior_band = band;
    tlwSdf *sdf = NULL;
    tlwMessage message;
    if (tlwCreateSdf(mesh, &def, NULL, &message, &sdf) != TLW_OK)
        fail_msg("%s", message.text);
    return sdf;
}

static double sphereDistance(tlwVec3 p)
{
    return tlwLength(p) - 1;
}

static double boxDistance(tlwVec3 p) // half sides 0.5, 0.7, 0.9
{
    double x = fabs(p.x) - 0.5, y = fabs(p.y) - 0.7, z = fabs(p.z) - 0.9;
    return tlwLength((tlwVec3){fmax(x, 0), fmax(y, 0), fmax(z, 0)}) + fmin(fmax(x, fmax(y, z)), 0);
}

static double torusDistance(tlwVec3 p)
{
    return hypot(hypot(p.x, p.y) - 0.8, p.z) - 0.3;
}

// Largest error in voxels over random points, and points whose sign is wrong.
static double worstError(const tlwSdf *sdf, double distance(tlwVec3), double blur, int *wrong)
{
    uint32_t seed = 3;
    double worst = 0, voxel = tlwGetSdfVoxelSize(sdf), band = tlwGetSdfBand(sdf);
    *wrong = 0;
    for (int i = 0; i < 20000; i++) {
        tlwVec3 p = {randomIn(&seed, -1.6, 1.6), randomIn(&seed, -1.6, 1.6), randomIn(&seed, -1.6, 1.6)};
        float point[3] = {(float)p.x, (float)p.y, (float)p.z}, got;
        tlwSampleSdf(sdf, point, 1, &got);
        double exact = distance(p);
        *wrong += fabs(exact) > blur * voxel && (got > 0) != (exact > 0);
        if (fabs(exact) < band - 1.8 * voxel) // nodes beyond the band are cut off
            worst = fmax(worst, fabs(got - exact) / voxel);
        else
            *wrong += fabs(got) < band - 2 * voxel;
    }
    return worst;
}

static void test_distances_of_known_shapes(void **state)
{
    (void)state;
    double (*exact[3])(tlwVec3) = {sphereDistance, boxDistance, torusDistance};
    double limit[3] = {0.06, 0.5, 0.12}; // trilinear rounds the box's edges
    for (int shape = 0; shape < 3; shape++)
        for (int inverted = 0; inverted < 2; inverted++) {
            tlwMesh mesh = {0};
            if (shape == 0)
                addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 96);
            if (shape == 1)
                addBox(&mesh, (tlwVec3){-0.5, -0.7, -0.9}, (tlwVec3){0.5, 0.7, 0.9});
            if (shape == 2)
                addTorus(&mesh, 0.8, 0.3, 160, 80);
            if (inverted)
                invert(&mesh, 0);
            tlwSdf *sdf = build(&mesh, 0.05, 0.25);
            int wrong;
            double worst = worstError(sdf, exact[shape], shape == 1 ? 0.5 : 0.1, &wrong);
            print_message("shape %d: worst error %.3f voxels, %d wrong\n", shape, worst, wrong);
            assert_int_equal(wrong, 0);
            assert_true(worst < limit[shape]);
            tlwDestroySdf(sdf);
            tlwDestroyMesh(&mesh);
        }
}

static float sampleOne(const tlwSdf *sdf, double x, double y, double z)
{
    float point[3] = {(float)x, (float)y, (float)z}, d;
    tlwSampleSdf(sdf, point, 1, &d);
    return d;
}

static void test_interior_can_be_measured_to_its_depth(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 64);
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = 0.025;
    def.interior_band = 1e30;
    tlwSdf *deep, *shallow = build(&mesh, 0.025, 0);
    assert_int_equal(tlwCreateSdf(&mesh, &def, NULL, NULL, &deep), TLW_OK);
    for (double r = 0.1; r < 1.4; r += 0.05) {
        double x = r * 0.36, y = r * 0.48, z = r * 0.8;
        assert_true(fabs(sampleOne(deep, x, y, z) - tlwClamp(r - 1, -1, 0.075)) < 0.01 || fabs(r - 1.075) < 0.05);
        assert_true(fabs(sampleOne(shallow, x, y, z) - tlwClamp(r - 1, -0.075, 0.075)) < 0.01 ||
                    fabs(fabs(r - 1) - 0.075) < 0.05);
    }
    assert_true((double)deep->block_count > 1.2 * (double)shallow->block_count);
    tlwDestroySdf(deep);
    tlwDestroySdf(shallow);
    tlwDestroyMesh(&mesh);
}

static void test_sealed_hollow_box_has_room_inside(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    addBox(&mesh, (tlwVec3){0.1, 0.1, 0.1}, (tlwVec3){0.9, 0.9, 0.9});
    invert(&mesh, 12);
    tlwSdf *sdf = build(&mesh, 0.04, 0);
    assert_true(sampleOne(sdf, 0.5, 0.5, 0.5) > 0);
    assert_true(fabs(sampleOne(sdf, 0.5, 0.5, 0.13) - 0.03) < 0.004);
    assert_true(sampleOne(sdf, 0.5, 0.05, 0.5) < -0.02);
    assert_true(sampleOne(sdf, 1.5, 0.5, 0.5) > 0);
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_overlapping_parts_are_one_solid(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){-0.4, 0, 0}, 0.7, 24);
    addSphere(&mesh, (tlwVec3){0.4, 0, 0}, 0.7, 24);
    tlwSdf *sdf = build(&mesh, 0.05, 0);
    uint32_t seed = 5;
    for (int i = 0; i < 5000; i++) {
        tlwVec3 p = {randomIn(&seed, -1.3, 1.3), randomIn(&seed, -1, 1), randomIn(&seed, -1, 1)};
        double d = fmin(tlwLength(tlwSub(p, (tlwVec3){-0.4, 0, 0})), tlwLength(tlwSub(p, (tlwVec3){0.4, 0, 0}))) - 0.7;
        float got = sampleOne(sdf, p.x, p.y, p.z);
        if (fabs(d) > 0.02)
            assert_true((got > 0) == (d > 0));
        if (d > 0.02 && d < 0.1)
            assert_true(fabs(got - d) < 0.02);
    }
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_axis_aligned_faces_on_round_numbers_keep_their_sign(void **state)
{
    (void)state;
    for (int n = 1; n < 6; n++) {
        tlwMesh mesh = {0};
        addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){0.5 * n, 0.25 * n, 0.125 * n});
        tlwSdf *sdf = build(&mesh, 0.0625, 0);
        for (int k = -2; k < 20; k++)
            for (int j = -2; j < 20; j++)
                for (int i = -2; i < 20; i++) {
                    double x = 0.125 * i + 0.0625, y = 0.125 * j + 0.0625, z = 0.125 * k + 0.0625;
                    bool inside = x > 0 && x < 0.5 * n && y > 0 && y < 0.25 * n && z > 0 && z < 0.125 * n;
                    bool near = fabs(z) < 0.01 || fabs(z - 0.125 * n) < 0.01;
                    if (!near)
                        assert_int_equal(sampleOne(sdf, x, y, z) < 0, inside);
                }
        tlwDestroySdf(sdf);
        tlwDestroyMesh(&mesh);
    }
}

static int64_t openLines(const tlwMesh *mesh, double voxel, const double origin[3], int blocks)
{
    tlwSdf sdf = {.voxel = voxel, .origin = {origin[0], origin[1], origin[2]}, .blocks = {blocks, blocks, blocks}};
    tlwSdfLines *lines = tlwCreateSdfLines(&sdf, mesh);
    int64_t open = 0;
    for (int k = 0; k <= 8 * blocks; k++)
        for (int j = 0; j <= 8 * blocks; j++) {
            bool inside;
            tlwFindInside(lines, (int32_t[3]){8 * blocks, j, k}, 1, &inside);
            open += inside;
        }
    tlwDestroySdfLines(lines);
    return open;
}

// Lines through vertices, along edges and within faces included: nodes on round numbers, vertices too.
static void test_every_line_that_enters_leaves(void **state)
{
    (void)state;
    uint32_t seed = 23;
    for (int round = 0; round < 30; round++) {
        tlwMesh mesh = {0};
        addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 8 + round);
        addTorus(&mesh, 1, 0.25, 16, 8 + round);
        addBox(&mesh, (tlwVec3){-0.75, -1.25, -0.5}, (tlwVec3){1, 0.25, 1.5});
        if (round % 3 == 1)
            tlwTransformMesh(
                &mesh, (tlwVec3){0, 0, 0},
                tlwQuatFromRotationVector((tlwVec3){randomIn(&seed, -3, 3), randomIn(&seed, -3, 3), 0.5 * TEST_PI}),
                (tlwVec3){1, 1, 1});
        if (round % 3 == 2)
            for (int64_t i = 0; i < 3 * mesh.vertex_count; i++) // snap to the lines
                mesh.positions[i] = 0.125f * roundf(8 * mesh.positions[i]);
        assert_int_equal(openLines(&mesh, 0.125, (double[3]){-2, -2, -2}, 4), 0);
        assert_int_equal(openLines(&mesh, 0.0625, (double[3]){-2, -2.03125, -2}, 8), 0);
        tlwDestroyMesh(&mesh);
    }
}

static void test_thin_plank_and_cup_do_not_vanish(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-1, -0.3, -0.01}, (tlwVec3){1, 0.3, 0.01}); // half a voxel thick
    tlwTransformMesh(&mesh, (tlwVec3){0.013, 0.007, 0.011}, tlwQuatFromRotationVector((tlwVec3){0.2, 0.1, 0.4}),
                     (tlwVec3){1, 1, 1});
    tlwSdf *sdf = build(&mesh, 0.04, 0.12);
    print_message("plank voxel %.4f\n", tlwGetSdfVoxelSize(sdf));
    tlwQuat q = tlwQuatFromRotationVector((tlwVec3){0.2, 0.1, 0.4});
    for (double x = -0.95; x < 1; x += 0.05) {
        tlwVec3 p = tlwAdd(tlwRotate(q, (tlwVec3){x, 0.1, 0}), (tlwVec3){0.013, 0.007, 0.011});
        assert_true(sampleOne(sdf, p.x, p.y, p.z) < 0);
    }
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);

    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 40); // a hollow ball with a wall of 0.03
    int64_t inner = mesh.triangle_count;
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 0.97, 40);
    invert(&mesh, inner);
    sdf = build(&mesh, 0.04, 0.12);
    uint32_t seed = 11;
    for (int i = 0; i < 1000; i++) {
        tlwVec3 n = tlwNormalize((tlwVec3){randomIn(&seed, -1, 1), randomIn(&seed, -1, 1), randomIn(&seed, -1, 1)});
        assert_true(sampleOne(sdf, 0.984 * n.x, 0.984 * n.y, 0.984 * n.z) < 0);
        assert_true(sampleOne(sdf, 0.9 * n.x, 0.9 * n.y, 0.9 * n.z) > 0);
    }
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_gradient_points_outwards(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 96);
    tlwSdf *sdf = build(&mesh, 0.05, 0.25);
    uint32_t seed = 17;
    double worst = 0;
    for (int i = 0; i < 1000; i++) {
        tlwVec3 n = tlwNormalize((tlwVec3){randomIn(&seed, -1, 1), randomIn(&seed, -1, 1), randomIn(&seed, -1, 1)});
        tlwVec3 p = tlwScale(n, randomIn(&seed, 0.85, 1.15));
        float point[3] = {(float)p.x, (float)p.y, (float)p.z}, distance, plain, g[3];
        tlwSampleSdfGradient(sdf, point, 1, &distance, g);
        tlwSampleSdf(sdf, point, 1, &plain);
        assert_true(fabsf(distance - plain) < 1e-6f);
        worst = fmax(worst, tlwLength(tlwSub((tlwVec3){g[0], g[1], g[2]}, n)));
    }
    print_message("worst gradient error %.3f\n", worst);
    assert_true(worst < 0.08);
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_velocity_follows_the_nearest_surface(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addTorus(&mesh, 0.8, 0.3, 120, 60);
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = 0.05;
    def.keep_triangles = true;
    tlwSdf *sdf;
    assert_int_equal(tlwCreateSdf(&mesh, &def, NULL, NULL, &sdf), TLW_OK);
    float *velocity = malloc(3 * (size_t)mesh.vertex_count * sizeof(float));
    for (int64_t v = 0; v < mesh.vertex_count; v++) { // turning about z, stretching along z
        velocity[3 * v] = -mesh.positions[3 * v + 1];
        velocity[3 * v + 1] = mesh.positions[3 * v];
        velocity[3 * v + 2] = 2 * mesh.positions[3 * v + 2];
    }
    double worst = 0;
    for (int i = 0; i < 500; i++) {
        double u = 0.1 * i, w = 0.37 * i, r = 0.3 + 0.08 * sin(i);
        double nx = cos(w) * cos(u), ny = cos(w) * sin(u), nz = sin(w);
        float point[3] = {(float)(0.8 * cos(u) + r * nx), (float)(0.8 * sin(u) + r * ny), (float)(r * nz)}, got[3];
        tlwSampleSdfVelocity(sdf, velocity, point, 1, got);
        double sx = 0.8 * cos(u) + 0.3 * nx, sy = 0.8 * sin(u) + 0.3 * ny, sz = 0.3 * nz;
        worst = fmax(worst, tlwLength(tlwSub((tlwVec3){got[0], got[1], got[2]}, (tlwVec3){-sy, sx, 2 * sz})));
    }
    print_message("worst velocity error %.3f\n", worst);
    assert_true(worst < 0.04);
    float away[3] = {5, 5, 5}, got[3] = {1, 1, 1};
    tlwSampleSdfVelocity(sdf, velocity, away, 1, got);
    assert_true(got[0] == 0 && got[1] == 0 && got[2] == 0);
    free(velocity);
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_rasterized_solid_is_where_its_frame_puts_it(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-0.5, -0.7, -0.9}, (tlwVec3){0.5, 0.7, 0.9});
    tlwSdf *sdf = build(&mesh, 0.08, 0.4);
    tlwSdfFrame frame = {{3, -2, 1}, tlwQuatFromRotationVector((tlwVec3){0.7, -0.2, 0.5})};
    enum { N = 33 };
    tlwSdfNodes nodes = {{1.6, -3.4, -0.4}, 0.085, {N, N, N}, {1, N, N * N}};
    static float out[N * N * N], united[N * N * N];
    tlwRasterizeSdf(sdf, &frame, &nodes, out);
    for (int i = 0; i < N * N * N; i++)
        united[i] = 0.3f;
    tlwUniteSdf(sdf, &frame, &nodes, united);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                tlwVec3 p = tlwMulAdd(nodes.origin, nodes.spacing, (tlwVec3){i, j, k});
                tlwVec3 q = tlwRotate(tlwQuatConjugate(frame.rotation), tlwSub(p, frame.position));
                double d = tlwClamp(boxDistance(q), -0.4, 0.4);
                float got = out[i + N * (j + N * k)];
                assert_true(fabs(got - d) < 0.05);
                assert_true(united[i + N * (j + N * k)] == fminf(0.3f, got));
            }
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
}

static void test_same_field_for_any_thread_count(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addTorus(&mesh, 0.8, 0.3, 60, 30);
    addSphere(&mesh, (tlwVec3){0.8, 0, 0}, 0.4, 20);
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = 0.04;
    def.exterior_band = def.interior_band = 0.2;
    tlwSdf *one, *two;
    tlwThreads *threads = tlwCreateThreads(3);
    assert_int_equal(tlwCreateSdf(&mesh, &def, NULL, NULL, &one), TLW_OK);
    assert_int_equal(tlwCreateSdf(&mesh, &def, threads, NULL, &two), TLW_OK);
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        float p[3], a, b;
        for (int c = 0; c < 3; c++)
            p[c] = (float)randomIn(&seed, -1.4, 1.4);
        tlwSampleSdf(one, p, 1, &a);
        tlwSampleSdf(two, p, 1, &b);
        assert_true(a == b);
    }
    tlwDestroySdf(one);
    tlwDestroySdf(two);
    tlwDestroyThreads(threads);
    tlwDestroyMesh(&mesh);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_speed_is_shown(void **state)
{
    (void)state;
#ifndef TLW_SANITIZED
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 250);
    double t0 = now();
    tlwSdf *sdf = build(&mesh, 2.0 / 128, 0);
    double t1 = now();
    enum { N = 1000000 };
    float *points = malloc(3 * N * sizeof(float)), *out = malloc(N * sizeof(float));
    uint32_t seed = 1;
    for (int i = 0; i < 3 * N; i++)
        points[i] = (float)randomIn(&seed, -1.1, 1.1);
    double t2 = now();
    tlwSampleSdf(sdf, points, N, out);
    double t3 = now();
    for (int i = 0; i < N; i++) {
        float r = sqrtf(points[3 * i] * points[3 * i] + points[3 * i + 1] * points[3 * i + 1] +
                        points[3 * i + 2] * points[3 * i + 2]);
        for (int a = 0; a < 3; a++)
            points[3 * i + a] /= r;
    }
    double t4 = now();
    tlwSampleSdf(sdf, points, N, out);
    double t5 = now();
    print_message("%lld triangles at 128^3: built in %.3f s, %.1f MB; %.1f ns a sample, %.1f ns at the surface\n",
                  (long long)mesh.triangle_count, t1 - t0,
                  (double)sdf->block_count * TLW_SDF_BLOCK * sizeof *sdf->values / 1e6, (t3 - t2) * 1e9 / N,
                  (t5 - t4) * 1e9 / N);
    free(points);
    free(out);
    tlwDestroySdf(sdf);
    tlwDestroyMesh(&mesh);
#else
    (void)now;
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_of_known_shapes),
        cmocka_unit_test(test_interior_can_be_measured_to_its_depth),
        cmocka_unit_test(test_sealed_hollow_box_has_room_inside),
        cmocka_unit_test(test_overlapping_parts_are_one_solid),
        cmocka_unit_test(test_axis_aligned_faces_on_round_numbers_keep_their_sign),
        cmocka_unit_test(test_every_line_that_enters_leaves),
        cmocka_unit_test(test_thin_plank_and_cup_do_not_vanish),
        cmocka_unit_test(test_gradient_points_outwards),
        cmocka_unit_test(test_velocity_follows_the_nearest_surface),
        cmocka_unit_test(test_rasterized_solid_is_where_its_frame_puts_it),
        cmocka_unit_test(test_same_field_for_any_thread_count),
        cmocka_unit_test(test_speed_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
