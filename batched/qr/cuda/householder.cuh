/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Householder reflectors in LAPACK's convention: H = I - tau v v^H, v(1) = 1, H^H (alpha, x) = (beta, 0), beta real;
 * and what the operations on Q call of each other.
 */
#ifndef BATCHED_QR_CUDA_HOUSEHOLDER_CUH
#define BATCHED_QR_CUDA_HOUSEHOLDER_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::qr
{

template <class T> struct reflector {
  real_of<T> beta;
  T tau, inverse; /* v = inverse x below its first element */
};

/* True where a sum of squares has no harmful underflow, and products of such columns are within range. */
template <class T> __device__ __forceinline__ bool is_moderate(real_of<T> squares)
{
  using R = real_of<T>;
  constexpr R least = sizeof(R) == 4 ? R(0x1p-40) : R(0x1p-400), most = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);
  return squares > least && squares < most;
}

/* The same, for products with columns of 2^-970 to 2^970. */
__device__ __forceinline__ bool is_near_one(double squares)
{
  return squares > 0x1p-100 && squares < 0x1p100;
}

/* The reflector of (alpha, x), |x|^2 = tail, for moderate numbers: LAPACK's larfg without its loop. */
template <class T> __device__ __forceinline__ reflector<T> reflect(T alpha, real_of<T> tail)
{
  using R = real_of<T>;
  const R a = real(alpha), squares = tail + square(alpha);
  if (tail == 0 && imag(alpha) == 0) return {a, make<T>(0), make<T>(0)};
  const R rough = rough_inverse_root(squares), near = copysign(fma(squares, rough, fabs(a)), a);
  const R y = inverse_root(squares, rough), root = squares * y;
  const R norm = fma(R(0.5) * y, fma(-root, root, squares), root), beta = -copysign(norm, a);
  if constexpr (is_complex<T>) {
    const T d = {a - beta, alpha.im};
    const R r = inverse_of(square(d), square(T{near, alpha.im}));
    return {beta, {1 + fabs(a) * y, alpha.im * copysign(y, a)}, {d.re * r, -d.im * r}};
  } else {
    return {beta, 1 + fabs(a) * y, inverse_of(a - beta, near)};
  }
}

/* A power of two that brings a column whose largest part is `size` to about 1; 1 for 0, infinity and NaN. By bits of
 * the exponent: a library call would cost registers. */
__device__ __forceinline__ double column_scale(double size)
{
  const int exponent = __double2hiint(size) >> 20; /* size >= 0 */
  const int scale = 1023 + max(-1021, min(1023 - exponent, 1021));
  return size > 0 && exponent < 2047 ? __hiloint2double(scale << 20, 0) : 1;
}
__device__ __forceinline__ float column_scale(float size)
{
  const int exponent = __float_as_int(size) >> 23;
  const int scale = 127 + max(-125, min(127 - exponent, 125));
  return size > 0 && exponent < 255 ? __int_as_float(scale << 23) : 1;
}

/* 1 / scale for a result of column_scale(), without a division. */
__device__ __forceinline__ double inverse_scale(double scale)
{
  return __hiloint2double((2046 << 20) - __double2hiint(scale), 0);
}
__device__ __forceinline__ float inverse_scale(float scale)
{
  return __int_as_float((254 << 23) - __float_as_int(scale));
}

template <class T> __device__ __forceinline__ real_of<T> largest_part(T x)
{
  return fmax(fabs(real(x)), fabs(imag(x)));
}

/* c += conj(a) b */
template <class T> __device__ __forceinline__ T conj_mad(T a, T b, T c)
{
  return mad(conj(a), b, c);
}

/* Use of Q in a kernel; see panels.cuh. */
enum panel_job { FACTOR, APPLY_LEFT, APPLY_RIGHT, GENERATE };

template <class T> struct panel_args {
  panel_job job;
  bool adjoint; /* Q^H instead of Q; FACTOR needs it */
  batch<T> a, tau, c;
  bool any;   /* is there any reflector? */
  int strips; /* APPLY: blocks per matrix C */
  bool few;   /* s, c, z: panels of 16 columns, so that more blocks share an SM; else 32 where there are as many */
};

/* True where cuda.panels can take matrices (C, or A) with this many rows on this GPU. */
bool panels_fit(batched_type type, int rows);
template <class T> bool panels_fit(int rows)
{
  constexpr bool is_double = sizeof(real_of<T>) == sizeof(double);
  return panels_fit(is_complex<T> ? is_double ? BATCHED_Z : BATCHED_C : is_double ? BATCHED_D : BATCHED_S, rows);
}
/* cuda.panels. FACTOR, GENERATE: a and tau. APPLY: c = op(Q) c, or c op(Q) = (op(Q)^H c^H)^H. Any number of columns. */
template <class T>
int run_panels(batched_ctx *ctx, panel_job job, bool adjoint, const batch<T> &a, const batch<T> &tau,
               const batch<T> &c);
/* cuda.panels in double precision (panels_wy.cu); does a Q of this order fit into shared memory? */
int run_strips(batched_ctx *ctx, const panel_args<double> &g);
bool strips_fit(int order);
/* cuda.registers of geqrf (geqrf_registers.cuh), for matrices of at most so many rows. */
constexpr bool registers_fit(batched_type type, int rows)
{
  return type != BATCHED_D && rows <= 256;
}
template <class T> int run_registers(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau);
/* cuda.panels_shared of geqrf (geqrf_panels_shared.cuh), on this GPU. */
bool panels_shared_fit(batched_type type, int m, int n);
template <class T> int run_panels_shared(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau);
/* cuda.blocked: any number of rows. */
template <class T>
int run_columns(batched_ctx *ctx, panel_job job, bool adjoint, const batch<T> &a, const batch<T> &tau,
                const batch<T> &c);

} // namespace batched_cuda::qr

#endif
