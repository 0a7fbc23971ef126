#include "base/context.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

#define TLW_CONTEXT_COOKIE (0x7A110001 ^ TLW_ABI_VERSION)

tlwContextDef tlwDefaultContextDef(void)
{
    return (tlwContextDef){.cookie = TLW_CONTEXT_COOKIE};
}

const char *tlwGetVersion(void)
{
    return TLW_VERSION_STRING;
}

int tlwGetAbiVersion(void)
{
    return TLW_ABI_VERSION;
}

tlwResult tlwCreateContext(const tlwContextDef *def, tlwContext **context)
{
    if (!def || !context || def->cookie != TLW_CONTEXT_COOKIE || def->threads < 0)
        return TLW_BAD_ARGUMENT;
    tlwContext *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return TLW_OUT_OF_MEMORY;
    made->def = *def;
    made->threads = tlwCreateThreads(def->threads);
    if (!made->threads) {
        tlwFree(made);
        return TLW_OUT_OF_MEMORY;
    }
    *context = made;
    return TLW_OK;
}

void tlwDestroyContext(tlwContext *context)
{
    if (!context)
        return;
    tlwDestroyThreads(context->threads);
    tlwFree(context);
}

const char *tlwGetMessage(const tlwContext *context)
{
    return context ? context->message.text : "There is no Tallow context.";
}

void tlwLog(const tlwContext *context, tlwLogLevel level, const char *format, ...)
{
    if (!context->def.log)
        return;
    char text[TLW_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->def.log(context->def.user, level, text);
}

bool tlwIsCancelled(const tlwContext *context)
{
    return context->def.cancel && context->def.cancel(context->def.user);
}

void tlwReportProgress(const tlwContext *context, double done, const char *stage)
{
    if (context->def.progress)
        context->def.progress(context->def.user, done, stage);
}
