/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.fused of corner_force: F^T v from the stress at the points, for the sizes known to the compiler; contract:
 * force_fused.cu.
 */
#include "fem/force/cuda/force_fused_transposed.cuh"

namespace fem_cuda
{

template <class H> struct power_params {
  fused_tables<H> tables;
  const int *dofs;
  const double *v, *a;
  int nzones;
  int64_t ndofs;
  double *power;
};

/* In doubles; what has been contracted back goes where the planes were. */
template <class H> struct power_layout {
  using fields = fused_layout<H, H::dim>;
  static constexpr int work = H::zones * H::planes * H::q * fields::line;
  static constexpr int at_planes = fields::nodes, at_rows = at_planes + fields::plane;
  static constexpr int at_work = at_rows + fields::rows, at_energy_rows = at_work + work;
  static constexpr int at_energy_planes = at_energy_rows + fields::energy_rows;
  static constexpr int at_energy = at_energy_planes + fields::energy_plane;
  static constexpr int at_tables = at_energy + (H::slices > 1 ? fields::coefficients : 0);
  static constexpr int size = at_tables + fields::tables;
};

/* A block per H::zones zones, slice by slice of H::planes planes: gradients of v at the points, their products with the
 * stress, and those against the thermodynamic functions. */
template <class H>
__global__ void __launch_bounds__(H::threads, H::blocks) power_kernel(const __grid_constant__ power_params<H> s)
{
  using layout = power_layout<H>;
  using fields = typename layout::fields;
  constexpr int dd = H::dim * H::dim;
  double *shared = batched_cuda::shared_array<double>();
  const fused_lookup<H> lookup(shared + layout::at_tables);
  const fused_point<H> p(threadIdx.x);
  const int first = blockIdx.x * H::zones, here = min(H::zones, s.nzones - first);
  const double *const sources[2] = {s.v, nullptr};

  gather_nodes<H, H::dim>(s.dofs, first, s.nzones, s.ndofs, sources, shared);
  if (H::slices > 1)
    for (int i = threadIdx.x; i < fields::coefficients; i += H::threads) shared[layout::at_energy + i] = 0.0;
  lookup.fill(s.tables);

  const auto put = [&](int zone, int node, double sum) {
    if (zone < here) s.power[((int64_t)first + zone) * H::nt + node] = sum;
  };
  for (int slice = 0; slice < H::slices; slice++) {
    const int plane = slice * H::planes;
    double a[dd]; // on its way while the velocities are contracted
    if (threadIdx.x < H::points && p.zone < here) {
      const int64_t at = ((int64_t)first + p.zone) * dd * H::nq + ((plane + p.plane) * H::q + p.y) * H::q + p.x;
#pragma unroll
      for (int i = 0; i < dd; i++) a[i] = s.a[at + i * H::nq];
    }
    __syncthreads();
    if (H::dim == 3) {
      to_planes<H, H::dim>(s.tables, plane, shared, shared + layout::at_planes);
      __syncthreads();
    }
    to_rows<H, H::dim>(s.tables, shared + (H::dim == 3 ? layout::at_planes : 0), shared + layout::at_rows);
    __syncthreads();
    if (threadIdx.x < H::points && p.zone < here) {
      double gradients[dd], sum = 0.0;
      to_point<H, H::dim>(lookup, p, shared + layout::at_rows, gradients);
#pragma unroll
      for (int i = 0; i < dd; i++) sum += a[i] * gradients[i];
      shared[layout::at_work + p.row() * fields::line + p.x] = sum;
    }
    __syncthreads();
    energy_from_points<H>(s.tables, shared + layout::at_work, shared + layout::at_energy_rows);
    __syncthreads();
    energy_from_rows<H>(s.tables, shared + layout::at_energy_rows, shared + layout::at_energy_planes, put);
    if (H::dim == 2) break;
    __syncthreads();
    energy_from_planes<H>(s.tables, plane, shared + layout::at_energy_planes, [&](int zone, int node, double sum) {
      if (H::slices == 1) {
        put(zone, node, sum);
        return;
      }
      double *total = shared + layout::at_energy + zone * H::nt + node;
      *total += sum;
      if (slice + 1 == H::slices) put(zone, node, *total);
    });
  }
}

int fused_power(batched_ctx *ctx, const fem_force *force, const double *v, double *power)
{
  const fem_space *s = force->space;
  const auto *st = static_cast<const fused_store *>(force->store);
  return with_shape<fused_power_shape>(s, [&](auto h) {
    using H = decltype(h);
    power_params<H> p = {make_tables<H>(s), s->device->dofs, v, st->a, s->nzones, s->ndofs, power};
    return batched_cuda::launch(ctx, power_kernel<H>, batched_cuda::ceil_div(s->nzones, H::zones), H::threads,
                                sizeof(double) * power_layout<H>::size, p);
  });
}

} // namespace fem_cuda
