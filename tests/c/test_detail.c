// Keep Detail: material that has not melted shows the surface of its mesh, and does not move where it rests.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shape/bvh.h"
#include "wax_scenes.h"

enum { RINGS = 24, SEGMENTS = 48, VERTICES = 2 + (RINGS - 1) * SEGMENTS, TRIANGLES = 2 * SEGMENTS * (RINGS - 1) };

// A ball with grooves, finer than the cells can show exactly.
typedef struct Ball {
    float positions[3 * VERTICES];
    int32_t triangles[3 * TRIANGLES];
    tlwMeshData data;
} Ball;

static int32_t ringVertex(int ring, int segment)
{
    return 2 + (ring - 1) * SEGMENTS + segment % SEGMENTS;
}

static void makeBall(Ball *ball, double radius)
{
    const double pi = 3.14159265358979;
    int t = 0;
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s < (r % RINGS ? SEGMENTS : 1); s++) {
            double a = pi * r / RINGS, b = 2 * pi * s / SEGMENTS, size = radius * (1 + 0.04 * cos(6 * a) * cos(5 * b));
            float *p = ball->positions + 3 * (r == 0 ? 0 : r == RINGS ? 1 : ringVertex(r, s));
            p[0] = (float)(size * sin(a) * cos(b));
            p[1] = (float)(size * sin(a) * sin(b));
            p[2] = (float)(size * cos(a));
        }
    for (int s = 0; s < SEGMENTS; s++) {
        int32_t ends[6] = {
            0, ringVertex(1, s), ringVertex(1, s + 1), 1, ringVertex(RINGS - 1, s + 1), ringVertex(RINGS - 1, s)};
        memcpy(ball->triangles + 3 * t, ends, sizeof ends);
        t += 2;
        for (int r = 1; r < RINGS - 1; r++, t += 2) {
            int32_t quad[6] = {ringVertex(r, s), ringVertex(r + 1, s),     ringVertex(r + 1, s + 1),
                               ringVertex(r, s), ringVertex(r + 1, s + 1), ringVertex(r, s + 1)};
            memcpy(ball->triangles + 3 * t, quad, sizeof quad);
        }
    }
    ball->data = (tlwMeshData){ball->positions, VERTICES, ball->triangles, TRIANGLES};
}

static Ball ball;

static World start(int threads, bool keep, tlwVec3 velocity, tlwVec3 spin, double thermal_speed)
{
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, 0};
    def.keep_detail = keep;
    def.thermal_speed = thermal_speed;
    World w = frozenRoom(threads, &def);
    tlwObjectDef object = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    makeBall(&ball, 0.05);
    key.position = (tlwVec3){0.08, 0.08, 0.1};
    key.temperature = 293.15;
    object.name = "Ball";
    object.material = 1;
    object.mesh = ball.data;
    object.keys = &key;
    object.key_count = 1;
    object.velocity = velocity;
    object.spin = spin;
    if (tlwAddObject(w.scene, &object, NULL) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w.context));
    if (thermal_speed > 1) {
        tlwObjectDef heater = tlwDefaultObjectDef();
        heater.role = TLW_ROLE_HEAT;
        heater.heat_kind = TLW_HEAT_VOLUME;
        float positions[24];
        tlwKey hot = tlwDefaultKey();
        hot.power = 40;
        heater.name = "Heater";
        heater.mesh = boxMesh(positions, (tlwVec3){0.1, 0.06, 0.11}, (tlwVec3){0.14, 0.1, 0.15});
        heater.keys = &hot;
        heater.key_count = 1;
        if (tlwAddObject(w.scene, &heater, NULL) != TLW_OK)
            fail_msg("%s", tlwGetMessage(w.context));
    }
    run(&w);
    return w;
}

static tlwSurfaceView look(World *w)
{
    tlwSurfaceView view;
    if (tlwGetSurface(w->sim, &view) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return view;
}

// Mean and largest distance of the vertices to the ball, moved by `turn` about the origin and then by `shift`, in
// cells.
static void getMiss(const tlwSurfaceView *view, tlwQuat turn, tlwVec3 shift, double *mean, double *most)
{
    tlwMesh mesh;
    tlwMessage message = {0};
    assert_int_equal(tlwCreateMesh(&ball.data, &message, &mesh), TLW_OK);
    tlwBvh *bvh = tlwCreateBvh(&mesh, (const double[3]){0, 0, 0}, 0.01);
    *mean = *most = 0;
    for (int v = 0; v < view->vertex_count; v++) {
        tlwVec3 x = {view->position[3 * v], view->position[3 * v + 1], view->position[3 * v + 2]};
        x = tlwScale(tlwRotate(tlwQuatConjugate(turn), tlwSub(x, shift)), 100);
        tlwNearest nearest = {1e9f, -1};
        tlwFindNearest(bvh, (const float[3]){(float)x.x, (float)x.y, (float)x.z}, &nearest);
        *mean += sqrt(nearest.square) / view->vertex_count;
        *most = fmax(*most, sqrt(nearest.square));
    }
    tlwDestroyBvh(bvh);
    tlwDestroyMesh(&mesh);
}

static const tlwVec3 none = {0, 0, 0}, place = {0.08, 0.08, 0.1};
static const tlwQuat unturned = {1, 0, 0, 0};

static void test_unmelted_wax_lies_on_its_mesh(void **state)
{
    (void)state;
    World off = start(2, false, none, none, 1), on = start(2, true, none, none, 1);
    double mean, most, kept_mean, kept_most;
    for (int frame = 0; frame < 2; frame++) {
        tlwSurfaceView p = look(&off), q = look(&on);
        getMiss(&p, unturned, place, &mean, &most);
        getMiss(&q, unturned, place, &kept_mean, &kept_most);
        OUTCOME(mean > 0.02 && kept_mean < 0.001 && kept_most < 0.1 * most);
        advance(&off, 0.02);
        advance(&on, 0.02);
    }
    end(&off);
    end(&on);
}

static int compareEdges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int32_t));
}

// Every edge is walked once in each direction.
static void assertClosed(const tlwSurfaceView *view)
{
    int count = 3 * view->triangle_count;
    int32_t(*edges)[2] = test_malloc((size_t)count * sizeof *edges),
    (*back)[2] = test_malloc((size_t)count * sizeof *edges);
    for (int n = 0; n < count; n++) {
        int32_t a = view->triangle[n], b = view->triangle[n % 3 == 2 ? n - 2 : n + 1];
        assert_true(a != b && a >= 0 && a < view->vertex_count);
        edges[n][0] = back[n][1] = a;
        edges[n][1] = back[n][0] = b;
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    qsort(back, (size_t)count, sizeof *back, compareEdges);
    assert_memory_equal(edges, back, (size_t)count * sizeof *edges);
    for (int n = 1; n < count; n++)
        assert_true(compareEdges(edges[n - 1], edges[n]) != 0);
    test_free(edges);
    test_free(back);
}

static void test_more_vertices_come_where_the_mesh_has_detail(void **state)
{
    (void)state;
    World off = start(2, false, none, none, 1), on = start(2, true, none, none, 300);
    tlwSurfaceView p = look(&off), q = look(&on);
    OUTCOME(q.triangle_count > p.triangle_count && q.triangle_count < 16 * p.triangle_count);
    assertClosed(&q);
    double volume = tlwGetMeshVolume(&(tlwMesh){.positions = ball.positions,
                                                .triangles = ball.triangles,
                                                .vertex_count = VERTICES,
                                                .triangle_count = TRIANGLES});
    OUTCOME(fabs(q.volume / volume - 1) < 0.01);
    for (int frame = 0; frame < FRAMES(8); frame++)
        advance(&on, 1.0 / 24);
    q = look(&on);
    assertClosed(&q);
    end(&off);
    end(&on);
}

static void test_off_changes_nothing(void **state)
{
    (void)state;
    World off = start(2, false, none, none, 1), on = start(2, true, none, none, 1);
    advance(&off, 0.05);
    advance(&on, 0.05);
    assertSameParticles(&off, &on); // it is output alone
    end(&off);
    end(&on);
}

static void test_what_rests_does_not_move_while_a_part_melts(void **state)
{
    (void)state;
    World w = start(2, true, none, none, 300);
    for (int frame = 0; frame < FRAMES(12); frame++)
        advance(&w, 1.0 / 24);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    OUTCOME(stats.melted > 0.01 && stats.melted < 0.5);
    tlwSurfaceView view = look(&w);
    int count = view.vertex_count, far = 0, same = 0;
    float *before = test_malloc(3 * sizeof(float) * (size_t)count);
    memcpy(before, view.position, 3 * sizeof(float) * (size_t)count);
    advance(&w, 1.0 / 24);
    view = look(&w);
    for (int v = 0; v < view.vertex_count; v++) {
        const float *x = view.position + 3 * v;
        if (x[0] > 0.08f || x[2] > 0.1f)
            continue;
        far++;
        for (int n = 0; n < count; n++)
            if (!memcmp(before + 3 * n, x, 3 * sizeof *x)) {
                same++;
                break;
            }
    }
    OUTCOME(far > 100 && same == far);
    test_free(before);
    end(&w);
}

static void test_a_piece_that_flies_and_turns_keeps_its_detail(void **state)
{
    (void)state;
    tlwVec3 velocity = {0.05, 0, 0.02}, spin = {0, 3, 1};
    World off = start(2, false, velocity, spin, 1), on = start(2, true, velocity, spin, 1);
    for (int frame = 0; frame < FRAMES(8); frame++) {
        advance(&off, 1.0 / 24);
        advance(&on, 1.0 / 24);
    }
    tlwPieceState piece = pieceOf(&on, 0);
    // The piece counts its turn and its centre from where it came to be, which is where the ball was.
    tlwSurfaceView p = look(&off), q = look(&on);
    double mean, most, kept_mean, kept_most;
    getMiss(&p, piece.rotation, piece.centre, &mean, &most);
    getMiss(&q, piece.rotation, piece.centre, &kept_mean, &kept_most);
    OUTCOME(kept_mean < 0.25 * mean && kept_mean < 0.02);
    assert_true(q.vertex_count > 100);
    end(&off);
    end(&on);
}

static void test_threads_do_not_change_detail(void **state)
{
    (void)state;
    tlwVec3 velocity = {0.05, 0, 0.02}, spin = {0, 3, 1};
    World a = start(1, true, velocity, spin, 300), b = start(3, true, velocity, spin, 300);
    advance(&a, 0.1);
    advance(&b, 0.1);
    tlwSurfaceView p = look(&a), q = look(&b);
    assert_int_equal(p.vertex_count, q.vertex_count);
    assert_memory_equal(p.position, q.position, 3 * sizeof(float) * (size_t)p.vertex_count);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unmelted_wax_lies_on_its_mesh),
        cmocka_unit_test(test_more_vertices_come_where_the_mesh_has_detail),
        cmocka_unit_test(test_off_changes_nothing),
        cmocka_unit_test(test_what_rests_does_not_move_while_a_part_melts),
        cmocka_unit_test(test_a_piece_that_flies_and_turns_keeps_its_detail),
        cmocka_unit_test(test_threads_do_not_change_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
