#include "cache/events.h"

#include "base/clock.h"
#include "base/context.h"

#include <string.h>

#define PROGRESS_INTERVAL 0.2 // s

static void begin(tlwEvents *events, const char *name)
{
    tlwClearText(&events->text);
    tlwAddText(&events->text, "{");
    tlwAddJsonStringMember(&events->text, "event", name);
}

static void send(tlwEvents *events)
{
    tlwAddText(&events->text, "}");
    if (events->event && !events->text.failed)
        events->event(events->user, events->text.data);
    events->text.failed = false;
}

static void onLog(void *user, tlwLogLevel level, const char *words)
{
    static const char *const names[] = {"info", "warning", "error"};
    tlwEvents *events = user;
    if (events->outer.log) {
        events->outer.log(events->outer.user, level, words);
        return;
    }
    begin(events, "log");
    tlwAddJsonStringMember(&events->text, "level", names[level]);
    tlwAddJsonStringMember(&events->text, "text", words);
    send(events);
}

static void onProgress(void *user, double done, const char *stage)
{
    tlwEvents *events = user;
    if (events->outer.progress) {
        events->outer.progress(events->outer.user, done, stage);
        return;
    }
    double now = tlwGetClock();
    if (now - events->last_progress < PROGRESS_INTERVAL)
        return;
    events->last_progress = now;
    begin(events, "progress");
    tlwAddJsonMember(&events->text, "frame", events->frame);
    tlwAddJsonSeconds(&events->text, "done", done);
    tlwAddJsonStringMember(&events->text, "stage", stage ? stage : "");
    send(events);
}

static bool onCancel(void *user)
{
    tlwEvents *events = user;
    return events->outer.cancel(events->outer.user);
}

void tlwBeginEvents(tlwEvents *events, tlwContext *context, tlwEventFn *event, void *user)
{
    *events = (tlwEvents){.context = context, .outer = context->def, .event = event, .user = user};
    context->def.log = onLog;
    context->def.progress = onProgress;
    context->def.cancel = events->outer.cancel ? onCancel : NULL;
    context->def.user = events;
}

void tlwEndEvents(tlwEvents *events)
{
    events->context->def = events->outer;
    tlwFreeText(&events->text);
}

void tlwSendStart(tlwEvents *events, int first, int last, bool resumed, int resume_from, int64_t cells)
{
    begin(events, "start");
    tlwAddJsonNumbers(&events->text, "frames", (const double[]){first, last}, 2);
    tlwAddJsonKey(&events->text, "resume_from");
    if (resumed)
        tlwAddJsonNumber(&events->text, resume_from);
    else
        tlwAddText(&events->text, "null");
    tlwAddJsonMember(&events->text, "cells", (double)cells);
    tlwAddJsonStringMember(&events->text, "library", tlwGetVersion());
    send(events);
}

void tlwSendFrame(tlwEvents *events, const char *entry)
{
    begin(events, "frame");
    // The entry is a JSON object. Append its members without its braces.
    size_t length = strlen(entry);
    if (length > 2) {
        tlwAddText(&events->text, ", ");
        tlwAddText(&events->text, entry + 1);
        events->text.data[--events->text.size] = 0;
    }
    send(events);
}

void tlwSendDone(tlwEvents *events, int frames, double seconds)
{
    begin(events, "done");
    tlwAddJsonMember(&events->text, "frames", frames);
    tlwAddJsonSeconds(&events->text, "seconds", seconds);
    send(events);
}

void tlwSendCancelled(tlwEvents *events, bool any, int last_frame)
{
    begin(events, "cancelled");
    tlwAddJsonKey(&events->text, "last_frame");
    if (any)
        tlwAddJsonNumber(&events->text, last_frame);
    else
        tlwAddText(&events->text, "null");
    send(events);
}

void tlwSendError(tlwEvents *events, tlwResult result, const char *sentence)
{
    begin(events, "error");
    tlwAddJsonStringMember(&events->text, "result", tlwGetResultName(result));
    tlwAddJsonStringMember(&events->text, "text", sentence);
    send(events);
}
