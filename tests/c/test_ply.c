// PLY files and the all-or-nothing writer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shapes.h"

#include "base/file.h"
#include "base/memory.h"
#include "shape/ply.h"
#include "shape/ply_compact.h"
#include "shape/ply_read.h"
#include "shape/ply_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int makeFolder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tallow-ply-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static char *inFolder(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static tlwResult writeMesh(const char *path, const tlwMesh *mesh, tlwMessage *message)
{
    tlwSurfaceView surface = {.vertex_count = (int)mesh->vertex_count,
                              .triangle_count = (int)mesh->triangle_count,
                              .position = mesh->positions,
                              .triangle = mesh->triangles};
    return tlwWritePlySurface(path, &surface, message);
}

static void test_mesh_comes_back(void **state)
{
    (void)state;
    char path[128];
    tlwMesh mesh = {0}, back;
    addTorus(&mesh, 1, 0.3, 20, 10);
    assert_int_equal(writeMesh(inFolder("a.ply", path), &mesh, NULL), TLW_OK);
    assert_int_equal(tlwReadPlyMesh(path, NULL, &back), TLW_OK);
    assert_int_equal(back.vertex_count, mesh.vertex_count);
    assert_int_equal(back.triangle_count, mesh.triangle_count);
    assert_memory_equal(back.positions, mesh.positions, 12 * (size_t)mesh.vertex_count);
    assert_memory_equal(back.triangles, mesh.triangles, 12 * (size_t)mesh.triangle_count);
    tlwDestroyMesh(&mesh);
    tlwDestroyMesh(&back);
    unlink(path);
}

static const char ascii_quad[] = "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement vertex 5\r\n"
                                 "property double z\r\nproperty float nx\r\nproperty short x\r\nproperty int y\r\n"
                                 "property list uchar float weights\r\n"
                                 "element material 2\r\nproperty float r\r\n"
                                 "element face 2\r\nproperty uchar flag\r\nproperty list uint ushort vertex_index\r\n"
                                 "end_header\r\n"
                                 "0.5 9 0 0 0\r\n1.5e0 9 1 0 1 7\r\n2.5 9 1 1 2 7 7\r\n3.5 9 0 1 0\r\n4.5 9 -2 3 0\r\n"
                                 "0.1\r\n0.2\r\n1 4 0 1 2 3\r\n0 3 2 1 4\r\n";

static void test_ascii_polygons_and_foreign_properties_are_read(void **state)
{
    (void)state;
    tlwMesh mesh;
    tlwMessage message = {{0}};
    if (tlwParsePlyMesh(ascii_quad, (int64_t)strlen(ascii_quad), "quad", &message, &mesh) != TLW_OK)
        fail_msg("%s", message.text);
    int32_t triangles[9] = {0, 1, 2, 0, 2, 3, 2, 1, 4};
    float last[3] = {-2, 3, 4.5f};
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.triangle_count, 3);
    assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
    assert_memory_equal(mesh.positions + 12, last, sizeof last);
    tlwDestroyMesh(&mesh);
}

// A binary file with a double position, a skipped list and a quad; returns its size.
static int64_t makeBinary(char *out)
{
    const char *head = "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\nproperty float y\n"
                       "property short z\nproperty list uchar int extra\nelement face 1\n"
                       "property list uchar uint vertex_indices\nend_header\n";
    char *p = stpcpy(out, head);
    for (int i = 0; i < 4; i++) {
        double x = i;
        float y = (float)(i * i);
        int16_t z = (int16_t)-i;
        int32_t extra = 5;
        memcpy(p, &x, 8);
        memcpy(p + 8, &y, 4);
        memcpy(p + 12, &z, 2);
        p[14] = 1;
        memcpy(p + 15, &extra, 4);
        p += 19;
    }
    uint32_t quad[4] = {0, 1, 2, 3};
    *p++ = 4;
    memcpy(p, quad, 16);
    return p + 16 - out;
}

static void test_binary_types_are_read(void **state)
{
    (void)state;
    char data[600];
    int64_t size = makeBinary(data);
    tlwMesh mesh;
    assert_int_equal(tlwParsePlyMesh(data, size, "b", NULL, &mesh), TLW_OK);
    float third[3] = {2, 4, -2};
    assert_int_equal(mesh.triangle_count, 2);
    assert_memory_equal(mesh.positions + 6, third, sizeof third);
    tlwDestroyMesh(&mesh);
}

// Parse a copy that ends exactly at the end of its memory, so that a sanitizer sees any read beyond it.
static tlwResult parseExact(const char *data, int64_t size)
{
    char *copy = malloc((size_t)size + !size);
    memcpy(copy, data, (size_t)size);
    tlwMesh mesh;
    tlwMessage message;
    tlwResult result = tlwParsePlyMesh(copy, size, "test", &message, &mesh);
    if (result != TLW_OK)
        assert_int_equal(mesh.triangle_count, 0);
    tlwDestroyMesh(&mesh);
    free(copy);
    return result;
}

static void test_cut_off_files_are_refused(void **state)
{
    (void)state;
    char data[600];
    int64_t size = makeBinary(data);
    for (int64_t length = 0; length < size; length++)
        assert_int_equal(parseExact(data, length), TLW_BAD_FILE);
    int64_t text = (int64_t)strlen(ascii_quad);
    for (int64_t length = 0; length < text - 3; length++) // the last number may lose nothing but its line end
        assert_int_equal(parseExact(ascii_quad, length), TLW_BAD_FILE);
}

static void test_damaged_files_do_not_crash(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char data[600];
        int64_t size = makeBinary(data);
        if (round & 1) {
            size = (int64_t)strlen(ascii_quad);
            memcpy(data, ascii_quad, (size_t)size);
        }
        for (int flips = 1 + round % 4; flips > 0; flips--)
            data[(int)randomIn(&seed, 0, (double)size)] = (char)randomIn(&seed, 0, 256);
        tlwResult result = parseExact(data, size);
        assert_true(result == TLW_OK || result == TLW_BAD_FILE);
    }
}

static void test_huge_counts_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    const char *files[] = {
        "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\nproperty "
        "float z\nend_header\nabc",
        "ply\nformat ascii 1.0\nelement vertex 9223372036854775807\nproperty float x\nproperty float y\nproperty float "
        "z\nend_header\n1 2 3",
        "ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\nproperty float x\nproperty float y\nproperty "
        "float z\nend_header\n1 2 3",
        "ply\nformat ascii 1.0\nelement vertex -3\nproperty float x\nend_header\n",
        "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list int int "
        "vertex_indices\nend_header\n\xff\xff\xff\x7f",
        "ply\nformat binary_big_endian 1.0\nend_header\n",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face "
        "1\n"
        "property list uchar int vertex_indices\nend_header\n1 2 3\n3 0 0 1\n",
    };
#ifndef TLW_SANITIZED // which needs the address space for itself
    struct rlimit before, tight;
    getrlimit(RLIMIT_AS, &before);
    tight = (struct rlimit){(rlim_t)1 << 32, before.rlim_max};
    setrlimit(RLIMIT_AS, &tight); // asking for what the header claims would run out of memory
#endif
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_int_equal(parseExact(files[i], (int64_t)strlen(files[i])), TLW_BAD_FILE);
#ifndef TLW_SANITIZED
    setrlimit(RLIMIT_AS, &before);
#endif
}

static void test_cache_files_have_the_documented_layout(void **state)
{
    (void)state;
    char path[128], *data;
    int64_t size;
    float position[6] = {1, 2, 3, 4, 5, 6}, velocity[6] = {7, 8, 9, 10, 11, 12}, temperature[2] = {300, 310},
          melt[2] = {0, 1}, rest[6] = {-1, -2, -3, -4, -5, -6};
    uint8_t material[2] = {3, 200};
    uint32_t id[2] = {70000, 4000000000u};
    float mass[2] = {0.25f, 0.125f};
    tlwParticleView particles = {2, position, velocity, temperature, melt, rest, material, id, mass};
    assert_int_equal(tlwWritePlyParticles(inFolder("p.ply", path), &particles, NULL), TLW_OK);
    assert_int_equal(tlwReadFile(path, 0, NULL, &data, &size), TLW_OK);
    const char *body = strstr(data, "end_header\n") + 11;
    assert_int_equal(data + size - body, 2 * 53);
    float row[12] = {4, 5, 6, 10, 11, 12, 310, 1, -4, -5, -6, 0.125f};
    assert_memory_equal(body + 53, row, 48);
    assert_int_equal((uint8_t)body[53 + 48], 200);
    assert_memory_equal(body + 53 + 49, &id[1], 4);
    tlwFree(data);
    tlwPlyInfo info;
    assert_int_equal(tlwInspectPly(path, NULL, &info), TLW_OK);
    assert_true(info.vertices == 2 && info.faces == 0 && info.has_velocity && info.has_temperature);
    unlink(path);

    int32_t triangle[3] = {0, 1, 0};
    const float materials[] = {(float)material[0], (float)material[1]};
    const tlwVertexAttribute attributes[] = {{"velocity", 3, {"vx", "vy", "vz"}, velocity},
                                             {"temperature", 1, {"temperature"}, temperature},
                                             {"melt", 1, {"melt"}, melt},
                                             {"rest_position", 3, {"rest_x", "rest_y", "rest_z"}, rest},
                                             {"material", 1, {"material"}, materials}};
    tlwSurfaceView surface = {.vertex_count = 2,
                              .triangle_count = 1,
                              .position = position,
                              .triangle = triangle,
                              .attribute_count = 5,
                              .attributes = attributes};
    assert_int_equal(tlwWritePlySurface(inFolder("m.ply", path), &surface, NULL), TLW_OK);
    assert_int_equal(tlwReadFile(path, 0, NULL, &data, &size), TLW_OK);
    body = strstr(data, "end_header\n") + 11;
    assert_int_equal(data + size - body, 2 * 48 + 13);
    float number = 200;
    assert_memory_equal(body + 48, row, 44);
    assert_memory_equal(body + 92, &number, 4);
    assert_int_equal(body[96], 3);
    assert_memory_equal(body + 97, triangle, 12);
    tlwFree(data);
    unlink(path);
}

// Rows of place, velocity and temperature.
static void assertRowsAreClose(const char *a, const char *b, int count)
{
    for (int n = 0; n < count; n++) {
        float x[7], y[7];
        memcpy(x, a + 28 * n, sizeof x);
        memcpy(y, b + 28 * n, sizeof y);
        assert_memory_equal(x, y, 12); // places are exact
        for (int i = 3; i < 7; i++)
            assert_true(fabsf(x[i] - y[i]) < (i == 6 ? 150.0f : 2.0f) / 65535);
    }
}

// Damage of any kind is one sentence.
static void assertDamageIsSaid(const char *packed, int64_t packed_size)
{
    for (int n = 0; n < 400; n++) {
        char *copy = tlwAlloc((size_t)packed_size + 1, 1), *out = NULL;
        int64_t size = n < 200 ? packed_size * n / 200 : packed_size, out_size = 0;
        tlwMessage message;
        memcpy(copy, packed, (size_t)packed_size);
        if (n >= 200)
            copy[(n - 200) * (n < 300 ? 7 : packed_size / 220) % packed_size] ^= (char)(1 + n % 255);
        if (tlwUnpackPly(copy, size, "m", &message, &out, &out_size) != TLW_OK)
            assert_non_null(strstr(message.text, "m is damaged or cut short"));
        tlwFree(out);
        tlwFree(copy);
    }
}

// A mesh with attributes, origins and seams, written in both forms.
static void test_compact_files_hold_the_same(void **state)
{
    (void)state;
    char path[128], *plain, *packed, *unpacked;
    int64_t plain_size, packed_size, unpacked_size;
    tlwMesh mesh = {0};
    addTorus(&mesh, 1, 0.3, 200, 100);
    int count = (int)mesh.vertex_count;
    float *heat = tlwAlloc((size_t)count * 4, sizeof *heat), *flow = heat + count;
    for (int n = 0; n < count; n++) {
        heat[n] = n == 3 ? 400 : 300 + 50 * sinf(0.001f * (float)n);
        for (int a = 0; a < 3; a++)
            flow[3 * n + a] = cosf(0.01f * (float)(n + a));
    }
    const tlwVertexAttribute attributes[] = {{"velocity", 3, {"vx", "vy", "vz"}, flow},
                                             {"temperature", 1, {"temperature"}, heat}};
    tlwOrigin *origins = tlwAlloc((size_t)count, sizeof *origins);
    for (int n = 0; n < count; n++)
        origins[n] =
            n % 7 ? (tlwOrigin){(uint32_t)n / 3, {(uint16_t)(n % 65536), 9}} : (tlwOrigin){.triangle = TLW_NO_ORIGIN};
    const tlwSeam seams[2] = {{5, {{1, {2, 3}}, {4, {5, 6}}, {7, {8, 65535}}}}, {9, {{70000, {0, 1}}, {0}, {0}}}};
    tlwSurfaceView surface = {.vertex_count = count,
                              .triangle_count = (int)mesh.triangle_count,
                              .position = mesh.positions,
                              .triangle = mesh.triangles,
                              .attribute_count = 2,
                              .attributes = attributes,
                              .origins = origins,
                              .seams = seams,
                              .seam_count = 2};
    assert_int_equal(tlwWritePlySurface(inFolder("m.ply", path), &surface, NULL), TLW_OK);
    assert_int_equal(tlwReadFile(path, 0, NULL, &plain, &plain_size), TLW_OK);
    assert_false(tlwIsCompactPly(plain, plain_size));
    assert_int_equal(tlwWriteCompactSurface(path, &surface, NULL), TLW_OK);
    assert_int_equal(tlwReadFile(path, 0, NULL, &packed, &packed_size), TLW_OK);
    assert_true(tlwIsCompactPly(packed, packed_size) && packed_size < plain_size / 2);
    assert_int_equal(tlwUnpackPly(packed, packed_size, "m", NULL, &unpacked, &unpacked_size), TLW_OK);
    const char *a = strstr(plain, "end_header\n") + 11, *b = strstr(unpacked, "end_header\n") + 11;
    assert_int_equal(plain + plain_size - a, unpacked + unpacked_size - b);
    assertRowsAreClose(a, b, count);
    // Faces, origins and seams are exact.
    assert_memory_equal(a + 28 * count, b + 28 * count, plain + plain_size - (a + 28 * count));
    assert_int_equal(plain + plain_size - (a + 28 * count), 13 * mesh.triangle_count + 8 * count + 2 * 28);
    tlwMesh back;
    assert_int_equal(tlwReadPlyMesh(path, NULL, &back), TLW_OK);
    assert_true(back.vertex_count == mesh.vertex_count && back.triangle_count == mesh.triangle_count);
    tlwDestroyMesh(&back);
    assertDamageIsSaid(packed, packed_size);
    tlwFree(plain);
    tlwFree(packed);
    tlwFree(unpacked);
    tlwFree(heat);
    tlwFree(origins);
    tlwDestroyMesh(&mesh);
    unlink(path);
}

static void test_compact_particles_keep_their_numbers(void **state)
{
    (void)state;
    char path[128], *packed, *plain;
    int64_t size, plain_size;
    float position[6] = {1, 2, 3, 4, 5, 6}, velocity[6] = {7, 8, 9, 10, 11, NAN}, temperature[2] = {300, 310},
          melt[2] = {0, 1}, rest[6] = {-1, -2, -3, -4, -5, -6};
    uint8_t material[2] = {3, 200};
    uint32_t id[2] = {4000000000u, 70000};
    float mass[2] = {0.1f, 0.3f};
    tlwParticleView particles = {2, position, velocity, temperature, melt, rest, material, id, mass};
    assert_int_equal(tlwWriteCompactParticles(inFolder("p.ply", path), &particles, NULL), TLW_OK);
    assert_int_equal(tlwReadFile(path, 0, NULL, &packed, &size), TLW_OK);
    assert_int_equal(tlwUnpackPly(packed, size, "p", NULL, &plain, &plain_size), TLW_OK);
    const char *body = strstr(plain, "end_header\n") + 11;
    assert_int_equal(plain + plain_size - body, 2 * 53);
    float row[5] = {4, 5, 6, 10, 11};
    assert_memory_equal(body + 53, row, sizeof row); // ends of ranges are exact
    assert_memory_equal(body + 44, &mass[0], 4);
    assert_memory_equal(body + 53 + 44, &mass[1], 4);
    assert_int_equal((uint8_t)body[53 + 48], 200);
    assert_memory_equal(body + 49, &id[0], 4);
    assert_memory_equal(body + 53 + 49, &id[1], 4);
    tlwFree(plain);
    tlwFree(packed);
    tlwPlyInfo info;
    assert_int_equal(tlwInspectPly(path, NULL, &info), TLW_OK);
    assert_true(info.vertices == 2 && info.faces == 0 && info.has_velocity && info.has_temperature);
    particles.count = 0;
    assert_int_equal(tlwWriteCompactParticles(path, &particles, NULL), TLW_OK);
    assert_int_equal(tlwInspectPly(path, NULL, &info), TLW_OK);
    assert_true(info.vertices == 0);
    unlink(path);
}

static void test_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    char path[128], temporary[128], *data;
    int64_t size;
    tlwMesh mesh = {0};
    tlwMessage message;
    addTorus(&mesh, 1, 0.3, 200, 100); // larger than the buffer
    inFolder("full.ply", path);
    tlwMesh small = {0};
    addBox(&small, (tlwVec3){0, 0, 0}, (tlwVec3){1, 1, 1});
    assert_int_equal(writeMesh(path, &small, NULL), TLW_OK);
    // /dev/full answers every write as a full disk would.
    assert_int_equal(symlink("/dev/full", inFolder("full.ply.tmp", temporary)), 0);
    assert_int_equal(writeMesh(path, &mesh, &message), TLW_WRITE_FAILED);
    assert_non_null(strstr(message.text, "The disk is full"));
    assert_non_null(strstr(message.text, path));
    assert_false(exists(temporary));
    assert_int_equal(tlwReadFile(path, 0, NULL, &data, &size), TLW_OK);
    assert_non_null(strstr(data, "element vertex 8\n"));
    tlwFree(data);
    tlwDestroyMesh(&mesh);
    tlwDestroyMesh(&small);
    unlink(path);
}

static void test_folders_that_cannot_be_written_are_named(void **state)
{
    (void)state;
    char path[160], file[128];
    tlwMessage message;
    tlwWriter *writer;
    snprintf(path, sizeof path, "%s/missing/a.ply", folder);
    assert_int_equal(tlwBeginWrite(path, &message, &writer), TLW_WRITE_FAILED);
    assert_null(writer);
    assert_non_null(strstr(message.text, "its folder does not exist"));
    assert_int_equal(tlwBeginWrite(inFolder("plain", file), NULL, &writer), TLW_OK);
    tlwWriteText(writer, "%s %d", "hello", 5);
    assert_int_equal(tlwEndWrite(writer, NULL), TLW_OK);
    snprintf(path, sizeof path, "%s/plain/sub", folder);
    assert_int_equal(tlwMakeFolder(path, &message), TLW_WRITE_FAILED);
    snprintf(path, sizeof path, "%s/one/two//three", folder);
    assert_int_equal(tlwMakeFolder(path, NULL), TLW_OK);
    assert_int_equal(tlwMakeFolder(path, NULL), TLW_OK);
    assert_int_equal(rmdir(path), 0);
    snprintf(path, sizeof path, "%s/one/two", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/one", folder);
    rmdir(path);
    unlink(file);
    // Renaming onto a folder fails at the very end; the temporary file goes away all the same.
    snprintf(path, sizeof path, "%s/taken", folder);
    assert_int_equal(tlwMakeFolder(path, NULL), TLW_OK);
    assert_int_equal(tlwBeginWrite(path, NULL, &writer), TLW_OK);
    assert_int_equal(tlwEndWrite(writer, &message), TLW_WRITE_FAILED);
    char temporary[128];
    assert_false(exists(inFolder("taken.tmp", temporary)));
    rmdir(path);
}

static void test_abandoned_writes_leave_nothing(void **state)
{
    (void)state;
    char path[128], temporary[128];
    tlwWriter *writer;
    assert_int_equal(tlwBeginWrite(inFolder("x", path), NULL, &writer), TLW_OK);
    tlwWrite(writer, "abc", 3);
    tlwAbortWrite(writer);
    assert_false(exists(path));
    assert_false(exists(inFolder("x.tmp", temporary)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_comes_back),
        cmocka_unit_test(test_ascii_polygons_and_foreign_properties_are_read),
        cmocka_unit_test(test_binary_types_are_read),
        cmocka_unit_test(test_cut_off_files_are_refused),
        cmocka_unit_test(test_damaged_files_do_not_crash),
        cmocka_unit_test(test_huge_counts_are_refused_before_memory_is_taken),
        cmocka_unit_test(test_cache_files_have_the_documented_layout),
        cmocka_unit_test(test_compact_files_hold_the_same),
        cmocka_unit_test(test_compact_particles_keep_their_numbers),
        cmocka_unit_test(test_full_disk_leaves_the_old_file),
        cmocka_unit_test(test_folders_that_cannot_be_written_are_named),
        cmocka_unit_test(test_abandoned_writes_leave_nothing),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
