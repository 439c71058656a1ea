/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Includes the file BODY once for each of the four types, with
 *   T, R         the type, and the type of its real part
 *   NAME(f)      f_s, f_d, f_c, f_z
 *   IS_COMPLEX   0 or 1
 *   CONJ(x) REAL(x) IMAGINARY(x) ABS(x)  of a T;  FROM(re, im)  makes a T
 *   SQRT(x)      of an R
 *   SIMD(f)      f_f32 or f_f64 of simd.h, by R
 *   EPS          the distance from 1 to the next R
 */
#include "batched/host/simd.h"

#define T float
#define R float
#define NAME(f) f##_s
#define IS_COMPLEX 0
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAGINARY(x) 0
#define ABS(x) __builtin_fabsf(x)
#define FROM(re, im) ((float)(re))
#define SQRT(x) __builtin_sqrtf(x)
#define SIMD(f) f##_f32
#define EPS 0x1p-23f
#include BODY
#undef T
#undef R
#undef NAME
#undef ABS
#undef FROM
#undef SQRT
#undef SIMD
#undef EPS

#define T double
#define R double
#define NAME(f) f##_d
#define ABS(x) __builtin_fabs(x)
#define FROM(re, im) ((double)(re))
#define SQRT(x) __builtin_sqrt(x)
#define SIMD(f) f##_f64
#define EPS 0x1p-52
#include BODY
#undef T
#undef R
#undef NAME
#undef IS_COMPLEX
#undef CONJ
#undef REAL
#undef IMAGINARY
#undef ABS
#undef FROM
#undef SQRT
#undef SIMD
#undef EPS

#define T float _Complex
#define R float
#define NAME(f) f##_c
#define IS_COMPLEX 1
#define CONJ(x) __builtin_conjf(x)
#define REAL(x) __builtin_crealf(x)
#define IMAGINARY(x) __builtin_cimagf(x)
#define ABS(x) __builtin_cabsf(x)
#define FROM(re, im) __builtin_complex((float)(re), (float)(im))
#define SQRT(x) __builtin_sqrtf(x)
#define SIMD(f) f##_f32
#define EPS 0x1p-23f
#include BODY
#undef T
#undef R
#undef NAME
#undef CONJ
#undef REAL
#undef IMAGINARY
#undef ABS
#undef FROM
#undef SQRT
#undef SIMD
#undef EPS

#define T double _Complex
#define R double
#define NAME(f) f##_z
#define CONJ(x) __builtin_conj(x)
#define REAL(x) __builtin_creal(x)
#define IMAGINARY(x) __builtin_cimag(x)
#define ABS(x) __builtin_cabs(x)
#define FROM(re, im) __builtin_complex((double)(re), (double)(im))
#define SQRT(x) __builtin_sqrt(x)
#define SIMD(f) f##_f64
#define EPS 0x1p-52
#include BODY
#undef T
#undef R
#undef NAME
#undef IS_COMPLEX
#undef CONJ
#undef REAL
#undef IMAGINARY
#undef ABS
#undef FROM
#undef SQRT
#undef SIMD
#undef EPS

#undef BODY
