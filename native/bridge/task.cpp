// base/task.h on the standard library's threads.
#include "base/task.h"

#include <thread>

struct tlwTask {
    std::thread thread;
};

tlwTask *tlwStartTask(tlwTaskFn *fn, void *context)
{
    try {
        return new tlwTask{std::thread(fn, context)};
    } catch (...) {
        return nullptr;
    }
}

void tlwJoinTask(tlwTask *task)
{
    if (!task)
        return;
    task->thread.join();
    delete task;
}
