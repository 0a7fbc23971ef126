// OpenVDB files: what goes in comes out, in the right place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/vec.h"
#include "grid/grid.h"
#include "shape/vdb.h"
#include "shape/vdb_points.h"
#include "shape/vdb_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef TLW_SANITIZED
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif

static char folder[64];

static int makeFolder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tallow-vdb-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void **state)
{
    (void)state;
    const char *names[] = {"surface.vdb", "other.vdb", "points.vdb", "cut.vdb"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

enum { TILES = 3, N = 8 * TILES };

typedef struct Fields {
    tlwGrid grid;
    tlwGridTiles tiles;
    float *phi, *temperature;
    tlwThreads *threads;
} Fields;

static double ballAt(int i, int j, int k)
{
    return 0.1 * (tlwLength((tlwVec3){i - 11.3, j - 12.1, k - 10.7}) - 7);
}

static void makeFields(Fields *f)
{
    memset(f, 0, sizeof *f);
    int dims[3] = {N, N, N};
    tlwInitGrid(&f->grid, (tlwVec3){-1, 2, 0.5}, dims, 0.1);
    float background = 0.3f, zero = 0;
    int phi = tlwAddField(&f->grid, 4, &background, true), temperature = tlwAddField(&f->grid, 4, &zero, true);
    int coords[TILES * TILES * TILES][3];
    for (int t = 0; t < TILES * TILES * TILES; t++) {
        coords[t][0] = t % TILES;
        coords[t][1] = t / TILES % TILES;
        coords[t][2] = t / TILES / TILES;
    }
    assert_int_equal(tlwActivateTiles(NULL, &f->grid, (const int(*)[3])coords, TILES * TILES * TILES), TLW_OK);
    f->phi = tlwGetFloats(&f->grid, phi);
    f->temperature = tlwGetFloats(&f->grid, temperature);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                int64_t c = tlwCellIndex(&f->grid, i, j, k);
                f->phi[c] = (float)tlwClamp(ballAt(i, j, k), -0.3, 0.3);
                f->temperature[c] = f->phi[c] < 0 ? (float)(300 + i) : 0;
            }
    assert_int_equal(tlwListGridTiles(&f->grid, NULL, &f->tiles), TLW_OK);
}

static void freeFields(Fields *f)
{
    tlwFreeGridTiles(&f->tiles);
    tlwFreeGrid(&f->grid);
}

static void fillVelocity(void *user, int64_t tile, float *values)
{
    const Fields *f = user;
    const int32_t *first = f->tiles.first_cells + 3 * tile;
    for (int n = 0; n < 512; n++) {
        values[3 * n] = (float)(first[0] + n % 8);
        values[3 * n + 1] = (float)(first[1] + n / 8 % 8);
        values[3 * n + 2] = 0;
    }
}

static void writeSurface(const Fields *f, const char *name, tlwThreads *threads, char path[128])
{
    tlwVdbGrid grids[3] = {
        {.name = "surface", .kind = TLW_VDB_LEVEL_SET, .components = 1, .background = 0.3f},
        {.name = "temperature", .kind = TLW_VDB_FOG, .components = 1, .background = 0},
        {.name = "velocity", .kind = TLW_VDB_UNKNOWN, .components = 3, .background = 0},
    };
    grids[0].source = tlwMakeGridSource(&f->grid, &f->tiles, f->phi);
    grids[1].source = tlwMakeGridSource(&f->grid, &f->tiles, f->temperature);
    grids[2].source = (tlwTileSource){.fill = fillVelocity, .user = (void *)f};
    snprintf(path, 128, "%s/%s", folder, name);
    tlwMessage message;
    if (tlwWriteVdb(path, &f->tiles.set, grids, 3, threads, &message) != TLW_OK)
        fail_msg("%s", message.text);
}

static const tlwVdbInfo *findInfo(const tlwVdbInfo *infos, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(infos[i].name, name) == 0)
            return &infos[i];
    fail_msg("no grid %s", name);
    return NULL;
}

static void test_grids_come_back_as_they_went(void **state)
{
    (void)state;
    Fields f;
    makeFields(&f);
    char path[128];
    writeSurface(&f, "surface.vdb", NULL, path);
    tlwVdbInfo infos[4];
    int count;
    assert_int_equal(tlwInspectVdb(path, NULL, infos, 4, &count), TLW_OK);
    assert_int_equal(count, 3);
    int64_t band = 0, liquid = 0;
    for (int i = 0; i < N * N * N; i++) {
        double d = ballAt(i % N, i / N % N, i / N / N);
        band += fabs((float)d) < 0.3f;
        liquid += d < 0;
    }
    const tlwVdbInfo *s = findInfo(infos, count, "surface");
    assert_string_equal(s->type, "float");
    assert_string_equal(s->kind, "level set");
    print_message("%lld of %lld\n", (long long)s->active_voxels, (long long)band);
    assert_true(llabs(s->active_voxels - band) <= 2); // values within rounding of the band's end
    assert_true(fabs(s->voxel_size - 0.1) < 1e-9);
    assert_true(tlwLength(tlwSub(s->origin, (tlwVec3){-0.95, 2.05, 0.55})) < 1e-9);
    assert_true(s->minimum < -0.25 && s->maximum > 0.25 && s->maximum < 0.3);
    const tlwVdbInfo *t = findInfo(infos, count, "temperature");
    assert_int_equal(t->active_voxels, liquid);
    assert_string_equal(t->kind, "fog volume");
    assert_true(t->minimum >= 300);
    const tlwVdbInfo *v = findInfo(infos, count, "velocity");
    assert_string_equal(v->type, "vec3s");
    assert_int_equal(v->active_voxels, N * N * N - N); // all but where it is zero, the background
    assert_true(fabs(v->maximum - sqrt(2.0) * (N - 1)) < 1e-4);

    int32_t voxels[N * N * N][3];
    static float values[N * N * N];
    for (int i = 0; i < N * N * N; i++) {
        voxels[i][0] = i % N;
        voxels[i][1] = i / N % N;
        voxels[i][2] = i / N / N;
    }
    assert_int_equal(tlwSampleVdb(path, "surface", voxels[0], N * N * N, NULL, values), TLW_OK);
    for (int i = 0; i < N * N * N; i++)
        assert_true(fabs(values[i] - tlwClamp(ballAt(i % N, i / N % N, i / N / N), -0.3, 0.3)) < 2e-4);
    assert_int_equal(tlwSampleVdb(path, "nothing", voxels[0], 1, NULL, values), TLW_BAD_FILE);
    freeFields(&f);
}

static void test_pool_is_cut_at_the_domain_and_filled_inside(void **state)
{
    (void)state;
    Fields f;
    makeFields(&f);
    for (int k = 0; k < N; k++) // liquid up to the ceiling of the domain's lower half, everywhere in x and y
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                f.phi[tlwCellIndex(&f.grid, i, j, k)] = (float)tlwClamp(0.1 * (k - 17.4), -0.3, 0.3);
    char path[128];
    writeSurface(&f, "surface.vdb", NULL, path);
    int32_t voxels[7][3] = {{12, 12, 12}, {12, 12, 17}, {12, 12, 18}, {-1, 12, 12},
                            {0, 12, 12},  {-9, 12, 12}, {12, 12, -2}};
    float values[7], expected[7] = {-0.3f, -0.04f, 0.06f, 0.05f, -0.05f, 0.3f, 0.15f};
    assert_int_equal(tlwSampleVdb(path, "surface", voxels[0], 7, NULL, values), TLW_OK);
    for (int i = 0; i < 7; i++)
        assert_true(fabsf(values[i] - expected[i]) < 1e-4f);
    freeFields(&f);
}

static void test_slice_has_the_cells_that_a_plane_goes_through(void **state)
{
    (void)state;
    Fields f;
    makeFields(&f);
    tlwVdbGrid grids[4] = {
        {"surface", TLW_VDB_LEVEL_SET, 1, tlwMakeGridSource(&f.grid, &f.tiles, f.phi), 0.3f},
        {"velocity", TLW_VDB_UNKNOWN, 3, {.fill = fillVelocity, .user = &f}, 0},
        {"temperature", TLW_VDB_UNKNOWN, 1, tlwMakeGridSource(&f.grid, &f.tiles, f.temperature), 0},
        {"viscosity", TLW_VDB_UNKNOWN, 1, tlwMakeGridSource(&f.grid, &f.tiles, f.temperature), 0},
    };
    char path[128];
    snprintf(path, sizeof path, "%s/surface.vdb", folder);
    tlwMessage message;
    assert_int_equal(tlwWriteVdb(path, &f.tiles.set, grids, 4, NULL, &message), TLW_OK);
    int64_t expected = 0, count;
    for (int c = 0; c < N * N; c++)
        expected += ballAt(c % N, 14, c / N) <= 0;
    static float cells[N * N][TLW_SLICE_NUMBERS];
    double place = 2 + 0.1 * 14.8; // within the layer j = 14
    assert_int_equal(tlwReadVdbSlice(path, 1, place, &message, cells[0], N * N, &count), TLW_OK);
    assert_int_equal(count, expected);
    for (int64_t n = 0; n < count; n++) {
        double i = (cells[n][0] + 1) / 0.1 - 0.5, k = (cells[n][2] - 0.5) / 0.1 - 0.5;
        assert_true(fabs(cells[n][1] - 3.45) < 1e-5 && ballAt((int)lround(i), 14, (int)lround(k)) <= 0);
        assert_true(fabs(cells[n][3] - (300 + i)) < 1e-3 && fabs(cells[n][4] - (300 + i)) < 1e-3);
        assert_true(fabs(cells[n][5] - hypot(i, 14)) < 1e-3);
    }
    // Too little room still tells how much would do, and a plane beside the liquid has no cells.
    assert_int_equal(tlwReadVdbSlice(path, 1, place, &message, NULL, 0, &count), TLW_OK);
    assert_int_equal(count, expected);
    assert_int_equal(tlwReadVdbSlice(path, 1, 99, &message, cells[0], N * N, &count), TLW_OK);
    assert_int_equal(count, 0);
    writeSurface(&f, "other.vdb", NULL, path); // has no viscosity
    assert_int_equal(tlwReadVdbSlice(path, 1, place, &message, cells[0], N * N, &count), TLW_BAD_FILE);
    assert_non_null(strstr(message.text, "not the volume of a baked frame"));
    freeFields(&f);
}

static void test_equal_grids_give_equal_files(void **state)
{
    (void)state;
    Fields f;
    makeFields(&f);
    char a[128], b[128], *da, *db;
    int64_t na, nb;
    tlwThreads *threads = tlwCreateThreads(3);
    writeSurface(&f, "surface.vdb", NULL, a);
    writeSurface(&f, "other.vdb", threads, b);
    assert_int_equal(tlwReadFile(a, 0, NULL, &da, &na), TLW_OK);
    assert_int_equal(tlwReadFile(b, 0, NULL, &db, &nb), TLW_OK);
    assert_int_equal(na, nb);
    assert_memory_equal(da, db, (size_t)na);
    tlwFree(da);
    tlwFree(db);
    tlwDestroyThreads(threads);
    freeFields(&f);
}

static void test_points_come_back(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    float position[3 * COUNT], velocity[3 * COUNT], temperature[COUNT];
    uint32_t id[COUNT], seed = 3;
    for (int i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) {
            position[3 * i + a] = (float)randomIn(&seed, -2, 2);
            velocity[3 * i + a] = (float)randomIn(&seed, -1, 1);
        }
        temperature[i] = (float)randomIn(&seed, 290, 350);
        id[i] = (uint32_t)i;
    }
    tlwParticleView view = {
        .count = COUNT, .position = position, .velocity = velocity, .temperature = temperature, .id = id};
    char path[128];
    snprintf(path, sizeof path, "%s/points.vdb", folder);
    assert_int_equal(tlwWriteVdbPoints(path, &view, 0.1, NULL, NULL), TLW_OK);
    tlwVdbInfo info;
    int count;
    assert_int_equal(tlwInspectVdb(path, NULL, &info, 1, &count), TLW_OK);
    assert_int_equal(count, 1);
    assert_string_equal(info.name, "particles");
    assert_int_equal(info.points, COUNT);
    assert_true(info.low[0] >= -20 && info.high[0] <= 20);
    view.count = 0;
    assert_int_equal(tlwWriteVdbPoints(path, &view, 0.1, NULL, NULL), TLW_OK);
}

static void test_unreadable_and_unwritable_files_are_named(void **state)
{
    (void)state;
    Fields f;
    makeFields(&f);
    tlwMessage message;
    tlwVdbInfo info;
    int count;
    assert_int_equal(tlwInspectVdb("/nowhere/a.vdb", &message, &info, 1, &count), TLW_BAD_FILE);
    assert_non_null(strstr(message.text, "/nowhere/a.vdb"));
    tlwVdbGrid grid = {.name = "surface", .kind = TLW_VDB_LEVEL_SET, .components = 1, .background = 0.3f};
    grid.source = tlwMakeGridSource(&f.grid, &f.tiles, f.phi);
    assert_int_equal(tlwWriteVdb("/nowhere/a.vdb", &f.tiles.set, &grid, 1, NULL, &message), TLW_WRITE_FAILED);
    assert_non_null(strstr(message.text, "/nowhere/a.vdb"));
    // A cut-off file is refused, not crashed on.
    char path[128], cut[128], *data;
    int64_t size;
    writeSurface(&f, "surface.vdb", NULL, path);
    snprintf(cut, sizeof cut, "%s/cut.vdb", folder);
    assert_int_equal(tlwReadFile(path, 0, NULL, &data, &size), TLW_OK);
    for (int part = 0; part < 8; part++) {
        tlwWriter *writer;
        assert_int_equal(tlwBeginWrite(cut, NULL, &writer), TLW_OK);
        tlwWrite(writer, data, (size_t)(size * part / 8));
        assert_int_equal(tlwEndWrite(writer, NULL), TLW_OK);
        __lsan_disable(); // OpenVDB forgets a node when it throws in the middle of a tree
        tlwResult result = tlwInspectVdb(cut, &message, &info, 1, &count);
        __lsan_enable();
        assert_int_equal(result, TLW_BAD_FILE);
    }
    tlwFree(data);
    freeFields(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids_come_back_as_they_went),
        cmocka_unit_test(test_pool_is_cut_at_the_domain_and_filled_inside),
        cmocka_unit_test(test_slice_has_the_cells_that_a_plane_goes_through),
        cmocka_unit_test(test_equal_grids_give_equal_files),
        cmocka_unit_test(test_points_come_back),
        cmocka_unit_test(test_unreadable_and_unwritable_files_are_named),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
