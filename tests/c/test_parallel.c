// Parallel loops: every item once, the same bits on any number of threads, wherever a loop is called from.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#include "base/parallel.h"

#define MOST 4096

static void countRange(void *context, int64_t begin, int64_t end)
{
    int *visits = context; // items of a block are its own
    for (int64_t i = begin; i < end; i++)
        visits[i]++;
}

static void sleepFor(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

// Loops of all lengths, most of them close together and some after workers went home.
static void visitAll(tlwThreads *threads, int rounds)
{
    static _Thread_local int visits[MOST];
    for (int round = 0; round < rounds; round++) {
        int64_t count = 1 + (round * 37) % MOST, block = 1 + round % 7;
        for (int64_t i = 0; i < count; i++)
            visits[i] = 0;
        tlwParallelFor(threads, count, block, countRange, visits);
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(visits[i], 1);
        if (round % 50 == 0)
            sleepFor(400000);
    }
}

static void test_every_item_is_visited_once(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n += 2) {
        tlwThreads *threads = tlwCreateThreads(n);
        visitAll(threads, 600);
        tlwDestroyThreads(threads);
    }
}

typedef struct Outer {
    tlwThreads *threads;
    int visits[64][32];
} Outer;

static void outerRange(void *context, int64_t begin, int64_t end)
{
    Outer *outer = context;
    for (int64_t i = begin; i < end; i++)
        tlwParallelFor(outer->threads, 32, 3, countRange, outer->visits[i]);
}

static void test_a_loop_may_hold_another(void **state)
{
    (void)state;
    Outer *outer = calloc(1, sizeof *outer);
    outer->threads = tlwCreateThreads(3);
    tlwParallelFor(outer->threads, 64, 1, outerRange, outer);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 32; j++)
            assert_int_equal(outer->visits[i][j], 1);
    tlwDestroyThreads(outer->threads);
    free(outer);
}

static void *callAlong(void *threads)
{
    visitAll(threads, 400);
    return NULL;
}

static void test_two_callers_share_one_handle(void **state)
{
    (void)state;
    tlwThreads *threads = tlwCreateThreads(2);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, callAlong, threads), 0);
    visitAll(threads, 400);
    pthread_join(other, NULL);
    tlwDestroyThreads(threads);
}

static void test_handles_come_and_go(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n++) {
        tlwThreads *threads = tlwCreateThreads(2 + n % 3);
        visitAll(threads, 3);
        tlwDestroyThreads(threads); // while workers still wait for more
    }
}

typedef struct Meeting {
    int here; // threads that are in a block
} Meeting;

// Each block waits until the other one runs too. Where that never happens, the alarm ends the test.
static double meetRange(void *context, int64_t begin, int64_t end)
{
    Meeting *meeting = context;
    (void)begin;
    (void)end;
    __atomic_fetch_add(&meeting->here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&meeting->here, __ATOMIC_SEQ_CST) % 2)
        sched_yield(); // the other may need this core
    return 1;
}

static void test_two_threads_work_at_once_also_after_a_pause(void **state)
{
    (void)state;
    tlwThreads *threads = tlwCreateThreads(2);
    for (int n = 0; n < 40; n++) {
        Meeting meeting = {0};
        assert_true(tlwParallelSum(threads, 2, 1, meetRange, &meeting) == 2);
        sleepFor(n % 4 * 200000);
    }
    tlwDestroyThreads(threads);
}

// 1 when tiny numbers are kept in this block, 0 when they are zero.
static double tinyRange(void *context, int64_t begin, int64_t end)
{
    volatile float tiny = 1e-30f;
    (void)context;
    (void)begin;
    (void)end;
    sleepFor(100000);
    tiny *= 1e-10f;
    return tiny != 0;
}

static void test_all_threads_calculate_as_the_caller_does(void **state)
{
    (void)state;
#if defined(__x86_64__)
    tlwThreads *threads = tlwCreateThreads(2);
    const unsigned mode = _mm_getcsr(), flush = 0x8000;
    for (int n = 0; n < 6; n++) {
        _mm_setcsr(n % 2 ? mode | flush : mode & ~flush);
        double kept = tlwParallelSum(threads, 20, 1, tinyRange, NULL);
        _mm_setcsr(mode);
        assert_true(kept == (n % 2 ? 0 : 20));
    }
    tlwDestroyThreads(threads);
#endif
}

int main(void)
{
    alarm(1200); // loops that never end fail
    const struct CMUnitTest tests[] = {
        // The first two need a worker that comes soon. test_handles_come_and_go leaves two hundred invitations behind,
        // which the workers of a busy machine answer one by one before they come to anybody else.
        cmocka_unit_test(test_two_threads_work_at_once_also_after_a_pause),
        cmocka_unit_test(test_all_threads_calculate_as_the_caller_does),
        cmocka_unit_test(test_every_item_is_visited_once),
        cmocka_unit_test(test_a_loop_may_hold_another),
        cmocka_unit_test(test_two_callers_share_one_handle),
        cmocka_unit_test(test_handles_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
