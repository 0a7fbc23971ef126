// The `tallow` command: one function per subcommand, and reading of arguments.
#ifndef TLW_CLI_CLI_H
#define TLW_CLI_CLI_H

#include "tallow/tallow.h"

#include <signal.h>

enum { TLW_EXIT_OK = 0, TLW_EXIT_ERROR = 1, TLW_EXIT_USAGE = 2, TLW_EXIT_CANCELLED = 130 };

typedef struct tlwArgs {
    int count;
    char **values; // tlwTake... functions set what they have read to null
    bool bad;      // an option had no value, or a value was no number; reported on stderr
} tlwArgs;

// Was `--name` given?
bool tlwTakeFlag(tlwArgs *args, const char *name);
// `--name VALUE` or `--name=VALUE`; null when it was not given.
const char *tlwTakeValue(tlwArgs *args, const char *name);
// A whole number from `low` to `high`; `missing` when it was not given.
int tlwTakeInteger(tlwArgs *args, const char *name, int low, int high, int missing);
// The next argument that is not an option; null when there is none left.
const char *tlwTakeWord(tlwArgs *args);
// False, with a message on stderr, when an argument was wrong or is left over. `command` appears in the hint.
bool tlwCheckArgs(const tlwArgs *args, const char *command);

// "tallow: ..." on stderr.
void tlwComplain(const char *format, ...) __attribute__((format(printf, 1, 2)));

int tlwRunBake(tlwArgs *args);
int tlwRunMesh(tlwArgs *args);
int tlwRunInfo(tlwArgs *args);
int tlwRunVerify(tlwArgs *args);
int tlwRunBench(tlwArgs *args);
int tlwRunDefaults(tlwArgs *args);
int tlwRunMelt(tlwArgs *args);

#endif
