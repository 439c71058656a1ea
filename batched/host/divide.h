/* SPDX-License-Identifier: BSD-3-Clause */

/* x / d without needless over- or underflow: d is first scaled to have a larger part of 1. */
static inline T NAME(divide)(T x, T d)
{
#if IS_COMPLEX
  R re = __real__ d, im = __imag__ d;
  R s = __builtin_fabs(re) > __builtin_fabs(im) ? __builtin_fabs(re) : __builtin_fabs(im);
  re /= s;
  im /= s;
  T y = x * FROM(re, -im) / (re * re + im * im);
  return y / s;
#else
  return x / d;
#endif
}
