// Results and the one message that goes with them.
#ifndef TLW_BASE_RESULT_H
#define TLW_BASE_RESULT_H

#include "tallow/tallow.h"

#define TLW_MESSAGE_SIZE 512

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwMessage {
    char text[TLW_MESSAGE_SIZE];
} tlwMessage;

// Write the sentence and hand back `result`, so that a failing function ends with `return tlwFail(...)`.
// `message` may be null.
tlwResult tlwFail(tlwMessage *message, tlwResult result, const char *format, ...) __attribute__((format(printf, 3, 4)));

// TLW_OUT_OF_MEMORY with the usual sentence; `what` says what the memory was for.
tlwResult tlwFailMemory(tlwMessage *message, const char *what);

#define TLW_TRY(expression)                                                                                            \
    do {                                                                                                               \
        tlwResult try_result_ = (expression);                                                                          \
        if (try_result_ != TLW_OK)                                                                                     \
            return try_result_;                                                                                        \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
