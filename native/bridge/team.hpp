// Workers that stay awake from one parallel loop to the next.
//
// A time step has some thousand loops, many of 20 us, with serial code in between. During serial code oneTBB's workers
// fall asleep. Waking a worker takes 20 to 30 us, more than the worker then saves. A team's workers are oneTBB's too,
// but they stay awake for loop after loop and leave the team when no loop has come for a while.
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
    // done. Does nothing and returns false when the team is busy with an outer loop or another thread's. Workers share
    // ownership of the team, because an invited worker may arrive after the loop.
    static bool run(const std::shared_ptr<tlwTeam> &team, tbb::task_arena &arena, int64_t blocks, BlockFn *fn,
                    const void *loop);

    // Makes the workers leave, because oneTBB is about to need them.
    void dismiss();

  private:
    // Each member has a stripe of the blocks, so that from loop to loop it finds much of its data in its own cache. A
    // member that is done with its stripe helps others. Block numbers continue from loop to loop and never repeat. So a
    // member that raises `claimed` while it is below `end` owns a block of the running loop, even if it read `end`
    // late.
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
    unsigned rounding_ = 0; // the caller's floating-point mode: a block's result must not depend on the thread
};

#endif
