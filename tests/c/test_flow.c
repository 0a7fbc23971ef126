// Liquid in motion: what every way of transport, every moving wall and every length of time must keep.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim_helpers.h"
#include "step/sim.h"

static tlwVec3 meanVelocity(World *w, double *fastest)
{
    tlwParticleView view;
    tlwVec3 sum = {0, 0, 0};
    *fastest = 0;
    assert_int_equal(tlwGetParticles(w->sim, &view), TLW_OK);
    for (int64_t n = 0; n < view.count; n++) {
        const float *v = view.velocity + 3 * n;
        tlwVec3 velocity = {v[0], v[1], v[2]};
        sum = tlwAdd(sum, velocity);
        *fastest = fmax(*fastest, tlwLength(velocity));
    }
    return tlwScale(sum, 1 / (double)view.count);
}

static void test_every_transport_collapses_a_column(void **state)
{
    (void)state;
    for (int transport = TLW_TRANSPORT_APIC; transport <= TLW_TRANSPORT_BFECC; transport++) {
        tlwSceneDef def = smallTank();
        def.transport = (tlwTransport)transport;
        World w = begin(2, &def);
        addBox(&w, TLW_ROLE_LIQUID, "Column", (tlwVec3){0, 0, 0}, (tlwVec3){0.1, 0.16, 0.18}, (tlwVec3){0, 0, 0});
        run(&w);
        tlwStats first, before, after;
        tlwGetStats(w.sim, &first);
        int substeps = 0;
        for (int frame = 0; frame < FRAMES(4); frame++) {
            advance(&w, 1.0 / 24);
            tlwGetStats(w.sim, &before);
            substeps += before.substeps;
        }
        double fastest;
        tlwVec3 mean = meanVelocity(&w, &fastest);
        advance(&w, 1e-3);
        tlwGetStats(w.sim, &after);
        double moved = (after.centre_of_mass.x - before.centre_of_mass.x) / 1e-3;
        print_message("%d: speed %.3f of %.3f m/s, mean %.3f, moved by %.3f m/s, volume %.4f, surface %.4f, %d steps\n",
                      transport, before.max_speed, fastest, mean.x, moved,
                      after.particle_volume / first.particle_volume, after.surface_volume / first.particle_volume,
                      substeps);
        OUTCOME(fabs(before.max_speed - fastest) < 0.01 * fastest);
        OUTCOME(fastest > 1 && fastest < 2 * sqrt(2 * 9.81 * 0.18));
        OUTCOME(fabs(mean.x - moved) < 0.1 * moved && moved > 0.3);
        OUTCOME(fabs(after.particle_volume / first.particle_volume - 1) < 1e-4);
        OUTCOME(fabs(after.surface_volume / first.particle_volume - 1) < 0.01);
        OUTCOME(substeps >= 14); // steps of at most two cells
        end(&w);
    }
}

// Particles within a box of cells.
static int64_t countInside(const tlwParticles *q, const int low[3], const int high[3], bool drop)
{
    int64_t count = 0;
    for (int64_t n = 0; n < q->count; n++) {
        bool inside = true;
        for (int a = 0; a < 3; a++)
            inside = inside && q->position[a][n] >= (float)low[a] && q->position[a][n] < (float)high[a];
        count += inside;
        if (inside && drop)
            q->mass[n] = 0;
    }
    return count;
}

static void test_cells_that_ran_empty_fill_again(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.113},
           (tlwVec3){0, 0, 0});
    run(&w);
    advance(&w, 1.0 / 24);
    const int low[3] = {14, 7, 4}, high[3] = {16, 9, 6};
    tlwParticles *q = &w.sim->particles;
    int64_t usual = countInside(q, low, high, true), kept = 0;
    for (int64_t n = 0; n < q->count; n++)
        if (q->mass[n] > 0)
            tlwCopyParticle(q, kept++, n);
    q->count = kept;
    assert_int_equal(countInside(q, low, high, false), 0);
    for (int frame = 0; frame < FRAMES(2); frame++)
        advance(&w, 1.0 / 24);
    print_message("%d of %d\n", (int)countInside(q, low, high, false), (int)usual);
    OUTCOME(countInside(q, low, high, false) >= usual / 2);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_that_ran_empty_fill_again),
        cmocka_unit_test(test_every_transport_collapses_a_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
