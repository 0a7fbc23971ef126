// Liquid that is driven into the ever narrower gap between its surface and a wall off the grid.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim_helpers.h"
#define addBox addBoxToMesh // the world has one of its own
#include "shapes.h"
#undef addBox

static void addMesh(World *w, tlwRole role, const char *name, tlwMesh *mesh)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    def.name = name;
    def.role = role;
    def.material = role == TLW_ROLE_LIQUID ? 1 : 0;
    def.mesh = (tlwMeshData){mesh->positions, (int)mesh->vertex_count, mesh->triangles, (int)mesh->triangle_count};
    def.keys = &key;
    def.key_count = 1;
    if (tlwAddObject(w->scene, &def, NULL) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    tlwDestroyMesh(mesh);
}

// A ball of syrup falls in a round vessel hardly larger than itself and lands at 1.6 m/s. Where a cell at the rim of
// the contact can only empty through a sliver of a face, it shot off at up to 40 times that.
static void test_a_ball_that_lands_does_not_shoot_through_gaps(void **state)
{
    (void)state;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-0.5, -0.5, -0.5};
    def.domain_max = (tlwVec3){0.5, 0.5, 0.5};
    def.cell_size = 1.0 / 48 * COARSER;
    World w = begin(2, &def);
    tlwMaterialDef syrup = tlwDefaultMaterialDef();
    syrup.name = "Syrup";
    syrup.viscosity = (tlwCurve){.count = 1, .temperature = {293.15}, .value = {1}};
    assert_int_equal(tlwAddMaterial(w.scene, &syrup, NULL), TLW_OK);
    tlwMesh shell = {0}, ball = {0};
    addSphere(&shell, (tlwVec3){0, 0, 0}, 0.49, 24);
    int64_t outer = shell.triangle_count;
    addSphere(&shell, (tlwVec3){0, 0, 0}, 0.42, 24);
    invert(&shell, outer);
    addSphere(&ball, (tlwVec3){0.03, 0, 0.02}, 0.33, 24);
    addMesh(&w, TLW_ROLE_SOLID, "Shell", &shell);
    addMesh(&w, TLW_ROLE_LIQUID, "Ball", &ball);
    run(&w);
    tlwStats stats;
    double fastest = 0;
    int substeps = 0;
    for (int frame = 0; frame < FRAMES(24); frame++) {
        advance(&w, 0.01);
        tlwGetStats(w.sim, &stats);
        fastest = fmax(fastest, stats.max_speed);
        substeps += stats.substeps;
    }
    print_message("fastest %.2f m/s, %d steps\n", fastest, substeps);
    OUTCOME(fastest < 10 * 1.6);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_that_lands_does_not_shoot_through_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
