#include "verify_report.h"

#include "lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// The meaning of a row's error and limit. The page prints them accordingly.
typedef enum RowKind { PLAIN, RELATIVE, AT_MOST, AT_LEAST } RowKind;

struct tlwReport {
    tlwReportStyle style;
    FILE *page;  // of Markdown
    FILE *below; // sentences that follow the table of a Markdown section
    int threads;
    int rows, failures;
};

int tlwGetReportThreads(const tlwReport *report)
{
    return report->threads;
}

static void printJsonRow(const tlwReport *report, const char *what, const double values[4], bool passed)
{
    static const char *const keys[4] = {"measured", "reference", "error", "limit"};
    printf("%s{\"what\": ", report->rows ? ", " : "");
    tlwPrintJsonString(what);
    for (int i = 0; i < 4; i++)
        tlwPrintJsonMember(keys[i], values[i]);
    printf(", \"passed\": %s}", passed ? "true" : "false");
}

// "1.2e-5" where printf has "1.2e-05".
static void printNumber(FILE *out, const char *format, double value)
{
    char text[40];
    snprintf(text, sizeof text, format, value);
    char *exponent = strchr(text, 'e');
    if (exponent && exponent[1] == '+')
        memmove(exponent + 1, exponent + 2, strlen(exponent + 1));
    if (exponent) {
        char *digits = exponent + 1 + (exponent[1] == '-');
        if (digits[0] == '0' && digits[1])
            memmove(digits, digits + 1, strlen(digits));
    }
    fputs(text, out);
}

static void printMarkdownRow(FILE *out, RowKind kind, const char *what, const double values[4], bool passed)
{
    fprintf(out, "| %s | ", what);
    printNumber(out, "%.4g", values[0]);
    fputs(" | ", out);
    if (kind == AT_MOST || kind == AT_LEAST) {
        fprintf(out, "| | at %s ", kind == AT_MOST ? "most" : "least");
        printNumber(out, "%g", kind == AT_MOST ? values[3] : values[1]);
    } else {
        double scale = kind == RELATIVE ? 100 : 1;
        const char *unit = kind == RELATIVE ? " %" : "";
        printNumber(out, "%.4g", values[1]);
        fputs(" | ", out);
        printNumber(out, "%.2g", scale * values[2]);
        fprintf(out, "%s | ", unit);
        printNumber(out, "%g", scale * values[3]);
        fputs(unit, out);
    }
    fprintf(out, " | %s |\n", passed ? "pass" : "**MISS**");
}

static void reportRow(tlwReport *report, RowKind kind, const char *what, const double values[4])
{
    bool passed = values[2] <= values[3];
    report->failures += !passed;
    if (report->style == TLW_REPORT_JSON) {
        printJsonRow(report, what, values, passed);
    } else if (report->style == TLW_REPORT_MARKDOWN) {
        printMarkdownRow(report->page, kind, what, values, passed);
    } else {
        printf("  %-58s %12.5g %12.5g %10.3g %10.3g  %s\n", what, values[0], values[1], values[2], values[3],
               passed ? "pass" : "FAIL");
        fflush(stdout);
    }
    report->rows++;
}

void tlwReportRow(tlwReport *report, const char *what, double measured, double reference, double error, double limit)
{
    reportRow(report, PLAIN, what, (double[4]){measured, reference, error, limit});
}

void tlwReportRelative(tlwReport *report, const char *what, double measured, double reference, double limit)
{
    double error = fabs(measured - reference) / fabs(reference);
    reportRow(report, RELATIVE, what, (double[4]){measured, reference, error, limit});
}

void tlwReportAbsolute(tlwReport *report, const char *what, double measured, double reference, double limit)
{
    tlwReportRow(report, what, measured, reference, fabs(measured - reference), limit);
}

void tlwReportBelow(tlwReport *report, const char *what, double measured, double limit)
{
    reportRow(report, AT_MOST, what, (double[4]){measured, 0, measured, limit});
}

void tlwReportAbove(tlwReport *report, const char *what, double measured, double limit)
{
    double error = measured > 0 ? limit / measured : INFINITY;
    reportRow(report, AT_LEAST, what, (double[4]){measured, limit, error, 1});
}

static void reportText(tlwReport *report, bool failure, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    if (report->style == TLW_REPORT_JSON) {
        printf("%s{\"%s\": ", report->rows ? ", " : "", failure ? "failure" : "note");
        tlwPrintJsonString(text);
        printf("}");
    } else if (report->style == TLW_REPORT_MARKDOWN) {
        fprintf(report->below, "- %s%s\n", failure ? "**MISS**: " : "", text);
    } else {
        printf("  %s%s\n", failure ? "FAIL: " : "", text);
        fflush(stdout);
    }
    report->rows++;
}

void tlwReportNote(tlwReport *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    reportText(report, false, format, args);
    va_end(args);
}

void tlwReportFailure(tlwReport *report, const char *format, ...)
{
    report->failures++;
    va_list args;
    va_start(args, format);
    reportText(report, true, format, args);
    va_end(args);
}

void tlwEndRig(tlwReport *report, tlwRig *rig)
{
    if (rig->failed)
        tlwReportFailure(report, "%s", rig->failure);
    tlwFreeRig(rig);
}

static void beginReport(const tlwReport *report, const char *name)
{
    if (report->style == TLW_REPORT_JSON) {
        printf("{\"case\": ");
        tlwPrintJsonString(name);
        printf(", \"rows\": [");
    } else if (report->style == TLW_REPORT_MARKDOWN) {
        fputs("| what | measured | reference | error | limit | |\n|---|---|---|---|---|---|\n", report->page);
    } else {
        printf("%-60s %12s %12s %10s %10s\n", name, "measured", "reference", "error", "limit");
    }
}

bool tlwWriteReport(const char *name, void (*run)(tlwReport *report), tlwReportStyle style, FILE *page, int threads)
{
    tlwReport report = {.style = style, .page = page, .threads = threads};
    char *below = NULL;
    size_t length = 0;
    double start = tlwGetWallClock();
    if (style == TLW_REPORT_MARKDOWN && !(report.below = open_memstream(&below, &length)))
        return false;
    beginReport(&report, name);
    run(&report);
    if (report.rows == 0)
        tlwReportFailure(&report, "The case has measured nothing.");
    double seconds = tlwGetWallClock() - start;
    if (style == TLW_REPORT_JSON) {
        printf("], \"passed\": %s, \"seconds\": %.3f}\n", report.failures ? "false" : "true", seconds);
    } else if (style == TLW_REPORT_MARKDOWN) {
        fclose(report.below);
        fprintf(page, "\n%s%s", below ? below : "", length ? "\n" : "");
        free(below);
    } else {
        printf("  %s in %.1f s\n", report.failures ? "FAIL" : "pass", seconds);
    }
    return report.failures == 0;
}

void tlwWriteCrash(const char *name, tlwReportStyle style, FILE *page, int code)
{
    if (style == TLW_REPORT_JSON) {
        printf("{\"case\": ");
        tlwPrintJsonString(name);
        printf(", \"rows\": [], \"passed\": false, \"crashed\": %d}\n", code);
    } else if (style == TLW_REPORT_MARKDOWN) {
        fprintf(page, "\n**MISS**: the case crashed (%d).\n\n", code);
    } else {
        printf("  FAIL: %s crashed (%d)\n", name, code);
    }
}
