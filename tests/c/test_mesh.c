// Meshes: mass properties, repair, refusal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/vec.h"
#include "shape/mesh.h"
#include "shape/repair.h"
#include "shape/topology.h"

#include <stdlib.h>
#include <time.h>

static void removeTriangles(tlwMesh *mesh, int64_t first, int64_t count)
{
    memmove(mesh->triangles + 3 * first, mesh->triangles + 3 * (first + count),
            3 * (size_t)(mesh->triangle_count - first - count) * sizeof(int32_t));
    mesh->triangle_count -= count;
}

static bool isBalanced(const tlwMesh *mesh)
{
    int32_t *weld = tlwWeldVertices(mesh->positions, mesh->vertex_count);
    tlwMesh welded;
    tlwCopyMesh(mesh, NULL, &welded);
    for (int64_t i = 0; i < 3 * mesh->triangle_count; i++)
        welded.triangles[i] = weld[mesh->triangles[i]];
    int64_t n = 3 * welded.triangle_count, balance = 0;
    int32_t *sorted = tlwSortHalfEdges(NULL, welded.triangles, welded.triangle_count, welded.vertex_count);
    for (int64_t i = 0, end; i < n; i = end) {
        end = tlwEdgeEnd(sorted, welded.triangles, n, i);
        int64_t sum = 0;
        for (int64_t j = i; j < end; j++)
            sum += welded.triangles[sorted[j]] == welded.triangles[sorted[i]] ? 1 : -1;
        balance += sum != 0;
    }
    free(sorted);
    free(weld);
    tlwDestroyMesh(&welded);
    return balance == 0;
}

static void test_box_has_the_mass_properties_of_a_box(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){1, 2, 3}, (tlwVec3){2, 4, 6});
    tlwMassProperties mass;
    tlwGetMassProperties(&mesh, &mass);
    assert_true(fabs(mass.volume - 6) < 1e-12);
    assert_true(tlwLength(tlwSub(mass.centre, (tlwVec3){1.5, 3, 4.5})) < 1e-12);
    assert_true(fabs(mass.inertia[0][0] - 6.0 / 12 * (4 + 9)) < 1e-12);
    assert_true(fabs(mass.inertia[1][1] - 6.0 / 12 * (1 + 9)) < 1e-12);
    assert_true(fabs(mass.inertia[2][2] - 6.0 / 12 * (1 + 4)) < 1e-12);
    assert_true(fabs(mass.inertia[0][1]) < 1e-12 && fabs(mass.inertia[1][2]) < 1e-12);
    assert_true(fabs(tlwGetMeshArea(&mesh) - 22) < 1e-12);
    tlwDestroyMesh(&mesh);
}

static void test_inertia_turns_with_the_mesh(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-1, -2, -3}, (tlwVec3){1, 2, 3});
    addSphere(&mesh, (tlwVec3){4, 1, 0}, 1, 12);
    tlwMassProperties before, after;
    tlwGetMassProperties(&mesh, &before);
    tlwQuat q = tlwQuatFromRotationVector((tlwVec3){0.4, -0.9, 0.3});
    tlwTransformMesh(&mesh, (tlwVec3){10, 20, -5}, q, (tlwVec3){1, 1, 1});
    tlwGetMassProperties(&mesh, &after);
    tlwMat3 r = tlwQuatToMat3(q), i;
    memcpy(&i, before.inertia, sizeof i);
    i = tlwMat3Mul(tlwMat3Mul(r, i), tlwMat3Transpose(r));
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            assert_true(fabs(i.m[a][b] - after.inertia[a][b]) < 1e-4 * before.inertia[0][0]);
    tlwDestroyMesh(&mesh);
}

static void test_mirroring_keeps_the_outside_out(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 10);
    double volume = tlwGetMeshVolume(&mesh);
    tlwTransformMesh(&mesh, (tlwVec3){0, 0, 0}, (tlwQuat){1, 0, 0, 0}, (tlwVec3){-2, 1, 1});
    assert_true(fabs(tlwGetMeshVolume(&mesh) - 2 * volume) < 1e-5);
    tlwDestroyMesh(&mesh);
}

static void test_holes_are_filled_and_reported(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    tlwMessage message;
    addSphere(&mesh, (tlwVec3){0.5, 0, 0}, 1, 32);
    double volume = tlwGetMeshVolume(&mesh);
    int64_t cap = 0; // both poles: 64 triangles each, 64 open edges each
    for (int64_t t = 0; t < mesh.triangle_count; t++) {
        int32_t *v = mesh.triangles + 3 * t;
        bool pole = v[0] == 0 || v[0] == mesh.vertex_count - 1;
        if (pole)
            cap++;
        else
            memmove(mesh.triangles + 3 * (t - cap), v, 12);
    }
    mesh.triangle_count -= cap;
    removeTriangles(&mesh, 1000, 1); // and one single triangle: 3 more
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&mesh, "Suzanne", &message, &report), TLW_OK);
    assert_int_equal(report.open_edges, 131);
    assert_int_equal(report.holes, 3);
    assert_int_equal(report.islands, 1);
    assert_true(isBalanced(&mesh));
    assert_true(fabs(tlwGetMeshVolume(&mesh) / volume - 1) < 0.001);
    char text[200];
    tlwDescribeRepair(&report, "Suzanne", text, sizeof text);
    assert_string_equal(text, "Suzanne is not closed: 131 open edges; filled.");
    tlwDestroyMesh(&mesh);
}

static void test_long_hole_gets_a_fan(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 60);
    int64_t kept = 0;
    for (int64_t t = 0; t < mesh.triangle_count; t++) {
        const int32_t *v = mesh.triangles + 3 * t;
        float z = mesh.positions[3 * v[0] + 2] + mesh.positions[3 * v[1] + 2] + mesh.positions[3 * v[2] + 2];
        if (z < 0)
            memmove(mesh.triangles + 3 * kept++, v, 12);
    }
    mesh.triangle_count = kept;
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&mesh, "Bowl", NULL, &report), TLW_OK);
    assert_int_equal(report.open_edges, 120);
    assert_int_equal(report.holes, 1);
    assert_true(isBalanced(&mesh));
    assert_true(fabs(tlwGetMeshVolume(&mesh) - 2 * TEST_PI / 3) < 0.01);
    tlwDestroyMesh(&mesh);
}

static void test_holes_that_touch_in_a_vertex_are_filled_one_by_one(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addTorus(&mesh, 2, 0.5, 24, 12);
    removeTriangles(&mesh, 100, 1);
    // The triangle two further on shares one vertex with it.
    removeTriangles(&mesh, 101, 1);
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&mesh, "Ring", NULL, &report), TLW_OK);
    assert_int_equal(report.open_edges, 6);
    assert_int_equal(report.holes, 2);
    tlwMeshCheck check;
    assert_int_equal(tlwCheckMesh(&mesh, NULL, &check), TLW_OK);
    assert_true(check.closed && check.oriented);
    tlwDestroyMesh(&mesh);
}

static void test_split_vertices_are_not_holes(void **state)
{
    (void)state;
    tlwMesh whole = {0}, split = {0};
    addSphere(&whole, (tlwVec3){0, 0, 0}, 1, 16);
    for (int64_t t = 0; t < whole.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            const float *p = whole.positions + 3 * whole.triangles[3 * t + k];
            tlwAddVertex(&split, p[0], p[1], p[2]);
        }
        tlwAddTriangle(&split, (int32_t)(3 * t), (int32_t)(3 * t + 1), (int32_t)(3 * t + 2));
    }
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&split, "Soup", NULL, &report), TLW_OK);
    assert_int_equal(report.open_edges, 0);
    assert_int_equal(report.islands, 1);
    assert_int_equal(split.triangle_count, whole.triangle_count);
    tlwDestroyMesh(&whole);
    tlwDestroyMesh(&split);
}

static void test_inverted_and_mixed_faces_are_turned(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    tlwRepairReport report;
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, 16);
    invert(&mesh, 0);
    assert_int_equal(tlwRepairMesh(&mesh, "Ball", NULL, &report), TLW_OK);
    assert_int_equal(report.inverted_islands, 1);
    assert_true(tlwGetMeshVolume(&mesh) > 4);
    for (int64_t t = 0; t < mesh.triangle_count; t += 7) { // every seventh the wrong way round
        int32_t swap = mesh.triangles[3 * t];
        mesh.triangles[3 * t] = mesh.triangles[3 * t + 1];
        mesh.triangles[3 * t + 1] = swap;
    }
    assert_int_equal(tlwRepairMesh(&mesh, "Ball", NULL, &report), TLW_OK);
    assert_int_equal(report.turned, (mesh.triangle_count + 6) / 7);
    assert_int_equal(report.open_edges, 0);
    assert_true(tlwGetMeshVolume(&mesh) > 4);
    tlwDestroyMesh(&mesh);
}

static void test_cavities_stay_and_lost_parts_are_turned(void **state)
{
    (void)state;
    for (int whole_inverted = 0; whole_inverted < 2; whole_inverted++) {
        tlwMesh mesh = {0};
        tlwRepairReport report;
        addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){4, 4, 4});
        int64_t inner = mesh.triangle_count;
        addBox(&mesh, (tlwVec3){1, 1, 1}, (tlwVec3){3, 3, 3}); // cavity
        invert(&mesh, inner);
        int64_t apart = mesh.triangle_count;
        addBox(&mesh, (tlwVec3){6, 0, 0}, (tlwVec3){7, 1, 1}); // a part beside, inside out
        invert(&mesh, apart);
        if (whole_inverted)
            invert(&mesh, 0);
        assert_int_equal(tlwRepairMesh(&mesh, "Box", NULL, &report), TLW_OK);
        assert_int_equal(report.islands, 3);
        assert_int_equal(report.inverted_islands, whole_inverted ? 2 : 1);
        assert_true(fabs(tlwGetMeshVolume(&mesh) - (64 - 8 + 1)) < 1e-6);
        tlwDestroyMesh(&mesh);
    }
}

static void test_unusable_meshes_are_refused_by_name(void **state)
{
    (void)state;
    tlwMessage message;
    tlwMesh mesh = {0};
    assert_int_equal(tlwRepairMesh(&mesh, "Nothing", &message, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(message.text, "Nothing has no faces"));

    addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    mesh.positions[7] = NAN;
    assert_int_equal(tlwRepairMesh(&mesh, "Cube.001", &message, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(message.text, "Cube.001 has a vertex (number 2)"));
    mesh.positions[7] = INFINITY;
    assert_int_equal(tlwRepairMesh(&mesh, "Cube.001", &message, NULL), TLW_BAD_MESH);
    mesh.positions[7] = 1;
    mesh.triangles[5] = 8;
    assert_int_equal(tlwRepairMesh(&mesh, "Cube.001", &message, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(message.text, "Cube.001 has a face (number 1) that uses vertex 8"));
    mesh.triangles[5] = -1;
    assert_int_equal(tlwRepairMesh(&mesh, "Cube.001", &message, NULL), TLW_BAD_MESH);
    tlwDestroyMesh(&mesh);

    for (int i = 0; i < 4; i++) // a plane, tilted
        tlwAddVertex(&mesh, (float)(i & 1), (float)(i >> 1), (float)(0.3 * (i & 1) + 0.7 * (i >> 1)));
    tlwAddTriangle(&mesh, 0, 1, 3);
    tlwAddTriangle(&mesh, 0, 3, 2);
    assert_int_equal(tlwRepairMesh(&mesh, "Plane", &message, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(message.text, "Plane is flat"));
    mesh.triangle_count = 0;
    tlwAddTriangle(&mesh, 0, 1, 1);
    assert_int_equal(tlwRepairMesh(&mesh, "Point", &message, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(message.text, "Point has faces, but none of them has an area"));
    tlwDestroyMesh(&mesh);
}

static void test_collapsed_triangles_are_dropped(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    tlwAddTriangle(&mesh, 0, 0, 1);
    tlwAddVertex(&mesh, 0, 0, 0); // lies where vertex 0 lies
    tlwAddTriangle(&mesh, 0, 8, 3);
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&mesh, "Box", NULL, &report), TLW_OK);
    assert_int_equal(report.dropped, 2);
    assert_int_equal(report.holes, 0);
    assert_int_equal(mesh.triangle_count, 12);
    tlwDestroyMesh(&mesh);
}

// Whatever triangles there are, the result encloses a volume or is refused; nothing crashes.
static void test_random_triangles_end_closed(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 200; round++) {
        tlwMesh mesh = {0};
        int vertices = 4 + round % 13;
        for (int v = 0; v < vertices; v++)
            tlwAddVertex(&mesh, (float)randomIn(&seed, 0, 1), (float)randomIn(&seed, 0, 1),
                         (float)randomIn(&seed, 0, 1));
        for (int t = 0; t < 2 + round % 29; t++)
            tlwAddTriangle(&mesh, (int32_t)randomIn(&seed, 0, vertices), (int32_t)randomIn(&seed, 0, vertices),
                           (int32_t)randomIn(&seed, 0, vertices));
        tlwResult result = tlwRepairMesh(&mesh, "Chaos", NULL, NULL);
        assert_true(result == TLW_OK || result == TLW_BAD_MESH);
        assert_true(isBalanced(&mesh));
        tlwDestroyMesh(&mesh);
    }
}

static void test_million_triangles_are_repaired_in_time(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
#ifdef TLW_SANITIZED
    int rows = 100;
#else
    int rows = 500; // 998,000 triangles
#endif
    addSphere(&mesh, (tlwVec3){0, 0, 0}, 1, rows);
    invert(&mesh, 0);
    removeTriangles(&mesh, 1234, 1);
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    tlwRepairReport report;
    assert_int_equal(tlwRepairMesh(&mesh, "Dense", NULL, &report), TLW_OK);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    print_message("%lld triangles repaired in %.3f s\n", (long long)mesh.triangle_count, seconds);
    assert_true(seconds < 1);
    assert_int_equal(report.open_edges, 3);
    tlwDestroyMesh(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_has_the_mass_properties_of_a_box),
        cmocka_unit_test(test_inertia_turns_with_the_mesh),
        cmocka_unit_test(test_mirroring_keeps_the_outside_out),
        cmocka_unit_test(test_holes_are_filled_and_reported),
        cmocka_unit_test(test_long_hole_gets_a_fan),
        cmocka_unit_test(test_holes_that_touch_in_a_vertex_are_filled_one_by_one),
        cmocka_unit_test(test_split_vertices_are_not_holes),
        cmocka_unit_test(test_inverted_and_mixed_faces_are_turned),
        cmocka_unit_test(test_cavities_stay_and_lost_parts_are_turned),
        cmocka_unit_test(test_unusable_meshes_are_refused_by_name),
        cmocka_unit_test(test_collapsed_triangles_are_dropped),
        cmocka_unit_test(test_random_triangles_end_closed),
        cmocka_unit_test(test_million_triangles_are_repaired_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
