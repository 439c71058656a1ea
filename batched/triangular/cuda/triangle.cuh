/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular systems as their kernels see them: whatever the side, the triangle and the transposition, E X = B with a
 * lower triangular E.  X op(A) = B is op(A)^T X^T = B^T; a backward solve counts rows and columns from the other end;
 * and conj(E) X = B is E conj(X) = conj(B).
 */
#ifndef BATCHED_CUDA_TRIANGLE_CUH
#define BATCHED_CUDA_TRIANGLE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* X(T) for each type that this build instantiates. */
#if BATCHED_CUDA_TYPES & 1
#define BATCHED_WITH_S(X) X(float)
#else
#define BATCHED_WITH_S(X)
#endif
#if BATCHED_CUDA_TYPES & 2
#define BATCHED_WITH_D(X) X(double)
#else
#define BATCHED_WITH_D(X)
#endif
#if BATCHED_CUDA_TYPES & 4
#define BATCHED_WITH_C(X) X(complex<float>)
#else
#define BATCHED_WITH_C(X)
#endif
#if BATCHED_CUDA_TYPES & 8
#define BATCHED_WITH_Z(X) X(complex<double>)
#else
#define BATCHED_WITH_Z(X)
#endif
#define BATCHED_WITH_TYPES(X) BATCHED_WITH_S(X) BATCHED_WITH_D(X) BATCHED_WITH_C(X) BATCHED_WITH_Z(X)

struct triangle_form {
  bool left;     /* X is B, otherwise B^T */
  bool flip;     /* E is A^T, before it is turned round */
  bool backward; /* E(i, j) is element (n - 1 - i, n - 1 - j) of that */
  bool conj, unit;
};

static inline triangle_form form_of(batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag)
{
  const bool left = side == BATCHED_LEFT, flip = (trans != BATCHED_NO_TRANS) == left;
  return {left, flip, (uplo == BATCHED_LOWER) == flip, trans == BATCHED_CONJ_TRANS, diag == BATCHED_UNIT};
}

/* A matrix whose element (i, j) is at[i * row + j * col]. */
template <class T> struct strided {
  T *at;
  int64_t row, col;

  DEVICE T &operator()(int i, int j) const
  {
    return at[i * row + j * col];
  }
};

/* E, of order n. */
template <class T> DEVICE strided<T> triangle_of(const triangle_form &f, T *a, int64_t lda, int n)
{
  const int64_t row = f.flip ? lda : 1, col = f.flip ? 1 : lda;
  if (!f.backward) return {a, row, col};
  return {a + (n - 1) * (row + col), -row, -col};
}

/* X, of n rows. */
template <class T> DEVICE strided<T> unknowns_of(const triangle_form &f, T *b, int64_t ldb, int n)
{
  const int64_t row = f.left ? 1 : ldb, col = f.left ? ldb : 1;
  if (!f.backward) return {b, row, col};
  return {b + (n - 1) * row, -row, col};
}

/* 1 / d = scale * inverse, where scale is a power of two that is 1 for all but extreme d: multiplying by the two, in
 * this order, overflows no earlier than a division. */
template <class T> struct reciprocal {
  real_of<T> scale;
  T inverse;

  DEVICE T operator()(T x) const
  {
    return (scale * x) * inverse;
  }
};

template <class T> __device__ __forceinline__ reciprocal<T> reciprocal_of(T d)
{
  using R = real_of<T>;
  constexpr int moderate = sizeof(R) == 4 ? 60 : 500, most = sizeof(R) == 4 ? 100 : 1000;
  const R size = fmax(fabs(real(d)), fabs(imag(d)));
  const int e = max(-most, min(ilogb(size), most));
  const R scale = e >= -moderate && e <= moderate ? R(1) : scalbn(R(1), -e - 1);
  const T x = scale * d;
  if constexpr (is_complex<T>) {
    const R r = 1 / (x.re * x.re + x.im * x.im);
    return {scale, {x.re * r, -x.im * r}};
  } else {
    return {scale, 1 / x};
  }
}

/* 16 bytes of a column in shared memory. */
template <class T> struct alignas(16) pack {
  static constexpr int size = 16 / sizeof(T);
  T x[size];
};

/* An element that nobody reads again: the first to leave the cache. */
template <class T> __device__ __forceinline__ T load_once(const T *p)
{
  if constexpr (sizeof(T) == 16) {
    const double2 v = __ldcs(reinterpret_cast<const double2 *>(p));
    return {v.x, v.y};
  } else if constexpr (is_complex<T>) {
    const float2 v = __ldcs(reinterpret_cast<const float2 *>(p));
    return {v.x, v.y};
  } else {
    return __ldcs(p);
  }
}

/* Starts to copy an element from global to shared memory; wait_copies() waits for all that this thread started. */
template <class T> __device__ __forceinline__ void start_copy(T *to, const T *from)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(T)) : "memory");
}
__device__ __forceinline__ void wait_copies()
{
  asm volatile("cp.async.wait_all;" ::: "memory");
}

} // namespace batched_cuda

#endif
