// yoke/core/vectorise.h: one function compiled for several vector widths, chosen when loaded.
#pragma once
#include <cstdlib>  // defines __GLIBC__

/// Before a free function of plain loops: compiles it for AVX-512, AVX2 and the baseline, and the
/// loader picks what the processor has. Empty where the compiler or loader cannot, and under
/// sanitizers, which are not up yet when the loader picks.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define YOKE_VECTORISE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define YOKE_VECTORISE
#endif
