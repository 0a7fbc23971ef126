#include "cache/text.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tlwFreeText(tlwText *text)
{
    tlwFree(text->data);
    *text = (tlwText){0};
}

void tlwClearText(tlwText *text)
{
    text->size = 0;
    if (text->data)
        text->data[0] = 0;
}

static void addBytes(tlwText *text, const char *bytes, size_t size)
{
    if (text->failed)
        return;
    if (!tlwReserve((void **)&text->data, &text->capacity, text->size + (int64_t)size + 1, 1)) {
        text->failed = true;
        return;
    }
    memcpy(text->data + text->size, bytes, size);
    text->size += (int64_t)size;
    text->data[text->size] = 0;
}

void tlwAddText(tlwText *text, const char *words)
{
    addBytes(text, words, strlen(words));
}

void tlwAddFormat(tlwText *text, const char *format, ...)
{
    char part[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    tlwAddText(text, part);
}

// Length of the UTF-8 character at `s`, 0 when it is not one.
static size_t getCharacter(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

void tlwAddJsonString(tlwText *text, const char *words)
{
    addBytes(text, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)words; *s;) {
        size_t length = getCharacter(s);
        if (length == 0)
            addBytes(text, "?", 1);
        else if (*s == '"' || *s == '\\')
            addBytes(text, (const char[]){'\\', (char)*s}, 2);
        else if (*s < 0x20 || *s == 0x7f)
            tlwAddFormat(text, "\\u%04x", *s);
        else
            addBytes(text, (const char *)s, length);
        s += length ? length : 1;
    }
    addBytes(text, "\"", 1);
}

void tlwAddJsonNumber(tlwText *text, double value)
{
    if (!isfinite(value)) {
        tlwAddText(text, "null");
        return;
    }
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    char *comma = strchr(digits, ',');
    if (comma)
        *comma = '.';
    tlwAddText(text, digits);
}

void tlwAddJsonKey(tlwText *text, const char *key)
{
    char last = text->size > 0 ? text->data[text->size - 1] : '{';
    if (last != '{' && last != '[')
        tlwAddText(text, ", ");
    tlwAddJsonString(text, key);
    tlwAddText(text, ": ");
}

void tlwAddJsonMember(tlwText *text, const char *key, double value)
{
    tlwAddJsonKey(text, key);
    tlwAddJsonNumber(text, value);
}

void tlwAddJsonSeconds(tlwText *text, const char *key, double value)
{
    tlwAddJsonMember(text, key, round(value * 1e4) / 1e4);
}

void tlwAddJsonStringMember(tlwText *text, const char *key, const char *words)
{
    tlwAddJsonKey(text, key);
    tlwAddJsonString(text, words);
}

void tlwAddJsonNumbers(tlwText *text, const char *key, const double *values, int count)
{
    tlwAddJsonKey(text, key);
    tlwAddText(text, "[");
    for (int i = 0; i < count; i++) {
        tlwAddText(text, i ? ", " : "");
        tlwAddJsonNumber(text, values[i]);
    }
    tlwAddText(text, "]");
}
