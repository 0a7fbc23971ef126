// Bodies that cannot be simulated are refused with a sentence that names them and says what to do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim_helpers.h"

// Result of adding a body and starting the simulation, whichever fails first.
static tlwResult tryBody(World *w, const char *name, tlwVec3 low, tlwVec3 high, double density, double mass)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    def.role = TLW_ROLE_RIGID;
    def.density = density;
    def.mass = mass;
    tlwResult result = tryBox(w, def, name, low, high, NULL);
    return result == TLW_OK ? tlwCreateSim(w->scene, &w->sim) : result;
}

static World pool(tlwWall top)
{
    tlwSceneDef def = smallTank();
    def.cell_size = 0.02;
    def.walls[5] = top;
    World w = begin(1, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.4, 0.2, 0.1}, (tlwVec3){0, 0, 0});
    return w;
}

static void expectWords(World *w, const char *first, const char *second)
{
    print_message("%s\n", tlwGetMessage(w->context));
    assert_non_null(strstr(tlwGetMessage(w->context), first));
    assert_non_null(strstr(tlwGetMessage(w->context), second));
    end(w);
}

static void test_body_without_volume_is_refused(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    tlwResult result = tryBody(&w, "Sheet", (tlwVec3){0.1, 0.1, 0.05}, (tlwVec3){0.2, 0.15, 0.05}, 1000, 0);
    assert_int_equal(result, TLW_BAD_MESH);
    expectWords(&w, "Sheet", "volume");
}

static void test_zero_and_negative_density_are_refused(void **state)
{
    (void)state;
    const double densities[2] = {0, -5};
    for (int n = 0; n < 2; n++) {
        World w = pool(TLW_WALL_SLIP);
        tlwVec3 low = {0.1, 0.05, 0.12}, high = {0.15, 0.1, 0.17};
        assert_int_equal(tryBody(&w, "Ghost", low, high, densities[n], 0), TLW_BAD_ARGUMENT);
        expectWords(&w, "Ghost", "density");
    }
    World w = pool(TLW_WALL_SLIP);
    assert_int_equal(tryBody(&w, "Ghost", (tlwVec3){0.1, 0.05, 0.12}, (tlwVec3){0.15, 0.1, 0.17}, 1000, -1),
                     TLW_BAD_ARGUMENT);
    expectWords(&w, "Ghost", "mass");
}

static void test_body_larger_than_the_domain_is_refused(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    assert_int_equal(tryBody(&w, "Whale", (tlwVec3){-0.2, 0.05, 0.12}, (tlwVec3){0.5, 0.1, 0.17}, 1000, 0),
                     TLW_BAD_ARGUMENT);
    expectWords(&w, "Whale", "larger");
}

static void test_body_outside_the_domain_is_refused(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    assert_int_equal(tryBody(&w, "Moon", (tlwVec3){0.1, 0.05, 0.3}, (tlwVec3){0.15, 0.1, 0.35}, 1000, 0),
                     TLW_BAD_ARGUMENT);
    expectWords(&w, "Moon", "outside");
}

// Above an open top it is allowed, and falls in.
static void test_body_above_an_open_top_falls_in(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_OPEN);
    assert_int_equal(tryBody(&w, "Rain", (tlwVec3){0.1, 0.05, 0.26}, (tlwVec3){0.15, 0.1, 0.31}, 3000, 0), TLW_OK);
    advance(&w, 0.25);
    tlwBodyState s;
    assert_int_equal(tlwGetBody(w.sim, 1, &s), TLW_OK);
    assert_true(s.centre.z < 0.1);
    end(&w);
}

static void test_body_stuck_in_a_wall_is_refused(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    assert_int_equal(tryBody(&w, "Nail", (tlwVec3){-0.03, 0.05, 0.12}, (tlwVec3){0.05, 0.1, 0.17}, 1000, 0),
                     TLW_BAD_ARGUMENT);
    expectWords(&w, "Nail", "wall");
}

// Every point of the inner one faces the way out: to contacts these are backs that do not touch.
static void test_body_inside_another_is_refused(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    addBox(&w, TLW_ROLE_RIGID, "Shell", (tlwVec3){0.08, 0.01, 0.06}, (tlwVec3){0.22, 0.15, 0.20}, (tlwVec3){0, 0, 0});
    assert_int_equal(tryBody(&w, "Core", (tlwVec3){0.13, 0.06, 0.11}, (tlwVec3){0.17, 0.10, 0.15}, 1000, 0),
                     TLW_BAD_ARGUMENT);
    expectWords(&w, "Core", "inside each other");
}

static void test_liquid_inside_a_solid_is_refused_by_name(void **state)
{
    (void)state;
    World w = pool(TLW_WALL_SLIP);
    addBox(&w, TLW_ROLE_SOLID, "Rock", (tlwVec3){-0.1, -0.1, -0.1}, (tlwVec3){0.5, 0.3, 0.2}, (tlwVec3){0, 0, 0});
    assert_int_equal(tlwCreateSim(w.scene, &w.sim), TLW_BAD_ARGUMENT);
    expectWords(&w, "Pool", "inside a solid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_without_volume_is_refused),
        cmocka_unit_test(test_zero_and_negative_density_are_refused),
        cmocka_unit_test(test_body_larger_than_the_domain_is_refused),
        cmocka_unit_test(test_body_outside_the_domain_is_refused),
        cmocka_unit_test(test_body_above_an_open_top_falls_in),
        cmocka_unit_test(test_body_stuck_in_a_wall_is_refused),
        cmocka_unit_test(test_body_inside_another_is_refused),
        cmocka_unit_test(test_liquid_inside_a_solid_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
