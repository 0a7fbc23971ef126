// What a case of `tallow verify` measured, row by row: as text for a terminal, as JSON, or as a section of
// docs/validation.md.
#ifndef TLW_CLI_VERIFY_REPORT_H
#define TLW_CLI_VERIFY_REPORT_H

#include "rig.h"

#include <stdio.h>

typedef enum tlwReportStyle { TLW_REPORT_TEXT, TLW_REPORT_JSON, TLW_REPORT_MARKDOWN } tlwReportStyle;

typedef struct tlwReport tlwReport;

// Threads to give to tlwStartRig.
int tlwGetReportThreads(const tlwReport *report);

// A row passes when its error is at most the limit; an error that is not a number fails.
void tlwReportRow(tlwReport *report, const char *what, double measured, double reference, double error, double limit);

// error = |measured - reference| / |reference|
void tlwReportRelative(tlwReport *report, const char *what, double measured, double reference, double limit);
// error = |measured - reference|
void tlwReportAbsolute(tlwReport *report, const char *what, double measured, double reference, double limit);
// A value that must not exceed a limit; the reference is 0.
void tlwReportBelow(tlwReport *report, const char *what, double measured, double limit);
// A value that must reach a limit; the error is the limit over the value, and at most 1.
void tlwReportAbove(tlwReport *report, const char *what, double measured, double limit);
// Shown, without a limit.
void tlwReportNote(tlwReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Fails the case with a sentence.
void tlwReportFailure(tlwReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Frees the rig and fails the case with the rig's sentence if it has failed: the last line of a case.
void tlwEndRig(tlwReport *report, tlwRig *rig);

// Runs a case and writes its report; returns whether the case passed. `page` takes the Markdown; text and JSON go to
// standard output.
bool tlwWriteReport(const char *name, void (*run)(tlwReport *report), tlwReportStyle style, FILE *page, int threads);

// In place of a report, for a case whose process ended with `code`.
void tlwWriteCrash(const char *name, tlwReportStyle style, FILE *page, int code);

#endif
