// 64-bit hash for checksums and scene hashes. Not for security.
#ifndef TLW_BASE_HASH_H
#define TLW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TLW_HASH_SEED UINT64_C(0xcbf29ce484222325)

// Goes on from `hash`, so that a stream can be hashed in parts; the parts' borders count. 8 bytes per multiplication.
uint64_t tlwHashBytes(uint64_t hash, const void *data, size_t size);

#endif
