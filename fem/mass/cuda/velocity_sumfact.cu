/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of velocity_mass: y = M_v x without a matrix, by sum factorisation, all components side by side.
 *
 * A kernel for the shape writes the sums over the zones of each zone block, to y or to slots: velocity_zone.cu (a
 * thread per zone and component), velocity_row.cu (a thread per row of points), or velocity_any.cu, where zones are
 * zone blocks of their own.  The kernel of this file, gather, then adds up the slots of each dof; within conjugate
 * gradients velocity_residual.cu does so.
 *   grid       gather: a thread per dof that has slots, up to 528 blocks of 256 threads that loop
 *   shared     gather with dot products: their sums over warps, 1 KB per component
 *   takes      lines, quads and hexes of any order whose zone fits into shared memory; 1 to 3 components; double
 *              precision, within pcg's cuda.mixed single
 *   memory     see the three files; gather: reads per dof 8 bytes, and per slot 4 and 8 per component; writes 8 per
 *              component; dot products: reads r, p, D^-1 and a flag, too
 *   accuracy   slots in their order, no atomics: the same bits in every run
 */
#include "solvers/cuda/sums.cuh"
#include "fem/mass/cuda/velocity_sumfact.cuh"

namespace fem_cuda
{

using solvers_cuda::sum_block;

/* ------------------------------------------------------------------ the gather */

constexpr int GATHER_THREADS = 256;

/* y_i = sum of the slots of dof i, for all components; DOTS: constrained, and the dot products, part = block. */
template <int DIM, bool DOTS>
static __global__ void __launch_bounds__(GATHER_THREADS)
  gather(gather_list list, int64_t nslots, int64_t ndofs, const double *__restrict__ slots, double *__restrict__ y,
         dot_arguments a)
{
  double dots[DIM * SOLVER_DOTS] = {};
  for (int64_t i = blockIdx.x * (int64_t)GATHER_THREADS + threadIdx.x; i < list.count;
       i += (int64_t)GATHER_THREADS * gridDim.x) {
    const int dof = list.target[i], first = list.start[i], last = list.start[i + 1];
    const int essential = DOTS ? a.essential[dof] : 0;
    const double d = DOTS ? a.inverse_diagonal[dof] : 0.0;
    double r[DIM], p[DIM], sum[DIM] = {};
#pragma unroll
    for (int c = 0; c < DIM; c++) r[c] = DOTS ? a.r[c * ndofs + dof] : 0.0, p[c] = DOTS ? a.p[c * ndofs + dof] : 0.0;
    for (int j = first; j < last; j++) {
      const int slot = list.slot[j];
#pragma unroll
      for (int c = 0; c < DIM; c++) sum[c] += slots[c * nslots + slot];
    }
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      const double w = essential >> c & 1 ? 0.0 : sum[c];
      if (DOTS) add_dots(dots + c * SOLVER_DOTS, r[c], p[c], w, d);
      y[c * ndofs + dof] = w;
    }
  }
  if (!DOTS) return;
  __shared__ double shared[32 * DIM * SOLVER_DOTS];
  const double sum = sum_block(dots, shared);
  const int k = (int)threadIdx.x;
  if (k < DIM * SOLVER_DOTS) a.dots[(int64_t)k * a.parts + blockIdx.x] = sum;
}

static int gather_blocks(const gather_list &list)
{
  return solvers_cuda::sum_blocks(list.count, GATHER_THREADS);
}

/* ------------------------------------------------------------------ the product */

/* The zones of a part, or for a step all: to y where a zone block holds all zones of a dof, else to the slots. */
static int launch_zones(batched_ctx *ctx, const fem_mass *m, fem_part part, const double *x, double *y,
                        const solvers_cuda::split_vectors *step)
{
  const fem_space *s = m->space;
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const int split = store->kernel ? store->nfirst : fem_first_zones(s),
            all = store->kernel ? store->nzone_blocks : s->nzones;
  const int first = step || part == FEM_SHARED ? 0 : split, last = part == FEM_SHARED ? split : all;
  if (!store->kernel) return launch_any(ctx, m, store, first, last, x);
  product_arguments<double> a = {};
  a.zone_blocks = store->zone_blocks;
  a.first = first, a.last = last;
  a.ndofs = s->ndofs, a.nslots = store->nslots;
  a.weights = store->weights ? store->weights : m->material->device->density;
  a.x = x, a.y = y, a.slots = store->slots;
  if (step) a.cg = *step;
  const int blocks = last - first < store->blocks ? last - first : store->blocks;
  return store->kernel->run(ctx, s, a, step ? store->blocks : blocks, step);
}

template <bool DOTS>
static int launch_gather(batched_ctx *ctx, const fem_mass *m, fem_part part, double *y, const dot_arguments &dots)
{
  const fem_space *s = m->space;
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const gather_list &list = store->lists[part];
  if (!DOTS && list.count == 0) return BATCHED_SUCCESS;
  return launch(ctx,
                s->dim == 1   ? gather<1, DOTS>
                : s->dim == 2 ? gather<2, DOTS>
                              : gather<3, DOTS>,
                gather_blocks(list), GATHER_THREADS, 0, list, store->nslots, s->ndofs, store->slots, y, dots);
}

static int product(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  int status = launch_zones(ctx, m, part, x, y, nullptr);
  return status ? status : launch_gather<false>(ctx, m, part, y, dot_arguments{});
}

/* The product and its dot products, for shapes without a kernel; others go by the passes below. */
static int product_dots(batched_ctx *ctx, void *mass, const double *r, const double *p, double *y, double *dots)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const dot_arguments a = {r, p, m->inverse_diagonal, store->essential, dots, m->matrix.parts};
  int status = launch_zones(ctx, m, FEM_REST, p, y, nullptr);
  return status ? status : launch_gather<true>(ctx, m, FEM_REST, y, a);
}

/* ------------------------------------------------------------------ the passes of conjugate gradients */

static int step_product(batched_ctx *ctx, void *mass, const void *vectors)
{
  const solvers_cuda::split_vectors *v = static_cast<const solvers_cuda::split_vectors *>(vectors);
  return launch_zones(ctx, static_cast<const fem_mass *>(mass), FEM_REST, nullptr, v->w, v);
}

static int step_residual(batched_ctx *ctx, void *mass, const void *vectors)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  return launch_residual(ctx, m, static_cast<const sumfact_store *>(m->store),
                         *static_cast<const solvers_cuda::split_vectors *>(vectors));
}

/* ------------------------------------------------------------------ the same in single precision */

static int single_product(batched_ctx *ctx, void *mass, const void *vectors)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const auto *v = static_cast<const solvers_cuda::split_vectors_of<float> *>(vectors);
  product_arguments<float> a = {};
  a.zone_blocks = store->zone_blocks;
  a.last = store->nzone_blocks;
  a.ndofs = m->space->ndofs, a.nslots = store->nslots;
  a.weights = store->single_weights;
  a.y = v->w, a.slots = reinterpret_cast<float *>(store->slots);
  a.cg = *v;
  return store->kernel->run_single(ctx, m->space, a, store->single_blocks);
}

static int single_residual(batched_ctx *ctx, void *mass, const void *vectors)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  return launch_residual(ctx, m, static_cast<const sumfact_store *>(m->store),
                         *static_cast<const solvers_cuda::split_vectors_of<float> *>(vectors));
}

static int split_single(batched_ctx *ctx, void *mass, const solver_split **split)
{
  fem_mass *m = static_cast<fem_mass *>(mass);
  sumfact_store *store = static_cast<sumfact_store *>(m->store);
  const int status = prepare_single(ctx, m, store);
  if (status) return status;
  solver_split &s = store->single;
  s.product = single_product;
  s.residual = single_residual;
  s.product_blocks = store->single_blocks;
  s.residual_blocks = store->split.residual_blocks;
  s.order = store->order;
  s.inverse_diagonal = store->inverse_diagonal;
  s.peers = store->peers;
  *split = &s;
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ the row */

static int setup(batched_ctx *ctx, fem_mass *m)
{
  const int status = setup_sumfact(ctx, m);
  if (status) return status;
  sumfact_store *store = static_cast<sumfact_store *>(m->store);
  m->matrix.recordable = true;
  const bool alone = halo_alone(m->space->halo);
  if (store->kernel && (alone || store->peers)) {
    store->split = {
      step_product, step_residual,           nullptr,     store->blocks, residual_blocks(m->space, store), 0,
      store->order, store->inverse_diagonal, store->peers};
    m->matrix.split = &store->split;
    m->matrix.split_single = split_single;
  } else if (alone) {
    m->matrix.apply_dots = product_dots;
    m->matrix.parts = gather_blocks(store->lists[FEM_REST]);
  }
  return BATCHED_SUCCESS;
}

const fem_mass_functions velocity_sumfact = {
  setup, product, false, nullptr, false, teardown_sumfact, constants_of_sumfact};

} // namespace fem_cuda
