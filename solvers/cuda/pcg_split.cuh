/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.fused, cuda.peers and cuda.looped of pcg: conjugate gradients in two passes over memory per iteration, for
 * an operator with kernels for both (solver_split), as row cuda.sumfact of velocity_mass is:
 *   product   x += alpha p;  p' = D^-1 r + beta p;  w = A p', as far as it goes without sums over other blocks; (p', w)
 *   residual  the rest of w;  r -= alpha w;  (r, D^-1 r)
 * With a preconditioner that is no diagonal there is a third pass, which steps the scalars in place of the residual:
 *   precondition  z = P r;  (r, z);  the product then forms p' = z + beta p
 * z and p are in single precision, over a unit per component, so that they neither over- nor underflow: P need not be
 * exact, nor p conjugate to all digits, as long as x and r go along the same p.  So x is not needed before the end:
 * PCG_DIRECTIONS of p are kept, and the residual of the last of them adds them all to x.
 * Without it x lags one step behind, as its p is at hand only there.  p and p' are two arrays, as other blocks may
 * still need p.
 * The last block of a kernel adds up the parts of all blocks, in their order, and takes the step of the scalars.
 *
 * Several ranks, with a GPU each, do the same, but not with z: each block of the residual waits for the others'
 * (p', w), its last block for their (r, D^-1 r), and the residual for what they have of w at shared nodes, as flagged
 * words (mesh/comm/cuda/peers.cuh).  All ranks find the same scalars, and so end together.
 *   grid       the operator's kernels have their own contracts; with several ranks all blocks are resident together
 *   takes      1 to 3 components; double precision, within cuda.mixed single; up to 32 ranks
 *   memory     per dof and component: the product reads x, p, r (24 bytes), writes x, p' and w (24); the residual reads
 *              r and w (16), writes r (8); both read D^-1, 8 bytes per dof.  With z the product reads p and z (8),
 *              writes p' and w (12); the residual reads and writes as before, and once in PCG_DIRECTIONS iterations
 *              reads so many p and x, and writes x (48).  Nodes of several zone blocks are read by each of them, and
 *              their w goes through slots
 *   accuracy   |r| <= tolerance |b| in the norm of D^-1, or of P, as the recurrences have it; sums in the order of
 *              threads, blocks and ranks: the same bits in every run with the same number of blocks
 */
#ifndef SOLVERS_CUDA_PCG_SPLIT_CUH
#define SOLVERS_CUDA_PCG_SPLIT_CUH

#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/pcg.cuh"
#include "solvers/cuda/sums.cuh"

namespace solvers_cuda
{

/* Arguments of all kernels of a solve; vectors [ncomp][n], in the order of the matrix.  T: double, or float for what is
 * refined (pcg_mixed.cu); scalars and sums are double. */
template <class T> struct split_vectors_of {
  int64_t n;
  const T *inverse_diagonal; /* [n] */
  T *x, *r, *p[2], *w;
  float *z;                         /* P r / last_unit of the state; NULL: the diagonal serves */
  float *direction[PCG_DIRECTIONS]; /* with z in place of p: of iteration i at i modulo PCG_DIRECTIONS */
  pcg_state *state;                 /* on the device, as the next three */
  double *parts;                    /* [ncomp][gridDim.x]: sums of the blocks of the kernel at hand */
  unsigned *arrived;
  const mesh_cuda::peer_view *peers; /* NULL: there are no other ranks */
  cudaGraphConditionalHandle loop;
  bool recorded; /* there is a loop */
};
using split_vectors = split_vectors_of<double>;

/* p of the last iteration, and where the next one goes. */
template <class T> __device__ __forceinline__ const T *last_p(const split_vectors_of<T> &v)
{
  return v.p[v.state->iteration & 1];
}

template <class T> __device__ __forceinline__ T *next_p(const split_vectors_of<T> &v)
{
  return v.p[~v.state->iteration & 1];
}

/* The same of directions. */
template <class T> __device__ __forceinline__ const float *last_direction(const split_vectors_of<T> &v)
{
  return v.direction[(unsigned)(v.state->iteration - 1) % PCG_DIRECTIONS];
}

template <class T> __device__ __forceinline__ float *next_direction(const split_vectors_of<T> &v)
{
  return v.direction[(unsigned)v.state->iteration % PCG_DIRECTIONS];
}

/* x += the steps of the first `count` directions, all after a multiple of PCG_DIRECTIONS iterations; `fresh`: of zero.
 * All threads of a grid. */
template <int NCOMP, class T>
__device__ __forceinline__ void add_directions(const split_vectors_of<T> &v, int count, bool fresh)
{
  const int64_t first = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, stride = (int64_t)blockDim.x * gridDim.x;
#pragma unroll 1
  for (int c = 0; c < NCOMP; c++) {
    double step[PCG_DIRECTIONS];
#pragma unroll
    for (int k = 0; k < PCG_DIRECTIONS; k++) step[k] = v.state->step[k][c];
    for (int64_t at = c * v.n + first; at < (c + 1) * v.n; at += stride) {
      double x = fresh ? 0.0 : (double)v.x[at];
#pragma unroll
      for (int k = 0; k < PCG_DIRECTIONS; k++)
        if (k < count) x += step[k] * (double)v.direction[k][at];
      v.x[at] = (T)x;
    }
  }
}

/* The end of the residual: the directions that there is no more room for. */
template <int NCOMP, class T> __device__ __forceinline__ void add_full_directions(const split_vectors_of<T> &v)
{
  const int iteration = v.state->iteration;
  if (iteration % PCG_DIRECTIONS == PCG_DIRECTIONS - 1)
    add_directions<NCOMP>(v, PCG_DIRECTIONS, iteration < PCG_DIRECTIONS);
}

/* After the last iteration: those that are left.  A thread per dof. */
template <int NCOMP, class T> __global__ void __launch_bounds__(256) add_last_directions(split_vectors_of<T> v)
{
  add_directions<NCOMP>(v, v.state->iteration % PCG_DIRECTIONS, v.state->iteration < PCG_DIRECTIONS);
}

template <class T> int launch_last_directions(batched_ctx *ctx, int ncomp, const split_vectors_of<T> &v)
{
  return batched_cuda::launch(ctx,
                              ncomp == 1   ? add_last_directions<1, T>
                              : ncomp == 2 ? add_last_directions<2, T>
                                           : add_last_directions<3, T>,
                              batched_cuda::ceil_div(v.n, 256), 256, 0, v);
}

/* Coupled components share their sums. */
DEVICE void couple(const pcg_state &s, double *sums)
{
  if (!s.coupled) return;
  double total = 0.0;
  for (int c = 0; c < s.ncomp; c++) total += sums[c];
  for (int c = 0; c < s.ncomp; c++) sums[c] = total;
}

/* A residual that is not a number never converges. */
DEVICE bool is_active(const pcg_state &s, int c)
{
  return !s.converged[c] && !isnan(s.rz[c]);
}

/* From (r, D^-1 r) of the start. */
DEVICE void decide_start(pcg_state &s, double *rz)
{
  couple(s, rz);
  for (int c = 0; c < s.ncomp; c++) {
    s.rz[c] = rz[c];
    s.limit[c] = s.tolerance * s.tolerance * rz[c];
    s.converged[c] = rz[c] <= s.limit[c];
  }
}

/* From (p, w); alpha [ncomp] may be that of the state. */
DEVICE void decide_alpha(const pcg_state &s, double *pw, double *alpha)
{
  couple(s, pw);
  for (int c = 0; c < s.ncomp; c++) alpha[c] = is_active(s, c) ? s.rz[c] / pw[c] : 0.0;
}

/* The same, with p and w over the unit of z: alpha w is a step then, too. */
DEVICE void decide_preconditioned_alpha(pcg_state &s, double *pw)
{
  for (int c = 0; c < s.ncomp; c++) pw[c] *= s.last_unit[c] * s.last_unit[c];
  decide_alpha(s, pw, s.alpha);
  for (int c = 0; c < s.ncomp; c++) {
    s.alpha[c] *= s.last_unit[c];
    s.step[(unsigned)s.iteration % PCG_DIRECTIONS][c] = s.alpha[c];
    s.direction_unit[c] = s.last_unit[c];
  }
}

/* From (r, D^-1 r). */
DEVICE void decide_beta(pcg_state &s, double *rz)
{
  couple(s, rz);
  s.iteration++;
  bool left = false;
  for (int c = 0; c < s.ncomp; c++) {
    s.beta[c] = 0.0;
    if (!is_active(s, c)) continue;
    s.beta[c] = rz[c] / s.rz[c];
    s.rz[c] = rz[c];
    s.iterations[c] = s.iteration;
    s.converged[c] = rz[c] <= s.limit[c];
    left = left || is_active(s, c);
  }
  s.going = left && s.iteration < s.max_iterations;
}

/* A unit for P r of what was measured last, (r, z). */
DEVICE void choose_unit(pcg_state &s, int c)
{
  if (s.rz[c] > 0.0 && isfinite(s.rz[c])) s.unit[c] = sqrt(s.rz[c]);
}

/* From (r, D^-1 r) of the start: the first unit alone. */
DEVICE void start_preconditioned(pcg_state &s)
{
  s.started = false;
  for (int c = 0; c < s.ncomp; c++) {
    s.unit[c] = s.direction_unit[c] = 1.0;
    choose_unit(s, c);
  }
}

/* From (r, z) / unit^2: as decide_beta, but the first time, which makes the limits.  z: in units of size * unit. */
DEVICE void decide_preconditioned(pcg_state &s, double *rz, double size)
{
  for (int c = 0; c < s.ncomp; c++) rz[c] *= s.unit[c] * s.unit[c], s.last_unit[c] = size * s.unit[c];
  if (s.started) {
    decide_beta(s, rz);
  } else {
    const bool going = s.going;
    decide_start(s, rz);
    s.going = going;
    s.started = true;
  }
  for (int c = 0; c < s.ncomp; c++) choose_unit(s, c);
}

/* At the end of a kernel of whole warps: thread c < NCOMP has the sum of its block for component c; in the last block
 * to come here thread 0 calls `decide` with the sums over all blocks, and ranks.  But if they are to be passed on, that
 * is left to the next kernel (mesh_cuda::take_sums).  shared: [32 * NCOMP]. */
template <int NCOMP, class T, class F>
__device__ __forceinline__ void finish_sums(const split_vectors_of<T> &v, double sum, double *shared, bool pass_on,
                                            F decide)
{
  __shared__ bool last;
  __shared__ double totals[NCOMP];
  const int t = (int)threadIdx.x, blocks = (int)gridDim.x;
  if (t < NCOMP) {
    v.parts[(int64_t)t * blocks + blockIdx.x] = sum;
    __threadfence();
  }
  __syncthreads();
  if (t == 0) last = atomicAdd(v.arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  double sums[NCOMP] = {};
  for (int i = t; i < blocks; i += (int)blockDim.x)
#pragma unroll
    for (int c = 0; c < NCOMP; c++) sums[c] += __ldcg(v.parts + (int64_t)c * blocks + i);
  sum = sum_block(sums, shared);
  if (t < NCOMP) totals[t] = sum;
  __syncthreads();
  if (pass_on)
    mesh_cuda::send_sums<NCOMP>(*v.peers, totals);
  else if (v.peers)
    mesh_cuda::sum_over_ranks<NCOMP>(*v.peers, totals, shared);
  if (t > 0) return;
  *v.arrived = 0;
  if (!pass_on) decide(*v.state, totals);
}

/* The ends of the kernels of an iteration; `sum` and `shared` as above, `size`: of decide_preconditioned.  Sums of a
 * product travel to the other ranks while the residual begins. */
template <int NCOMP, class T>
__device__ __forceinline__ void finish_product(const split_vectors_of<T> &v, double sum, double *shared)
{
  finish_sums<NCOMP>(v, sum, shared, v.peers, [&v](pcg_state &s, double *pw) {
    if (v.z)
      decide_preconditioned_alpha(s, pw);
    else
      decide_alpha(s, pw, s.alpha);
  });
}

template <int NCOMP, class T>
__device__ __forceinline__ void finish_residual(const split_vectors_of<T> &v, double sum, double *shared)
{
  finish_sums<NCOMP>(v, sum, shared, false, [&v](pcg_state &s, double *rz) {
    decide_beta(s, rz);
    if (v.recorded) cudaGraphSetConditional(v.loop, s.going);
  });
}

template <int NCOMP, class T>
__device__ __forceinline__ void finish_precondition(const split_vectors_of<T> &v, double sum, double *shared,
                                                    double size)
{
  finish_sums<NCOMP>(v, sum, shared, false, [&v, size](pcg_state &s, double *rz) {
    decide_preconditioned(s, rz, size);
    if (v.recorded) cudaGraphSetConditional(v.loop, s.going);
  });
}

/* position[order[i]] = i: results go to memory in its own order, from wherever they are.  A thread per entry. */
static __global__ void __launch_bounds__(256) invert_order(int64_t n, const int *order, int *position)
{
  const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (i < n) position[order[i]] = (int)i;
}

/* All of such a solve in double precision.  recorded: its loop is a graph with a conditional node; else the host has
 * it. */
int run_split(batched_ctx *ctx, const solver_pcg_args *args, bool recorded);

} // namespace solvers_cuda

#endif
