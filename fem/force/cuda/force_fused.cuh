/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the kernels of cuda.fused: the shapes that are compiled, their tables, and the store.
 */
#ifndef FEM_CUDA_FORCE_FUSED_CUH
#define FEM_CUDA_FORCE_FUSED_CUH

#include "fem/force/cuda/force.cuh"
#include "batched/cuda/launch.cuh"

namespace fem_cuda
{

/* In the context's memory. */
struct fused_store {
  double *a;               /* owned, [nzones][dim][dim][nq]: stress, see point_stress */
  double *f;               /* owned, [dim][nzones][nd]: F 1 zone by zone */
  double *initial_inverse; /* owned, J0^-1: [nzones][dim][dim], of all points of a zone, or [nzones][dim][dim][nq] */
  bool affine;             /* all zones were parallelepipeds at the start: the former */
};

/* A block does `points` [zones][planes][q][q] of `zones` zones at a time, planes after planes (in 2D a zone is one
 * plane); `blocks` blocks per multiprocessor. */
template <int DIM, int D, int Q, int ZONES, int PLANES, int BLOCKS> struct fused_shape {
  static constexpr int dim = DIM, d = D, t = D - 1, q = Q, zones = ZONES, planes = PLANES, blocks = BLOCKS;
  static constexpr int depth_d = DIM == 3 ? D : 1, depth_t = DIM == 3 ? t : 1, depth_q = DIM == 3 ? Q : 1;
  static constexpr int nd = D * D * depth_d, nt = t * t * depth_t, nq = Q * Q * depth_q;
  static constexpr int slices = depth_q / PLANES;
  static constexpr int points = ZONES * PLANES * Q * Q;
  static constexpr int threads = (points + 31) / 32 * 32;
  static_assert(depth_q % PLANES == 0, "slices are of equal depth");
};

/* Zones and planes per block for the stress and for the powers, the fastest that were tried: warps are full or nearly,
 * and the registers of a multiprocessor hold 512 to 640 points' physics in 3D.  At 640 some of a point's doubles go to
 * the first-level cache and back while the eigenpair is found; that costs less than fewer points do. */
template <int DIM, int D> struct fused_stress_shape;
template <> struct fused_stress_shape<2, 2> : fused_shape<2, 2, 2, 32, 1, 6> {
};
template <> struct fused_stress_shape<2, 3> : fused_shape<2, 3, 4, 8, 1, 8> {
};
template <> struct fused_stress_shape<2, 4> : fused_shape<2, 4, 6, 7, 1, 3> {
};
template <> struct fused_stress_shape<2, 5> : fused_shape<2, 5, 8, 2, 1, 6> {
};
template <> struct fused_stress_shape<2, 6> : fused_shape<2, 6, 10, 3, 1, 2> {
};
template <> struct fused_stress_shape<3, 2> : fused_shape<3, 2, 2, 16, 2, 4> {
};
template <> struct fused_stress_shape<3, 3> : fused_shape<3, 3, 4, 2, 4, 5> {
};
template <> struct fused_stress_shape<3, 4> : fused_shape<3, 4, 6, 1, 3, 5> {
};
template <> struct fused_stress_shape<3, 5> : fused_shape<3, 5, 8, 1, 2, 5> {
};
template <> struct fused_stress_shape<3, 6> : fused_shape<3, 6, 10, 1, 2, 2> {
};

template <int DIM, int D> struct fused_power_shape;
template <> struct fused_power_shape<2, 2> : fused_shape<2, 2, 2, 32, 1, 12> {
};
template <> struct fused_power_shape<2, 3> : fused_shape<2, 3, 4, 8, 1, 12> {
};
template <> struct fused_power_shape<2, 4> : fused_shape<2, 4, 6, 7, 1, 1> {
};
template <> struct fused_power_shape<2, 5> : fused_shape<2, 5, 8, 2, 1, 1> {
};
template <> struct fused_power_shape<2, 6> : fused_shape<2, 6, 10, 3, 1, 1> {
};
template <> struct fused_power_shape<3, 2> : fused_shape<3, 2, 2, 8, 2, 16> {
};
template <> struct fused_power_shape<3, 3> : fused_shape<3, 3, 4, 2, 4, 10> {
};
template <> struct fused_power_shape<3, 4> : fused_shape<3, 4, 6, 1, 6, 4> {
};
template <> struct fused_power_shape<3, 5> : fused_shape<3, 5, 8, 1, 2, 5> {
};
template <> struct fused_power_shape<3, 6> : fused_shape<3, 6, 10, 1, 1, 4> {
};

/* The bases in one dimension, passed to kernels by value, so that constant indices make operands of them. */
template <class H> struct fused_tables {
  double b[H::q][H::d], g[H::q][H::d], bt[H::q][H::t], weights[H::q];
};

template <class H> fused_tables<H> make_tables(const fem_space *s)
{
  fused_tables<H> tables;
  for (int q = 0; q < H::q; q++) {
    for (int i = 0; i < H::d; i++) tables.b[q][i] = s->b[q * H::d + i], tables.g[q][i] = s->g[q * H::d + i];
    for (int i = 0; i < H::t; i++) tables.bt[q][i] = s->bt[q * H::t + i];
    tables.weights[q] = s->weights[q];
  }
  return tables;
}

/* The stress, and F^T v, for sizes known to the compiler (force_fused_stress.cu, force_fused_power.cu;
 * BATCHED_DOES_NOT_FIT: not compiled), or for any (force_fused_any.cu).  Arguments as in fem_force_functions. */
int fused_stress(batched_ctx *ctx, const fem_force *force, const double *x, const double *v, const double *e,
                 double *time_step);
int fused_power(batched_ctx *ctx, const fem_force *force, const double *v, double *power);
int fused_stress_any(batched_ctx *ctx, const fem_force *force, const double *x, const double *v, const double *e,
                     double *time_step);
int fused_power_any(batched_ctx *ctx, const fem_force *force, const double *v, double *power);
/* True where a multiprocessor has room for a zone of this space. */
bool fused_any_fits(const fem_space *s);

/* Calls f with a value of the shape of the space: with_shape<fused_stress_shape>(s, [&](auto h) { using H =
 * decltype(h); ... }). */
template <template <int, int> class CHOICE, class F> int with_shape(const fem_space *s, F f)
{
#define SHAPE(DIM, D, Q) \
  if constexpr (DIM > 1) \
    if (s->dim == DIM && s->d1 == D && s->t1 == D - 1 && s->q1 == Q) return f(CHOICE<DIM, D>{});
#include "fem/shapes.def"
#undef SHAPE
  return BATCHED_DOES_NOT_FIT;
}

/* The smallest time step so far; an estimate that a bound shows to be larger need not be computed. */
static __device__ __forceinline__ double known_step(const double *step)
{
  return *(const volatile double *)step;
}
/* With a margin for the rounding in the bounds of point.h. */
static __device__ __forceinline__ double step_limit(double smallest)
{
  return smallest * (1.0 + 1e-9);
}

/* Lowers *step to the smallest value of a full warp's lanes.  None is negative or NaN, so they are ordered as the
 * integers of the same bits are, and a minimum has no order. */
static __device__ __forceinline__ void lower_step(double *step, double smallest)
{
  for (int lanes = 16; lanes > 0; lanes /= 2) smallest = fmin(smallest, __shfl_xor_sync(0xffffffffu, smallest, lanes));
  if (threadIdx.x % 32 == 0 && smallest < known_step(step))
    atomicMin(reinterpret_cast<unsigned long long *>(step), (unsigned long long)__double_as_longlong(smallest));
}

} // namespace fem_cuda

#endif
