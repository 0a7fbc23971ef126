// One function call on a thread of its own.
#ifndef TLW_BASE_TASK_H
#define TLW_BASE_TASK_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwTask tlwTask;
typedef void tlwTaskFn(void *context);

// Null when the system refuses.
tlwTask *tlwStartTask(tlwTaskFn *fn, void *context);
void tlwJoinTask(tlwTask *task); // waits and frees; may be null

#ifdef __cplusplus
}
#endif

#endif
