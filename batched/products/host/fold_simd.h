/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fold_f32, fold_f64: element j of the result is the sum of vector j's elements.  Half the shuffles of a transposition.
 */
#ifndef BATCHED_PRODUCTS_HOST_FOLD_SIMD_H
#define BATCHED_PRODUCTS_HOST_FOLD_SIMD_H

#include "batched/host/simd.h"

#define FOLD(suffix, lanes) \
  ALWAYS_INLINE vec_##suffix fold_##suffix(vec_##suffix t[lanes]) \
  { \
    _Pragma("GCC unroll 4") for (int n = (lanes) / 2; n > 0; n /= 2) \
    { \
      _Pragma("GCC unroll 8") for (int i = 0; i < n; i++) t[i] = \
        __builtin_shufflevector(t[i], t[i + n], SIMD_PASTE(SIMD_ZIP_LOW_, lanes)) + \
        __builtin_shufflevector(t[i], t[i + n], SIMD_PASTE(SIMD_ZIP_HIGH_, lanes)); \
    } \
    return t[0]; \
  }

#if SIMD_BYTES == 64
FOLD(f32, 16)
FOLD(f64, 8)
#elif SIMD_BYTES == 32
FOLD(f32, 8)
FOLD(f64, 4)
#else
FOLD(f32, 4)
FOLD(f64, 2)
#endif

#endif
