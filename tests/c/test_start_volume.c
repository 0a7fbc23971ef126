// Liquid that stands on solids starts with the volume of its mesh, also where it is only a few cells high.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define addBox addBoxToMesh
#include "shapes.h"
#undef addBox
#include "sim_helpers.h"

#define DX 0.01

typedef enum Kind { BOX, DISC, BALL, KINDS } Kind;
typedef enum Place { FLOOR, FLOOR_CORNER, PLATE, PLATE_CORNER, TILTED, TILTED_CORNER, PLACES } Place;
static const char *const kind_names[] = {"box", "disc", "ball"};
static const char *const place_names[] = {"on the floor",     "in a corner of the domain", "on a plate",
                                          "in a mesh corner", "on a tilted plate",         "in a tilted corner"};

// Lengths in cells.
typedef struct Case {
    Kind kind;
    Place place;
    double width, height;
    double off;  // by how much solids, or the liquid's sides where the floor is the domain's, are off the grid
    double sunk; // how far the mesh reaches into solids
} Case;

static bool inCorner(const Case *c)
{
    return c->place == FLOOR_CORNER || c->place == PLATE_CORNER || c->place == TILTED_CORNER;
}

static void addDisc(tlwMesh *mesh, double radius, double low, double high)
{
    enum { SIDES = 48 };
    int32_t first = (int32_t)mesh->vertex_count;
    for (int n = 0; n < SIDES; n++)
        for (int top = 0; top < 2; top++)
            tlwAddVertex(mesh, (float)(radius * cos(2 * TEST_PI * n / SIDES)),
                         (float)(radius * sin(2 * TEST_PI * n / SIDES)), (float)(top ? high : low));
    tlwAddVertex(mesh, 0, 0, (float)low);
    tlwAddVertex(mesh, 0, 0, (float)high);
    for (int n = 0; n < SIDES; n++) {
        int32_t a = first + 2 * n, b = first + 2 * ((n + 1) % SIDES), middle = first + 2 * SIDES;
        tlwAddTriangle(mesh, a, b, b + 1);
        tlwAddTriangle(mesh, a, b + 1, a + 1);
        tlwAddTriangle(mesh, middle, b, a);
        tlwAddTriangle(mesh, middle + 1, a + 1, b + 1);
    }
}

// In coordinates where the solids are below z = 0 and, in a corner, x = 0 and y = 0; m. Returns what is outside them.
static double makeMesh(const Case *c, tlwMesh *mesh)
{
    double w = c->width * DX, h = c->height * DX, sunk = c->sunk * DX, side = inCorner(c) ? sunk : 0;
    if (c->kind == BOX) {
        double low = inCorner(c) ? 0 : -0.5 * w;
        addBoxToMesh(mesh, (tlwVec3){low - side, low - side, -sunk}, (tlwVec3){low + w, low + w, h});
        return w * w * h;
    }
    if (c->kind == DISC) {
        addDisc(mesh, 0.5 * w, -sunk, h);
        return 24 * sin(2 * TEST_PI / 48) * 0.25 * w * w * h;
    }
    // A ball as wide as asked, cut so that it is as high as asked.
    enum { COLUMNS = 100 };
    double r = 0.5 * w, z = h - r, side_on = inCorner(c) ? z : 0, width = w / COLUMNS, volume = 0;
    addSphere(mesh, (tlwVec3){side_on, side_on, z}, r, 48);
    for (int n = 0; n < COLUMNS * COLUMNS; n++) {
        double x = (n % COLUMNS + 0.5) * width - r, y = (n / COLUMNS + 0.5) * width - r, square = r * r - x * x - y * y;
        if (square > 0 && (!inCorner(c) || (x >= -z && y >= -z)))
            volume += fmax(z + sqrt(square) - fmax(z - sqrt(square), 0), 0) * width * width;
    }
    return volume;
}

static void addMesh(World *w, tlwRole role, const char *name, const tlwMesh *mesh, tlwKey key)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    def.role = role;
    def.name = name;
    def.mesh = (tlwMeshData){mesh->positions, (int)mesh->vertex_count, mesh->triangles, (int)mesh->triangle_count};
    def.keys = &key;
    def.key_count = 1;
    if (tlwAddObject(w->scene, &def, NULL) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
}

static void addSolid(World *w, const char *name, tlwVec3 low, tlwVec3 high, tlwKey key)
{
    tlwMesh mesh = {0};
    addBoxToMesh(&mesh, tlwScale(low, DX), tlwScale(high, DX));
    addMesh(w, TLW_ROLE_SOLID, name, &mesh, key);
    tlwDestroyMesh(&mesh);
}

// What the level set holds at the start, over what it should.
static double startVolume(const Case *c)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){24 * DX, 24 * DX, 20 * DX};
    def.cell_size = DX;
    World w = begin(1, &def);
    tlwMesh liquid = {0};
    double volume = makeMesh(c, &liquid), off = c->off * DX, middle = inCorner(c) ? 6 * DX : 12 * DX;
    tlwKey key = tlwDefaultKey();
    key.position = (tlwVec3){middle + off, middle + off, 6 * DX + off};
    if (c->place == FLOOR)
        key.position.z = 0;
    if (c->place == FLOOR_CORNER)
        key.position = (tlwVec3){0, 0, 0};
    if (c->place == TILTED || c->place == TILTED_CORNER)
        key.rotation = tlwQuatFromRotationVector(tlwScale(tlwNormalize((tlwVec3){1, 0.3, 0}), 20 * TEST_PI / 180));
    addMesh(&w, TLW_ROLE_LIQUID, "Liquid", &liquid, key);
    if (c->place >= PLATE)
        addSolid(&w, "Plate", (tlwVec3){-40, -40, c->kind == BALL ? -30 : -3}, (tlwVec3){40, 40, 0}, key);
    if (c->place >= PLATE && inCorner(c)) {
        addSolid(&w, "Left", (tlwVec3){-3, -3, -3}, (tlwVec3){0, 20, 20}, key);
        addSolid(&w, "Right", (tlwVec3){-3, -3, -3}, (tlwVec3){20, 0, 20}, key);
    }
    run(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    end(&w);
    tlwDestroyMesh(&liquid);
    return stats.surface_volume / volume;
}

// Edges of a block are as round as a cell, and in corners between the grid's faces so are those of the room.
static double limitOf(const Case *c)
{
    if (inCorner(c))
        return c->width < 4 ? 0.15 : 0.08;
    if (c->width >= 6 && c->height >= 2)
        return 0.05;
    return c->height >= 2 ? 0.08 : 0.16;
}

static bool isPossible(const Case *c)
{
    if (c->kind == BALL)
        return c->height <= 0.8 * c->width && (!inCorner(c) || c->height >= 0.6 * c->width);
    return c->kind == BOX || !inCorner(c);
}

static void test_few_cells_on_solids_keep_their_volume(void **state)
{
    (void)state;
    const double widths[] = {3, 4, 6, 10}, heights[] = {1.5, 2, 4}, offs[] = {0, 0.3, 0.5};
    int bad = 0;
    for (int g = 0; g < KINDS * PLACES; g++) {
        double least = 9, most = 0;
        for (int n = 0; n < 36; n += COARSER * COARSER * COARSER) {
            Case c = {g % KINDS, g / KINDS, widths[n % 4], heights[n / 4 % 3], offs[n / 12], (n + n / 4) % 2 ? 0 : 0.7};
            if (!isPossible(&c))
                continue;
            double share = startVolume(&c);
            least = fmin(least, share);
            most = fmax(most, share);
            if (fabs(share - 1) < limitOf(&c))
                continue;
            bad++;
            print_message("%s %s, %g wide, %g high, off by %g: %.3f\n", kind_names[c.kind], place_names[c.place],
                          c.width, c.height, c.off, share);
        }
        if (most > 0)
            print_message("%s %s: %.3f to %.3f\n", kind_names[g % KINDS], place_names[g / KINDS], least, most);
    }
    assert_int_equal(bad, 0);
}

// A mesh that ends a little above a plate stands on it; two in contact are one liquid.
static void test_gaps_and_seams_are_liquid(void **state)
{
    (void)state;
    for (int seam = 0; seam < 2; seam++) {
        tlwSceneDef def = smallTank();
        World w = begin(1, &def);
        double dx = def.cell_size, low = seam ? 0 : 0.3 * dx;
        addBox(&w, TLW_ROLE_LIQUID, "Lower", (tlwVec3){4 * dx, 4 * dx, low}, (tlwVec3){12 * dx, 12 * dx, 3.3 * dx},
               (tlwVec3){0, 0, 0});
        if (seam)
            addBox(&w, TLW_ROLE_LIQUID, "Upper", (tlwVec3){4 * dx, 4 * dx, 3.3 * dx},
                   (tlwVec3){12 * dx, 12 * dx, 5 * dx}, (tlwVec3){0, 0, 0});
        run(&w);
        tlwStats stats;
        tlwGetStats(w.sim, &stats);
        double share = stats.surface_volume / (64 * (seam ? 5 : 3.3) * dx * dx * dx);
        print_message("%s: %.3f\n", seam ? "two boxes" : "a gap of 0.3 cells", share);
        OUTCOME(fabs(share - 1) < 0.05);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_cells_on_solids_keep_their_volume),
        cmocka_unit_test(test_gaps_and_seams_are_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
