#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

static void onLog(void *user, tlwLogLevel level, const char *text)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", level == TLW_LOG_INFO ? "note" : level == TLW_LOG_WARNING ? "warning" : "error", text);
}

int tlwRunInfo(tlwArgs *args)
{
    const size_t size = (size_t)1 << 20;
    const char *path = tlwTakeWord(args);
    if (!path) {
        tlwComplain("info needs a scene folder, a cache folder or a file.");
        args->bad = true;
    }
    int code = TLW_EXIT_OK;
    tlwContextDef def = tlwDefaultContextDef();
    def.log = onLog;
    tlwContext *context = NULL;
    char *text = malloc(size);
    if (!text || tlwCreateContext(&def, &context) != TLW_OK) {
        tlwComplain("There is not enough memory.");
        free(text);
        return TLW_EXIT_ERROR;
    }
    for (; path; path = tlwTakeWord(args)) {
        if (tlwDescribe(context, path, text, size) == TLW_OK) {
            fputs(text, stdout);
        } else {
            tlwComplain("%s", tlwGetMessage(context));
            code = TLW_EXIT_ERROR;
        }
    }
    tlwDestroyContext(context);
    free(text);
    return tlwCheckArgs(args, "info") ? code : TLW_EXIT_USAGE;
}
