/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.pcg of energy_mass: products y = M_e x without a matrix, by sum factorisation (fem/cuda/zones.cuh), a few
 * zones at a time: to the points, times the density, and back.  The conjugate gradients around them: kernels.pcg.
 *   grid       up to 8 blocks per multiprocessor (1 with fields in global memory) loop over groups of zones of about
 *              512 points
 *   block      256 threads, at most 64 registers
 *   shared     2 fields of a group, 8 max(nt, nq) bytes per zone each, or of d^dim if that is more; beyond 96 KB in
 *              global memory
 *   takes      lines, quads and hexes; the sizes of fem/shapes.def are compiled; double precision
 *   memory     reads per zone 8 (nt + nq) bytes, x and the density at the points; writes 8 nt
 *   accuracy   a zone's sums by one block, by fused multiply-adds in a fixed order: the same bits in every run
 */
#include "fem/mass/cuda/energy_mass.cuh"
#include "solvers/solvers.h"
#include "fem/cuda/zones.cuh"

namespace fem_cuda
{

struct zone_product {
  zone_plan plan;
  int dim, nzones, n1, q1;
  const double *table, *density, *x;
  double *global, *y;
};

static constexpr int FIELDS = 2;

/* y = M x; the sizes are constants, or 0: those of the arguments. */
template <int DIM, int N1, int Q1>
static __global__ void __launch_bounds__(ZONE_THREADS, 4) multiply_zones(const __grid_constant__ zone_product a)
{
  const int dim = DIM ? DIM : a.dim, n1 = N1 ? N1 : a.n1, q1 = Q1 ? Q1 : a.q1;
  const int n = power(n1, dim), nq = power(q1, dim);
  double *const spare[2] = {field_of(a.plan, a.global, FIELDS, 0), field_of(a.plan, a.global, FIELDS, 1)};
  for (int first = blockIdx.x * a.plan.zones; first < a.nzones; first += gridDim.x * a.plan.zones) {
    const int zones = min(a.plan.zones, a.nzones - first);
    const int64_t point = (int64_t)first * nq, unknown = (int64_t)first * n;
    const double *value = expand(dim, zones, n1, q1, a.table, -1, nullptr, a.x + unknown, spare);
    for (int i = threadIdx.x; i < zones * nq; i += ZONE_THREADS) spare[1][i] = a.density[point + i] * value[i];
    __syncthreads();
    const double *sum = integrate(dim, zones, n1, q1, a.table, spare[1], spare);
    for (int i = threadIdx.x; i < zones * n; i += ZONE_THREADS) a.y[unknown + i] = sum[i];
    __syncthreads();
  }
}

static void (*find_kernel(const fem_space *s))(zone_product)
{
#define SHAPE(DIM, D1, Q1) \
  if (s->dim == DIM && s->t1 == D1 - 1 && s->q1 == Q1) return multiply_zones<DIM, D1 - 1, Q1>;
#include "fem/shapes.def"
#undef SHAPE
  return multiply_zones<0, 0, 0>;
}

/* mass->store: the fields in global memory, or NULL: they are shared. */
static int multiply(batched_ctx *ctx, void *mass, const double *x, double *y)
{
  const auto *m = static_cast<const fem_mass *>(mass);
  const fem_space *s = m->space;
  const zone_plan plan = plan_zones(s, FIELDS);
  const zone_product a = {plan,
                          s->dim,
                          s->nzones,
                          s->t1,
                          s->q1,
                          s->device->bt,
                          m->material->device->density,
                          x,
                          static_cast<double *>(m->store),
                          y};
  return launch(ctx, find_kernel(s), plan.blocks, ZONE_THREADS, plan.shared, a);
}

static int setup(batched_ctx *ctx, fem_mass *m)
{
  const zone_plan plan = plan_zones(m->space, FIELDS);
  m->matrix.apply = multiply;
  m->matrix.recordable = true;
  if (plan.shared) return BATCHED_SUCCESS;
  m->store = batched_allocate(ctx, sizeof(double) * FIELDS * (size_t)plan.field * (size_t)(plan.blocks + 1));
  return m->store ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static void teardown(batched_ctx *ctx, fem_mass *m)
{
  batched_release(ctx, m->store);
  m->store = nullptr;
}

const fem_mass_functions energy_pcg = {setup, nullptr, false, nullptr, false, teardown, nullptr};

} // namespace fem_cuda
