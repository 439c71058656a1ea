/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.zones of source: adds the integrals of the energy source against the thermodynamic functions.
 *
 * A block takes a few zones at a time, evaluates positions and Jacobians at their points factor by factor (sum
 * factorisation, fem/cuda/zones.cuh), then weight det J source, and integrates that by the transposes.
 *   grid       up to 8 blocks per multiprocessor (1 with fields in global memory) loop over groups of zones of about
 *              512 points
 *   block      256 threads
 *   shared     2 + dim + dim^2 fields of a group, 8 max(nd, nt, nq) bytes per zone each; beyond 96 KB in global scratch
 *              memory
 *   takes      all shapes, sizes at run time; double precision
 *   memory     reads per zone x at the nodes (8 dim nd bytes, 1 + dim times, from the caches but for the first) and
 *              their numbers (4 nd); reads and writes 8 nt
 *   accuracy   a zone's sums by one block in a fixed order: the same bits in every run
 */
#include "fem/point/point.h"
#include "fem/tables.h"
#include "fem/cuda/zones.cuh"

namespace fem_cuda
{

/* Two spare fields, one for the positions (c) and dim^2 for the Jacobian (c, g); those are followed by positions. */
enum { SPARE = 2 };

static int fields_of(int dim)
{
  return SPARE + dim + dim * dim;
}

struct source_arguments {
  zone_plan plan;
  int dim, factors, nzones, d1, t1, q1, fields;
  int64_t ndofs;
  point_source kind;
  const int *dofs;
  const double *b, *g, *bt, *weight, *x;
  double *global, *out;
};

static __device__ double determinant(int dim, const double *j, int64_t stride)
{
  if (dim == 1) return j[0];
  if (dim == 2) return j[0] * j[3 * stride] - j[stride] * j[2 * stride];
  return j[0] * (j[4 * stride] * j[8 * stride] - j[5 * stride] * j[7 * stride]) -
         j[stride] * (j[3 * stride] * j[8 * stride] - j[5 * stride] * j[6 * stride]) +
         j[2 * stride] * (j[3 * stride] * j[7 * stride] - j[4 * stride] * j[6 * stride]);
}

static __device__ void keep(int n, const double *from, double *to)
{
  for (int i = threadIdx.x; i < n; i += ZONE_THREADS) to[i] = from[i];
  __syncthreads();
}

static __global__ void __launch_bounds__(ZONE_THREADS) add_source(const __grid_constant__ source_arguments a)
{
  double *const spare[2] = {field_of(a.plan, a.global, a.fields, 0), field_of(a.plan, a.global, a.fields, 1)};
  double *position = field_of(a.plan, a.global, a.fields, SPARE);
  double *jacobian = field_of(a.plan, a.global, a.fields, SPARE + a.dim);
  const int nd = power(a.d1, a.factors), nq = power(a.q1, a.factors), nt = power(a.t1, a.factors);
  for (int first = blockIdx.x * a.plan.zones; first < a.nzones; first += gridDim.x * a.plan.zones) {
    const int zones = min(a.plan.zones, a.nzones - first);
    const int *dofs = a.dofs + (int64_t)first * nd;
    for (int c = 0; c < a.dim; c++)
      for (int g = -1; g < a.dim; g++) { // g = -1: the position itself
        for (int i = threadIdx.x; i < zones * nd; i += ZONE_THREADS) spare[1][i] = a.x[c * a.ndofs + dofs[i]];
        __syncthreads();
        const bool dense = a.factors < a.dim; // a table of derivatives for each direction
        const int special = g > 0 && dense ? 0 : g;
        const double *slopes = a.g + (g > 0 && dense ? g * a.q1 * a.d1 : 0);
        const double *value = expand(a.factors, zones, a.d1, a.q1, a.b, special, slopes, spare[1], spare);
        keep(zones * nq, value, g < 0 ? position + c * a.plan.field : jacobian + (c * a.dim + g) * a.plan.field);
      }
    for (int i = threadIdx.x; i < zones * nq; i += ZONE_THREADS) {
      double at[3] = {0.0, 0.0, 0.0};
      for (int c = 0; c < a.dim; c++) at[c] = position[c * a.plan.field + i];
      spare[1][i] = a.weight[i % nq] * determinant(a.dim, jacobian + i, a.plan.field) * point_source_at(a.kind, at);
    }
    __syncthreads();
    const double *sum = integrate(a.factors, zones, a.t1, a.q1, a.bt, spare[1], spare);
    for (int i = threadIdx.x; i < zones * nt; i += ZONE_THREADS) a.out[(int64_t)first * nt + i] += sum[i];
    __syncthreads();
  }
}

static int run_zones(batched_ctx *ctx, const void *p)
{
  const auto *args = static_cast<const fem_source_args *>(p);
  const fem_space *s = args->space;
  const fem_device_space *d = s->device;
  const int fields = fields_of(s->dim);
  const zone_plan plan = plan_zones(s, fields);
  double *global = push_fields(ctx, plan, fields);
  if (!global) return BATCHED_NO_MEMORY;
  const source_arguments a = {
    plan,    s->dim, s->factors, s->nzones, s->d1,     s->t1,   s->q1,  fields,   s->ndofs, args->material->source,
    d->dofs, d->b,   d->g,       d->bt,     d->weight, args->x, global, args->out};
  int status = launch(ctx, add_source, plan.blocks, ZONE_THREADS, plan.shared, a);
  batched_scratch_pop(ctx);
  return status;
}

static bool is_placed(const void *p)
{
  return static_cast<const fem_source_args *>(p)->space->device != nullptr;
}

} // namespace fem_cuda

extern "C" const batched_variant fem_cuda_source[] = {
  {"cuda.zones", fem_cuda::is_placed, nullptr, fem_cuda::run_zones},
  BATCHED_LAST_ROW,
};
