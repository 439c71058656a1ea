/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda.fused for sizes that are not compiled: the same sum factorisation, a zone a block, a plane of points at a time,
 * a thread for each sum.  In 1D and 2D the missing directions have one node and one point, where the basis is 1 and
 * does not slope.
 */
#include "force_fused.cuh"
#include "../point.h"

namespace fem_cuda
{

/* The space, for kernels. */
struct any_space {
  int d[3], t[3], q[3], nd, nt, nq, nzones;
  int64_t ndofs;
  const int *dofs;
  const double *b, *g, *bt, *weight;
};

/* Sizes in doubles of a block's arrays in shared memory. */
struct any_layout {
  int nodes, planes, rows, force, coefficients, energy_plane, energy_rows;
};

template <int DIM> struct any_params {
  any_space s;
  any_layout sizes;
  point_constants constants;
  const double *fields[2], *energy; // x, v; e
  const double *mass, *gamma, *initial_inverse;
  int64_t inverse_zone, inverse_entry, inverse_point; // strides
  double *a, *f, *power, *time_step;
};

/* Basis functions and their slopes in direction g at point q. */
template <int DIM> static __device__ double basis(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.b[q * s.d[0] + i] : 1.0;
}
template <int DIM> static __device__ double slope(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.g[q * s.d[0] + i] : 0.0;
}
template <int DIM> static __device__ double bernstein(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.bt[q * s.t[0] + i] : 1.0;
}

#define FOR_EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)

/* nodes [fields][nd] -> planes [fields][2][d][d] at plane z of points: values, slopes along z */
template <int DIM>
static __device__ void any_to_planes(const any_space &s, int nfields, int z, const double *nodes, double *planes)
{
  const int n = s.d[0] * s.d[1];
  FOR_EACH(i, nfields * n)
  {
    const double *u = nodes + i / n * s.nd + i % n;
    double value = 0.0, sloping = 0.0;
    for (int k = 0; k < s.d[2]; k++) {
      value += basis<DIM>(s, 2, z, k) * u[k * n];
      sloping += slope<DIM>(s, 2, z, k) * u[k * n];
    }
    planes[i / n * 2 * n + i % n] = value;
    planes[(i / n * 2 + 1) * n + i % n] = sloping;
  }
}

/* -> rows [fields][q][3][d]: what is left to be contracted along x, with the slopes for the first of 3 */
template <int DIM>
static __device__ void any_to_rows(const any_space &s, int nfields, const double *planes, double *rows)
{
  const int d = s.d[0], n = d * s.d[1];
  FOR_EACH(i, nfields * s.q[1] * d)
  {
    const int field = i / (s.q[1] * d), q = i / d % s.q[1], x = i % d;
    const double *u = planes + field * 2 * n + x;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int y = 0; y < s.d[1]; y++) {
      sum[0] += basis<DIM>(s, 1, q, y) * u[y * d];
      sum[1] += slope<DIM>(s, 1, q, y) * u[y * d];
      sum[2] += basis<DIM>(s, 1, q, y) * u[n + y * d];
    }
    for (int g = 0; g < 3; g++) rows[((field * s.q[1] + q) * 3 + g) * d + x] = sum[g];
  }
}

/* -> out [FIELDS][DIM]: the reference gradients at point (x, y) of the plane */
template <int DIM, int FIELDS>
static __device__ void any_to_point(const any_space &s, int x, int y, const double *rows, double *out)
{
  const int d = s.d[0];
#pragma unroll
  for (int i = 0; i < FIELDS * DIM; i++) out[i] = 0.0;
  for (int k = 0; k < d; k++)
#pragma unroll
    for (int f = 0; f < FIELDS; f++)
#pragma unroll
      for (int g = 0; g < DIM; g++)
        out[f * DIM + g] += (g == 0 ? s.g : s.b)[x * d + k] * rows[((f * s.q[1] + y) * 3 + g) * d + k];
}

/* The energy: coefficients -> planes [t][t] -> rows [q][t] -> a point */
template <int DIM>
static __device__ void any_energy_to_planes(const any_space &s, int z, const double *e, double *planes)
{
  const int n = s.t[0] * s.t[1];
  FOR_EACH(i, n)
  {
    double sum = 0.0;
    for (int k = 0; k < s.t[2]; k++) sum += bernstein<DIM>(s, 2, z, k) * e[k * n + i];
    planes[i] = sum;
  }
}

template <int DIM> static __device__ void any_energy_to_rows(const any_space &s, const double *planes, double *rows)
{
  const int t = s.t[0];
  FOR_EACH(i, s.q[1] * t)
  {
    double sum = 0.0;
    for (int k = 0; k < s.t[1]; k++) sum += bernstein<DIM>(s, 1, i / t, k) * planes[k * t + i % t];
    rows[i] = sum;
  }
}

template <int DIM>
static __device__ void any_gather(const any_space &s, const double *const *fields, int nfields, double *nodes)
{
  FOR_EACH(i, nfields * s.nd)
  {
    const int f = i / s.nd, dof = s.dofs[(int64_t)blockIdx.x * s.nd + i % s.nd];
    nodes[i] = fields[f / DIM][f % DIM * s.ndofs + dof];
  }
}

/* ------------------------------------------------------------------ stress and F 1 */

/* The physics of the points of plane z; returns the smallest estimate. */
template <int DIM>
static __device__ double any_points(const any_params<DIM> &p, int z, const double *rows, const double *energy,
                                    double smallest)
{
  constexpr int dd = DIM * DIM;
  const any_space &s = p.s;
  const int64_t zone = blockIdx.x;
  FOR_EACH(i, s.q[0] * s.q[1])
  {
    const int x = i % s.q[0], y = i / s.q[0], q = z * s.q[0] * s.q[1] + i;
    double gradients[2 * dd], a[9];
    any_to_point<DIM, 2 * DIM>(s, x, y, rows, gradients);
    point_input in;
#pragma unroll
    for (int k = 0; k < dd; k++) {
      in.jacobian[k] = gradients[k];
      in.gradient[k] = gradients[dd + k];
      in.initial_inverse[k] = p.initial_inverse[zone * p.inverse_zone + k * p.inverse_entry + q * p.inverse_point];
    }
    in.mass = p.mass[zone * s.nq + q];
    in.weight = s.weight[q];
    in.gamma = p.gamma[zone];
    in.energy = 0.0;
    for (int k = 0; k < s.t[0]; k++) in.energy += s.bt[x * s.t[0] + k] * energy[y * s.t[0] + k];
    smallest = fmin(smallest, point_stress(DIM, &p.constants, &in, step_limit(smallest), a));
#pragma unroll
    for (int k = 0; k < dd; k++) p.a[(zone * dd + k) * s.nq + q] = a[k];
  }
  return smallest;
}

/* a at plane z -> rows [DIM][q][3][d] */
template <int DIM> static __device__ void any_from_points(const any_params<DIM> &p, int z, double *rows)
{
  const any_space &s = p.s;
  const int d = s.d[0];
  FOR_EACH(i, DIM * s.q[1] * DIM * d)
  {
    const int x = i % d, g = i / d % DIM, y = i / (d * DIM) % s.q[1], c = i / (d * DIM * s.q[1]);
    const double *a = p.a + ((int64_t)blockIdx.x * DIM * DIM + c * DIM + g) * s.nq + (z * s.q[1] + y) * s.q[0];
    double sum = 0.0;
    for (int q = 0; q < s.q[0]; q++) sum += (g == 0 ? s.g : s.b)[q * d + x] * a[q];
    rows[((c * s.q[1] + y) * 3 + g) * d + x] = sum;
  }
}

/* -> planes [DIM][2][d][d] */
template <int DIM> static __device__ void any_from_rows(const any_space &s, const double *rows, double *planes)
{
  const int d = s.d[0], n = d * s.d[1];
  FOR_EACH(i, DIM * n)
  {
    const int x = i % d, y = i % n / d, c = i / n;
    double value = 0.0, sloping = 0.0;
    for (int q = 0; q < s.q[1]; q++) {
      const double *from = rows + (c * s.q[1] + q) * 3 * d + x;
      value += basis<DIM>(s, 1, q, y) * from[0];
      if (DIM >= 2) value += slope<DIM>(s, 1, q, y) * from[d];
      if (DIM == 3) sloping += basis<DIM>(s, 1, q, y) * from[2 * d];
    }
    planes[c * 2 * n + i % n] = value;
    planes[(c * 2 + 1) * n + i % n] = sloping;
  }
}

/* added to force [DIM][nd] */
template <int DIM>
static __device__ void any_from_planes(const any_space &s, int z, const double *planes, double *force)
{
  const int n = s.d[0] * s.d[1];
  FOR_EACH(i, DIM * s.nd)
  {
    const int c = i / s.nd, k = i % s.nd / n, node = i % n;
    const double *from = planes + c * 2 * n + node;
    force[i] += basis<DIM>(s, 2, z, k) * from[0] + slope<DIM>(s, 2, z, k) * from[n];
  }
}

template <int DIM> __global__ void __launch_bounds__(128) any_stress_kernel(const __grid_constant__ any_params<DIM> p)
{
  const any_space &s = p.s;
  double *nodes = batched_cuda::shared_array<double>(), *planes = nodes + p.sizes.nodes;
  double *rows = planes + p.sizes.planes, *force = rows + p.sizes.rows, *energy = force + p.sizes.force;
  double *energy_planes = energy + p.sizes.coefficients, *energy_rows = energy_planes + p.sizes.energy_plane;
  double smallest = known_step(p.time_step);
  any_gather<DIM>(s, p.fields, 2 * DIM, nodes);
  FOR_EACH(i, s.nt) energy[i] = p.energy[(int64_t)blockIdx.x * s.nt + i];
  FOR_EACH(i, DIM * s.nd) force[i] = 0.0;
  for (int z = 0; z < s.q[2]; z++) {
    __syncthreads();
    any_to_planes<DIM>(s, 2 * DIM, z, nodes, planes);
    any_energy_to_planes<DIM>(s, z, energy, energy_planes);
    __syncthreads();
    any_to_rows<DIM>(s, 2 * DIM, planes, rows);
    any_energy_to_rows<DIM>(s, energy_planes, energy_rows);
    __syncthreads();
    smallest = any_points<DIM>(p, z, rows, energy_rows, smallest);
    __syncthreads();
    any_from_points<DIM>(p, z, rows);
    __syncthreads();
    any_from_rows<DIM>(s, rows, planes);
    __syncthreads();
    any_from_planes<DIM>(s, z, planes, force);
  }
  FOR_EACH(i, DIM * s.nd)
  p.f[((int64_t)(i / s.nd) * s.nzones + blockIdx.x) * s.nd + i % s.nd] = flush_tiny(force[i]); // its own sums
  lower_step(p.time_step, smallest);
}

/* ------------------------------------------------------------------ F^T v */

template <int DIM> __global__ void __launch_bounds__(128) any_power_kernel(const __grid_constant__ any_params<DIM> p)
{
  const any_space &s = p.s;
  const int n = s.q[0] * s.q[1], t = s.t[0], tt = t * s.t[1];
  double *nodes = batched_cuda::shared_array<double>(), *planes = nodes + p.sizes.nodes;
  double *rows = planes + p.sizes.planes, *work = rows + p.sizes.rows, *energy = work + p.sizes.force;
  double *energy_planes = energy + p.sizes.coefficients, *energy_rows = energy_planes + p.sizes.energy_plane;
  any_gather<DIM>(s, p.fields, DIM, nodes);
  FOR_EACH(i, s.nt) energy[i] = 0.0;
  for (int z = 0; z < s.q[2]; z++) {
    __syncthreads();
    any_to_planes<DIM>(s, DIM, z, nodes, planes);
    __syncthreads();
    any_to_rows<DIM>(s, DIM, planes, rows);
    __syncthreads();
    FOR_EACH(i, n)
    {
      double gradients[DIM * DIM], sum = 0.0;
      any_to_point<DIM, DIM>(s, i % s.q[0], i / s.q[0], rows, gradients);
#pragma unroll
      for (int k = 0; k < DIM * DIM; k++)
        sum += p.a[((int64_t)blockIdx.x * DIM * DIM + k) * s.nq + z * n + i] * gradients[k];
      work[i] = sum;
    }
    __syncthreads();
    FOR_EACH(i, s.q[1] * t)
    {
      double sum = 0.0;
      for (int q = 0; q < s.q[0]; q++) sum += s.bt[q * t + i % t] * work[i / t * s.q[0] + q];
      energy_rows[i] = sum;
    }
    __syncthreads();
    FOR_EACH(i, tt)
    {
      double sum = 0.0;
      for (int q = 0; q < s.q[1]; q++) sum += bernstein<DIM>(s, 1, q, i / t) * energy_rows[q * t + i % t];
      energy_planes[i] = sum;
    }
    __syncthreads();
    FOR_EACH(i, s.nt) energy[i] += bernstein<DIM>(s, 2, z, i / tt) * energy_planes[i % tt];
  }
  FOR_EACH(i, s.nt) p.power[(int64_t)blockIdx.x * s.nt + i] = energy[i]; // its own sums
}

/* ------------------------------------------------------------------ launches */

static any_space view(const fem_space *s)
{
  any_space v = {.nd = s->nd, .nt = s->nt, .nq = s->nq, .nzones = s->nzones, .ndofs = s->ndofs};
  for (int g = 0; g < 3; g++) {
    v.d[g] = g < s->dim ? s->d1 : 1;
    v.t[g] = g < s->dim ? s->t1 : 1;
    v.q[g] = g < s->dim ? s->q1 : 1;
  }
  if (const fem_device_space *d = s->device)
    v.dofs = d->dofs, v.b = d->b, v.g = d->g, v.bt = d->bt, v.weight = d->weight;
  return v;
}

/* `force` has room for what the two tasks put there: the sums of F 1, the powers at a plane's points. */
static any_layout layout(const fem_space *s)
{
  const any_space v = view(s);
  const int plane = v.q[0] * v.q[1], force = s->dim * s->nd;
  return {2 * s->dim * s->nd,
          2 * s->dim * 2 * v.d[0] * v.d[1],
          2 * s->dim * v.q[1] * 3 * v.d[0],
          force > plane ? force : plane,
          s->nt,
          v.t[0] * v.t[1],
          v.q[1] * v.t[0]};
}

static size_t bytes(const any_layout &l)
{
  return sizeof(double) *
         (size_t)(l.nodes + l.planes + l.rows + l.force + l.coefficients + l.energy_plane + l.energy_rows);
}

bool fused_any_fits(const fem_space *s)
{
  return bytes(layout(s)) <= batched_cuda::most_shared();
}

template <int DIM>
static int run(batched_ctx *ctx, const fem_force_args *args, void (*kernel)(const any_params<DIM>), any_params<DIM> p)
{
  const fem_space *s = args->force->space;
  const auto *st = static_cast<const fused_store *>(args->force->store);
  p.s = view(s);
  p.sizes = layout(s);
  p.a = st->a;
  return batched_cuda::launch(ctx, kernel, s->nzones, 128, bytes(p.sizes), p);
}

template <int DIM> static int stress(batched_ctx *ctx, const fem_force_args *args)
{
  const fem_force *force = args->force;
  const fem_device_material *m = force->material->device;
  const auto *st = static_cast<const fused_store *>(force->store);
  const int nq = force->space->nq;
  any_params<DIM> p = {};
  p.constants = force->material->constants;
  p.fields[0] = args->x;
  p.fields[1] = args->v;
  p.energy = args->e;
  p.mass = m->mass;
  p.gamma = m->gamma;
  p.initial_inverse = st->initial_inverse;
  p.inverse_entry = st->affine ? 1 : nq;
  p.inverse_point = st->affine ? 0 : 1;
  p.inverse_zone = DIM * DIM * p.inverse_entry;
  p.f = st->f;
  p.time_step = args->time_step;
  return run<DIM>(ctx, args, any_stress_kernel<DIM>, p);
}

template <int DIM> static int power(batched_ctx *ctx, const fem_force_args *args)
{
  any_params<DIM> p = {};
  p.fields[0] = args->v;
  p.power = args->power;
  return run<DIM>(ctx, args, any_power_kernel<DIM>, p);
}

int fused_stress_any(batched_ctx *ctx, const fem_force_args *args)
{
  const int dim = args->force->space->dim;
  return dim == 1 ? stress<1>(ctx, args) : dim == 2 ? stress<2>(ctx, args) : stress<3>(ctx, args);
}

int fused_power_any(batched_ctx *ctx, const fem_force_args *args)
{
  const int dim = args->force->space->dim;
  return dim == 1 ? power<1>(ctx, args) : dim == 2 ? power<2>(ctx, args) : power<3>(ctx, args);
}

} // namespace fem_cuda
