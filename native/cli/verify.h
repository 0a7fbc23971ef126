// `tallow verify`: cases whose result is known. A case is a function that builds a small scene through the public API
// and reports rows of measured against reference. A new file verify_*.c defines a list of cases that ends with an
// empty one, and puts the list into tlw_verify_groups in verify.c.
#ifndef TLW_CLI_VERIFY_H
#define TLW_CLI_VERIFY_H

#include "verify_report.h"

typedef struct tlwVerifyCase {
    const char *name;
    const char *description; // one line
    void (*run)(tlwReport *report);
    bool quick; // takes seconds, not minutes
    // For docs/validation.md, in Markdown: how the case works, where its limits come from, what is known to be wrong.
    const char *known;
} tlwVerifyCase;

#endif
