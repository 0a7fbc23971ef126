// `tallow verify`: cases whose result is known. A case is a function that builds a small scene through the public API
// and reports rows of measured against reference. A new file verify_*.c defines a list of cases that ends with an
// empty one, and puts the list's name into tlw_verify_groups in verify.c.
#ifndef TLW_CLI_VERIFY_H
#define TLW_CLI_VERIFY_H

#include "rig.h"

typedef struct tlwReport tlwReport;

typedef struct tlwVerifyCase {
    const char *name;
    const char *description; // one line
    void (*run)(tlwReport *report);
    bool quick; // takes seconds, not minutes
} tlwVerifyCase;

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

#endif
