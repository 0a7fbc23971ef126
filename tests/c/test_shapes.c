// The meshes of `verify` and `bench` are closed, face outwards and have the volume they claim.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/shapes.c"

#include "shape/topology.h"

static void expectClosed(tlwShape shape, double volume, double tolerance)
{
    assert_false(shape.failed);
    tlwMessage message = {""};
    tlwMesh mesh;
    tlwMeshData data = tlwGetShapeMesh(&shape);
    tlwMeshCheck check;
    assert_int_equal(tlwCreateMesh(&data, &message, &mesh), TLW_OK);
    assert_int_equal(tlwCheckMesh(&mesh, &message, &check), TLW_OK);
    assert_true(check.closed && check.oriented);
    assert_int_equal(check.degenerate, 0);
    if (fabs(check.volume - volume) > tolerance * volume)
        fail_msg("volume %g instead of %g", check.volume, volume);
    tlwDestroyMesh(&mesh);
    tlwFreeShape(&shape);
}

static void test_shapes_are_closed_and_have_their_volume(void **state)
{
    (void)state;
    tlwVec3 low = {-1, -2, -3}, high = {1, 2, 3}, centre = {0.5, 0, 1};
    expectClosed(tlwMakeBox(low, high), 48, 1e-6);
    expectClosed(tlwMakeContainer(low, high, 0.5, false), 3 * 5 * 7 - 48, 1e-6);
    expectClosed(tlwMakeContainer(low, high, 0.5, true), 3 * 5 * 6.5 - 48, 1e-6);
    expectClosed(tlwMakeSphere(centre, 2, 4), 4.0 / 3 * pi * 8, 0.01);
    expectClosed(tlwMakeSphereContainer(centre, 1, 1, 4), 4.0 / 3 * pi * 7, 0.01);
    expectClosed(tlwMakeCylinder(centre, 1, 3, 96), 3 * pi, 0.01);
    // Difference of two cones' frustums: pi h / 3 (R^2 + R r + r^2).
    double outer = pi * 2 / 3 * (1.1 * 1.1 + 1.1 * 0.3 + 0.3 * 0.3), inner = pi * 2 / 3 * (1 + 0.2 + 0.04);
    expectClosed(tlwMakeFunnel(centre, 1, 0.2, 2, 0.1, 96), outer - inner, 0.01);
    const double house[5][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 2}, {0, 1}};
    expectClosed(tlwMakePrism(house, 5, -1, 3), 3 * 4, 1e-6);
}

static void test_placing_turns_about_the_pivot(void **state)
{
    (void)state;
    tlwShape box = tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    tlwPlaceShape(&box, (tlwVec3){0, 0, 0}, tlwMakeRotation((tlwVec3){0, 0, 2}, 90), (tlwVec3){0, 0, 5});
    const float *p = box.positions + 3; // was (1, 0, 0)
    assert_true(fabsf(p[0]) < 1e-6f && fabsf(p[1] - 1) < 1e-6f && fabsf(p[2] - 5) < 1e-6f);
    tlwFreeShape(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_are_closed_and_have_their_volume),
        cmocka_unit_test(test_placing_turns_about_the_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
