// `tallow melt`: how much faster than in life heat must move for a scene to melt in time.
#include "cli.h"
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>

static void onLog(void *user, tlwLogLevel level, const char *text)
{
    (void)user;
    if (level != TLW_LOG_INFO)
        fprintf(stderr, "warning: %s\n", text);
}

static void printPlan(const tlwMeltPlan *plan, bool json)
{
    if (json) {
        printf("{\"found\": %s", plan->found ? "true" : "false");
        tlwPrintJsonMember("speed", plan->speed);
        tlwPrintJsonMember("most", plan->most);
        tlwPrintJsonMember("strength", plan->strength);
        tlwPrintJsonMember("simulations", plan->simulations);
        tlwPrintJsonMember("heat_steps", plan->heat_steps);
        tlwPrintJsonMember("flow_runs", plan->flow_runs);
        tlwPrintJsonMember("flow_steps", plan->flow_steps);
        printf("}\n");
    } else if (plan->found) {
        printf("It melts in time with thermal_speed %.3g.\n", plan->speed);
    } else if (plan->strength > 0) {
        printf("At most %.0f %% melt, however fast heat moves: losses win. Heaters %.2g times as strong would do.\n",
               100 * plan->most, plan->strength);
    } else {
        printf("At most %.0f %% melt, however fast heat moves and however strong the heaters are.\n", 100 * plan->most);
    }
}

int tlwRunMelt(tlwArgs *args)
{
    bool json = tlwTakeFlag(args, "--json");
    const char *share = tlwTakeValue(args, "--share");
    tlwMeltDef def = tlwDefaultMeltDef();
    tlwContextDef context_def = tlwDefaultContextDef();
    def.frame = tlwTakeInteger(args, "--frame", 1, 1048574, 0);
    def.cells = tlwTakeInteger(args, "--cells", 4, 128, def.cells);
    context_def.threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    context_def.log = onLog;
    def.scene = tlwTakeWord(args);
    if (share) {
        char *end;
        def.share = strtod(share, &end);
        if (end == share || *end || !(def.share > 0 && def.share <= 1)) {
            tlwComplain("--share takes a number above 0 and at most 1, not \"%s\".", share);
            args->bad = true;
        }
    }
    if (!def.scene) {
        tlwComplain("melt needs a scene folder.");
        args->bad = true;
    }
    if (!tlwCheckArgs(args, "melt"))
        return TLW_EXIT_USAGE;
    tlwContext *context = NULL;
    if (tlwCreateContext(&context_def, &context) != TLW_OK) {
        tlwComplain("There is not enough memory.");
        return TLW_EXIT_ERROR;
    }
    tlwMeltPlan plan;
    tlwResult result = tlwFindMeltSpeed(context, &def, &plan);
    if (result == TLW_OK)
        printPlan(&plan, json);
    else
        tlwComplain("%s", tlwGetMessage(context));
    tlwDestroyContext(context);
    return result == TLW_OK ? TLW_EXIT_OK : TLW_EXIT_ERROR;
}
