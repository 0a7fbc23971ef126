// Liquid in motion: what every way of transport, every moving wall and every length of time must keep.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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

// A pool whose left wall is a piston that drives in by 8 cm in half a second, or a bag of the same shape that swells by
// it.
static const double STROKE = 0.08;

static void pistonBox(float positions[24], double way)
{
    boxMesh(positions, (tlwVec3){-0.1, -0.05, -0.05}, (tlwVec3){0.04 + way, 0.21, 0.3});
    for (int n = 0; n < 8; n += 2)
        positions[3 * n] = -0.1f; // only the front moves
}

static float piston_positions[24];

static tlwResult swell(void *user, int frame, tlwMeshData *mesh)
{
    double fps = *(const double *)user;
    pistonBox(piston_positions, STROKE * fmin(2 * (frame - 1) / fps, 1));
    *mesh = (tlwMeshData){piston_positions, 8, box_triangles, 12};
    return TLW_OK;
}

static void push(bool swells)
{
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){0.04, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.08}, (tlwVec3){0, 0, 0});
    tlwObjectDef piston = tlwDefaultObjectDef();
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    float positions[24];
    pistonBox(positions, 0);
    keys[1].time = 0.5;
    keys[1].position.x = STROKE;
    piston.name = swells ? "Bag" : "Piston";
    piston.role = TLW_ROLE_SOLID;
    piston.mesh = (tlwMeshData){positions, 8, box_triangles, 12};
    piston.keys = keys;
    piston.key_count = swells ? 1 : 2;
    piston.deform = swells ? swell : NULL;
    piston.deform_user = &def.fps;
    assert_int_equal(tlwAddObject(w.scene, &piston, NULL), TLW_OK);
    run(&w);
    tlwStats before, after;
    tlwGetStats(w.sim, &before);
    for (int frame = 0; frame < FRAMES(12); frame++)
        advance(&w, 1.0 / 24);
    tlwGetStats(w.sim, &after);
    tlwParticleView view;
    float nearest = 1;
    assert_int_equal(tlwGetParticles(w.sim, &view), TLW_OK);
    for (int64_t n = 0; n < view.count; n++)
        nearest = fminf(nearest, view.position[3 * n]);
    // The pool is as long as the way from the piston to the far wall: its middle moves by half the stroke.
    double moved = after.centre_of_mass.x - before.centre_of_mass.x;
    print_message("%s: nearest at %.4f m, centre moved by %.4f m, rose by %.4f, volume %.4f, surface %.4f\n",
                  piston.name, (double)nearest, moved, after.centre_of_mass.z - before.centre_of_mass.z,
                  after.particle_volume / before.particle_volume, after.surface_volume / before.particle_volume);
    OUTCOME(nearest > 0.04 + STROKE - 0.002 && nearest < 0.04 + STROKE + 0.005);
    OUTCOME(fabs(moved - STROKE / 2) < 0.15 * STROKE / 2);
    OUTCOME(fabs(after.particle_volume / before.particle_volume - 1) < 1e-4);
    OUTCOME(fabs(after.surface_volume / before.particle_volume - 1) < 0.01);
    end(&w);
}

static void test_a_keyed_piston_pushes_liquid(void **state)
{
    (void)state;
    push(false);
}

static void test_a_swelling_solid_pushes_liquid(void **state)
{
    (void)state;
    push(true);
}

static void test_a_full_tank_without_air_rests(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "All", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.3}, (tlwVec3){0, 0, 0});
    addBox(&w, TLW_ROLE_SOLID, "Block", (tlwVec3){0.1, 0.05, 0.1}, (tlwVec3){0.155, 0.11, 0.15}, (tlwVec3){0, 0, 0});
    run(&w);
    tlwStats first, last;
    tlwGetStats(w.sim, &first);
    double fastest = 0;
    for (int frame = 0; frame < FRAMES(6); frame++) {
        advance(&w, 1.0 / 24);
        tlwGetStats(w.sim, &last);
        fastest = fmax(fastest, last.max_speed);
    }
    print_message("full: fastest %.2e m/s, %d iterations, volume %.5f\n", fastest, last.pressure_iterations,
                  last.particle_volume / first.particle_volume);
    OUTCOME(fastest < 1e-5 && fabs(last.particle_volume / first.particle_volume - 1) < 1e-4);
    end(&w);
}

static void test_liquid_outside_the_domain_does_not_count(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    def.domain_max = (tlwVec3){0.16, 0.16, 0.16};
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.3, -0.3, -0.3}, (tlwVec3){0.46, 0.46, 0.08}, (tlwVec3){0, 0, 0});
    run(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    print_message("volume %.5f of it\n", stats.particle_volume / (0.16 * 0.16 * 0.08));
    assert_true(fabs(stats.particle_volume / (0.16 * 0.16 * 0.08) - 1) < 1e-3);
    end(&w);
}

static void test_240_frames_of_sloshing_keep_the_volume(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    def.cell_size = 0.05;
    def.domain_max = (tlwVec3){0.8, 0.4, 0.6};
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Column", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.4, 0.45, 0.38},
           (tlwVec3){0, 0, 0});
    run(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    double start = stats.particle_volume, drift[3] = {0};
    for (int frame = 1; frame <= FRAMES(240); frame++) {
        tlwSurfaceView surface;
        advance(&w, 1.0 / 24);
        tlwGetStats(w.sim, &stats);
        drift[0] = fmax(drift[0], fabs(stats.particle_volume / start - 1));
        drift[1] = fmax(drift[1], fabs(stats.surface_volume / start - 1));
        if (frame % 24)
            continue;
        assert_int_equal(tlwGetSurface(w.sim, &surface), TLW_OK);
        drift[2] = fmax(drift[2], fabs(surface.volume / start - 1));
    }
    print_message("drift of particles %.1e, level set %.1e, mesh %.1e; %.3f m/s at the end\n", drift[0], drift[1],
                  drift[2], stats.max_speed);
    OUTCOME(drift[0] < 1e-6 && drift[1] < 0.005 && drift[2] < 0.005);
    end(&w);
}

// Root mean square of the top of the mesh, all of it, about its mean; cells.
static double measureBump(World *w, double dx, double above)
{
    tlwSurfaceView surface;
    assert_int_equal(tlwGetSurface(w->sim, &surface), TLW_OK);
    double sum = 0, square = 0;
    int count = 0;
    for (int n = 0; n < surface.vertex_count; n++) {
        double z = surface.position[3 * n + 2] / dx;
        if (z * dx < above)
            continue;
        sum += z;
        square += z * z;
        count++;
    }
    assert_true(count > 50);
    return sqrt(fmax(square / count - sum / count * sum / count, 0));
}

static void test_a_flat_pool_stays_flat_to_its_edges(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    def.domain_max = (tlwVec3){0.16, 0.16, 0.16};
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.113},
           (tlwVec3){0, 0, 0});
    run(&w);
    for (int frame = 0; frame < FRAMES(48); frame++)
        advance(&w, 1.0 / 24);
    double bump = measureBump(&w, def.cell_size, 0.113 - def.cell_size);
    print_message("bump %.4f cells\n", bump);
    OUTCOME(bump < 0.05);
    end(&w);
}

// A cube of water that falls in a domain of so many metres.
static tlwStats fall(double side)
{
    tlwSceneDef def = smallTank();
    def.domain_min = (tlwVec3){-side / 2, -side / 2, -side / 2};
    def.domain_max = (tlwVec3){side / 2, side / 2, side / 2};
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Cube", (tlwVec3){-0.15, -0.15, -0.15}, (tlwVec3){0.15, 0.15, 0.15},
           (tlwVec3){0, 0, 0});
    run(&w);
    advance(&w, 1.0 / 24);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    end(&w);
    return stats;
}

// Counted, not clocked: cells and tiles that are visited, iterations, and the most memory that the process ever had,
// which the second run, of the larger domain, may only raise.
static void test_empty_space_costs_nothing(void **state)
{
    (void)state;
    tlwStats small = fall(0.96), large = fall(1.92);
    print_message("tiles %d and %d, cells %d and %d, %.0f and %.0f MB\n", (int)small.tiles, (int)large.tiles,
                  (int)small.cells, (int)large.cells, 1e-6 * (double)small.peak_memory,
                  1e-6 * (double)large.peak_memory);
    assert_true((double)large.tiles <= 1.1 * (double)small.tiles && (double)large.cells <= 1.1 * (double)small.cells);
    assert_true(large.substeps == small.substeps && large.pressure_iterations <= small.pressure_iterations + 1);
    OUTCOME((double)large.peak_memory <= 1.25 * (double)small.peak_memory);
}

static long faultsOf(World *w, int frames)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int frame = 0; frame < frames; frame++)
        advance(w, 1.0 / 96);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

// Thick liquid that slumps, so that all solves have to do. A fresh page from the system costs as much as two hundred
// cells of a smoothing step, and two threads get pages no faster than one.
static void test_steps_use_the_memory_of_the_last_ones(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    tlwMaterialDef goo = tlwDefaultMaterialDef();
    tlwObjectDef column = tlwDefaultObjectDef();
    goo.name = "Goo";
    goo.viscosity = (tlwCurve){.count = 1, .temperature = {293.15}, .value = {50}};
    World w = begin(2, &def);
    assert_int_equal(tlwAddMaterial(w.scene, &goo, &column.material), TLW_OK);
    column.role = TLW_ROLE_LIQUID;
    addBoxAs(&w, column, "Column", (tlwVec3){0, 0, 0}, (tlwVec3){0.12, 0.16, 0.2});
    run(&w);
    faultsOf(&w, 6);
    long kept = faultsOf(&w, FRAMES(6));
    w.sim->frugal_from = 0; // as with millions of particles
    long frugal = faultsOf(&w, FRAMES(6));
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    print_message("%ld faults, %ld when memory is scarce; %d viscosity iterations\n", kept, frugal,
                  stats.viscosity_iterations);
    OUTCOME(stats.viscosity_iterations > 2);
    OUTCOME(5 * kept < frugal); // the liquid moves on to new ones
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_space_costs_nothing), // first: it looks at the memory of the process
        cmocka_unit_test(test_cells_that_ran_empty_fill_again),
        cmocka_unit_test(test_every_transport_collapses_a_column),
        cmocka_unit_test(test_a_keyed_piston_pushes_liquid),
        cmocka_unit_test(test_a_swelling_solid_pushes_liquid),
        cmocka_unit_test(test_a_full_tank_without_air_rests),
        cmocka_unit_test(test_liquid_outside_the_domain_does_not_count),
        cmocka_unit_test(test_240_frames_of_sloshing_keep_the_volume),
        cmocka_unit_test(test_a_flat_pool_stays_flat_to_its_edges),
        cmocka_unit_test(test_steps_use_the_memory_of_the_last_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
