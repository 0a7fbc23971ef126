// Bodies made the way the product makes them: a mesh, its distance field, a body.
#include "rigid_helpers.h"

#include "rigid/sdf_collider.h"
#include "shapes.h"

#define DT (1.0 / 240)

typedef struct Made {
    tlwMesh mesh;
    tlwSdf *sdf;
    tlwBody body;
} Made;

static void make(Scene *s, Made *m, double voxel, double density)
{
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = voxel;
    def.exterior_band = 3 * voxel;
    def.interior_band = 1e30;
    assert_int_equal(tlwCreateSdf(&m->mesh, &def, NULL, &s->message, &m->sdf), TLW_OK);
    tlwCollider *c = NULL;
    assert_int_equal(tlwCreateSdfCollider(m->sdf, &m->mesh, 500, &c, &s->message), TLW_OK);
    m->body = tlwDefaultBody();
    m->body.name = "Stone";
    m->body.collider = keep(s, c);
    assert_int_equal(tlwSetBodyMass(&m->body, &m->mesh, density, 0, &s->message), TLW_OK);
}

static void freeMade(Made *m)
{
    tlwDestroyMesh(&m->mesh);
    tlwDestroySdf(m->sdf);
}

static void test_mass_comes_from_the_mesh(void **state)
{
    (void)state;
    Scene s;
    Made m = {0};
    openScene(&s, v3(0, 0, 0));
    addBox(&m.mesh, v3(1, 2, 3), v3(1.4, 2.6, 3.2));
    make(&s, &m, 0.05, 500);
    assert_true(fabs(m.body.mass - 24) < 1e-4);
    assert_true(tlwLength(tlwSub(m.body.centre, v3(1.2, 2.3, 3.1))) < 1e-6);
    tlwMat3 want = boxInertia(24, v3(0.2, 0.3, 0.1));
    for (int i = 0; i < 9; i++)
        assert_true(fabs(m.body.inertia.m[i / 3][i % 3] - want.m[i / 3][i % 3]) < 1e-4);
    tlwPlaceBody(&m.body, v3(5, 0, 0), tlwQuatFromRotationVector(v3(0, 0, 1)));
    assert_true(tlwLength(tlwSub(tlwGetBodyOrigin(&m.body), v3(5, 0, 0))) < 1e-12);
    assert_int_equal(tlwSetBodyMass(&m.body, &m.mesh, 0, 0, &s.message), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(s.message.text, "Stone"));
    tlwMesh flat = {0};
    assert_int_equal(tlwSetBodyMass(&m.body, &flat, 1, 0, &s.message), TLW_BAD_MESH);
    closeScene(&s);
    freeMade(&m);
}

static void test_stack_of_meshes_comes_to_rest(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    Scene s;
    Made m[COUNT] = {0};
    double voxel = 0.023; // no face lies on a voxel
    openScene(&s, v3(0, 0, -9.81));
    int floor = addWall(&s, v3(0, 0, 1), 0, 0.5);
    double weight = 0;
    for (int i = 0; i < COUNT; i++) {
        addBox(&m[i].mesh, v3(0.3, 0.1, -0.2), v3(0.5, 0.3, 0));
        make(&s, &m[i], voxel, 300);
        tlwPlaceBody(&m[i].body, v3(0, 0, 0.2 + 0.201 * i), (tlwQuat){1, 0, 0, 0});
        weight += 9.81 * m[i].body.mass;
        addBody(&s, m[i].body);
    }
    run(&s, 3, DT);
    for (int i = 1; i <= COUNT; i++) {
        const tlwBody *b = body(&s, i);
        assert_true(tlwLength(b->velocity) < 1e-5 && tlwLength(b->spin) < 1e-4);
        assert_true(fabs(b->position.z - 0.1 - 0.2 * (i - 1)) < 0.02 * voxel * i);
        assert_true(hypot(b->position.x - 0.4, b->position.y - 0.2) < 1e-3);
    }
    assert_true(deepest(&s) < 0.02 * voxel);
    assert_true(fabs(-body(&s, floor)->contact_impulse.z / DT / weight - 1) < 1e-4);
    closeScene(&s);
    for (int i = 0; i < COUNT; i++)
        freeMade(&m[i]);
}

static void test_chain_of_rings_hangs_together(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    Scene s;
    Made m[COUNT] = {0};
    openScene(&s, v3(0, 0, -9.81));
    for (int i = 0; i < COUNT; i++) {
        addTorus(&m[i].mesh, 0.2, 0.04, 48, 16);
        make(&s, &m[i], 0.015, 1000);
        tlwQuat upright = tlwQuatFromRotationVector(v3(TEST_PI / 2, 0, 0));
        tlwQuat turn = tlwQuatFromRotationVector(v3(0, 0, i % 2 ? TEST_PI / 2 : 0));
        tlwPlaceBody(&m[i].body, v3(0, 0, -0.3 * i), tlwQuatMul(turn, upright));
        m[i].body.motion = i ? TLW_MOTION_DYNAMIC : TLW_MOTION_STATIC;
        addBody(&s, m[i].body);
    }
    run(&s, 2, DT);
    // Each hangs 2 (R - r) below the one above it.
    for (int i = 1; i < COUNT; i++) {
        double drop = body(&s, i - 1)->position.z - body(&s, i)->position.z;
        assert_true(fabs(drop - 0.32) < 0.004);
    }
    closeScene(&s);
    for (int i = 0; i < COUNT; i++)
        freeMade(&m[i]);
}

static void test_ball_mesh_rolls_down_a_slope(void **state)
{
    (void)state;
    Scene s;
    Made m = {0};
    double slope = 0.2;
    openScene(&s, v3(9.81 * sin(slope), 0, -9.81 * cos(slope)));
    addWall(&s, v3(0, 0, 1), 0, 0.5);
    addSphere(&m.mesh, v3(0, 0, 0), 0.2, 24);
    make(&s, &m, 0.02, 1000);
    tlwPlaceBody(&m.body, v3(0, 0, 0.2), (tlwQuat){1, 0, 0, 0});
    int ball = addBody(&s, m.body);
    run(&s, 1, DT);
    // Like a ball, not like its facets: 5/7 g sin(slope).
    assert_true(fabs(body(&s, ball)->velocity.x / (9.81 * sin(slope) * 5 / 7) - 1) < 0.01);
    assert_true(fabs(body(&s, ball)->spin.y * 0.2 / body(&s, ball)->velocity.x - 1) < 0.01);
    closeScene(&s);
    freeMade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_comes_from_the_mesh),
        cmocka_unit_test(test_stack_of_meshes_comes_to_rest),
        cmocka_unit_test(test_chain_of_rings_hangs_together),
        cmocka_unit_test(test_ball_mesh_rolls_down_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
