// Force fields: what Blender's fields do, on points and on liquid.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "sim_helpers.h"
#include "step/liquid/forces.h"

static const tlwVec3 ORIGIN = {0, 0, 0};

// A world without gravity and with one field at `place`, whose axis is turned from z to x.
static World beginField(tlwForceKind kind, tlwVec3 place, double power, double falloff, double least, double most)
{
    tlwSceneDef def = smallTank();
    def.gravity = ORIGIN;
    World w = begin(2, &def);
    tlwForceDef force = tlwDefaultForceDef();
    tlwKey key = tlwDefaultKey();
    key.position = place;
    key.rotation = (tlwQuat){sqrt(0.5), 0, sqrt(0.5), 0};
    key.power = power;
    force.name = "Field";
    force.kind = kind;
    force.keys = &key;
    force.key_count = 1;
    force.falloff = falloff;
    force.min_distance = least;
    force.max_distance = most;
    assert_int_equal(tlwAddForce(w.scene, &force), TLW_OK);
    return w;
}

static void expectAt(const World *w, tlwVec3 position, tlwVec3 velocity, tlwVec3 expected)
{
    tlwVec3 found = tlwGetAcceleration(w->scene, 0, 0, position, velocity);
    assert_true(tlwLength(tlwSub(found, expected)) < 1e-9);
}

static void test_each_kind_pushes_its_way(void **state)
{
    (void)state;
    const tlwVec3 at = {0, 3, 4}, still = {0, 0, 0}, moving = {1, -2, 0};
    World wind = beginField(TLW_FORCE_WIND, ORIGIN, 2, 0, 0, 0);
    expectAt(&wind, at, moving, (tlwVec3){2, 0, 0});
    end(&wind);
    World point = beginField(TLW_FORCE_POINT, ORIGIN, 2, 0, 0, 0);
    expectAt(&point, at, moving, (tlwVec3){0, 1.2, 1.6});
    expectAt(&point, ORIGIN, still, still); // no direction leads away from here
    end(&point);
    World vortex = beginField(TLW_FORCE_VORTEX, ORIGIN, 2, 0, 0, 0);
    expectAt(&vortex, at, moving, (tlwVec3){0, -1.6, 1.2});
    end(&vortex);
    World drag = beginField(TLW_FORCE_DRAG, ORIGIN, 2, 0, 0, 0);
    expectAt(&drag, at, moving, (tlwVec3){-2, 4, 0});
    end(&drag);
}

static void test_strength_falls_off_as_in_blender(void **state)
{
    (void)state;
    const tlwVec3 still = {0, 0, 0};
    World plain = beginField(TLW_FORCE_POINT, ORIGIN, 8, 2, 0, 0);
    expectAt(&plain, (tlwVec3){1, 0, 0}, still, (tlwVec3){2, 0, 0});
    expectAt(&plain, (tlwVec3){1e-12, 0, 0}, still, (tlwVec3){8, 0, 0}); // bounded
    end(&plain);
    World limited = beginField(TLW_FORCE_POINT, ORIGIN, 8, 1, 2, 5);
    expectAt(&limited, (tlwVec3){0, 0.5, 0}, still, (tlwVec3){0, 8, 0}); // full strength up to the least distance
    expectAt(&limited, (tlwVec3){0, 5, 0}, still, (tlwVec3){0, 2, 0});
    expectAt(&limited, (tlwVec3){0, 5.01, 0}, still, still);
    end(&limited);
    World even = beginField(TLW_FORCE_WIND, ORIGIN, 8, 0, 1, 0);
    expectAt(&even, (tlwVec3){0, 0.5, 0}, still, (tlwVec3){8, 0, 0});
    expectAt(&even, (tlwVec3){0, 500, 0}, still, (tlwVec3){8, 0, 0});
    end(&even);
}

// A cube of 8 cm that drifts by 0.2 m/s along x, after a quarter of a second.
static tlwStats drift(World *w, double *share)
{
    tlwStats before, after;
    addBox(w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.04, 0.04, 0.08}, (tlwVec3){0.12, 0.12, 0.16}, (tlwVec3){0.2, 0, 0});
    run(w);
    tlwGetStats(w->sim, &before);
    for (int frame = 0; frame < FRAMES(6); frame++)
        advance(w, 1.0 / 24);
    tlwGetStats(w->sim, &after);
    *share = after.particle_volume / before.particle_volume;
    return after;
}

static void test_liquid_follows_a_field(void **state)
{
    (void)state;
    double share;
    World wind = beginField(TLW_FORCE_WIND, ORIGIN, 1.5, 0, 0, 0);
    tlwStats stats = drift(&wind, &share);
    double way = 0.2 * 0.25 + 0.5 * 1.5 / 16;
    print_message("wind: moved by %.4f of %.4f m\n", stats.centre_of_mass.x - 0.08, way);
    OUTCOME(fabs(stats.centre_of_mass.x - 0.08 - way) < 0.02 * way);
    end(&wind);
    World drag = beginField(TLW_FORCE_DRAG, ORIGIN, 4, 0, 0, 0);
    stats = drift(&drag, &share);
    way = 0.2 * (1 - exp(-1)) / 4;
    print_message("drag: moved by %.4f of %.4f m\n", stats.centre_of_mass.x - 0.08, way);
    OUTCOME(fabs(stats.centre_of_mass.x - 0.08 - way) < 0.05 * way);
    end(&drag);
    World vortex = beginField(TLW_FORCE_VORTEX, (tlwVec3){0.08, 0.08, 0.12}, 1, 0, 0, 0);
    stats = drift(&vortex, &share);
    tlwVec3 about = tlwSub(stats.angular_momentum, tlwCross(stats.centre_of_mass, stats.momentum));
    print_message("vortex: angular momentum %.2e about its axis\n", about.x);
    OUTCOME(about.x > 1e-3 && about.x > 10 * fabs(about.y) && about.x > 10 * fabs(about.z));
    end(&vortex);
}

static void test_strong_fields_lose_no_liquid(void **state)
{
    (void)state;
    double share;
    World pull = beginField(TLW_FORCE_POINT, (tlwVec3){0.1, 0.08, 0.12}, -5000, 2, 0, 0);
    tlwStats stats = drift(&pull, &share);
    print_message("pull: %.4f of the volume left, %.1f m/s\n", share, stats.max_speed);
    OUTCOME(fabs(share - 1) < 1e-4 && stats.max_speed < 2 * sqrt(2 * 5000 * 0.1));
    OUTCOME(tlwLength(tlwSub(stats.centre_of_mass, (tlwVec3){0.1, 0.08, 0.12})) < 0.03);
    end(&pull);
    World drag = beginField(TLW_FORCE_DRAG, ORIGIN, 1e4, 0, 0, 0);
    stats = drift(&drag, &share);
    print_message("drag: %.4f of the volume left, %.2e m/s\n", share, stats.max_speed);
    OUTCOME(fabs(share - 1) < 1e-4 && stats.max_speed < 1e-3);
    end(&drag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_pushes_its_way),
        cmocka_unit_test(test_strength_falls_off_as_in_blender),
        cmocka_unit_test(test_liquid_follows_a_field),
        cmocka_unit_test(test_strong_fields_lose_no_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
