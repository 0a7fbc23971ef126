#include "base/hash.h"

#include <string.h>

static uint64_t mixWord(uint64_t hash, uint64_t word)
{
    // Odd multipliers keep every step invertible, so a single changed word always changes the hash.
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

uint64_t tlwHashBytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t word;
    hash = mixWord(hash, size);
    for (; size >= 8; size -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        hash = mixWord(hash, word);
    }
    if (size) {
        word = 0;
        memcpy(&word, bytes, size);
        hash = mixWord(hash, word);
    }
    return hash ^ (hash >> 32);
}
