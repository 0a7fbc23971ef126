// 64-bit hash for checksums and scene hashes. Not for security.
#ifndef TLW_BASE_HASH_H
#define TLW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TLW_HASH_SEED UINT64_C(0xcbf29ce484222325)

// Continues from `hash`, so a stream can be hashed in parts. The same stream cut into other parts gives another hash.
// One multiplication per 8 bytes.
uint64_t tlwHashBytes(uint64_t hash, const void *data, size_t size);

#endif
