// Checkpoint files: what goes in comes out, and damage is noticed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/state.h"
#include "folders.h"

static char folder[256], path[300];

static int setUp(void **state)
{
    (void)state;
    makeTemporaryFolder(folder);
    snprintf(path, sizeof path, "%s/state_000001.tlw", folder);
    return 0;
}

static int tearDown(void **state)
{
    (void)state;
    removeFolder(folder);
    return 0;
}

static void writeState(int fill)
{
    tlwMessage message = {""};
    tlwStateWriter *writer = NULL;
    double numbers[60];
    for (int i = 0; i < 60; i++)
        numbers[i] = fill + i;
    tlwStateHeader header = {UINT64_C(0x123456789abcdef0), 17};
    assert_int_equal(tlwBeginState(path, &header, &message, &writer), TLW_OK);
    tlwPutSection(writer, "numbers", numbers, sizeof numbers);
    tlwPutSection(writer, "nothing", NULL, 0);
    tlwPutSection(writer, "text", "hello", 5);
    assert_int_equal(tlwEndState(writer, &message), TLW_OK);
}

// Everything a loader does; TLW_OK only when all of it fits.
static tlwResult readState(int fill)
{
    tlwMessage message = {""};
    tlwStateReader *reader = NULL;
    TLW_TRY(tlwOpenState(path, &message, &reader));
    double numbers[60] = {0};
    tlwResult result = tlwVerifyState(reader, &message);
    if (result == TLW_OK)
        result = tlwGetSection(reader, "numbers", numbers, sizeof numbers, &message);
    if (result == TLW_OK) {
        assert_true(numbers[59] == fill + 59);
        assert_true(tlwGetStateHeader(reader).scene_hash == UINT64_C(0x123456789abcdef0));
        assert_int_equal(tlwGetStateHeader(reader).frame, 17);
    } else {
        assert_true(strlen(message.text) > 10);
    }
    tlwCloseState(reader);
    return result;
}

static void test_sections_come_back(void **state)
{
    (void)state;
    writeState(5);
    assert_int_equal(readState(5), TLW_OK);
    tlwMessage message = {""};
    tlwStateReader *reader = NULL;
    assert_int_equal(tlwOpenState(path, &message, &reader), TLW_OK);
    assert_int_equal(tlwGetSectionCount(reader), 3);
    assert_int_equal(tlwGetSectionSize(reader, "nothing"), 0);
    assert_int_equal(tlwGetSectionSize(reader, "missing"), -1);
    char text[5];
    assert_int_equal(tlwGetSection(reader, "text", text, 5, &message), TLW_OK);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(tlwGetSection(reader, "text", text, 4, &message), TLW_BAD_FILE);
    void *block = NULL;
    int64_t count = 0;
    assert_int_equal(tlwLoadSection(reader, "numbers", sizeof(double), &block, &count, &message), TLW_OK);
    assert_int_equal(count, 60);
    tlwFree(block);
    assert_int_equal(tlwLoadSection(reader, "text", sizeof(double), &block, &count, &message), TLW_BAD_FILE);
    assert_int_equal(tlwLoadSection(reader, "missing", 1, &block, &count, &message), TLW_BAD_FILE);
    tlwCloseState(reader);
}

static void test_large_sections_are_checked_in_parts(void **state)
{
    (void)state;
    size_t size = (size_t)3000001;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7);
    tlwMessage message = {""};
    tlwStateWriter *writer = NULL;
    assert_int_equal(tlwBeginState(path, &(tlwStateHeader){1, 1}, &message, &writer), TLW_OK);
    tlwPutSection(writer, "large", bytes, size);
    assert_int_equal(tlwEndState(writer, &message), TLW_OK);
    tlwStateReader *reader = NULL;
    assert_int_equal(tlwOpenState(path, &message, &reader), TLW_OK);
    assert_int_equal(tlwVerifyState(reader, &message), TLW_OK);
    void *back = NULL;
    int64_t count = 0;
    assert_int_equal(tlwLoadSection(reader, "large", 1, &back, &count, &message), TLW_OK);
    assert_memory_equal(back, bytes, size);
    tlwFree(back);
    tlwCloseState(reader);
    free(bytes);
}

static char *readBytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void test_any_flipped_bit_is_noticed(void **state)
{
    (void)state;
    writeState(5);
    size_t size;
    char *bytes = readBytes(&size);
    for (size_t i = 0; i < size; i++) {
        char kept = bytes[i];
        bytes[i] = (char)(kept ^ (1 << (i % 8)));
        writeText(folder, "state_000001.tlw", bytes, size);
        assert_int_equal(readState(5), TLW_BAD_FILE);
        bytes[i] = kept;
    }
    free(bytes);
}

static void test_any_cut_or_longer_file_is_noticed(void **state)
{
    (void)state;
    writeState(5);
    size_t size;
    char *bytes = readBytes(&size);
    for (size_t i = 0; i < size; i++) {
        writeText(folder, "state_000001.tlw", bytes, i);
        assert_int_equal(readState(5), TLW_BAD_FILE);
    }
    bytes[size] = 0;
    writeText(folder, "state_000001.tlw", bytes, size + 1);
    assert_int_equal(readState(5), TLW_BAD_FILE);
    free(bytes);
}

static void test_sizes_of_a_forged_table_are_not_trusted(void **state)
{
    (void)state;
    // A header of ours followed by noise that ends in a trailer with a huge count.
    writeState(5);
    size_t size;
    char *bytes = readBytes(&size);
    uint64_t huge = UINT64_MAX / 2;
    memcpy(bytes + size - 24, &huge, 8); // section count
    writeText(folder, "state_000001.tlw", bytes, size);
    assert_int_equal(readState(5), TLW_BAD_FILE);
    memcpy(bytes + size - 32, &huge, 8); // table offset
    writeText(folder, "state_000001.tlw", bytes, size);
    assert_int_equal(readState(5), TLW_BAD_FILE);
    free(bytes);
}

static void test_an_unfinished_state_leaves_the_old_one(void **state)
{
    (void)state;
    writeState(5);
    tlwMessage message = {""};
    tlwStateWriter *writer = NULL;
    assert_int_equal(tlwBeginState(path, &(tlwStateHeader){1, 1}, &message, &writer), TLW_OK);
    tlwPutSection(writer, "numbers", "x", 1);
    tlwAbortState(writer);
    assert_int_equal(readState(5), TLW_OK);
    char temporary[310];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    assert_int_not_equal(access(temporary, F_OK), 0);
    // Misuse is told, too.
    assert_int_equal(tlwBeginState(path, &(tlwStateHeader){1, 1}, &message, &writer), TLW_OK);
    tlwPutSection(writer, "twice", "x", 1);
    tlwPutSection(writer, "twice", "x", 1);
    assert_int_equal(tlwEndState(writer, &message), TLW_INTERNAL);
    assert_int_equal(readState(5), TLW_OK);
}

static void test_places_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    tlwMessage message = {""};
    tlwStateWriter *writer = NULL;
    tlwStateHeader header = {1, 1};
    assert_int_equal(tlwBeginState("/proc/nothing/state.tlw", &header, &message, &writer), TLW_WRITE_FAILED);
    writeState(5);
    char below[400];
    snprintf(below, sizeof below, "%s/below.tlw", path);
    assert_int_equal(tlwBeginState(below, &header, &message, &writer), TLW_WRITE_FAILED);
    assert_null(writer);
    tlwStateReader *reader = NULL;
    assert_int_equal(tlwOpenState(folder, &message, &reader), TLW_BAD_FILE);
    assert_int_equal(tlwOpenState("/nowhere/x.tlw", &message, &reader), TLW_BAD_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sections_come_back, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_large_sections_are_checked_in_parts, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_any_flipped_bit_is_noticed, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_any_cut_or_longer_file_is_noticed, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_sizes_of_a_forged_table_are_not_trusted, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_an_unfinished_state_leaves_the_old_one, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_places_that_cannot_be_written_are_refused, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
