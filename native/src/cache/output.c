#include "cache/output.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/task.h"
#include "cache/frame.h"
#include "scene/scene.h"
#include "step/look.h"
#include "step/views/frame_state.h"

#include <string.h>

struct tlwOutput {
    const tlwScene *scene;
    const char *folder;
    tlwContext context; // for the writing thread: own threads and message, no callbacks
    tlwFrameCopy copy;
    tlwFrameBuffers buffers;
    tlwText bodies, entry;
    tlwTask *task;
    tlwFrameTimes times;
    int frame;
    bool keeps_pages; // the simulation's choice (tlwKeepPages), for the writing thread
    tlwResult result;
};

tlwOutput *tlwCreateOutput(const tlwScene *scene, const char *folder)
{
    tlwOutput *output = tlwAlloc(1, sizeof *output);
    if (!output)
        return NULL;
    output->scene = scene;
    output->folder = folder;
    output->context.def = tlwDefaultContextDef();
    output->context.threads = tlwCreateThreads(tlwGetThreadCount(scene->context->threads));
    if (!output->context.threads) {
        tlwFree(output);
        return NULL;
    }
    return output;
}

void tlwDestroyOutput(tlwOutput *output)
{
    if (!output)
        return;
    tlwJoinTask(output->task);
    tlwFreeFrameCopy(&output->copy);
    tlwFreeFrameBuffers(&output->buffers);
    tlwFreeText(&output->bodies);
    tlwFreeText(&output->entry);
    tlwDestroyThreads(output->context.threads);
    tlwFree(output);
}

static void write(void *context)
{
    tlwOutput *output = context;
    tlwKeepPages(output->keeps_pages);
    tlwFrameState state = {&output->context, output->scene, &output->copy.flow, &output->copy.particles,
                           &output->copy.stats};
    output->result = tlwWriteFrame(&state, &output->buffers, output->folder, output->frame, &output->bodies,
                                   &output->times, &output->entry);
}

tlwResult tlwStartOutput(tlwOutput *output, const tlwSim *sim, int frame, double seconds, double waited)
{
    output->frame = frame;
    output->keeps_pages = tlwArePagesKept();
    output->times = (tlwFrameTimes){seconds, waited};
    TLW_TRY(tlwDescribeBodies(sim, output->scene, frame, &output->bodies));
    tlwFrameState state = tlwShowFrame(sim);
    TLW_TRY(tlwCopyFrame(&state, &output->copy));
    output->task = tlwStartTask(write, output);
    if (!output->task)
        write(output); // no thread available: write on this one
    return TLW_OK;
}

tlwResult tlwFinishOutput(tlwOutput *output, const tlwText **entry)
{
    tlwJoinTask(output->task);
    output->task = NULL;
    *entry = &output->entry;
    if (output->result != TLW_OK)
        output->scene->context->message = output->context.message;
    return output->result;
}
