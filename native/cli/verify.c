#include "verify.h"

#include "cli.h"
#include "lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const tlwVerifyCase tlw_verify_ball[];
extern const tlwVerifyCase tlw_verify_drag[];
extern const tlwVerifyCase tlw_verify_flow[];
extern const tlwVerifyCase tlw_verify_harden[];
extern const tlwVerifyCase tlw_verify_heat[];
extern const tlwVerifyCase tlw_verify_inflow[];
extern const tlwVerifyCase tlw_verify_lift[];
extern const tlwVerifyCase tlw_verify_melt[];
extern const tlwVerifyCase tlw_verify_rigid[];
extern const tlwVerifyCase tlw_verify_surface[];
extern const tlwVerifyCase tlw_verify_viscosity[];

// Every list of cases; verify_*.c define them.
static const tlwVerifyCase *const tlw_verify_groups[] = {
    tlw_verify_flow,    tlw_verify_viscosity, tlw_verify_heat,   tlw_verify_melt, tlw_verify_harden, tlw_verify_rigid,
    tlw_verify_surface, tlw_verify_drag,      tlw_verify_inflow, tlw_verify_ball, tlw_verify_lift};

struct tlwReport {
    bool json;
    int threads;
    int rows, failures;
    const char *name;
};

int tlwGetReportThreads(const tlwReport *report)
{
    return report->threads;
}

void tlwReportRow(tlwReport *report, const char *what, double measured, double reference, double error, double limit)
{
    bool passed = error <= limit;
    report->failures += !passed;
    if (report->json) {
        printf("%s{\"what\": ", report->rows ? ", " : "");
        tlwPrintJsonString(what);
        tlwPrintJsonMember("measured", measured);
        tlwPrintJsonMember("reference", reference);
        tlwPrintJsonMember("error", error);
        tlwPrintJsonMember("limit", limit);
        printf(", \"passed\": %s}", passed ? "true" : "false");
    } else {
        printf("  %-58s %12.5g %12.5g %10.3g %10.3g  %s\n", what, measured, reference, error, limit,
               passed ? "pass" : "FAIL");
        fflush(stdout);
    }
    report->rows++;
}

void tlwReportRelative(tlwReport *report, const char *what, double measured, double reference, double limit)
{
    tlwReportRow(report, what, measured, reference, fabs(measured - reference) / fabs(reference), limit);
}

void tlwReportAbsolute(tlwReport *report, const char *what, double measured, double reference, double limit)
{
    tlwReportRow(report, what, measured, reference, fabs(measured - reference), limit);
}

void tlwReportBelow(tlwReport *report, const char *what, double measured, double limit)
{
    tlwReportRow(report, what, measured, 0, measured, limit);
}

void tlwReportAbove(tlwReport *report, const char *what, double measured, double limit)
{
    tlwReportRow(report, what, measured, limit, measured > 0 ? limit / measured : INFINITY, 1);
}

static void reportText(tlwReport *report, const char *kind, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    if (report->json) {
        printf("%s{\"%s\": ", report->rows ? ", " : "", kind);
        tlwPrintJsonString(text);
        printf("}");
    } else {
        printf("  %s%s\n", strcmp(kind, "failure") ? "" : "FAIL: ", text);
        fflush(stdout);
    }
    report->rows++;
}

void tlwReportNote(tlwReport *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    reportText(report, "note", format, args);
    va_end(args);
}

void tlwReportFailure(tlwReport *report, const char *format, ...)
{
    report->failures++;
    va_list args;
    va_start(args, format);
    reportText(report, "failure", format, args);
    va_end(args);
}

void tlwEndRig(tlwReport *report, tlwRig *rig)
{
    if (rig->failed)
        tlwReportFailure(report, "%s", rig->failure);
    tlwFreeRig(rig);
}

typedef struct Choice {
    const tlwVerifyCase *item;
    bool json;
    int threads;
} Choice;

static int runCase(void *user)
{
    const Choice *choice = user;
    tlwReport report = {.json = choice->json, .threads = choice->threads, .name = choice->item->name};
    double start = tlwGetWallClock();
    if (report.json) {
        printf("{\"case\": ");
        tlwPrintJsonString(report.name);
        printf(", \"rows\": [");
    } else {
        printf("%-60s %12s %12s %10s %10s\n", report.name, "measured", "reference", "error", "limit");
    }
    choice->item->run(&report);
    if (report.rows == 0)
        tlwReportFailure(&report, "The case has measured nothing.");
    double seconds = tlwGetWallClock() - start;
    if (report.json)
        printf("], \"passed\": %s, \"seconds\": %.3f}\n", report.failures ? "false" : "true", seconds);
    else
        printf("  %s in %.1f s\n", report.failures ? "FAIL" : "pass", seconds);
    return report.failures ? TLW_EXIT_ERROR : TLW_EXIT_OK;
}

static const tlwVerifyCase *findCase(const char *name)
{
    for (size_t g = 0; g < sizeof tlw_verify_groups / sizeof tlw_verify_groups[0]; g++)
        for (const tlwVerifyCase *item = tlw_verify_groups[g]; item->name; item++)
            if (!strcmp(item->name, name))
                return item;
    return NULL;
}

static bool runInProcess(const tlwVerifyCase *item, bool json, int threads)
{
    Choice choice = {item, json, threads};
    int code = tlwRunInChild(runCase, &choice);
    if (code != TLW_EXIT_OK && code != TLW_EXIT_ERROR) {
        if (json) {
            printf("{\"case\": ");
            tlwPrintJsonString(item->name);
            printf(", \"rows\": [], \"passed\": false, \"crashed\": %d}\n", code);
        } else {
            printf("  FAIL: %s crashed (%d)\n", item->name, code);
        }
    }
    return code == TLW_EXIT_OK;
}

static void listCases(void)
{
    for (size_t g = 0; g < sizeof tlw_verify_groups / sizeof tlw_verify_groups[0]; g++)
        for (const tlwVerifyCase *item = tlw_verify_groups[g]; item->name; item++)
            printf("%-20s %s%s\n", item->name, item->description, item->quick ? " (quick)" : "");
}

int tlwRunVerify(tlwArgs *args)
{
    bool json = tlwTakeFlag(args, "--json"), quick = tlwTakeFlag(args, "--quick"), list = tlwTakeFlag(args, "--list");
    int threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    const tlwVerifyCase *chosen[256];
    int count = 0;
    for (const char *name; count < 256 && (name = tlwTakeWord(args));) {
        chosen[count] = findCase(name);
        if (chosen[count]) {
            count++;
        } else {
            tlwComplain("There is no case \"%s\"; `tallow verify --list` shows them.", name);
            args->bad = true;
        }
    }
    if (!tlwCheckArgs(args, "verify"))
        return TLW_EXIT_USAGE;
    if (list) {
        listCases();
        return TLW_EXIT_OK;
    }
    if (count == 0)
        for (size_t g = 0; g < sizeof tlw_verify_groups / sizeof tlw_verify_groups[0]; g++)
            for (const tlwVerifyCase *item = tlw_verify_groups[g]; item->name && count < 256; item++)
                if (!quick || item->quick)
                    chosen[count++] = item;
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += !runInProcess(chosen[i], json, threads);
    if (json)
        printf("{\"passed\": %d, \"failed\": %d}\n", count - failed, failed);
    else
        printf("%d passed, %d failed\n", count - failed, failed);
    return failed ? TLW_EXIT_ERROR : TLW_EXIT_OK;
}
