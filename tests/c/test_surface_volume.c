// The shown mesh: its volume outside solids, and that it is moved to hold what the particles stand for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/vec.h"
#include "grid/sample.h"
#include "step/views/volume.h"

#define DX 0.05
#define RADIUS 6.0    // cells
#define THICKNESS 2.2 // cells

typedef struct Fixture {
    tlwGrid grid;
    tlwMesh mesh;
    tlwShownMesh shown;
    tlwVec3 centre; // of the ball, cells
    tlwVec3 normal; // of the plate, towards the ball
} Fixture;

// A ball that reaches `depth` cells into a thin plate that stands askew.
static void makeFixture(Fixture *f, double depth)
{
    memset(f, 0, sizeof *f);
    const tlwVec3 origin = {-0.3, 0.2, 0.1}, centre = {16.1, 15.8, 16.3};
    f->centre = centre;
    float far = (float)(4 * DX);
    int coords[64][3];
    tlwInitGrid(&f->grid, origin, (int[3]){32, 32, 32}, DX);
    int slot = tlwAddField(&f->grid, sizeof(float), &far, false);
    for (int n = 0; n < 64; n++)
        for (int a = 0; a < 3; a++)
            coords[n][a] = n >> 2 * a & 3;
    assert_int_equal(tlwActivateTiles(NULL, &f->grid, (const int(*)[3])coords, 64), TLW_OK);
    float *solid = tlwGetFloats(&f->grid, slot);
    f->normal = tlwNormalize((tlwVec3){0.3, 0.5, 0.7});
    tlwVec3 middle = tlwMulAdd(centre, -(RADIUS - depth + 0.5 * THICKNESS), f->normal);
    for (int t = 0; t < f->grid.tile_count; t++)
        TLW_FOR_ROWS(&f->grid, &f->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                tlwVec3 p = {f->grid.tiles[t].cell[0] + i, (double)j, k};
                solid[row + i] = (float)(DX * (fabs(tlwDot(tlwSub(p, middle), f->normal)) - 0.5 * THICKNESS));
            }
    addSphere(&f->mesh, tlwMulAdd(origin, DX, centre), RADIUS * DX, 48);
    f->shown = (tlwShownMesh){&f->grid, solid, 1, &f->mesh};
}

static void freeFixture(Fixture *f)
{
    tlwDestroyMesh(&f->mesh);
    tlwFreeGrid(&f->grid);
}

static double openVolume(const Fixture *f)
{
    double volume;
    assert_int_equal(tlwGetOpenVolume(NULL, &f->shown, &volume), TLW_OK);
    return volume;
}

static void test_what_solids_hold_is_left_out(void **state)
{
    (void)state;
    for (double depth = 0.2; depth < THICKNESS; depth += 0.4) { // up to the plate's other side
        Fixture f;
        makeFixture(&f, depth);
        double cap = TEST_PI * depth * depth * (RADIUS - depth / 3) * DX * DX * DX;
        double left_out = tlwGetMeshVolume(&f.mesh) - openVolume(&f);
        print_message("%.1f cells deep: %.4f of the cap\n", depth, left_out / cap);
        assert_true(fabs(left_out / cap - 1) < 0.06);
        freeFixture(&f);
    }
}

static tlwVec3 getVertex(const tlwMesh *mesh, int64_t v)
{
    const float *x = mesh->positions + 3 * v;
    return (tlwVec3){x[0], x[1], x[2]};
}

// A smooth surface stays so: away from the plate all of the ball moves by the same. On the plate nothing moves into it.
static void checkMoves(const Fixture *f, const tlwMesh *before)
{
    double least = 1, most = -1, deepest = 0;
    for (int64_t v = 0; v < before->vertex_count; v++) {
        tlwVec3 was = getVertex(before, v), by = tlwScale(tlwSub(getVertex(&f->mesh, v), was), 1 / DX);
        tlwVec3 at = tlwScale(tlwSub(was, f->grid.origin), 1 / DX);
        double s = tlwSampleNode(&f->grid, f->shown.solid, (float[3]){(float)at.x, (float)at.y, (float)at.z}) / DX;
        double out = tlwDot(by, tlwNormalize(tlwSub(at, f->centre)));
        if (s > 1) {
            least = fmin(least, out);
            most = fmax(most, out);
        }
        deepest = s < 0 ? fmax(deepest, fabs(tlwDot(by, f->normal))) : deepest;
    }
    print_message("moves by %.4f to %.4f cells, on the plate %.4f up or down\n", least, most, deepest);
    assert_true(most - least < 1e-3);
    assert_true(deepest < 0.6 * fmax(fabs(least), fabs(most)));
}

static void test_free_surface_moves_to_the_volume(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        Fixture f;
        makeFixture(&f, 0.5);
        tlwMesh before;
        assert_int_equal(tlwCopyMesh(&f.mesh, NULL, &before), TLW_OK);
        double target = (1 + 0.01 * sign) * openVolume(&f), volume;
        assert_int_equal(tlwFitVolume(NULL, &f.shown, target, &volume), TLW_OK);
        print_message("%.5f of the volume asked for\n", volume / target);
        assert_true(fabs(volume / target - 1) < 2e-4);
        assert_true(volume == openVolume(&f));
        checkMoves(&f, &before);
        tlwDestroyMesh(&before);
        freeFixture(&f);
    }
}

static void test_surface_moves_by_little(void **state)
{
    (void)state;
    const double factors[2] = {2, 0.5}, moves[2] = {0.15, -0.03};
    for (int n = 0; n < 2; n++) {
        Fixture f;
        makeFixture(&f, 0.5);
        double start = openVolume(&f), volume;
        assert_int_equal(tlwFitVolume(NULL, &f.shown, factors[n] * start, &volume), TLW_OK);
        print_message("grows by %.4f\n", volume / start - 1);
        assert_true(fabs((volume / start - 1) / (3 * moves[n] / RADIUS) - 1) < 0.1);
        freeFixture(&f);
    }
}

static void test_no_surface_is_fine(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f, 0.5);
    tlwMesh none = {0};
    f.shown.mesh = &none;
    double volume = 1;
    assert_int_equal(tlwFitVolume(NULL, &f.shown, 1, &volume), TLW_OK);
    assert_true(volume == 0);
    freeFixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_solids_hold_is_left_out),
        cmocka_unit_test(test_free_surface_moves_to_the_volume),
        cmocka_unit_test(test_surface_moves_by_little),
        cmocka_unit_test(test_no_surface_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
