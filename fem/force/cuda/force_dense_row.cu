/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.dense of corner_force: dense tables of the reference zone, which all zones share; F_z is never formed, the
 * stress is kept at the points.  The products of host.dense, each one matrix times many columns, for zones in chunks:
 *
 *   gradients   G = D^T X      (nq dim) x nd times nd x (dim zones)
 *   energies    E = B^T e      nq x nt times nt x zones
 *   force       F 1 = D A      nd x (nq dim) times (nq dim) x (dim zones)
 *   power       F^T v = B W    nt x nq times nq x zones, W = sum over c, g of A G
 *
 * by batched_gemm, so that kernels.gemm chooses its row (vendor: cuBLAS).  Between them two kernels of this file: the
 * stress at the points, and the contraction of A and G.
 *   grid       a thread per point of the zones of a chunk, whose gradients have 512 MB
 *   block      128 threads; no shared memory, but for the least time step of a block
 *   takes      all shapes, up to 2^31 - 1 gradients; default for simplices; double precision
 *   memory     stress: reads per point 8 (3 dim^2 + 2) bytes, the gradients of x and v, J0^-1, mass and energy, writes
 *              8 dim^2; contraction: reads 16 dim^2, writes 8.  Kept per zone: 8 (dim^2 nq + dim nd)
 *   accuracy   that of the row of gemm; over zones in their order (force_dense.cu)
 */
#include "fem/force/cuda/force_dense.cuh"
#include "fem/point/point.h"

#include <new>

namespace fem_cuda
{

namespace
{

constexpr int64_t chunk_bytes = INT64_C(1) << 29;
constexpr int point_threads = 128;

struct storage {
  int chunk;      // zones done together
  double *d, *b;  // D, nd x (nq dim); B, nt x nq
  double *a;      // [nzones][dim][nq][dim]: stress
  double *zones;  // [nzones][dim][nd]: forces, and nodes of a chunk
  double *x, *v;  // [chunk][dim][nq][dim]: gradients
  double *energy; // [chunk][nq]: energies, or powers
  arrays owned;
};

/* The points of zones [first, first + n). */
struct view {
  fem_device_material material;
  const double *weight;
  point_constants constants;
  int nq, first, n;
  storage st;
};

storage *store_of(const fem_force *force)
{
  return static_cast<storage *>(force->store);
}

view view_of(const fem_force *f, int first, int n)
{
  return {*f->material->device, f->space->device->weight, f->material->constants, f->space->nq, first, n, *store_of(f)};
}

__device__ __forceinline__ int64_t this_thread()
{
  return blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
}

/* Component c's derivatives at point q of zone z, of an array [zones][dim][nq][dim]. */
template <int DIM> __device__ __forceinline__ int64_t entry_of(int64_t z, int nq, int q, int c)
{
  return ((z * DIM + c) * nq + q) * DIM;
}

/* The stress and the time step, a thread per point. */
template <int DIM> __global__ void __launch_bounds__(point_threads) stress_at_points(view w, double *time_step)
{
  const int64_t p = this_thread();
  double step = INFINITY;
  if (p < (int64_t)w.n * w.nq) {
    const int64_t z = p / w.nq, zone = w.first + z, at = (int64_t)w.first * w.nq + p;
    const int q = (int)(p % w.nq);
    point_input in = {};
    double a[DIM * DIM];
    for (int c = 0; c < DIM; c++)
      for (int g = 0; g < DIM; g++) {
        in.jacobian[c * DIM + g] = w.st.x[entry_of<DIM>(z, w.nq, q, c) + g];
        in.gradient[c * DIM + g] = w.st.v[entry_of<DIM>(z, w.nq, q, c) + g];
        in.initial_inverse[c * DIM + g] = w.material.initial_inverse[(at * DIM + c) * DIM + g];
      }
    in.mass = w.material.mass[at];
    in.weight = w.weight[q];
    in.energy = w.st.energy[p];
    in.gamma = w.material.gamma[zone];
    step = point_stress(DIM, &w.constants, &in, INFINITY, a);
    for (int c = 0; c < DIM; c++)
      for (int g = 0; g < DIM; g++) w.st.a[entry_of<DIM>(zone, w.nq, q, c) + g] = a[c * DIM + g];
  }
  lower(time_step, step);
}

/* energy [n][nq] = sum over c, g of the stress times the gradient of the velocity, a thread per point. */
template <int DIM> __global__ void __launch_bounds__(point_threads) contract(view w)
{
  const int64_t p = this_thread();
  if (p >= (int64_t)w.n * w.nq) return;
  const int64_t z = p / w.nq;
  const int q = (int)(p % w.nq);
  double sum = 0.0;
  for (int c = 0; c < DIM; c++)
    for (int g = 0; g < DIM; g++)
      sum += w.st.a[entry_of<DIM>(w.first + z, w.nq, q, c) + g] * w.st.v[entry_of<DIM>(z, w.nq, q, c) + g];
  w.st.energy[p] = sum;
}

void teardown(batched_ctx *ctx, fem_force *force)
{
  storage *st = store_of(force);
  release(ctx, &st->owned);
  delete st;
  force->store = nullptr;
}

int setup(batched_ctx *ctx, fem_force *force)
{
  const fem_space *s = force->space;
  const int64_t rows = (int64_t)s->dim * s->nd, entries = (int64_t)s->dim * s->nq * s->dim, zones = s->nzones;
  auto *st = new (std::nothrow) storage();
  if (!st) return BATCHED_NO_MEMORY;
  force->store = st;
  st->chunk = zones_in(s, chunk_bytes, 2 * entries + s->nq);
  take(ctx, &st->owned, rows * s->nq, &st->d);
  take(ctx, &st->owned, (int64_t)s->nt * s->nq, &st->b);
  take(ctx, &st->owned, zones * entries, &st->a);
  take(ctx, &st->owned, zones * rows, &st->zones);
  take(ctx, &st->owned, st->chunk * entries, &st->x);
  take(ctx, &st->owned, st->chunk * entries, &st->v);
  take(ctx, &st->owned, (int64_t)st->chunk * s->nq, &st->energy);
  int status = st->owned.out_of_memory ? BATCHED_NO_MEMORY : copy_tables(ctx, s, st->d, st->b);
  if (!status) status = fem_material_place_inverse(s, force->material);
  if (status) teardown(ctx, force);
  return status;
}

batched_matrix whole(const double *data, int64_t rows, int64_t columns)
{
  return batched_make_strided(BATCHED_D, data, (int)rows, (int)columns, (int)rows, 0, 1);
}

int multiply(batched_ctx *ctx, batched_trans transpose, batched_matrix a, batched_matrix b, batched_matrix c)
{
  return batched_gemm(ctx, transpose, BATCHED_NO_TRANS, batched_real(1.0), a, b, batched_real(0.0), c);
}

batched_matrix derivatives(const fem_space *s, const storage *st)
{
  return whole(st->d, s->nd, (int64_t)s->nq * s->dim);
}

/* The gradients of field u in zones [first, first + n). */
int gradients(batched_ctx *ctx, const fem_space *s, const storage *st, int first, int n, const double *u, double *out)
{
  const int64_t columns = (int64_t)n * s->dim;
  const int status = gather_zones(ctx, s, first, n, u, st->zones);
  if (status) return status;
  return multiply(ctx, BATCHED_TRANS, derivatives(s, st), whole(st->zones, s->nd, columns),
                  whole(out, (int64_t)s->nq * s->dim, columns));
}

#define LAUNCH_POINTS(kernel, dim, n, ...) \
  ((dim) == 1   ? launch(ctx, kernel<1>, ceil_div(n, point_threads), point_threads, 0, __VA_ARGS__) \
   : (dim) == 2 ? launch(ctx, kernel<2>, ceil_div(n, point_threads), point_threads, 0, __VA_ARGS__) \
                : launch(ctx, kernel<3>, ceil_div(n, point_threads), point_threads, 0, __VA_ARGS__))

int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const fem_space *s = f->space;
  const storage *st = store_of(f);
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    status = gradients(ctx, s, st, first, n, x, st->x);
    if (!status) status = gradients(ctx, s, st, first, n, v, st->v);
    if (!status)
      status = multiply(ctx, BATCHED_TRANS, whole(st->b, s->nt, s->nq), whole(e + (int64_t)first * s->nt, s->nt, n),
                        whole(st->energy, s->nq, n));
    if (!status) status = LAUNCH_POINTS(stress_at_points, s->dim, (int64_t)n * s->nq, view_of(f, first, n), time_step);
  }
  return status;
}

int apply(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  const fem_space *s = f->space;
  const storage *st = store_of(f);
  const int64_t entries = (int64_t)s->nq * s->dim, columns = (int64_t)(last - first) * s->dim;
  if (last == first) return BATCHED_SUCCESS;
  const int status = multiply(ctx, BATCHED_NO_TRANS, derivatives(s, st),
                              whole(st->a + (int64_t)first * s->dim * entries, entries, columns),
                              whole(st->zones + (int64_t)first * s->dim * s->nd, s->nd, columns));
  return status ? status : add_zones(ctx, s, first, last, st->zones, out);
}

int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const fem_space *s = f->space;
  const storage *st = store_of(f);
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    status = gradients(ctx, s, st, first, n, v, st->v);
    if (!status) status = LAUNCH_POINTS(contract, s->dim, (int64_t)n * s->nq, view_of(f, first, n));
    if (!status)
      status = multiply(ctx, BATCHED_NO_TRANS, whole(st->b, s->nt, s->nq), whole(st->energy, s->nq, n),
                        whole(out + (int64_t)first * s->nt, s->nt, n));
  }
  return status;
}

} // namespace

/* Columns are counted by an int. */
bool force_dense_fits(const void *args)
{
  const fem_space *s = static_cast<const fem_force_args *>(args)->force->space;
  return (int64_t)s->nzones * s->dim * s->nq * s->dim <= INT_MAX;
}

/* Default for simplices; seconds of the point kernels in six attempts of 6 x 24^3 tetrahedra, P2-P1, on an H100:
 * .014, cuda.batched's .059. */
bool force_dense_likes(const void *args)
{
  return static_cast<const fem_force_args *>(args)->force->space->shape != MESH_TENSOR;
}

const fem_force_functions force_dense = {setup, stress, apply, power, teardown, nullptr};

} // namespace fem_cuda
