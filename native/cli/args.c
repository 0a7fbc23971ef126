#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tlwComplain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("tallow: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

bool tlwTakeFlag(tlwArgs *args, const char *name)
{
    bool found = false;
    for (int i = 0; i < args->count; i++)
        if (args->values[i] && !strcmp(args->values[i], name)) {
            args->values[i] = NULL;
            found = true;
        }
    return found;
}

const char *tlwTakeValue(tlwArgs *args, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < args->count; i++) {
        char *value = args->values[i];
        if (!value || strncmp(value, name, length))
            continue;
        if (value[length] == '=') {
            args->values[i] = NULL;
            return value + length + 1;
        }
        if (value[length])
            continue;
        args->values[i] = NULL;
        if (i + 1 < args->count && args->values[i + 1]) {
            value = args->values[i + 1];
            args->values[i + 1] = NULL;
            return value;
        }
        tlwComplain("%s needs a value.", name);
        args->bad = true;
    }
    return NULL;
}

int tlwTakeInteger(tlwArgs *args, const char *name, int low, int high, int missing)
{
    const char *value = tlwTakeValue(args, name);
    if (!value)
        return missing;
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end != value && !*end && !errno && number >= low && number <= high)
        return (int)number;
    tlwComplain("%s must be a whole number from %d to %d, not \"%s\".", name, low, high, value);
    args->bad = true;
    return missing;
}

const char *tlwTakeWord(tlwArgs *args)
{
    for (int i = 0; i < args->count; i++) {
        char *value = args->values[i];
        if (!value || (value[0] == '-' && value[1]))
            continue;
        args->values[i] = NULL;
        return value;
    }
    return NULL;
}

bool tlwCheckArgs(const tlwArgs *args, const char *command)
{
    bool good = !args->bad;
    for (int i = 0; i < args->count; i++)
        if (args->values[i]) {
            tlwComplain("%s does not know \"%s\".", command, args->values[i]);
            good = false;
        }
    if (!good)
        fprintf(stderr, "Try `tallow help %s`.\n", command);
    return good;
}
