#include "bridge/team.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds PATIENCE{200}; // longer than most serial stretches of a step
constexpr int PAUSES = 32;                         // between looks at the clock
constexpr int PAUSES_MOST = 4096;                  // until the caller lets others run: a worker may have lost its core

void pauseCore()
{
#if defined(__x86_64__)
    _mm_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

} // namespace

tlwTeam::tlwTeam(int members) : members_(std::min(std::max(members, 1), MOST))
{
}

bool tlwTeam::claim(Stripe &stripe, int64_t *block)
{
    int64_t end = stripe.end.load(std::memory_order_acquire); // what publish() wrote before is seen from here on
    int64_t next = stripe.claimed.load(std::memory_order_relaxed);
    while (next < end)
        if (stripe.claimed.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) {
            *block = stripe.first + (next - stripe.base);
            return true;
        }
    return false;
}

// One block, of the member's own stripe while there is one. False when none is left.
bool tlwTeam::help(int member)
{
    int64_t block;
    for (int n = 0; n < members_; n++)
        if (claim(stripes_[(member + n) % members_], &block)) {
            fn_(loop_, block);
            finished_.fetch_add(1, std::memory_order_release);
            return true;
        }
    return false;
}

void tlwTeam::publish(int64_t blocks)
{
    for (int m = 0; m < members_; m++) {
        Stripe &stripe = stripes_[m];
        int64_t begin = blocks * m / members_, end = blocks * (m + 1) / members_;
        stripe.first = begin;
        stripe.base = stripe.end.load(std::memory_order_relaxed);
        stripe.end.store(stripe.base + (end - begin), std::memory_order_release);
    }
    loops_.fetch_add(1, std::memory_order_release);
}

void tlwTeam::serve(int member)
{
    Clock::time_point last = Clock::now();
    do {
        int64_t seen = loops_.load(std::memory_order_acquire);
        bool helped = false;
        while (help(member))
            helped = true;
        if (helped)
            last = Clock::now();
        for (int n = 0; n < PAUSES && loops_.load(std::memory_order_relaxed) == seen; n++)
            pauseCore();
    } while (!dismissed_.load(std::memory_order_relaxed) && Clock::now() - last < PATIENCE);
    present_.fetch_and(~(uint64_t(1) << member), std::memory_order_release);
}

// Of those who are away, as many as there are blocks for.
void tlwTeam::invite(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks)
{
    int wanted = (int)std::min<int64_t>(team->members_, blocks);
    for (int m = 1; m < wanted; m++) {
        uint64_t bit = uint64_t(1) << m;
        if (!(team->present_.load(std::memory_order_relaxed) & bit) && !(team->present_.fetch_or(bit) & bit))
            try {
                arena.enqueue([team, m] { team->serve(m); });
            } catch (...) { // out of memory: the others do the work
                team->present_.fetch_and(~bit);
                return;
            }
    }
}

bool tlwTeam::run(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks, BlockFn *fn,
                  const void *loop)
{
    if (team->busy_.exchange(true, std::memory_order_acquire))
        return false;
    team->dismissed_.store(false, std::memory_order_relaxed);
    team->fn_ = fn;
    team->loop_ = loop;
    int64_t target = team->finished_.load(std::memory_order_relaxed) + blocks;
    team->publish(blocks);
    int64_t left = blocks;
    do // every time: a worker may have gone home just before
        invite(team, arena, left--);
    while (team->help(0));
    for (int n = 0; team->finished_.load(std::memory_order_acquire) != target; n++)
        if (n < PAUSES_MOST)
            pauseCore();
        else
            std::this_thread::yield();
    team->busy_.store(false, std::memory_order_release);
    return true;
}

void tlwTeam::dismiss()
{
    dismissed_.store(true, std::memory_order_relaxed);
}
