// Patches of a body's surface in cells.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/vec.h"
#include "step/bodies/patch.h"

static const double dx = 1, radius = 4;
static const tlwVec3 centre = {8.3, 7.8, 8.05};

static tlwPlacedMesh makeSolid(tlwMesh *mesh, double voxel)
{
    tlwPlacedMesh solid = {.frame = {centre, {1, 0, 0, 0}}};
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = voxel;
    def.exterior_band = def.interior_band = 3 * dx;
    tlwMessage message;
    if (tlwCreateSdf(mesh, &def, NULL, &message, &solid.sdf) != TLW_OK)
        fail_msg("%s", message.text);
    tlwDestroyMesh(mesh);
    solid.wet = solid.sdf;
    return solid;
}

// Area and moment of the patch in a cell, about the body's centre.
static void sumPatch(const tlwBodyPatch *patch, tlwVec3 *area, tlwVec3 *moment)
{
    *area = *moment = (tlwVec3){0, 0, 0};
    for (int f = 0; f < 6; f++) {
        double a = (f & 1 ? 1 : -1) * patch->cover[f];
        tlwVec3 n = {f / 2 == 0 ? a : 0, f / 2 == 1 ? a : 0, f / 2 == 2 ? a : 0};
        *area = tlwAdd(*area, n);
        *moment = tlwAdd(*moment, tlwCross(tlwSub(patch->middle[f], centre), n));
    }
}

typedef struct Sums {
    double area, moment, inside; // of the lengths of the cells' areas and moments
    tlwVec3 whole, turn;
} Sums;

static Sums sumCells(const tlwPlacedMesh *solid)
{
    tlwGrid grid;
    tlwInitGrid(&grid, (tlwVec3){0, 0, 0}, (int[3]){16, 16, 16}, dx);
    Sums s = {0};
    for (int c = 0; c < 16 * 16 * 16; c++) {
        int cell[3] = {c % 16, c / 16 % 16, c / 256};
        tlwBodyPatch patch;
        tlwVec3 area, moment;
        if (!tlwMeasureBodyPatch(&grid, solid, cell, &patch))
            continue;
        sumPatch(&patch, &area, &moment);
        s.area += tlwLength(area);
        s.moment += tlwLength(moment);
        s.whole = tlwAdd(s.whole, area);
        s.turn = tlwAdd(s.turn, moment);
        s.inside += patch.inside;
    }
    tlwFreeGrid(&grid);
    return s;
}

static void test_pressure_cannot_turn_a_ball(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addSphere(&mesh, (tlwVec3){0, 0, 0}, radius, 96);
    tlwPlacedMesh ball = makeSolid(&mesh, dx / 3);
    Sums s = sumCells(&ball);
    assert_true(s.moment < 0.005 * radius * s.area); // 0.0025; 0.011 with the middles of whole faces
    assert_true(fabs(s.inside / (4.0 / 3 * TEST_PI * radius * radius * radius) - 1) < 0.003);
    tlwDestroySdf(ball.sdf);
}

static void test_an_even_pressure_neither_pushes_nor_turns_a_box(void **state)
{
    (void)state;
    tlwMesh mesh = {0};
    addBox(&mesh, (tlwVec3){-2.2, -3.1, -1.7}, (tlwVec3){2.2, 3.1, 1.7});
    tlwPlacedMesh box = makeSolid(&mesh, dx / 4);
    double half = TEST_PI / 10;
    box.frame.rotation = (tlwQuat){cos(half), 0.6 * sin(half), 0, 0.8 * sin(half)};
    Sums s = sumCells(&box);
    assert_true(tlwLength(s.whole) < 1e-4 * s.area);
    assert_true(tlwLength(s.turn) < 1e-4 * radius * s.area);
    assert_true(s.moment > 0.05 * radius * s.area); // each of its faces has a moment
    tlwDestroySdf(box.sdf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_cannot_turn_a_ball),
        cmocka_unit_test(test_an_even_pressure_neither_pushes_nor_turns_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
