// Workers that stay awake from one parallel loop to the next.
//
// A time step is some thousand loops, many of them of 20 us, with stretches of serial code in between. Workers that
// oneTBB lends fall asleep in those, and to wake one takes 20 to 30 us, more than it then saves. A team's workers are
// oneTBB's too, but they serve loop after loop and go home when none has come for a while.
#ifndef TLW_BRIDGE_TEAM_HPP
#define TLW_BRIDGE_TEAM_HPP

#include <atomic>
#include <cstdint>
#include <memory>

#include <tbb/task_arena.h>

class tlwTeam {
  public:
    static constexpr int MOST = 64; // members, the caller among them

    // Does block `b` of a loop. Must not throw.
    typedef void BlockFn(const void *loop, int64_t b);

    explicit tlwTeam(int members);

    // Calls `fn` for every block in [0, blocks) on this thread and on workers of the arena, and returns when all are
    // done. False and nothing done when the team is at work already: a loop within a loop, or another thread's. Workers
    // share the team's ownership, since one that is invited may come late.
    static bool run(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks, BlockFn *fn,
                    const void *loop);

    // Workers go home now: oneTBB is about to need them.
    void dismiss();

  private:
    // Each member has a stripe of the blocks and helps others when it is done with its own, so that from loop to loop a
    // member finds much of what it needs in its own cache. Numbers of blocks go on from loop to loop and never return:
    // whoever raises `claimed` below `end` owns a block of the loop that runs now, however late it looked.
    struct alignas(64) Stripe {
        std::atomic<int64_t> claimed{0}, end{0};
        int64_t base = 0;  // number of the stripe's first block, ...
        int64_t first = 0; // ... which is this block of the loop
    };

    bool claim(Stripe &stripe, int64_t *block);
    int64_t work(Stripe &stripe);
    bool help(int member);
    bool leave(int member, int64_t seen);
    void publish(int64_t blocks);
    void serve(int member);
    static void invite(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks);

    const int members_;
    Stripe stripes_[MOST];
    alignas(64) std::atomic<int64_t> loops_{0}; // so far
    alignas(64) std::atomic<int64_t> finished_{0};
    alignas(64) std::atomic<uint64_t> present_{1}; // a bit per member; the caller is the first
    alignas(64) std::atomic<bool> busy_{false};
    std::atomic<bool> dismissed_{false};
    // Of the loop that runs:
    BlockFn *fn_ = nullptr;
    const void *loop_ = nullptr;
    unsigned rounding_ = 0; // the caller's mode of arithmetic: what a block gives must not depend on who does it
};

#endif
