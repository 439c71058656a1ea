/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conjugate gradients on a GPU: the scalars of a solve, which the device and the host both can step, and the kernels
 * around a product.
 */
#ifndef SOLVERS_CUDA_PCG_CUH
#define SOLVERS_CUDA_PCG_CUH

#include <cmath>

#include "solvers/solvers.h"
#include "batched/cuda/launch.cuh"

namespace solvers_cuda
{

/* The most steps that are added to x at a time: see pcg_split.cuh. */
constexpr int PCG_DIRECTIONS = 12;

/* The state of a solve between two iterations. */
struct pcg_state {
  double *x; /* here and not in the kernels' arguments, as it differs from solve to solve */
  double tolerance;
  int ncomp, iteration, max_iterations;
  bool coupled, going;
  bool update[SOLVER_MAX_COMPONENTS], converged[SOLVER_MAX_COMPONENTS];
  int iterations[SOLVER_MAX_COMPONENTS];
  double limit[SOLVER_MAX_COMPONENTS], rz[SOLVER_MAX_COMPONENTS];
  double alpha[SOLVER_MAX_COMPONENTS], beta[SOLVER_MAX_COMPONENTS];
  /* Scales of split_vectors.z: unit, sqrt(r, z) of the last one, for the next; last_unit, a factor on the last one.
   * started: there is one. */
  double unit[SOLVER_MAX_COMPONENTS], last_unit[SOLVER_MAX_COMPONENTS];
  bool started;
  /* Scales of split_vectors.direction: a factor on the last one; the steps along those that x lacks. */
  double direction_unit[SOLVER_MAX_COMPONENTS], step[PCG_DIRECTIONS][SOLVER_MAX_COMPONENTS];
};

/* The vectors of a solve, [ncomp][n]. */
struct pcg_vectors {
  int64_t n, nowned;
  const double *inverse_diagonal;
  double *r, *p, *w;
};

using pcg_sums = double[SOLVER_MAX_COMPONENTS][SOLVER_DOTS];

/* A predicted (r, z) below this part of the last one has no digits left. */
constexpr double PCG_ROUNDING = 1e-12;

/* Two quotients of the sums of an iteration, neither of which waits for the other. */
struct pcg_quotients {
  double alpha, inverse; /* (r, z) / (p, w), 1 / (r, z) */
};

DEVICE pcg_quotients divide(const double *sums)
{
  return {sums[SOLVER_RZ] / sums[SOLVER_PW], 1.0 / sums[SOLVER_RZ]};
}

/* The step of a component that has not converged, as in solvers/host/pcg.c, which says why. */
DEVICE void choose_step(pcg_state &s, int c, const double *sums, const pcg_quotients &quotients)
{
  const double now = sums[SOLVER_RZ], alpha = quotients.alpha;
  s.rz[c] = now;
  if (now <= s.limit[c] || isnan(now)) return;
  const double next = now - 2.0 * alpha * sums[SOLVER_WZ] + alpha * alpha * sums[SOLVER_WW];
  const bool known = next > PCG_ROUNDING * now;
  s.rz[c] = known ? next : HUGE_VAL;
  s.alpha[c] = alpha;
  s.beta[c] = known ? next * quotients.inverse : 0.0;
  s.iterations[c] = s.iteration;
  s.update[c] = true;
}

/* From the dot products of a component: its step, and whether it has converged; returns whether it goes on. */
DEVICE bool decide_component(pcg_state &s, int c, const double *sums, const pcg_quotients &quotients)
{
  s.update[c] = false;
  if (s.iteration == 1) s.limit[c] = s.tolerance * s.tolerance * sums[SOLVER_RZ];
  if (!s.converged[c]) choose_step(s, c, sums, quotients);
  s.converged[c] = s.converged[c] || s.rz[c] <= s.limit[c];
  return !(s.converged[c] || isnan(s.rz[c]));
}

DEVICE void begin_decision(pcg_state &s, pcg_sums &sums)
{
  s.iteration++;
  if (s.coupled)
    for (int i = 0; i < SOLVER_DOTS; i++) {
      double total = 0.0;
      for (int c = 0; c < s.ncomp; c++) total += sums[c][i];
      for (int c = 0; c < s.ncomp; c++) sums[c][i] = total;
    }
}

DEVICE void end_decision(pcg_state &s, bool left)
{
  s.going = left && s.iteration < s.max_iterations;
}

/* From the dot products of an iteration: step lengths, which components have converged, and whether to go on. */
DEVICE void decide(pcg_state &s, pcg_sums &sums)
{
  begin_decision(s, sums);
  bool left = false;
  for (int c = 0; c < s.ncomp; c++)
    if (decide_component(s, c, sums[c], divide(sums[c]))) left = true;
  end_decision(s, left);
}

inline pcg_state first_state(const solver_pcg_args *args)
{
  pcg_state s = {};
  s.x = args->x;
  s.tolerance = args->tolerance;
  s.ncomp = args->matrix->ncomp;
  s.max_iterations = args->max_iterations;
  s.coupled = args->coupled;
  s.going = args->max_iterations > 0;
  return s;
}

inline void report(const solver_pcg_args *args, const pcg_state &state)
{
  for (int c = 0; c < args->matrix->ncomp; c++) {
    args->iterations[c] = state.iterations[c];
    args->converged[c] = state.converged[c];
  }
}

/* A solve with matrix->precondition, the loop on the host; ranks sum as in pcg.h: pcg_preconditioned.cu. */
int run_preconditioned(batched_ctx *ctx, const solver_pcg_args *args);

/* Rows cuda.mixed and cuda.mixed_looped.  has_single: is the operator on one rank, with a split that has products in
 * single precision?  recorded: the loop is a graph with a conditional node; else the host has it. */
bool has_single(const void *args);
int run_mixed(batched_ctx *ctx, const void *args, bool recorded);

/* Row cuda.chebyshev; *enough as of solver_chebyshev. */
int run_chebyshev(batched_ctx *ctx, const solver_pcg_args *args, bool *enough);

} // namespace solvers_cuda

/* Row vendor.cublas. */
int solver_cuda_pcg_vendor(batched_ctx *ctx, const void *args);

#endif
