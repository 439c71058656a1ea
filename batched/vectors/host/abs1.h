/* SPDX-License-Identifier: BSD-3-Clause */

/* |re| + |im|, the size by which BLAS compares and adds. */
ALWAYS_INLINE R NAME(abs1)(const T *x)
{
  const R re = ((const R *)x)[0], im = IS_COMPLEX ? ((const R *)x)[IS_COMPLEX] : 0;
  return (re < 0 ? -re : re) + (im < 0 ? -im : im);
}
