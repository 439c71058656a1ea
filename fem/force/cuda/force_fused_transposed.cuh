/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The transposes of force_fused_tensor.cuh: from the points back to the nodes, along x, y, z.
 */
#ifndef FEM_CUDA_FORCE_FUSED_TRANSPOSED_CUH
#define FEM_CUDA_FORCE_FUSED_TRANSPOSED_CUH

#include "fem/force/cuda/force_fused_tensor.cuh"

namespace fem_cuda
{

/* Values at the points, [zones][dim][dim][planes][q][line], times the slopes of the nodes' functions along x:
 * [zones][dim][planes][q][row] with [dim][d] in a row. */
template <class H>
static __device__ __forceinline__ void from_points(const fused_tables<H> &tables, const double *a, double *rows)
{
  using layout = fused_layout<H, H::dim>;
  constexpr int each = H::planes * H::q; // rows of points of a component
  for (int i = this_thread(); i < H::zones * H::dim * each; i += H::threads) {
    const int component = i / each, at = i % each;
#pragma unroll
    for (int g = 0; g < H::dim; g++) {
      const double *from = a + ((component * H::dim + g) * each + at) * layout::line;
      double value[H::q];
#pragma unroll
      for (int q = 0; q < H::q; q++) value[q] = from[q];
#pragma unroll
      for (int x = 0; x < H::d; x++) {
        double sum = 0.0;
#pragma unroll
        for (int q = 0; q < H::q; q++) sum += (g == 0 ? tables.g[q][x] : tables.b[q][x]) * value[q];
        rows[i * layout::row + g * H::d + x] = sum;
      }
    }
  }
}

/* -> [zones][dim][planes][2][d][d]; in 2D `put(component of the block, node, sum)` gets what is ready. */
template <class H, class F>
static __device__ __forceinline__ void from_rows(const fused_tables<H> &tables, const double *rows, double *planes,
                                                 F put)
{
  constexpr int n = H::d * H::d, row = fused_layout<H, H::dim>::row;
  for (int i = this_thread(); i < H::zones * H::dim * H::planes * H::d; i += H::threads) {
    const int plane = i / H::d, x = i % H::d;
    const double *from = rows + plane * H::q * row + x;
    double value[H::d], slope[H::d];
#pragma unroll
    for (int y = 0; y < H::d; y++) value[y] = slope[y] = 0.0;
#pragma unroll
    for (int q = 0; q < H::q; q++) {
      const double v0 = from[q * row], v1 = from[q * row + H::d], v2 = H::dim == 3 ? from[q * row + 2 * H::d] : 0.0;
#pragma unroll
      for (int y = 0; y < H::d; y++) {
        value[y] += tables.b[q][y] * v0 + tables.g[q][y] * v1;
        if (H::dim == 3) slope[y] += tables.b[q][y] * v2;
      }
    }
#pragma unroll
    for (int y = 0; y < H::d; y++)
      if (H::dim == 3) {
        planes[plane * 2 * n + y * H::d + x] = value[y];
        planes[(plane * 2 + 1) * n + y * H::d + x] = slope[y];
      } else
        put(plane, y * H::d + x, value[y]);
  }
}

/* -> put(component of the block, node, this slice's part of the sum) */
template <class H, class F>
static __device__ __forceinline__ void from_planes(const fused_tables<H> &tables, int first, const double *planes,
                                                   F put)
{
  constexpr int n = H::d * H::d;
  for (int i = this_thread(); i < H::zones * H::dim * n; i += H::threads) {
    const int component = i / n, node = i % n;
    double sum[H::d];
#pragma unroll
    for (int z = 0; z < H::d; z++) sum[z] = 0.0;
#pragma unroll
    for (int p = 0; p < H::planes; p++) {
      const double *from = planes + (component * H::planes + p) * 2 * n + node;
      const double value = from[0], slope = from[n];
#pragma unroll
      for (int z = 0; z < H::d; z++) sum[z] += tables.b[first + p][z] * value + tables.g[first + p][z] * slope;
    }
#pragma unroll
    for (int z = 0; z < H::d; z++) put(component, z * n + node, sum[z]);
  }
}

/* Values [zones][planes][q][line] times the thermodynamic functions: [zones][planes][q][t] -> [zones][planes][t][t] ->
 * put; in 2D the second step puts. */
template <class H>
static __device__ __forceinline__ void energy_from_points(const fused_tables<H> &tables, const double *values,
                                                          double *rows)
{
  constexpr int line = odd(H::q);
  for (int i = this_thread(); i < H::zones * H::planes * H::q; i += H::threads)
#pragma unroll
    for (int x = 0; x < H::t; x++) {
      double sum = 0.0;
#pragma unroll
      for (int q = 0; q < H::q; q++) sum += tables.bt[q][x] * values[i * line + q];
      rows[i * H::t + x] = sum;
    }
}

template <class H, class F>
static __device__ __forceinline__ void energy_from_rows(const fused_tables<H> &tables, const double *rows,
                                                        double *planes, F put)
{
  for (int i = this_thread(); i < H::zones * H::planes * H::t; i += H::threads) {
    const int plane = i / H::t, x = i % H::t;
#pragma unroll
    for (int y = 0; y < H::t; y++) {
      double sum = 0.0;
#pragma unroll
      for (int q = 0; q < H::q; q++) sum += tables.bt[q][y] * rows[(plane * H::q + q) * H::t + x];
      if (H::dim == 3)
        planes[(plane * H::t + y) * H::t + x] = sum;
      else
        put(plane, y * H::t + x, sum);
    }
  }
}

template <class H, class F>
static __device__ __forceinline__ void energy_from_planes(const fused_tables<H> &tables, int first,
                                                          const double *planes, F put)
{
  constexpr int n = H::t * H::t;
  for (int i = this_thread(); i < H::zones * n; i += H::threads) {
    const int zone = i / n, node = i % n;
#pragma unroll
    for (int z = 0; z < H::t; z++) {
      double sum = 0.0;
#pragma unroll
      for (int p = 0; p < H::planes; p++) sum += tables.bt[first + p][z] * planes[(zone * H::planes + p) * n + node];
      put(zone, z * n + node, sum);
    }
  }
}

} // namespace fem_cuda

#endif
