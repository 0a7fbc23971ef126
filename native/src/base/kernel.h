// Marks the few loops where the time goes. On x86-64 the compiler makes a second version of them for machines with AVX2
// and the loader picks one at start. Contraction is off in the build, so both give the same bits.
#ifndef TLW_BASE_KERNEL_H
#define TLW_BASE_KERNEL_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TLW_SANITIZED)
#define TLW_KERNEL __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TLW_KERNEL
#endif

#endif
