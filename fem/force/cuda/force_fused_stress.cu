/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.fused of corner_force: state -> stress at the points and F 1 of each zone, in one kernel, for the sizes
 * known to the compiler; contract: force_fused.cu.
 */
#include "fem/force/cuda/force_fused_transposed.cuh"
#include "fem/point/point.h"

namespace fem_cuda
{

template <class H> struct stress_params {
  fused_tables<H> tables;
  point_constants constants;
  const int *dofs;
  const double *fields[2], *energy; // x, v; e
  const double *mass, *gamma, *initial_inverse;
  bool affine;
  int nzones;
  int64_t ndofs;
  double *a, *f, *time_step;
};

/* Offsets in shared memory, in doubles.  With one slice, the stress is written over the nodes and planes
 * that it was made from; what has been contracted back goes where the rows, then the planes were. */
template <class H> struct stress_layout {
  using fields = fused_layout<H, 2 * H::dim>;
  static constexpr int stress = H::zones * H::dim * H::dim * H::planes * H::q * fields::line;
  static constexpr int force = H::slices > 1 ? H::zones *H::dim *H::nd : 0;
  static constexpr int at_planes = fields::nodes;
  static constexpr int at_rows = H::slices > 1 ? at_planes + fields::plane : most(at_planes + fields::plane, stress);
  static constexpr int at_stress = H::slices > 1 ? at_rows + fields::rows : 0;
  static constexpr int at_force = H::slices > 1 ? at_stress + stress : at_rows + fields::rows;
  static constexpr int at_coefficients = at_force + force;
  static constexpr int at_energy_planes = at_coefficients + fields::coefficients;
  static constexpr int at_energy_rows = at_energy_planes + fields::energy_plane;
  static constexpr int at_inverse = at_energy_rows + fields::energy_rows;
  static constexpr int at_tables = at_inverse + H::zones * H::dim * H::dim;
  static constexpr int size = at_tables + fields::tables;
};

/* The physics at a point of the rows of a slice; its estimate, or anything not below `limit`. */
template <class H>
static __device__ __forceinline__ double stress_point(const stress_params<H> &s, const fused_lookup<H> &lookup,
                                                      const fused_point<H> &p, int zone, int plane,
                                                      const double *shared, double limit, double *a)
{
  using layout = stress_layout<H>;
  constexpr int dd = H::dim * H::dim;
  const int q = (plane * H::q + p.y) * H::q + p.x;
  double gradients[2 * dd];
  to_point<H, 2 * H::dim>(lookup, p, shared + layout::at_rows, gradients);
  point_input in;
#pragma unroll
  for (int i = 0; i < dd; i++) {
    in.jacobian[i] = gradients[i];
    in.gradient[i] = gradients[dd + i];
    in.initial_inverse[i] =
      s.affine ? shared[layout::at_inverse + p.zone * dd + i] : s.initial_inverse[((int64_t)zone * dd + i) * H::nq + q];
  }
  in.mass = s.mass[(int64_t)zone * H::nq + q];
  in.weight = lookup.weights[p.x] * lookup.weights[p.y] * (H::dim == 3 ? lookup.weights[plane] : 1.0);
  in.energy = energy_to_point(lookup, p, shared + layout::at_energy_rows);
  in.gamma = s.gamma[zone];
  return point_stress(H::dim, &s.constants, &in, limit, a);
}

/* A block per H::zones zones, slice by slice of H::planes planes: along z, y, x to the points, physics, and back. */
template <class H>
__global__ void __launch_bounds__(H::threads, H::blocks) stress_kernel(const __grid_constant__ stress_params<H> s)
{
  using layout = stress_layout<H>;
  using fields = typename layout::fields;
  constexpr int dd = H::dim * H::dim, nfields = 2 * H::dim;
  double *shared = batched_cuda::shared_array<double>();
  const fused_lookup<H> lookup(shared + layout::at_tables);
  const int first = blockIdx.x * H::zones, here = min(H::zones, s.nzones - first);
  double smallest = known_step(s.time_step);

  gather_nodes<H, nfields>(s.dofs, first, s.nzones, s.ndofs, s.fields, shared);
  for (int i = threadIdx.x; i < here * H::nt; i += H::threads)
    shared[layout::at_coefficients + i] = s.energy[(int64_t)first * H::nt + i];
  if (s.affine)
    for (int i = threadIdx.x; i < here * dd; i += H::threads)
      shared[layout::at_inverse + i] = s.initial_inverse[(int64_t)first * dd + i];
  for (int i = threadIdx.x; i < layout::force; i += H::threads) shared[layout::at_force + i] = 0.0;
  lookup.fill(s.tables);
  __syncthreads();

  const auto put = [&](int component, int node, double sum) {
    const int z = component / H::dim, c = component % H::dim;
    if (z < here) s.f[((int64_t)c * s.nzones + first + z) * H::nd + node] = flush_tiny(sum);
  };
#pragma unroll 1
  for (int slice = 0; slice < H::slices; slice++) {
    const int plane = slice * H::planes;
    const double *energy = shared + layout::at_coefficients, *nodes = shared;
    if (H::dim == 3) {
      to_planes<H, nfields>(s.tables, plane, shared, shared + layout::at_planes);
      energy_to_planes<H>(s.tables, plane, energy, shared + layout::at_energy_planes);
      energy = shared + layout::at_energy_planes, nodes = shared + layout::at_planes;
      __syncthreads();
    }
    to_rows<H, nfields>(s.tables, nodes, shared + layout::at_rows);
    energy_to_rows<H>(s.tables, energy, shared + layout::at_energy_rows);
    __syncthreads();

    const fused_point<H> p(this_thread());
    if (p.zone < here) {
      const int zone = first + p.zone;
      double a[9];
      smallest = fmin(smallest, stress_point<H>(s, lookup, p, zone, plane + p.plane, shared, step_limit(smallest), a));
      const int64_t at = (int64_t)zone * dd * H::nq + ((plane + p.plane) * H::q + p.y) * H::q + p.x;
      double *keep =
        shared + layout::at_stress + (p.zone * dd * H::planes * H::q + p.plane * H::q + p.y) * fields::line;
#pragma unroll
      for (int i = 0; i < dd; i++) {
        s.a[at + i * H::nq] = a[i];
        keep[i * H::planes * H::q * fields::line + p.x] = a[i];
      }
    }
    __syncthreads();
    from_points<H>(s.tables, shared + layout::at_stress, shared + layout::at_rows);
    __syncthreads();
    from_rows<H>(s.tables, shared + layout::at_rows, shared + layout::at_planes, put);
    if (H::dim == 2) break;
    __syncthreads();
    from_planes<H>(s.tables, plane, shared + layout::at_planes, [&](int component, int node, double sum) {
      if (H::slices == 1) {
        put(component, node, sum);
        return;
      }
      double *total = shared + layout::at_force + component * H::nd + node;
      *total += sum;
      if (slice + 1 == H::slices) put(component, node, *total);
    });
    if (H::slices > 1) __syncthreads();
  }
  lower_step(s.time_step, smallest);
}

int fused_stress(batched_ctx *ctx, const fem_force *force, const double *x, const double *v, const double *e,
                 double *time_step)
{
  const fem_space *s = force->space;
  const fem_material *m = force->material;
  const auto *st = static_cast<const fused_store *>(force->store);
  return with_shape<fused_stress_shape>(s, [&](auto h) {
    using H = decltype(h);
    stress_params<H> p = {
      make_tables<H>(s),   m->constants, s->device->dofs, {x, v},   e,     m->device->mass, m->device->gamma,
      st->initial_inverse, st->affine,   s->nzones,       s->ndofs, st->a, st->f,           time_step};
    return batched_cuda::launch(ctx, stress_kernel<H>, batched_cuda::ceil_div(s->nzones, H::zones), H::threads,
                                sizeof(double) * stress_layout<H>::size, p);
  });
}

} // namespace fem_cuda
