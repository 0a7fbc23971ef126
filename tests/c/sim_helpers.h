// Small scenes built through the public interface, for tests of the whole step. Include after cmocka.h.
#ifndef TLW_TEST_SIM_HELPERS_H
#define TLW_TEST_SIM_HELPERS_H

#include "base/vec.h"
#include "tallow/tallow.h"

// With sanitizers a step takes many times as long: there a scene runs for a moment, to find bad memory, and what it
// promises about its outcome is left to the release build.
#ifdef TLW_SANITIZED
#define FRAMES(count) ((count) < 2 ? (count) : 2)
#define OUTCOME(condition) (void)(condition)
enum { COARSER = 2 };
#else
#define FRAMES(count) (count)
#define OUTCOME(condition) assert_true(condition)
enum { COARSER = 1 };
#endif

static const int32_t box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static inline tlwMeshData boxMesh(float positions[24], tlwVec3 low, tlwVec3 high)
{
    for (int n = 0; n < 8; n++) {
        positions[3 * n] = (float)(n & 1 ? high.x : low.x);
        positions[3 * n + 1] = (float)(n & 2 ? high.y : low.y);
        positions[3 * n + 2] = (float)(n & 4 ? high.z : low.z);
    }
    return (tlwMeshData){positions, 8, box_triangles, 12};
}

typedef struct World {
    tlwContext *context;
    tlwScene *scene;
    tlwSim *sim;
} World;

static inline World begin(int threads, const tlwSceneDef *def)
{
    World w = {0};
    tlwContextDef cdef = tlwDefaultContextDef();
    cdef.threads = threads;
    assert_int_equal(tlwCreateContext(&cdef, &w.context), TLW_OK);
    assert_int_equal(tlwCreateScene(w.context, def, &w.scene), TLW_OK);
    tlwMaterialDef water = tlwDefaultMaterialDef();
    water.name = "Water";
    if (tlwAddMaterial(w.scene, &water, NULL) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w.context));
    return w;
}

// Add a box as `def` says, with one key.
static inline tlwResult tryBox(World *w, tlwObjectDef def, const char *name, tlwVec3 low, tlwVec3 high, int *object)
{
    float positions[24];
    tlwKey key = tlwDefaultKey();
    def.name = name;
    def.mesh = boxMesh(positions, low, high);
    def.keys = &key;
    def.key_count = 1;
    return tlwAddObject(w->scene, &def, object);
}

static inline int addBoxAs(World *w, tlwObjectDef def, const char *name, tlwVec3 low, tlwVec3 high)
{
    int object = -1;
    if (tryBox(w, def, name, low, high, &object) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return object;
}

static inline int addBox(World *w, tlwRole role, const char *name, tlwVec3 low, tlwVec3 high, tlwVec3 velocity)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    def.role = role;
    def.velocity = velocity;
    return addBoxAs(w, def, name, low, high);
}

static inline int addMovingBody(World *w, const char *name, tlwVec3 low, tlwVec3 high, double density, tlwVec3 velocity)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    def.role = TLW_ROLE_RIGID;
    def.density = density;
    def.velocity = velocity;
    return addBoxAs(w, def, name, low, high);
}

static inline int addBody(World *w, const char *name, tlwVec3 low, tlwVec3 high, double density)
{
    return addMovingBody(w, name, low, high, density, (tlwVec3){0, 0, 0});
}

static inline void run(World *w)
{
    tlwResult result = tlwCreateSim(w->scene, &w->sim);
    if (result != TLW_OK)
        print_error("%s\n", tlwGetMessage(w->context));
    assert_int_equal(result, TLW_OK);
}

static inline void advance(World *w, double seconds)
{
    tlwResult result = tlwAdvance(w->sim, seconds);
    if (result != TLW_OK)
        print_error("%s\n", tlwGetMessage(w->context));
    assert_int_equal(result, TLW_OK);
}

static inline tlwBodyState bodyOf(World *w, int object)
{
    tlwBodyState state;
    assert_int_equal(tlwGetBody(w->sim, object, &state), TLW_OK);
    return state;
}

static inline void end(World *w)
{
    tlwDestroySim(w->sim);
    tlwDestroyScene(w->scene);
    tlwDestroyContext(w->context);
}

static inline tlwSceneDef smallTank(void)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){0.32, 0.16, 0.24};
    def.cell_size = 0.01 * COARSER;
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    def.fps = 24;
    return def;
}

#endif
