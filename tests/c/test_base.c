// The base layer: vectors, memory, parallel loops, messages.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/vec.h"

static void test_rotation_vector_round_trip(void **state)
{
    (void)state;
    tlwVec3 v = {0.3, -1.1, 0.7};
    tlwVec3 back = tlwRotationVectorFromQuat(tlwQuatFromRotationVector(v));
    assert_true(tlwLength(tlwSub(v, back)) < 1e-12);
    tlwQuat half = tlwSlerp((tlwQuat){1, 0, 0, 0}, tlwQuatFromRotationVector(v), 0.5);
    assert_true(tlwLength(tlwSub(tlwRotationVectorFromQuat(half), tlwScale(v, 0.5))) < 1e-12);
}

static void test_inverse_undoes_matrix(void **state)
{
    (void)state;
    tlwMat3 a = {{{2, 1, 0}, {0.5, 3, -1}, {1, 0, 4}}};
    tlwMat3 id = tlwMat3Mul(a, tlwMat3Inverse(a));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(id.m[i][j] - (i == j)) < 1e-13);
}

static double sumOfInverses(void *context, int64_t begin, int64_t end)
{
    (void)context;
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += 1.0 / (double)(i + 1);
    return sum;
}

static void test_sum_is_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    double reference = tlwParallelSum(NULL, 1000003, 1000, sumOfInverses, NULL);
    for (int n = 1; n <= 5; n++) {
        tlwThreads *threads = tlwCreateThreads(n);
        assert_true(tlwParallelSum(threads, 1000003, 1000, sumOfInverses, NULL) == reference);
        tlwDestroyThreads(threads);
    }
}

static void test_pages_are_zero_and_cost_nothing_until_written(void **state)
{
    (void)state;
    size_t bytes = (size_t)1 << 36;
    char *block = tlwAllocPages(bytes);
    assert_non_null(block);
    assert_int_equal(block[bytes / 2], 0);
    block[bytes - 1] = 1;
    assert_true(tlwGetPeakMemory() < (int64_t)1 << 32);
    tlwFreePages(block);
}

static void test_pages_keep_what_they_hold_when_they_grow(void **state)
{
    (void)state;
    size_t bytes = 10000, more = 3000000;
    char *block = tlwGrowPages(NULL, bytes);
    assert_non_null(block);
    for (size_t i = 0; i < bytes; i++)
        block[i] = (char)(i % 101);
    block = tlwGrowPages(block, more);
    assert_non_null(block);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(block[i], (char)(i % 101));
    assert_int_equal(block[more - 1], 0);
    block[more - 1] = 1;
    tlwReleasePages(NULL, (void *[]){block, NULL}, 2);
    assert_int_equal(block[more - 1], 0);
    assert_int_equal(block[5], 0);
    tlwFreePages(block);
}

static void test_blocks_of_whole_pages_grow(void **state)
{
    (void)state;
    for (size_t pages = 1; pages < 40; pages++) {
        char *block = tlwGrowPages(NULL, pages * 4096);
        assert_non_null(block);
        block = tlwGrowPages(block, 2 * pages * 4096);
        assert_non_null(block);
        tlwFreePages(block);
    }
}

// Pages that were written, in a pattern of its own for every round.
static void scribble(char *block, size_t bytes, int round)
{
    for (size_t i = (size_t)round * 97; i < bytes; i += 4096 * (size_t)(1 + round % 5))
        block[i] = (char)(1 + round);
    block[bytes - 1] = 1;
    block[0] = 1;
}

static void assertZero(const char *block, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (block[i])
            fail_msg("byte %zu of %zu is %d", i, bytes, block[i]);
}

static void test_pages_that_come_back_are_zero(void **state)
{
    (void)state;
    tlwThreads *threads = tlwCreateThreads(2);
    for (int round = 0; round < 90; round++) {
        size_t bytes = 70000 + (size_t)(round % 3) * 500001;
        char *sparse[2] = {tlwAllocPages(bytes), tlwAllocPages(bytes)}, *dense = tlwAllocDense(bytes);
        char *scratch = tlwAllocScratch(bytes);
        assertZero(sparse[0], bytes);
        assertZero(sparse[1], bytes);
        assertZero(dense, bytes);
        scribble(sparse[0], bytes, round);
        scribble(dense, bytes, round);
        memset(scratch, 1, bytes);
        tlwFreePages(sparse[0]);
        tlwFreePages(sparse[1]);
        tlwFreePages(dense);
        tlwFreePages(scratch);
        if (round % 2)
            tlwCleanPages(threads);
    }
    tlwDestroyThreads(threads);
}

static int64_t residentBytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return resident * 4096;
}

static void test_pages_are_kept_or_given_back(void **state)
{
    (void)state;
    const size_t bytes = (size_t)64 << 20;
    tlwDropPages();
    int64_t before = residentBytes();
    for (int keep = 1; keep >= 0; keep--) {
        tlwKeepPages(keep);
        char *block = tlwAllocPages(bytes);
        memset(block, 1, bytes);
        tlwFreePages(block);
        tlwCleanPages(NULL);
        int64_t held = residentBytes() - before;
        assert_true(keep ? held > (int64_t)bytes / 2 : held < (int64_t)bytes / 2);
    }
    tlwKeepPages(true);
    char *block = tlwAllocPages(bytes);
    memset(block, 1, bytes);
    tlwFreePages(block);
    for (int round = 0; round < 40; round++) // nobody wants it
        tlwCleanPages(NULL);
    assert_true(residentBytes() - before < (int64_t)bytes / 2);
}

// Windows change from step to step: a sparse block serves who asks for more or for less than its last user.
static void test_pages_serve_blocks_of_other_sizes(void **state)
{
    (void)state;
    const size_t most[] = {8 << 20, 13 << 20, 9 << 20, 20 << 20, 12 << 20}, written = 6 << 20;
    tlwDropPages();
    for (int n = 0; n < 5; n++) {
        struct rusage before, after;
        char *block = tlwAllocPages(most[n]);
        assert_non_null(block);
        getrusage(RUSAGE_SELF, &before);
        memset(block, 1 + n, written);
        getrusage(RUSAGE_SELF, &after);
        if (n > 0)
            assert_true(after.ru_minflt - before.ru_minflt < (long)(written / 4096 / 8));
        assertZero(block + written, most[n] - written);
        tlwFreePages(block);
        if (n % 2)
            tlwCleanPages(NULL);
    }
    tlwDropPages();
}

// A child has the blocks that its parent kept, but not its parent's list of pages.
static void test_pages_that_come_back_are_zero_in_a_child(void **state)
{
    (void)state;
    const size_t bytes = (size_t)1 << 20;
    char *block = tlwAllocPages(bytes);
    scribble(block, bytes, 3);
    tlwFreePages(block);
    pid_t child = fork();
    if (child == 0) {
        bool zero = true;
        for (int round = 0; round < 4; round++) {
            char *again = tlwAllocPages(bytes);
            for (size_t i = 0; i < bytes; i++)
                zero = zero && again[i] == 0;
            scribble(again, bytes, 4 + round);
            tlwFreePages(again);
        }
        _exit(zero ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_large_blocks_begin_at_different_places_in_a_page(void **state)
{
    (void)state;
    enum { BLOCKS = 32 };
    size_t bytes = 1 << 20;
    char *blocks[BLOCKS];
    for (int n = 0; n < BLOCKS; n++) {
        blocks[n] = tlwAllocPages(bytes);
        assert_int_equal((uintptr_t)blocks[n] % 64, 0);
        for (int m = 0; m < n; m++)
            assert_int_not_equal((uintptr_t)blocks[n] % 4096, (uintptr_t)blocks[m] % 4096);
        blocks[n][bytes - 1] = 1;
    }
    for (int n = 0; n < BLOCKS; n++)
        tlwFreePages(blocks[n]);
}

static void test_context_refuses_a_def_without_cookie(void **state)
{
    (void)state;
    tlwContextDef def = {0};
    tlwContext *context = NULL;
    assert_int_equal(tlwCreateContext(&def, &context), TLW_BAD_ARGUMENT);
    assert_null(context);
    def = tlwDefaultContextDef();
    assert_int_equal(tlwCreateContext(&def, &context), TLW_OK);
    tlwDestroyContext(context);
}

static void test_message_is_bounded(void **state)
{
    (void)state;
    char longer[2000];
    for (size_t i = 0; i < sizeof longer - 1; i++)
        longer[i] = 'a';
    longer[sizeof longer - 1] = 0;
    tlwMessage message;
    assert_int_equal(tlwFail(&message, TLW_BAD_FILE, "%s", longer), TLW_BAD_FILE);
    assert_int_equal(message.text[TLW_MESSAGE_SIZE - 1], 0);
}

// A bake is started by Blender, which is large.
static void test_peak_memory_is_not_that_of_the_program_that_started_this_one(void **state)
{
    (void)state;
    size_t bytes = (size_t)256 << 20;
    unsigned char *ballast = tlwAllocPages(bytes);
    assert_non_null(ballast);
    memset(ballast, 1, bytes);
    assert_true(tlwGetPeakMemory() >= (int64_t)bytes);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_base", "--small", (char *)NULL);
        _exit(2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    tlwFreePages(ballast);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--small"))
        return tlwGetPeakMemory() < (int64_t)200 << 20 ? 0 : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_vector_round_trip),
        cmocka_unit_test(test_inverse_undoes_matrix),
        cmocka_unit_test(test_sum_is_the_same_bits_for_any_thread_count),
        cmocka_unit_test(test_pages_are_zero_and_cost_nothing_until_written),
        cmocka_unit_test(test_pages_keep_what_they_hold_when_they_grow),
        cmocka_unit_test(test_blocks_of_whole_pages_grow),
        cmocka_unit_test(test_pages_that_come_back_are_zero),
        cmocka_unit_test(test_pages_are_kept_or_given_back),
        cmocka_unit_test(test_pages_serve_blocks_of_other_sizes),
        cmocka_unit_test(test_pages_that_come_back_are_zero_in_a_child),
        cmocka_unit_test(test_large_blocks_begin_at_different_places_in_a_page),
        cmocka_unit_test(test_context_refuses_a_def_without_cookie),
        cmocka_unit_test(test_message_is_bounded),
        cmocka_unit_test(test_peak_memory_is_not_that_of_the_program_that_started_this_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
