// The context: callbacks, threads and the last message. Every other handle is created from one.
#ifndef TLW_BASE_CONTEXT_H
#define TLW_BASE_CONTEXT_H

#include "base/parallel.h"
#include "base/result.h"

struct tlwContext {
    tlwContextDef def;
    tlwThreads *threads;
    tlwMessage message;
};

void tlwLog(const tlwContext *context, tlwLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool tlwIsCancelled(const tlwContext *context);
void tlwReportProgress(const tlwContext *context, double done, const char *stage);

#endif
