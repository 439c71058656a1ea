/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors of float and double as wide as the processor's registers, in the compiler's own vector notation.  The names
 * end in _f32 or _f64; a body that is compiled for each type says SIMD(name).
 */
#ifndef BATCHED_HOST_SIMD_H
#define BATCHED_HOST_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#if defined __AVX512F__
#include <immintrin.h>
#define SIMD_BYTES 64
#define SIMD_REGISTERS 32
#elif defined __AVX__
#include <immintrin.h>
#define SIMD_BYTES 32
#define SIMD_REGISTERS 16
#else
#define SIMD_BYTES 16
#define SIMD_REGISTERS 16
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Interleave the lower, or the upper, halves of two vectors of 2, 4, 8, 16 elements. */
#define SIMD_ZIP_LOW_2 0, 2
#define SIMD_ZIP_HIGH_2 1, 3
#define SIMD_ZIP_LOW_4 0, 4, 1, 5
#define SIMD_ZIP_HIGH_4 2, 6, 3, 7
#define SIMD_ZIP_LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define SIMD_ZIP_HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define SIMD_ZIP_LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SIMD_ZIP_HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
/* Exchange neighbours. */
#define SIMD_SWAP_2 1, 0
#define SIMD_SWAP_4 1, 0, 3, 2
#define SIMD_SWAP_8 1, 0, 3, 2, 5, 4, 7, 6
#define SIMD_SWAP_16 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14

/* Elements of which the number differs in one bit, h. */
#define SIMD_AWAY_2(h) 0 ^ (h), 1 ^ (h)
#define SIMD_AWAY_4(h) SIMD_AWAY_2(h), 2 ^ (h), 3 ^ (h)
#define SIMD_AWAY_8(h) SIMD_AWAY_4(h), 4 ^ (h), 5 ^ (h), 6 ^ (h), 7 ^ (h)
#define SIMD_AWAY_16(h) SIMD_AWAY_8(h), 8 ^ (h), 9 ^ (h), 10 ^ (h), 11 ^ (h), 12 ^ (h), 13 ^ (h), 14 ^ (h), 15 ^ (h)

#define SIMD_PASTE2(a, b) a##b
#define SIMD_PASTE(a, b) SIMD_PASTE2(a, b)

#define R float
#define INT int32_t
#define VNAME(f) f##_f32
#define MM512(f) _mm512_##f##_ps
#define MM256(f) _mm256_##f##_ps
#define FRACTION_BITS 23
#define EXPONENT_MASK 0x7f800000
#if SIMD_BYTES == 64
#define LANES 16
#elif SIMD_BYTES == 32
#define LANES 8
#else
#define LANES 4
#endif
#include "batched/host/simd_body.h"
#undef R
#undef INT
#undef VNAME
#undef MM512
#undef MM256
#undef FRACTION_BITS
#undef EXPONENT_MASK
#undef LANES

#define R double
#define INT int64_t
#define VNAME(f) f##_f64
#define MM512(f) _mm512_##f##_pd
#define MM256(f) _mm256_##f##_pd
#define FRACTION_BITS 52
#define EXPONENT_MASK 0x7ff0000000000000
#if SIMD_BYTES == 64
#define LANES 8
#elif SIMD_BYTES == 32
#define LANES 4
#else
#define LANES 2
#endif
#include "batched/host/simd_body.h"
#undef R
#undef INT
#undef VNAME
#undef MM512
#undef MM256
#undef FRACTION_BITS
#undef EXPONENT_MASK
#undef LANES

#endif
