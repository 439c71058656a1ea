/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.zones of energies: internal and kinetic energy, the sums over the points of m e and m |v|^2 / 2.
 *
 * A block takes a few zones at a time, evaluates energy and velocity at their points factor by factor (sum
 * factorisation, fem/cuda/zones.cuh), and adds up; then one block adds the blocks' sums.
 *   grid       up to 8 blocks per multiprocessor (1 with fields in global memory) loop over groups of zones of about
 *              512 points; then one block
 *   block      256 threads, at most 64 registers
 *   shared     2 + 2 dim fields of a group, 8 max(nd, nt, nq) bytes per zone each; beyond 96 KB in global scratch
 *              memory
 *   takes      all shapes; those of fem/shapes.def are compiled with constant sizes; double precision
 *   memory     reads per zone m (8 nq bytes, the most of all), e (8 nt), v at the nodes (8 dim nd) and their numbers
 *              (4 nd); writes 16 bytes per block
 *   accuracy   fused multiply-adds; sums in an order that depends on the number of multiprocessors alone: the same bits
 *              in every run on one kind of GPU
 */
#include "fem/tables.h"
#include "solvers/cuda/sums.cuh"
#include "fem/cuda/zones.cuh"

namespace fem_cuda
{

struct energies_arguments {
  zone_plan plan;
  int dim, factors, nzones, d1, t1, q1, fields;
  int64_t ndofs;
  const int *dofs;
  const double *b, *bt, *mass, *v, *e;
  double *global, *partial;
};

static constexpr int EARLY = 2;

/* Point i of a group: energy [points], velocity [dim][points]. */
static __device__ __forceinline__ void add_point(int dim, int points, int i, double mass, const double *energy,
                                                 const double *velocity, double (&sum)[2])
{
  double square = 0.0;
  for (int c = 0; c < dim; c++) square = fma(velocity[c * points + i], velocity[c * points + i], square);
  sum[0] = fma(mass, energy[i], sum[0]);
  sum[1] = fma(0.5 * mass, square, sum[1]);
}

/* partial [blocks][2]: internal, kinetic.  The sizes are constants, or 0: those of the arguments. */
template <int DIM, int D1, int T1, int Q1>
static __global__ void __launch_bounds__(ZONE_THREADS, 4) add_energies(const __grid_constant__ energies_arguments a)
{
  __shared__ double shared[32 * 2];
  const int dim = DIM ? DIM : a.dim, factors = DIM ? DIM : a.factors;
  const int d1 = D1 ? D1 : a.d1, t1 = DIM ? T1 : a.t1, q1 = Q1 ? Q1 : a.q1;
  const int nd = power(d1, factors), nt = power(t1, factors), nq = power(q1, factors);
  double *const e_field[2] = {field_of(a.plan, a.global, a.fields, 0), field_of(a.plan, a.global, a.fields, 1)};
  double *const v_field[2] = {field_of(a.plan, a.global, a.fields, 2), field_of(a.plan, a.global, a.fields, 2 + dim)};
  double sum[2] = {0.0, 0.0};
  for (int first = blockIdx.x * a.plan.zones; first < a.nzones; first += gridDim.x * a.plan.zones) {
    const int zones = min(a.plan.zones, a.nzones - first), nodes = zones * nd, points = zones * nq;
    const double *mass = a.mass + (int64_t)first * nq, *e = a.e + (int64_t)first * nt;
    const int *dofs = a.dofs + (int64_t)first * nd;
    double early[EARLY]; // the first masses, on their way while the rest is done
#pragma unroll
    for (int u = 0; u < EARLY; u++) {
      const int i = threadIdx.x + u * ZONE_THREADS;
      early[u] = i < points ? mass[i] : 0.0;
    }
    for (int i = threadIdx.x; i < dim * nodes; i += ZONE_THREADS)
      v_field[1][i] = a.v[i / nodes * a.ndofs + dofs[i % nodes]];
    for (int i = threadIdx.x; i < zones * nt; i += ZONE_THREADS) e_field[1][i] = e[i];
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 3; d++)
      if (d < factors) {
        const int in = (d + 1) % 2, out = d % 2, inner = power(q1, d);
        contract(zones * power(t1, factors - 1 - d), inner, t1, q1, a.bt, e_field[in], e_field[out]);
        contract(dim * zones * power(d1, factors - 1 - d), inner, d1, q1, a.b, v_field[in], v_field[out]);
        __syncthreads();
      }
    const double *energy = factors == 2 ? e_field[1] : e_field[0], *velocity = factors == 2 ? v_field[1] : v_field[0];
#pragma unroll
    for (int u = 0; u < EARLY; u++)
      if (threadIdx.x + u * ZONE_THREADS < points)
        add_point(dim, points, threadIdx.x + u * ZONE_THREADS, early[u], energy, velocity, sum);
    for (int i = threadIdx.x + EARLY * ZONE_THREADS; i < points; i += ZONE_THREADS)
      add_point(dim, points, i, mass[i], energy, velocity, sum);
    __syncthreads();
  }
  const double total = solvers_cuda::sum_block(sum, shared);
  if (threadIdx.x < 2) a.partial[blockIdx.x * 2 + threadIdx.x] = total;
}

static void (*find_kernel(const fem_space *s))(energies_arguments)
{
#define SHAPE(DIM, D1, Q1) \
  if (s->shape == MESH_TENSOR && s->dim == DIM && s->d1 == D1 && s->t1 == D1 - 1 && s->q1 == Q1) \
    return add_energies<DIM, D1, D1 - 1, Q1>;
#include "fem/shapes.def"
#undef SHAPE
  return add_energies<0, 0, 0, 0>;
}

static int run_zones(batched_ctx *ctx, const void *p)
{
  const auto *args = static_cast<const fem_energies_args *>(p);
  const fem_space *s = args->space;
  const fem_device_space *d = s->device;
  const int fields = 2 + 2 * s->dim; // of e and of v, from which and to which each direction goes
  const zone_plan plan = plan_zones(s, fields);
  double *global = push_fields(ctx, plan, fields);
  auto *partial = static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * 2 * (size_t)plan.blocks));
  const energies_arguments a = {plan,
                                s->dim,
                                s->factors,
                                s->nzones,
                                s->d1,
                                s->t1,
                                s->q1,
                                fields,
                                s->ndofs,
                                d->dofs,
                                d->b,
                                d->bt,
                                args->material->device->mass,
                                args->v,
                                args->e,
                                global,
                                partial};
  int status =
    global && partial ? launch(ctx, find_kernel(s), plan.blocks, ZONE_THREADS, plan.shared, a) : BATCHED_NO_MEMORY;
  if (!status) status = launch(ctx, solvers_cuda::add_partial<2>, 1, ZONE_THREADS, 0, plan.blocks, partial, args->sums);
  if (partial) batched_scratch_pop(ctx);
  if (global) batched_scratch_pop(ctx);
  return status;
}

static bool is_placed(const void *p)
{
  const auto *a = static_cast<const fem_energies_args *>(p);
  return a->space->device && a->material->device;
}

} // namespace fem_cuda

extern "C" const batched_variant fem_cuda_energies[] = {
  {"cuda.zones", fem_cuda::is_placed, nullptr, fem_cuda::run_zones},
  BATCHED_LAST_ROW,
};
