/* SPDX-License-Identifier: BSD-3-Clause */

/* |re| + |im|: the size by which LAPACK chooses pivots. */
static inline R NAME(abs1)(T x)
{
#if IS_COMPLEX
  return (R)(__builtin_fabs(__real__ x) + __builtin_fabs(__imag__ x));
#else
  return ABS(x);
#endif
}
