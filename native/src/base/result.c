#include "base/result.h"

#include <stdarg.h>
#include <stdio.h>

tlwResult tlwFail(tlwMessage *message, tlwResult result, const char *format, ...)
{
    if (message) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof message->text, format, args);
        va_end(args);
    }
    return result;
}

tlwResult tlwFailMemory(tlwMessage *message, const char *what)
{
    return tlwFail(message, TLW_OUT_OF_MEMORY,
                   "There is not enough memory for %s; use larger cells, a smaller domain or fewer particles.", what);
}

const char *tlwGetResultName(tlwResult result)
{
    static const char *const names[] = {"TLW_OK",       "TLW_CANCELLED",    "TLW_BAD_ARGUMENT",  "TLW_BAD_MESH",
                                        "TLW_BAD_FILE", "TLW_WRITE_FAILED", "TLW_OUT_OF_MEMORY", "TLW_NOT_CONVERGED",
                                        "TLW_INTERNAL"};
    int index = (int)result;
    return index >= 0 && index < (int)(sizeof names / sizeof names[0]) ? names[index] : "unknown result";
}
