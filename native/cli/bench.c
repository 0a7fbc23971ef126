#include "bench.h"

#include "cli.h"
#include "lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SCALING_RUNS 7

extern const tlwBenchScene tlw_bench_scenes[];

typedef struct Sum {
    double seconds, cpu_seconds; // without warm-up; cpu_seconds adds up all threads
    double stage_seconds[TLW_MAX_STAGES];
    const char *stage_name[TLW_MAX_STAGES];
    int stage_count;
    int substeps, pressure_iterations, viscosity_iterations;
} Sum;

typedef struct Choice {
    const tlwBenchScene *scene;
    int variant, resolution, frames, threads, warm_up;
    bool json, scaling;
} Choice;

static void addStage(Sum *sum, const char *name, double seconds)
{
    int i = 0;
    while (i < sum->stage_count && strcmp(sum->stage_name[i], name))
        i++;
    if (i == TLW_MAX_STAGES)
        return;
    if (i == sum->stage_count) {
        sum->stage_name[i] = name;
        sum->stage_count++;
    }
    sum->stage_seconds[i] += seconds;
}

// One frame as a bake does it: advance, then mesh.
static bool runFrame(tlwRig *rig, double step, Sum *sum)
{
    double start = tlwGetWallClock();
    clock_t cpu = clock();
    if (!tlwAdvanceRig(rig, step))
        return false;
    double stepped = tlwGetWallClock();
    tlwSurfaceView surface;
    if (!tlwCheckRig(rig, tlwGetSurface(rig->sim, &surface)))
        return false;
    double end = tlwGetWallClock();
    tlwStats stats = tlwGetRigStats(rig);
    sum->seconds += end - start;
    sum->cpu_seconds += (double)(clock() - cpu) / CLOCKS_PER_SEC;
    for (int i = 0; i < stats.stage_count; i++)
        addStage(sum, stats.stage_name[i], stats.stage_seconds[i]);
    addStage(sum, "mesh", end - stepped);
    sum->substeps += stats.substeps;
    if (stats.pressure_iterations > sum->pressure_iterations)
        sum->pressure_iterations = stats.pressure_iterations;
    if (stats.viscosity_iterations > sum->viscosity_iterations)
        sum->viscosity_iterations = stats.viscosity_iterations;
    return true;
}

static void printResult(const Choice *choice, const char *name, const Sum *sum, const tlwStats *stats)
{
    double per_frame = 1.0 / choice->frames;
    if (choice->json) {
        printf("{\"bench\": ");
        tlwPrintJsonString(name);
        tlwPrintJsonMember("resolution", choice->resolution);
        tlwPrintJsonMember("threads", choice->threads);
        tlwPrintJsonMember("frames", choice->frames);
        tlwPrintJsonMember("seconds_per_frame", sum->seconds * per_frame);
        tlwPrintJsonMember("cpu_seconds_per_frame", sum->cpu_seconds * per_frame);
        tlwPrintJsonMember("substeps_per_frame", sum->substeps * per_frame);
        tlwPrintJsonMember("cells", (double)stats->cells);
        tlwPrintJsonMember("particles", (double)stats->particles);
        tlwPrintJsonMember("pressure_iterations", sum->pressure_iterations);
        tlwPrintJsonMember("viscosity_iterations", sum->viscosity_iterations);
        tlwPrintJsonMember("peak_memory", (double)stats->peak_memory);
        tlwPrintJsonMember("particle_volume", stats->particle_volume);
        tlwPrintJsonMember("target_volume", stats->target_volume);
        tlwPrintJsonMember("contacts", stats->contacts);
        printf(", \"stages\": {\"all\": %.6g", sum->seconds * per_frame);
        for (int i = 0; i < sum->stage_count; i++)
            tlwPrintJsonMember(sum->stage_name[i], sum->stage_seconds[i] * per_frame);
        printf("}}\n");
        return;
    }
    printf("%s, resolution %d: %.3f s per frame over %d frames (%.3f s of processor time)\n", name, choice->resolution,
           sum->seconds * per_frame, choice->frames, sum->cpu_seconds * per_frame);
    printf("  %lld cells, %lld particles, %.1f substeps per frame, peak memory %.0f MB\n", (long long)stats->cells,
           (long long)stats->particles, sum->substeps * per_frame, (double)stats->peak_memory / 1e6);
    printf("  most iterations: pressure %d, viscosity %d\n", sum->pressure_iterations, sum->viscosity_iterations);
    for (int i = 0; i < sum->stage_count; i++)
        printf("  %-16s %8.4f s %5.1f %%\n", sum->stage_name[i], sum->stage_seconds[i] * per_frame,
               100 * sum->stage_seconds[i] / (sum->seconds > 0 ? sum->seconds : 1));
}

// Prints the stages that take more than a twentieth of the step, on one thread and on two.
static void printScaling(const Choice *choice, const char *name, const Sum *one, const Sum *two)
{
    double per_frame = 1.0 / choice->frames;
    if (choice->json) {
        printf("{\"bench\": ");
        tlwPrintJsonString(name);
        tlwPrintJsonMember("resolution", choice->resolution);
        printf(", \"scaling\": {\"all\": [%.6g, %.6g]", one->seconds * per_frame, two->seconds * per_frame);
    } else {
        printf("%s, resolution %d: one thread %.3f s per frame, two %.3f s: %.2fx\n", name, choice->resolution,
               one->seconds * per_frame, two->seconds * per_frame, one->seconds / two->seconds);
    }
    for (int i = 0; i < one->stage_count; i++) {
        double a = one->stage_seconds[i], b = 0;
        for (int j = 0; j < two->stage_count; j++)
            b = strcmp(one->stage_name[i], two->stage_name[j]) ? b : two->stage_seconds[j];
        if (a < 0.05 * one->seconds)
            continue;
        if (choice->json)
            printf(", \"%s\": [%.6g, %.6g]", one->stage_name[i], a * per_frame, b * per_frame);
        else
            printf("  %-16s %8.4f s %8.4f s %5.2fx\n", one->stage_name[i], a * per_frame, b * per_frame, a / b);
    }
    if (choice->json)
        printf("}}\n");
}

static bool runFrames(const Choice *choice, const char *name, int threads, Sum *sum, tlwStats *stats)
{
    tlwRig rig;
    choice->scene->build(&rig, choice->resolution, choice->variant, threads);
    Sum warm_up = {0};
    // The first frame also pays for memory that is touched for the first time.
    bool good = tlwRunRig(&rig);
    for (int i = 0; good && i < choice->warm_up; i++)
        good = runFrame(&rig, choice->scene->step, &warm_up);
    for (int i = 0; good && i < choice->frames; i++)
        good = runFrame(&rig, choice->scene->step, sum);
    *stats = tlwGetRigStats(&rig);
    if (!good)
        tlwComplain("%s: %s", name, rig.failure);
    tlwFreeRig(&rig);
    return good;
}

// Keep the shortest time of each stage over several runs, because other programs on the machine only add time.
static void keepLeast(Sum *least, const Sum *sum, bool first)
{
    if (first) {
        *least = *sum;
        return;
    }
    least->seconds = fmin(least->seconds, sum->seconds);
    least->cpu_seconds = fmin(least->cpu_seconds, sum->cpu_seconds);
    for (int i = 0; i < least->stage_count; i++)
        for (int j = 0; j < sum->stage_count; j++)
            if (!strcmp(least->stage_name[i], sum->stage_name[j]))
                least->stage_seconds[i] = fmin(least->stage_seconds[i], sum->stage_seconds[j]);
}

// Alternate runs on one and on two threads, a few times.
static bool runScaling(const Choice *choice, const char *name)
{
    Sum least[2];
    tlwStats stats;
    for (int n = 0; n < 2 * SCALING_RUNS; n++) {
        Sum sum = {0};
        if (!runFrames(choice, name, 1 + n % 2, &sum, &stats))
            return false;
        keepLeast(&least[n % 2], &sum, n < 2);
    }
    printScaling(choice, name, &least[0], &least[1]);
    return true;
}

static int runScene(void *user)
{
    const Choice *choice = user;
    char name[64];
    if (choice->scene->variants > 1)
        snprintf(name, sizeof name, "%s_%d", choice->scene->name, choice->variant + 1);
    else
        snprintf(name, sizeof name, "%s", choice->scene->name);
    Sum sum = {0};
    tlwStats stats;
    if (choice->scaling)
        return runScaling(choice, name) ? TLW_EXIT_OK : TLW_EXIT_ERROR;
    bool good = runFrames(choice, name, choice->threads, &sum, &stats);
    if (good)
        printResult(choice, name, &sum, &stats);
    return good ? TLW_EXIT_OK : TLW_EXIT_ERROR;
}

static bool isChosen(const tlwBenchScene *scene, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(scene->name, names[i]))
            return true;
    return count == 0;
}

static bool checkNames(const char *const *names, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        const tlwBenchScene *scene = tlw_bench_scenes;
        while (scene->name && strcmp(scene->name, names[i]))
            scene++;
        if (scene->name)
            continue;
        tlwComplain("There is no bench scene \"%s\"; `tallow bench --list` shows them.", names[i]);
        good = false;
    }
    return good;
}

int tlwRunBench(tlwArgs *args)
{
    Choice choice = {.json = tlwTakeFlag(args, "--json")};
    bool list = tlwTakeFlag(args, "--list");
    choice.scaling = tlwTakeFlag(args, "--scaling");
    choice.warm_up = tlwTakeInteger(args, "--warm-up", 0, 10000, 1);
    int resolution = tlwTakeInteger(args, "--resolution", 8, 1024, 0);
    int frames = tlwTakeInteger(args, "--frames", 1, 10000, 0);
    choice.threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    const char *names[64];
    int count = 0;
    while (count < 64 && (names[count] = tlwTakeWord(args)))
        count++;
    if (!checkNames(names, count))
        args->bad = true;
    if (!tlwCheckArgs(args, "bench"))
        return TLW_EXIT_USAGE;
    int failed = 0;
    for (const tlwBenchScene *scene = tlw_bench_scenes; scene->name; scene++) {
        if (list)
            printf("%-16s %s\n", scene->name, scene->description);
        if (list || !isChosen(scene, names, count))
            continue;
        choice.scene = scene;
        choice.resolution = resolution ? resolution : scene->resolution;
        choice.frames = frames ? frames : scene->frames;
        for (choice.variant = 0; choice.variant < scene->variants; choice.variant++) {
            int code = tlwRunInChild(runScene, &choice);
            if (code > TLW_EXIT_ERROR)
                tlwComplain("%s crashed (%d).", scene->name, code);
            failed += code != TLW_EXIT_OK;
        }
    }
    return failed ? TLW_EXIT_ERROR : TLW_EXIT_OK;
}
