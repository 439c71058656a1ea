/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.fused of corner_force for sizes that are not compiled: the same sum factorisation as in
 * force_fused_stress.cu and force_fused_power.cu, a plane of points at a time, a thread for each sum.  In 1D and 2D the
 * missing directions have one node and one point, where the basis is 1 and does not slope.
 *   grid       a block per zone
 *   block      128 threads
 *   shared     8 (2 dim nd + 4 dim d^2 + 6 dim q d + max(dim nd, q^2) + nt + t^2 + q t) bytes for d nodes, t
 *              coefficients and q points per direction in 3D; see layout
 *   takes      lines, quads and hexes of any order and rule whose zone fits into shared memory; double precision
 *   memory     as force_fused.cu has it; the stress of a plane is read back at once, from the caches
 *   accuracy   each sum by one thread, in order: the same bits in every run
 */
#include "fem/force/cuda/force_fused_any.cuh"
#include "fem/point/point.h"

namespace fem_cuda
{

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

/* A block per zone: the stress at the points to p.a, F 1 to p.f, and the least time step. */
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

/* A block per zone: F^T v to p.power. */
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
  return s->shape == MESH_TENSOR && bytes(layout(s)) <= batched_cuda::most_shared();
}

template <int DIM>
static int run(batched_ctx *ctx, const fem_force *force, void (*kernel)(const any_params<DIM>), any_params<DIM> p)
{
  const fem_space *s = force->space;
  const auto *st = static_cast<const fused_store *>(force->store);
  p.s = view(s);
  p.sizes = layout(s);
  p.a = st->a;
  return batched_cuda::launch(ctx, kernel, s->nzones, 128, bytes(p.sizes), p);
}

template <int DIM>
static int stress(batched_ctx *ctx, const fem_force *force, const double *x, const double *v, const double *e,
                  double *time_step)
{
  const fem_device_material *m = force->material->device;
  const auto *st = static_cast<const fused_store *>(force->store);
  const int nq = force->space->nq;
  any_params<DIM> p = {};
  p.constants = force->material->constants;
  p.fields[0] = x;
  p.fields[1] = v;
  p.energy = e;
  p.mass = m->mass;
  p.gamma = m->gamma;
  p.initial_inverse = st->initial_inverse;
  p.inverse_entry = st->affine ? 1 : nq;
  p.inverse_point = st->affine ? 0 : 1;
  p.inverse_zone = DIM * DIM * p.inverse_entry;
  p.f = st->f;
  p.time_step = time_step;
  return run<DIM>(ctx, force, any_stress_kernel<DIM>, p);
}

template <int DIM> static int power(batched_ctx *ctx, const fem_force *force, const double *v, double *power)
{
  any_params<DIM> p = {};
  p.fields[0] = v;
  p.power = power;
  return run<DIM>(ctx, force, any_power_kernel<DIM>, p);
}

int fused_stress_any(batched_ctx *ctx, const fem_force *force, const double *x, const double *v, const double *e,
                     double *time_step)
{
  const int dim = force->space->dim;
  const auto any = dim == 1 ? stress<1> : dim == 2 ? stress<2> : stress<3>;
  return any(ctx, force, x, v, e, time_step);
}

int fused_power_any(batched_ctx *ctx, const fem_force *force, const double *v, double *out)
{
  const int dim = force->space->dim;
  const auto any = dim == 1 ? power<1> : dim == 2 ? power<2> : power<3>;
  return any(ctx, force, v, out);
}

} // namespace fem_cuda
