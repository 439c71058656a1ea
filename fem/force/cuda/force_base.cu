/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.base of corner_force: the base implementation of Dong et al., "MAGMA Batched", section 7.1: one thread per
 * point or per matrix, nothing shared between threads.  It computes the same as force_batched.cu, kernel by kernel
 * (numbered as in the paper); F_z is formed and kept.  Read it first; it is the baseline of the others.
 *   grid       kernels 1 to 6: a thread per point; 7, 8, 10: a thread per zone; the sum over zones (force_dense.cu): a
 *              thread per dof.  Kernels 1 to 7 go by chunks of zones, whose A_z have 1 GB
 *   block      128 threads; the sum over zones 256
 *   registers  kernel 7: 8 columns of a row of F_z
 *   shared     none, but for the least time step of a block
 *   takes      all shapes, sizes at run time; double precision
 *   memory     1 to 5: tables D and B from the caches, x and v gathered by every point; writes 8 dim^2 bytes per point.
 *              6 writes A_z, 8 dim nd nq bytes per zone, and 7 reads it once for every 8 columns of F_z; 7 writes, 8
 *              and 10 read F_z, 8 dim nd nt
 *   accuracy   each sum by one thread, in order, over zones in the order of the zones: the same bits in every run
 */
#include "fem/force/cuda/force_dense.cuh"
#include "fem/point/point.h"

#include <new>

namespace fem_cuda
{

namespace
{

/* A_z of the zones that are done together. */
constexpr int64_t chunk_bytes = INT64_C(1) << 30;

struct storage {
  int chunk;     // zones done together
  double *d, *b; // D and B (fem/space/dense.h)
  double *f;     // [nzones][nt][dim][nd]: F_z is (dim nd) x nt
  double *zones; // [nzones][dim][nd]: F_z 1
  double *a;     // [chunk][nq][dim][dim]: what point_stress gives
  double *az;    // [chunk][nq][dim][nd]: A_z is (dim nd) x nq
  arrays owned;
};

/* Arguments of the kernels. */
struct view {
  fem_device_space space;
  fem_device_material material;
  point_constants constants;
  int dim, nd, nt, nq, ndofs, first, n; // zones [first, first + n)
  storage st;
};

__device__ __forceinline__ int64_t this_thread()
{
  return blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
}

/* Kernels 1 to 5: a thread per point. */
template <int DIM>
__global__ void __launch_bounds__(128)
  stress_at_points(view w, const double *x, const double *v, const double *e, double *time_step)
{
  const int64_t p = this_thread(), at = (int64_t)w.first * w.nq + p;
  double step = INFINITY;
  if (p < (int64_t)w.n * w.nq) {
    const int64_t zone = w.first + p / w.nq;
    const int q = (int)(p % w.nq);
    point_input in = {};
    for (int i = 0; i < w.nd; i++) { // kernel 3
      const int dof = w.space.dofs[zone * w.nd + i];
      for (int g = 0; g < DIM; g++) {
        const double d = w.st.d[((int64_t)q * DIM + g) * w.nd + i];
        for (int c = 0; c < DIM; c++) {
          in.jacobian[c * DIM + g] += x[(int64_t)c * w.ndofs + dof] * d;
          in.gradient[c * DIM + g] += v[(int64_t)c * w.ndofs + dof] * d;
        }
      }
    }
    for (int j = 0; j < w.nt; j++) in.energy += w.st.b[(int64_t)q * w.nt + j] * e[zone * w.nt + j];
    for (int i = 0; i < DIM * DIM; i++) in.initial_inverse[i] = w.material.initial_inverse[at * DIM * DIM + i];
    in.mass = w.material.mass[at];
    in.weight = w.space.weight[q];
    in.gamma = w.material.gamma[zone];
    step = point_stress(DIM, &w.constants, &in, INFINITY, w.st.a + p * DIM * DIM);
  }
  lower(time_step, step);
}

/* Kernel 6: a thread per point, which is a column of A_z. */
__global__ void columns_of_a(view w)
{
  const int64_t p = this_thread();
  if (p >= (int64_t)w.n * w.nq) return;
  const double *a = w.st.a + p * w.dim * w.dim, *d = w.st.d + p % w.nq * w.dim * w.nd;
  double *column = w.st.az + p * w.dim * w.nd;
  for (int c = 0; c < w.dim; c++)
    for (int i = 0; i < w.nd; i++) {
      double sum = 0.0;
      for (int g = 0; g < w.dim; g++) sum += d[g * w.nd + i] * a[c * w.dim + g];
      column[c * w.nd + i] = sum;
    }
}

/* Kernel 7, F_z = A_z B^T: a thread per zone, row by row, a few columns at a time in registers. */
__global__ void product_with_b(view w)
{
  constexpr int columns = 8;
  const int64_t z = this_thread();
  if (z >= w.n) return;
  const int rows = w.dim * w.nd;
  const double *a = w.st.az + z * w.nq * rows;
  double *f = w.st.f + (w.first + z) * w.nt * rows;
  for (int j0 = 0; j0 < w.nt; j0 += columns)
    for (int i = 0; i < rows; i++) {
      double sum[columns] = {};
#pragma unroll 4
      for (int q = 0; q < w.nq; q++) {
        const double e = a[(int64_t)q * rows + i];
#pragma unroll
        for (int j = 0; j < columns; j++)
          if (j0 + j < w.nt) sum[j] += e * w.st.b[(int64_t)q * w.nt + j0 + j];
      }
#pragma unroll
      for (int j = 0; j < columns; j++)
        if (j0 + j < w.nt) f[(int64_t)(j0 + j) * rows + i] = sum[j];
    }
}

/* Kernel 8, F_z 1: a thread per zone. */
__global__ void row_sums(view w)
{
  const int64_t z = this_thread();
  if (z >= w.n) return;
  const int rows = w.dim * w.nd;
  const double *f = w.st.f + (w.first + z) * w.nt * rows;
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    for (int j = 0; j < w.nt; j++) sum += f[(int64_t)j * rows + i];
    w.st.zones[(w.first + z) * rows + i] = sum;
  }
}

/* Kernel 10, F_z^T v_z: a thread per zone. */
__global__ void power_of_zones(view w, const double *v, double *power)
{
  const int64_t z = this_thread();
  if (z >= w.n) return;
  const int rows = w.dim * w.nd;
  const double *f = w.st.f + (w.first + z) * w.nt * rows;
  for (int j = 0; j < w.nt; j++) {
    double sum = 0.0;
    for (int c = 0; c < w.dim; c++)
      for (int i = 0; i < w.nd; i++)
        sum += f[(int64_t)j * rows + c * w.nd + i] * v[(int64_t)c * w.ndofs + w.space.dofs[(w.first + z) * w.nd + i]];
    power[(w.first + z) * w.nt + j] = sum;
  }
}

/* ------------------------------------------------------------------ the row */

view view_of(const fem_force *force, int first, int n)
{
  const fem_space *s = force->space;
  const auto *st = static_cast<const storage *>(force->store);
  return {
    *s->device, *force->material->device, force->material->constants, s->dim, s->nd, s->nt, s->nq, s->ndofs, first, n,
    *st};
}

void teardown(batched_ctx *ctx, fem_force *force)
{
  auto *st = static_cast<storage *>(force->store);
  release(ctx, &st->owned);
  delete st;
  force->store = nullptr;
}

int setup(batched_ctx *ctx, fem_force *force)
{
  const fem_space *s = force->space;
  auto *st = new (std::nothrow) storage();
  if (!st) return BATCHED_NO_MEMORY;
  force->store = st;
  const int64_t rows = (int64_t)s->dim * s->nd, zones = s->nzones;
  st->chunk = zones_in(s, chunk_bytes, rows * s->nq);
  const int64_t points = (int64_t)st->chunk * s->nq;
  take(ctx, &st->owned, rows * s->nq, &st->d);
  take(ctx, &st->owned, (int64_t)s->nt * s->nq, &st->b);
  take(ctx, &st->owned, zones * s->nt * rows, &st->f);
  take(ctx, &st->owned, zones * rows, &st->zones);
  take(ctx, &st->owned, points * s->dim * s->dim, &st->a);
  take(ctx, &st->owned, points * rows, &st->az);
  int status = st->owned.out_of_memory ? BATCHED_NO_MEMORY : copy_tables(ctx, s, st->d, st->b);
  if (!status) status = fem_material_place_inverse(s, force->material);
  if (status) teardown(ctx, force);
  return status;
}

int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const fem_space *s = f->space;
  const int chunk = static_cast<storage *>(f->store)->chunk;
  const auto at_points = s->dim == 1 ? stress_at_points<1> : s->dim == 2 ? stress_at_points<2> : stress_at_points<3>;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < s->nzones; first += chunk) {
    const int n = s->nzones - first < chunk ? s->nzones - first : chunk;
    const view w = view_of(f, first, n);
    const int64_t blocks = ceil_div((int64_t)n * s->nq, 128);
    status = launch(ctx, at_points, blocks, 128, 0, w, x, v, e, time_step);
    if (!status) status = launch(ctx, columns_of_a, blocks, 128, 0, w);
    if (!status) status = launch(ctx, product_with_b, ceil_div(n, 128), 128, 0, w);
  }
  return status;
}

int apply(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  const int n = last - first;
  const view w = view_of(f, first, n);
  const int status = launch(ctx, row_sums, ceil_div(n, 128), 128, 0, w);
  return status ? status : add_zones(ctx, f->space, first, last, w.st.zones, out);
}

int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const int nzones = f->space->nzones;
  return launch(ctx, power_of_zones, ceil_div(nzones, 128), 128, 0, view_of(f, 0, nzones), v, out);
}

} // namespace

const fem_force_functions force_base = {setup, stress, apply, power, teardown, nullptr};

} // namespace fem_cuda
