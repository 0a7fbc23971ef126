// A growing text, and JSON written into it.
#ifndef TLW_CACHE_TEXT_H
#define TLW_CACHE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tlwText {
    char *data; // ends with zero; null while empty
    int64_t size, capacity;
    bool failed; // memory ran out; what follows is dropped
} tlwText;

void tlwFreeText(tlwText *text);
void tlwClearText(tlwText *text); // keeps the memory
void tlwAddText(tlwText *text, const char *words);
void tlwAddFormat(tlwText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A quoted JSON string. Bytes that are not UTF-8 become '?', so that every reader accepts the file.
void tlwAddJsonString(tlwText *text, const char *words);

// The shortest digits that read back as the same number, with a point in every locale; null when not finite.
void tlwAddJsonNumber(tlwText *text, double value);

// `"key": ` and the value. Adds a comma before the key unless the text ends with an opening bracket.
void tlwAddJsonKey(tlwText *text, const char *key);
void tlwAddJsonMember(tlwText *text, const char *key, double value);
void tlwAddJsonSeconds(tlwText *text, const char *key, double value); // of a clock: digits beyond 0.1 ms are noise
void tlwAddJsonStringMember(tlwText *text, const char *key, const char *words);
void tlwAddJsonNumbers(tlwText *text, const char *key, const double *values, int count);

#endif
