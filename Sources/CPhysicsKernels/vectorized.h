#pragma once

// The choice between clones is made before the thread sanitizer's runtime is up, whose calls it would contain.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define VECTORIZED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORIZED
#endif
