#include "bridge/team.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds PATIENCE{200}; // a worker's wait for a loop: longer than most serial code of a step
constexpr int PAUSES = 32;                         // between two readings of the clock
constexpr int PAUSES_MOST = 4096;                  // then the caller yields: a worker may have lost its core

#if defined(__x86_64__)

void pauseCore()
{
    _mm_pause();
}

// The floating-point mode: how numbers are rounded, and whether denormal ones count as zero.
unsigned getRounding()
{
    return _mm_getcsr();
}

void setRounding(unsigned rounding)
{
    _mm_setcsr(rounding);
}

#else

void pauseCore()
{
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

unsigned getRounding()
{
    return 0;
}

void setRounding(unsigned)
{
}

#endif

} // namespace

tlwTeam::tlwTeam(int members) : members_(std::min(std::max(members, 1), MOST))
{
}

bool tlwTeam::claim(Stripe &stripe, int64_t *block)
{
    int64_t end = stripe.end.load(std::memory_order_acquire); // makes what publish() wrote before `end` visible
    int64_t next = stripe.claimed.load(std::memory_order_relaxed);
    while (next < end)
        if (stripe.claimed.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) {
            *block = stripe.first + (next - stripe.base);
            return true;
        }
    return false;
}

// Do the remaining blocks of a stripe. Returns their number.
int64_t tlwTeam::work(Stripe &stripe)
{
    int64_t block, done = 0;
    for (; claim(stripe, &block); done++) {
        if (!done)
            setRounding(rounding_);
        fn_(loop_, block);
    }
    return done;
}

// Do the remaining blocks of all stripes, the member's own first. False when there were none.
bool tlwTeam::help(int member)
{
    int64_t done = 0;
    for (int n = 0; n < members_; n++)
        done += work(stripes_[(member + n) % members_]);
    if (done)
        finished_.fetch_add(done, std::memory_order_release);
    return done > 0;
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
    loops_.fetch_add(1);
}

// Leave the team. False when a new loop was published meanwhile: its publisher may have counted on this member.
bool tlwTeam::leave(int member, int64_t seen)
{
    const uint64_t bit = uint64_t(1) << member;
    present_.fetch_and(~bit);
    return loops_.load() == seen || (present_.fetch_or(bit) & bit);
}

void tlwTeam::serve(int member)
{
    Clock::time_point last = Clock::now();
    int64_t seen;
    do {
        seen = loops_.load(std::memory_order_acquire);
        if (help(member))
            last = Clock::now();
        for (int n = 0; n < PAUSES && loops_.load(std::memory_order_relaxed) == seen; n++)
            pauseCore();
    } while ((!dismissed_.load(std::memory_order_relaxed) && Clock::now() - last < PATIENCE) || !leave(member, seen));
}

// Call absent members back, as many as there are blocks for.
void tlwTeam::invite(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks)
{
    int wanted = (int)std::min<int64_t>(team->members_, blocks);
    for (int m = 1; m < wanted; m++) {
        uint64_t bit = uint64_t(1) << m;
        if (!(team->present_.load() & bit) && !(team->present_.fetch_or(bit) & bit))
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
    team->rounding_ = getRounding();
    int64_t target = team->finished_.load(std::memory_order_relaxed) + blocks;
    team->publish(blocks);
    invite(team, arena, blocks);
    team->help(0);
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
