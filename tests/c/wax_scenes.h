// Rooms with wax in them, for tests of frozen pieces. Include after cmocka.h.
#ifndef TLW_TEST_WAX_SCENES_H
#define TLW_TEST_WAX_SCENES_H

#include "sim_helpers.h"

static inline tlwSceneDef room(void)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){0.16, 0.16, 0.2};
    def.cell_size = 0.01;
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_NO_SLIP;
    def.film_coefficient = def.emissivity = 0;
    return def;
}

// Material 1 of every scene.
static inline World frozenRoom(int threads, const tlwSceneDef *def)
{
    World w = begin(threads, def);
    tlwMaterialDef wax = tlwDefaultMaterialDef();
    wax.name = "Wax";
    wax.density_solid = wax.density_liquid = 900;
    wax.conductivity_solid = wax.conductivity_liquid = 0.25;
    wax.specific_heat_solid = wax.specific_heat_liquid = 2500;
    wax.solidus = 328;
    wax.liquidus = 333;
    wax.latent_heat = 2e5;
    wax.viscosity.value[0] = 0.01;
    assert_int_equal(tlwAddMaterial(w.scene, &wax, NULL), TLW_OK);
    return w;
}

typedef struct Wax {
    tlwVec3 low, high;
    tlwVec3 position, velocity, spin;
    tlwQuat rotation;
    double temperature;
    int material; // 0 = 1
} Wax;

static inline void addWax(World *w, const char *name, Wax wax)
{
    float positions[24];
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    key.position = wax.position;
    if (wax.rotation.w != 0)
        key.rotation = wax.rotation;
    key.temperature = wax.temperature > 0 ? wax.temperature : 293.15;
    def.name = name;
    def.role = TLW_ROLE_LIQUID;
    def.material = wax.material > 0 ? wax.material : 1;
    def.mesh = boxMesh(positions, wax.low, wax.high);
    def.keys = &key;
    def.key_count = 1;
    def.velocity = wax.velocity;
    def.spin = wax.spin;
    assert_int_equal(tlwAddObject(w->scene, &def, NULL), TLW_OK);
}

static inline tlwPieceState pieceOf(World *w, int index)
{
    tlwPieceState piece;
    if (tlwGetPiece(w->sim, index, &piece) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return piece;
}

static inline int pieceCount(World *w)
{
    tlwStats stats;
    tlwGetStats(w->sim, &stats);
    return stats.pieces;
}

static inline void assertSameParticles(World *a, World *b)
{
    tlwParticleView p, q;
    assert_int_equal(tlwGetParticles(a->sim, &p), TLW_OK);
    assert_int_equal(tlwGetParticles(b->sim, &q), TLW_OK);
    assert_int_equal(p.count, q.count);
    assert_memory_equal(p.position, q.position, 3 * sizeof(float) * (size_t)p.count);
    assert_memory_equal(p.velocity, q.velocity, 3 * sizeof(float) * (size_t)p.count);
}

#endif
