#pragma once

// The same results on every processor: arm64 could multiply and add in one step, without the rounding between.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#define __has_feature(feature) 0
#define __builtin_elementwise_sqrt(number) __builtin_sqrtf(number)
#endif

// The code that chooses between clones runs before the thread sanitizer's runtime is up. With the sanitizer it would call that runtime.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define VECTORIZED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORIZED
#endif
