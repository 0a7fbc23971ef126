// The surface knows where on the objects' meshes it comes from.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "folders.h"
#include "shape/bvh.h"
#include "shape/ply_write.h"
#include "wax_scenes.h"

enum { SIDES = 6, CARRIED = 12 };

// A box whose sides share no vertices: six islands of two triangles.
typedef struct Sides {
    float positions[24 * 3];
    int32_t triangles[CARRIED * 3];
    tlwMeshData data;
} Sides;

static void makeSides(Sides *s, tlwVec3 low, tlwVec3 high)
{
    float corners[24];
    boxMesh(corners, low, high);
    for (int side = 0; side < SIDES; side++) {
        int seen[4], count = 0;
        for (int n = 0; n < 6; n++) {
            int corner = box_triangles[6 * side + n], at = 0;
            while (at < count && seen[at] != corner)
                at++;
            if (at == count) {
                seen[count++] = corner;
                memcpy(s->positions + 3 * (4 * side + at), corners + (size_t)3 * (size_t)corner, 3 * sizeof(float));
            }
            s->triangles[6 * side + n] = 4 * side + at;
        }
    }
    s->data = (tlwMeshData){s->positions, 24, s->triangles, CARRIED};
}

// A place in object space, from the origin of a vertex.
static tlwVec3 placeOf(const Sides *s, tlwOrigin origin)
{
    double b = origin.weight[0] / 65535.0, c = origin.weight[1] / 65535.0, w[3] = {1 - b - c, b, c};
    tlwVec3 place = {0, 0, 0};
    for (int n = 0; n < 3; n++) {
        const float *p = s->positions + 3 * s->triangles[3 * (origin.triangle % CARRIED) + (uint32_t)n];
        place = tlwMulAdd(place, w[n], (tlwVec3){p[0], p[1], p[2]});
    }
    return place;
}

static void addCarrier(World *w, const char *name, Wax wax, const Sides *sides)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    float positions[24];
    key.position = wax.position;
    if (wax.rotation.w != 0)
        key.rotation = wax.rotation;
    key.temperature = wax.temperature > 0 ? wax.temperature : 293.15;
    def.name = name;
    def.material = 1;
    def.mesh = boxMesh(positions, wax.low, wax.high);
    def.keys = &key;
    def.key_count = 1;
    def.velocity = wax.velocity;
    if (sides)
        def.carried = sides->data;
    if (tlwAddObject(w->scene, &def, NULL) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
}

static const tlwVec3 low = {-0.04, -0.03, -0.03}, high = {0.04, 0.03, 0.03};

static tlwSurfaceView look(World *w)
{
    tlwSurfaceView view;
    if (tlwGetSurface(w->sim, &view) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return view;
}

static World startOne(int threads, Wax wax, const Sides *sides)
{
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, 0};
    World w = frozenRoom(threads, &def);
    wax.low = low;
    wax.high = high;
    addCarrier(&w, "Box", wax, sides);
    run(&w);
    return w;
}

static tlwVec3 vertexOf(const tlwSurfaceView *view, int v)
{
    return (tlwVec3){view->position[3 * v], view->position[3 * v + 1], view->position[3 * v + 2]};
}

// Origins of the corners of a triangle, seams included.
static void cornersOf(const tlwSurfaceView *view, int triangle, tlwOrigin out[3])
{
    for (int n = 0; n < 3; n++)
        out[n] = view->origins[view->triangle[3 * triangle + n]];
    for (int s = 0; s < view->seam_count; s++)
        if (view->seams[s].triangle == (uint32_t)triangle)
            memcpy(out, view->seams[s].corner, sizeof view->seams[s].corner);
}

static void test_unmoved_wax_comes_from_where_it_is(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    tlwQuat turn = tlwQuatFromRotationVector((tlwVec3){0.3, 0.2, 0.5});
    Wax wax = {.position = {0.08, 0.08, 0.1}, .rotation = turn};
    World w = startOne(2, wax, &sides);
    tlwSurfaceView view = look(&w);
    assert_non_null(view.origins);
    for (int v = 0; v < view.vertex_count; v++) {
        assert_true(view.origins[v].triangle < CARRIED);
        tlwVec3 place = tlwAdd(wax.position, tlwRotate(turn, placeOf(&sides, view.origins[v])));
        assert_true(tlwLength(tlwSub(place, vertexOf(&view, v))) < 0.35 * 0.01); // corners of the box are cut off
    }
    end(&w);
}

// How far a place within the box is from one of its sides.
static double awayFrom(const Sides *s, int side, tlwVec3 place)
{
    const float *p = s->positions + (size_t)12 * (size_t)side;
    double at[3] = {place.x, place.y, place.z};
    int axis = 0;
    while (p[axis] != p[3 + axis] || p[axis] != p[6 + axis] || p[axis] != p[9 + axis])
        axis++;
    return fabs(at[axis] - p[axis]);
}

static void test_a_triangle_across_a_seam_is_on_the_side_of_its_middle(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    tlwVec3 at_cells = {0.08, 0.08, 0.1}; // the seams lie on corners of cells
    World w = startOne(2, (Wax){.position = at_cells}, &sides);
    tlwSurfaceView view = look(&w);
    assert_true(view.seam_count > 20);
    for (int s = 0; s < view.seam_count; s++) {
        const int32_t *v = view.triangle + (ptrdiff_t)3 * (ptrdiff_t)view.seams[s].triangle;
        tlwVec3 sum = tlwAdd(vertexOf(&view, v[0]), tlwAdd(vertexOf(&view, v[1]), vertexOf(&view, v[2])));
        tlwVec3 middle = tlwSub(tlwScale(sum, 1.0 / 3), at_cells);
        int shown = (int)view.seams[s].corner[0].triangle / 2, corner = 0;
        double best = 1;
        for (int side = 0; side < SIDES; side++)
            best = fmin(best, awayFrom(&sides, side, middle));
        // Sides on which no corner lies are not to be had.
        for (int n = 0; n < 3; n++)
            corner += awayFrom(&sides, (int)view.origins[v[n]].triangle / 2, middle) < best + 1e-6;
        assert_true(corner == 0 || awayFrom(&sides, shown, middle) < best + 1e-6);
    }
    end(&w);
}

static void test_corners_of_a_triangle_come_from_one_island(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    World w = startOne(2, (Wax){.position = {0.083, 0.077, 0.1}}, &sides);
    tlwSurfaceView view = look(&w);
    int mixed = 0;
    for (int t = 0; t < view.triangle_count; t++) {
        tlwOrigin at[3];
        cornersOf(&view, t, at);
        assert_int_equal(at[0].triangle / 2, at[1].triangle / 2);
        assert_int_equal(at[0].triangle / 2, at[2].triangle / 2);
        const int32_t *v = view.triangle + 3 * t;
        mixed += view.origins[v[0]].triangle / 2 != view.origins[v[1]].triangle / 2 ||
                 view.origins[v[0]].triangle / 2 != view.origins[v[2]].triangle / 2;
        for (int n = 0; n < 3; n++) {
            tlwVec3 place = tlwAdd((tlwVec3){0.083, 0.077, 0.1}, placeOf(&sides, at[n]));
            assert_true(tlwLength(tlwSub(place, vertexOf(&view, v[n]))) < 1.8 * 0.01);
        }
    }
    assert_int_equal(mixed, view.seam_count);
    assert_true(mixed > 50 && mixed < view.triangle_count / 3);
    end(&w);
}

static void test_origins_travel_with_the_wax(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    Wax wax = {.position = {0.06, 0.08, 0.1}, .velocity = {0.4, 0, 0}};
    World w = startOne(2, wax, &sides);
    advance(&w, 0.1);
    tlwSurfaceView view = look(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    double moved = stats.centre_of_mass.x - 0.06, worst = 0;
    assert_true(moved > 0.03);
    for (int v = 0; v < view.vertex_count; v++) {
        tlwVec3 place = tlwAdd(wax.position, placeOf(&sides, view.origins[v]));
        place.x += moved;
        worst = fmax(worst, tlwLength(tlwSub(place, vertexOf(&view, v))));
    }
    OUTCOME(worst < 0.6 * 0.01);
    end(&w);
}

static void test_each_object_is_its_own_origin(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, 0};
    World w = frozenRoom(2, &def);
    addCarrier(&w, "Left", (Wax){.low = low, .high = high, .position = {0.05, 0.05, 0.05}}, &sides);
    addCarrier(&w, "Plain", (Wax){.low = low, .high = high, .position = {0.05, 0.12, 0.05}}, NULL);
    addCarrier(&w, "Right", (Wax){.low = low, .high = high, .position = {0.11, 0.05, 0.14}}, &sides);
    run(&w);
    tlwSurfaceView view = look(&w);
    int counts[3] = {0};
    for (int v = 0; v < view.vertex_count; v++) {
        tlwVec3 x = vertexOf(&view, v);
        int object = x.z > 0.095 ? 2 : x.y > 0.085 ? 1 : 0;
        uint32_t triangle = view.origins[v].triangle;
        assert_int_equal(triangle == TLW_NO_ORIGIN ? 1 : triangle < CARRIED ? 0 : 2, object);
        counts[object]++;
    }
    assert_true(counts[0] > 100 && counts[1] > 100 && counts[2] > 100);
    end(&w);
}

static void test_threads_and_checkpoints_do_not_change_origins(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    Wax wax = {.position = {0.08, 0.08, 0.06}, .temperature = 340};
    World a = startOne(1, wax, &sides), b = startOne(3, wax, &sides), c = startOne(2, wax, &sides);
    char folder[256], path[300];
    makeTemporaryFolder(folder);
    snprintf(path, sizeof path, "%s/state.tlw", folder);
    advance(&a, 0.05);
    advance(&b, 0.05);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    assert_int_equal(tlwLoadState(c.sim, path), TLW_OK);
    tlwSurfaceView p = look(&a), q = look(&b), r = look(&c);
    assert_int_equal(p.vertex_count, q.vertex_count);
    assert_int_equal(p.seam_count, q.seam_count);
    size_t bytes = (size_t)p.vertex_count * sizeof *p.origins, seams = (size_t)p.seam_count * sizeof *p.seams;
    assert_memory_equal(p.origins, q.origins, bytes);
    assert_memory_equal(p.seams, q.seams, seams);
    assert_memory_equal(p.origins, r.origins, bytes);
    end(&a);
    end(&b);
    end(&c);
    removeFolder(folder);
}

static void test_without_carried_meshes_nothing_changes(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    Wax wax = {.position = {0.08, 0.08, 0.1}};
    World plain = startOne(2, wax, NULL), with = startOne(2, wax, &sides);
    tlwSurfaceView p = look(&plain), q = look(&with);
    assert_null(p.origins);
    assert_int_equal(p.seam_count, 0);
    assert_int_equal(p.vertex_count, q.vertex_count);
    assert_memory_equal(p.position, q.position, 3 * sizeof(float) * (size_t)p.vertex_count);
    for (int a = 0; a < p.attribute_count; a++)
        assert_memory_equal(p.attributes[a].values, q.attributes[a].values,
                            sizeof(float) * (size_t)(p.vertex_count * p.attributes[a].components));
    end(&plain);
    end(&with);
}

static void test_files_hold_origins_only_where_there_are_some(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    Wax wax = {.position = {0.08, 0.08, 0.1}};
    World plain = startOne(2, wax, NULL), with = startOne(2, wax, &sides);
    tlwSurfaceView p = look(&plain), q = look(&with);
    char folder[256], a[300], b[300];
    makeTemporaryFolder(folder);
    snprintf(a, sizeof a, "%s/plain.ply", folder);
    snprintf(b, sizeof b, "%s/with.ply", folder);
    tlwMessage message = {0};
    assert_int_equal(tlwWritePlySurface(a, &p, &message), TLW_OK);
    assert_int_equal(tlwWritePlySurface(b, &q, &message), TLW_OK);
    char *first, *second;
    int64_t size_a, size_b;
    assert_int_equal(tlwReadFile(a, 0, &message, &first, &size_a), TLW_OK);
    assert_int_equal(tlwReadFile(b, 0, &message, &second, &size_b), TLW_OK);
    int64_t more = q.vertex_count * 8 + q.seam_count * 28;
    assert_memory_equal(second + size_b - more, q.origins, (size_t)q.vertex_count * 8);
    assert_memory_equal(second + size_b - q.seam_count * 28, q.seams, (size_t)q.seam_count * 28);
    // Before the new elements both files hold the same bytes.
    int64_t body = q.vertex_count * 48 + q.triangle_count * 13;
    assert_memory_equal(first + size_a - body, second + size_b - more - body, (size_t)body);
    assert_null(strstr(first, "origin"));
    tlwFree(first);
    tlwFree(second);
    removeFolder(folder);
    end(&plain);
    end(&with);
}

static void test_a_carried_mesh_that_points_nowhere_is_refused(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, low, high);
    sides.triangles[5] = 24;
    tlwSceneDef def = room();
    World w = frozenRoom(1, &def);
    float positions[24];
    tlwObjectDef object = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    object.name = "Box";
    object.material = 1;
    object.mesh = boxMesh(positions, low, high);
    object.carried = sides.data;
    object.keys = &key;
    object.key_count = 1;
    assert_int_equal(tlwAddObject(w.scene, &object, NULL), TLW_BAD_MESH);
    assert_non_null(strstr(tlwGetMessage(w.context), "Box"));
    end(&w);
}

static void test_the_nearest_of_a_group_is_found(void **state)
{
    (void)state;
    Sides sides;
    makeSides(&sides, (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 1});
    tlwMesh mesh;
    tlwMessage message = {0};
    assert_int_equal(tlwCreateMesh(&sides.data, &message, &mesh), TLW_OK);
    const double origin[3] = {0, 0, 0};
    tlwBvh *bvh = tlwCreateBvh(&mesh, origin, 0.5);
    int32_t groups[CARRIED];
    for (int t = 0; t < CARRIED; t++)
        groups[t] = t / 2;
    const float point[3] = {0.4f, 1.7f, 0.6f}; // in halves: nearest to the side at y = 1
    for (int side = 0; side < SIDES; side++) {
        tlwNearest nearest = {1e9f, -1};
        tlwFindNearestOf(bvh, point, groups, side, &nearest);
        assert_int_equal(tlwGetBvhTriangle(bvh, nearest.slot) / 2, side);
        float place[3], weights[2], best = 1e9f;
        tlwGetNearestPlace(bvh, nearest.slot, point, place, weights);
        for (int n = 0; n < 2; n++)
            for (int i = 0; i <= 100; i++)
                for (int j = 0; i + j <= 100; j++) {
                    float d = 0;
                    for (int a = 0; a < 3; a++) {
                        const int32_t *v = sides.triangles + 3 * (2 * side + n);
                        float p = sides.positions[3 * v[0] + a], q = sides.positions[3 * v[1] + a],
                              r = sides.positions[3 * v[2] + a];
                        float x = 2 * (p + (float)i / 100 * (q - p) + (float)j / 100 * (r - p)) - point[a];
                        d += x * x;
                    }
                    best = d < best ? d : best;
                }
        float d = 0;
        for (int a = 0; a < 3; a++)
            d += (place[a] - point[a]) * (place[a] - point[a]);
        assert_true(fabsf(d - nearest.square) < 1e-5f && fabsf(d - best) < 0.02f);
    }
    tlwDestroyBvh(bvh);
    tlwDestroyMesh(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unmoved_wax_comes_from_where_it_is),
        cmocka_unit_test(test_a_triangle_across_a_seam_is_on_the_side_of_its_middle),
        cmocka_unit_test(test_corners_of_a_triangle_come_from_one_island),
        cmocka_unit_test(test_origins_travel_with_the_wax),
        cmocka_unit_test(test_each_object_is_its_own_origin),
        cmocka_unit_test(test_threads_and_checkpoints_do_not_change_origins),
        cmocka_unit_test(test_without_carried_meshes_nothing_changes),
        cmocka_unit_test(test_files_hold_origins_only_where_there_are_some),
        cmocka_unit_test(test_a_carried_mesh_that_points_nowhere_is_refused),
        cmocka_unit_test(test_the_nearest_of_a_group_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
