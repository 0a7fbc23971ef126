#include "step/progress.h"

#include "base/clock.h"
#include "base/context.h"

#include <string.h>

// Add seconds to a stage of the statistics.
static void addSeconds(tlwStats *stats, const char *stage, double seconds)
{
    int n = 0;
    while (n < stats->stage_count && strcmp(stats->stage_name[n], stage) != 0)
        n++;
    if (n == TLW_MAX_STAGES)
        return;
    if (n == stats->stage_count) {
        stats->stage_name[stats->stage_count++] = stage;
        stats->stage_seconds[n] = 0;
    }
    stats->stage_seconds[n] += seconds;
}

void tlwClockStage(tlwSim *sim, const char *stage)
{
    double time = tlwGetClock();
    if (stage)
        addSeconds(&sim->stats, stage, time - sim->stage_start);
    sim->stage_start = time;
    if (!stage)
        return;
    sim->stages++;
    double share = sim->stages_before ? fmin((double)sim->stages / sim->stages_before, 1) : 0;
    tlwReportProgress(sim->context, sim->span > 0 ? (sim->done + share * sim->last_dt) / sim->span : 0, stage);
}

void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds)
{
    addSeconds(&sim->stats, from, -seconds);
    addSeconds(&sim->stats, to, seconds);
}
