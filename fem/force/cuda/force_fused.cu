/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.fused of corner_force: F 1 and F^T v by sum factorisation; F is never formed.
 *
 * One kernel takes the state, makes the stress at the points, keeps it for F^T v, and contracts it to F 1 of each zone
 * at once (force_fused_stress.cu); here F 1 is summed over the zones of each dof.  Another one makes F^T v of v and the
 * stress that was kept (force_fused_power.cu).  Sizes that are not compiled: force_fused_any.cu.
 *   grid       stress, powers: a block per ZONES zones (1 to 32), or per zone for any size; F 1: a thread per dof
 *   block      a thread per point of PLANES planes of the zones, 64 to 320 threads, for any size 128; F 1: 256
 *   registers  a point's physics; bounded by the blocks per multiprocessor (fused_stress_shape, fused_power_shape)
 *   shared     a block's fields at nodes, planes, rows and points (stress_layout, power_layout): stress 12 to 59 KB,
 *              powers 6 to 21 KB
 *   takes      lines, quads and hexes whose zone fits into shared memory; compiled: quads and hexes of fem/shapes.def;
 *              double precision
 *   memory     stress: reads per zone x and v (16 dim nd bytes) and the numbers of nodes (4 nd), e (8 nt), masses (8
 *              nq), J0^-1 (8 dim^2 if all zones were parallelepipeds at the start, else 8 dim^2 nq); writes the stress
 *              (8 dim^2 nq) and F 1 (8 dim nd).  F 1: reads 8 dim + 4 bytes per node of a zone; adds to 8 dim per dof.
 *              Powers: reads the stress, v and the numbers; writes 8 nt
 *   accuracy   sums in a fixed order, over zones in the order of the zones, and no atomics but the least time step's,
 *              a minimum: the same bits in every run.  |F 1| < eps^2 of a zone counts as 0
 */
#include <cstdlib>

#include "fem/force/cuda/force_fused.cuh"

namespace fem_cuda
{

/* ------------------------------------------------------------------ set-up */

/* At set-up: [nzones][nq][dd] -> [nzones][dd][nq], a thread per entry. */
__global__ void __launch_bounds__(256) reorder_kernel(int64_t size, int dd, int nq, const double *from, double *to)
{
  for (int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x; i < size; i += (int64_t)gridDim.x * 256) {
    const int64_t zone = i / (dd * nq);
    const int q = (int)(i % nq), entry = (int)(i / nq % dd);
    to[i] = from[(zone * nq + q) * dd + entry];
  }
}

static void teardown(batched_ctx *ctx, fem_force *f)
{
  auto *st = static_cast<fused_store *>(f->store);
  batched_release(ctx, st->a);
  batched_release(ctx, st->f);
  batched_release(ctx, st->initial_inverse);
  free(st);
  f->store = nullptr;
}

static double *allocate(batched_ctx *ctx, int64_t n)
{
  return static_cast<double *>(batched_allocate(ctx, sizeof(double) * (size_t)(n + 1)));
}

/* J0^-1 in the order of the kernels: of all points, or of the first, [nzones][dim][dim], which stands for them. */
static int place_inverses(batched_ctx *ctx, fem_force *f, fused_store *st)
{
  const fem_space *s = f->space;
  const int dd = s->dim * s->dim;
  const int64_t zones = s->nzones, inverses = zones * dd * (st->affine ? 1 : s->nq);
  st->initial_inverse = allocate(ctx, inverses);
  if (!st->initial_inverse) return BATCHED_NO_MEMORY;
  if (st->affine)
    return batched_copy_from_host(ctx, st->initial_inverse, f->material->initial_inverse,
                                  sizeof(double) * (size_t)inverses);
  const int status = fem_material_place_inverse(s, f->material);
  return status ? status
                : batched_cuda::launch(ctx, reorder_kernel, batched_cuda::ceil_div(inverses, 256), 256, 0, inverses, dd,
                                       s->nq, f->material->device->initial_inverse, st->initial_inverse);
}

static int setup(batched_ctx *ctx, fem_force *f)
{
  const fem_space *s = f->space;
  const int64_t zones = s->nzones, dd = s->dim * s->dim;
  auto *st = static_cast<fused_store *>(calloc(1, sizeof(fused_store)));
  f->store = st;
  int status = st ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) {
    st->affine = f->material->affine;
    st->a = allocate(ctx, zones * dd * s->nq);
    st->f = allocate(ctx, zones * s->dim * s->nd);
    status = st->a && st->f ? place_inverses(ctx, f, st) : BATCHED_NO_MEMORY;
  }
  if (status && st) teardown(ctx, f);
  return status;
}

/* ------------------------------------------------------------------ F 1 */

/* Adds the sums over the entries first, ..., last - 1 of zones [DIM][nodes] to the dofs that have some, in the order of
 * zones: a thread per dof, the loads of four entries on their way at once. */
template <int DIM>
__global__ void __launch_bounds__(256) gather_kernel(int64_t ndofs, int64_t nodes, int first, int last,
                                                     const int *start, const int *entry, const double *zones, double *f)
{
  constexpr int at_once = 4;
  const int64_t dof = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (dof >= ndofs) return;
  const int end = start[dof + 1];
  double sum[DIM] = {};
  bool any = false;
  for (int j = start[dof]; j < end; j += at_once) {
    double value[at_once][DIM];
#pragma unroll
    for (int k = 0; k < at_once; k++) {
      const int i = j + k < end ? entry[j + k] : -1;
      const bool here = i >= first && i < last;
      any |= here;
#pragma unroll
      for (int c = 0; c < DIM; c++) value[k][c] = here ? zones[c * nodes + i] : 0.0;
    }
#pragma unroll
    for (int k = 0; k < at_once; k++)
#pragma unroll
      for (int c = 0; c < DIM; c++) sum[c] += value[k][c];
  }
  if (!any) return; // other ranks' sums may be on their way there
#pragma unroll
  for (int c = 0; c < DIM; c++) f[c * ndofs + dof] += sum[c];
}

static int apply(batched_ctx *ctx, fem_force *force, int first, int last, double *out)
{
  const fem_space *s = force->space;
  const auto *st = static_cast<const fused_store *>(force->store);
  const auto kernel = s->dim == 1 ? gather_kernel<1> : s->dim == 2 ? gather_kernel<2> : gather_kernel<3>;
  return batched_cuda::launch(ctx, kernel, batched_cuda::ceil_div(s->ndofs, 256), 256, 0, s->ndofs,
                              (int64_t)s->nzones * s->nd, first * s->nd, last * s->nd, s->device->dof_start,
                              s->device->dof_entry, st->f, out);
}

/* ------------------------------------------------------------------ the row */

static int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const int status = fused_stress(ctx, f, x, v, e, time_step);
  return status == BATCHED_DOES_NOT_FIT ? fused_stress_any(ctx, f, x, v, e, time_step) : status;
}

static int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const int status = fused_power(ctx, f, v, out);
  return status == BATCHED_DOES_NOT_FIT ? fused_power_any(ctx, f, v, out) : status;
}

bool force_fused_fits(const void *args)
{
  return fused_any_fits(static_cast<const fem_force_args *>(args)->force->space);
}

static void constants(const fem_force *f, fem_constant_visit *visit, void *user)
{
  const fem_space *s = f->space;
  const auto *st = static_cast<const fused_store *>(f->store);
  const size_t n = st->affine ? 1 : (size_t)s->nq;
  visit(user, "the initial shape of the zones", st->initial_inverse,
        sizeof(double) * (size_t)s->nzones * (size_t)(s->dim * s->dim) * n);
}

const fem_force_functions force_fused = {setup, stress, apply, power, teardown, constants};

} // namespace fem_cuda
