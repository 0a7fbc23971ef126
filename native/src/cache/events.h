// Events of a running bake: one line of JSON each (docs/scene-format.md, "Events").
#ifndef TLW_CACHE_EVENTS_H
#define TLW_CACHE_EVENTS_H

#include "cache/text.h"
#include "tallow/tallow.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tlwEvents {
    tlwContext *context;
    tlwContextDef outer; // the program's own callbacks
    tlwEventFn *event;   // may be null
    void *user;
    int frame;            // being worked on
    double last_progress; // s, of the clock: progress is sent a few times a second at most
    tlwText text;
} tlwEvents;

// Until tlwEndEvents, log and progress of the context become events. If the program has its own callback for one of
// them, that callback is called instead.
void tlwBeginEvents(tlwEvents *events, tlwContext *context, tlwEventFn *event, void *user);
void tlwEndEvents(tlwEvents *events);

// `resume_from` is the frame whose checkpoint was loaded; pass `resumed` false when there was none.
void tlwSendStart(tlwEvents *events, int first, int last, bool resumed, int resume_from, int64_t cells);
void tlwSendFrame(tlwEvents *events, const char *entry); // an entry of bake.json
void tlwSendDone(tlwEvents *events, int frames, double seconds);
void tlwSendCancelled(tlwEvents *events, bool any, int last_frame);
void tlwSendError(tlwEvents *events, tlwResult result, const char *sentence);

#endif
