/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sum factorisation by a block of threads, in shared memory.  First along z to some planes of points, then along y to
 * rows, last along x to the points, a thread each; the transposes (force_fused_transposed.cuh) go back the same way.
 * All loops over a line are unrolled: a thread loads a line once and makes all that follows from it.
 */
#ifndef FEM_CUDA_FORCE_FUSED_TENSOR_CUH
#define FEM_CUDA_FORCE_FUSED_TENSOR_CUH

#include "fem/force/cuda/force_fused.cuh"

namespace fem_cuda
{

/* Rows of an odd number of doubles start in different banks of shared memory. */
static __host__ __device__ constexpr int odd(int n)
{
  return n | 1;
}
static __host__ __device__ constexpr int most(int x, int y)
{
  return x > y ? x : y;
}

/* Sizes in doubles of what a block keeps for FIELDS kinematic scalar fields and one thermodynamic. */
template <class H, int FIELDS> struct fused_layout {
  static constexpr int row = odd(H::dim * H::d), line = odd(H::q); // of points: of contracted nodes, of values
  static constexpr int nodes = H::zones * FIELDS * H::nd;
  static constexpr int plane = H::dim == 3 ? H::zones * FIELDS * H::planes * 2 * H::d * H::d : 0;
  static constexpr int rows = H::zones * FIELDS * H::planes * H::q * row;
  static constexpr int coefficients = H::zones * H::nt;
  static constexpr int energy_plane = H::dim == 3 ? H::zones * H::planes * H::t * H::t : 0;
  static constexpr int energy_rows = H::zones * H::planes * H::q * H::t;
  static constexpr int tables = H::q * (2 * H::d + H::t + 1);
};

/* The point of a slice that belongs to a thread; zone: in the block. */
template <class H> struct fused_point {
  int x, y, plane, zone;
  __device__ __forceinline__ explicit fused_point(int i)
      : x(i % H::q), y(i / H::q % H::q), plane(i / (H::q * H::q) % H::planes), zone(i / (H::q * H::q * H::planes))
  {
  }
  /* the row of points, of all rows of the block */
  __device__ __forceinline__ int row() const
  {
    return (zone * H::planes + plane) * H::q + y;
  }
};

/* The tables once more, in shared memory, for indices that differ between threads. */
template <class H> struct fused_lookup {
  double *b, *g, *bt, *weights;
  __device__ __forceinline__ explicit fused_lookup(double *at)
      : b(at), g(b + H::q * H::d), bt(g + H::q * H::d), weights(bt + H::q * H::t)
  {
  }
  __device__ __forceinline__ void fill(const fused_tables<H> &tables) const
  {
    for (int i = threadIdx.x; i < H::q * H::d; i += H::threads) {
      b[i] = (&tables.b[0][0])[i];
      g[i] = (&tables.g[0][0])[i];
    }
    for (int i = threadIdx.x; i < H::q * H::t; i += H::threads) bt[i] = (&tables.bt[0][0])[i];
    for (int i = threadIdx.x; i < H::q; i += H::threads) weights[i] = tables.weights[i];
  }
};

/* threadIdx.x, but the compiler does not keep what follows from it in registers for the next plane. */
static __device__ __forceinline__ int this_thread()
{
  int i = threadIdx.x;
  asm volatile("" : "+r"(i));
  return i;
}

/* The nodes of the block's zones, [zones][fields][nd], of L-vectors that lie `ndofs` apart in `fields` of [2]; what
 * would be behind the last zone repeats it. */
template <class H, int FIELDS>
static __device__ __forceinline__ void gather_nodes(const int *dofs, int first, int nzones, int64_t ndofs,
                                                    const double *const *fields, double *nodes)
{
  for (int i = this_thread(); i < H::zones * H::nd; i += H::threads) {
    const int zone = i / H::nd, node = i % H::nd;
    const double *component = fields[0] + dofs[(int64_t)min(first + zone, nzones - 1) * H::nd + node];
    double *to = nodes + zone * FIELDS * H::nd + node;
#pragma unroll
    for (int f = 0; f < FIELDS; f++) {
      const double *from = component + (f % H::dim) * ndofs;
      if (f >= H::dim) from += fields[1] - fields[0];
      to[f * H::nd] = *from;
    }
  }
}

/* [zones][fields][nd] -> values and slopes along z, [zones][fields][planes][2][d][d], on planes first, first + 1,
 * ... */
template <class H, int FIELDS>
static __device__ __forceinline__ void to_planes(const fused_tables<H> &tables, int first, const double *nodes,
                                                 double *planes)
{
  constexpr int n = H::d * H::d;
  for (int i = this_thread(); i < H::zones * FIELDS * n; i += H::threads) {
    const int field = i / n, node = i % n;
    double u[H::d];
#pragma unroll
    for (int z = 0; z < H::d; z++) u[z] = nodes[field * H::nd + z * n + node];
    double *to = planes + field * H::planes * 2 * n + node;
#pragma unroll
    for (int p = 0; p < H::planes; p++) {
      double value = 0.0, slope = 0.0;
#pragma unroll
      for (int z = 0; z < H::d; z++) {
        value += tables.b[first + p][z] * u[z];
        slope += tables.g[first + p][z] * u[z];
      }
      to[2 * p * n] = value;
      to[(2 * p + 1) * n] = slope;
    }
  }
}

/* -> for each row of points and x-node what is left to be contracted along x, with g for the first, with b for the
 * others: [zones][fields][planes][q][row] with [dim][d] in a row.  In 2D `planes` are the nodes. */
template <class H, int FIELDS>
static __device__ __forceinline__ void to_rows(const fused_tables<H> &tables, const double *planes, double *rows)
{
  constexpr int n = H::d * H::d, row = fused_layout<H, FIELDS>::row, kinds = H::dim == 3 ? 2 : 1;
  for (int i = this_thread(); i < H::zones * FIELDS * H::planes * H::d; i += H::threads) {
    const int plane = i / H::d, x = i % H::d;
    const double *from = planes + plane * kinds * n + x;
    double value[H::d], slope[H::d];
#pragma unroll
    for (int y = 0; y < H::d; y++) {
      value[y] = from[y * H::d];
      if (H::dim == 3) slope[y] = from[n + y * H::d];
    }
    double *to = rows + plane * H::q * row + x;
#pragma unroll
    for (int q = 0; q < H::q; q++) {
      double sum[3] = {0.0, 0.0, 0.0};
#pragma unroll
      for (int y = 0; y < H::d; y++) {
        sum[0] += tables.b[q][y] * value[y];
        sum[1] += tables.g[q][y] * value[y];
        if (H::dim == 3) sum[2] += tables.b[q][y] * slope[y];
      }
#pragma unroll
      for (int g = 0; g < H::dim; g++) to[q * row + g * H::d] = sum[g];
    }
  }
}

/* The reference gradients of a field at a point: out [FIELDS][dim]; rows of the fields lie planes * q rows apart. */
template <class H, int FIELDS>
static __device__ __forceinline__ void to_point(const fused_lookup<H> &lookup, const fused_point<H> &p,
                                                const double *rows, double *out)
{
  constexpr int row = fused_layout<H, FIELDS>::row;
  const double *from = rows + ((p.zone * FIELDS * H::planes + p.plane) * H::q + p.y) * row;
#pragma unroll
  for (int i = 0; i < FIELDS * H::dim; i++) out[i] = 0.0;
#pragma unroll
  for (int x = 0; x < H::d; x++) {
    const double b = lookup.b[p.x * H::d + x], g = lookup.g[p.x * H::d + x];
#pragma unroll
    for (int f = 0; f < FIELDS; f++)
#pragma unroll
      for (int k = 0; k < H::dim; k++)
        out[f * H::dim + k] += (k == 0 ? g : b) * from[f * H::planes * H::q * row + k * H::d + x];
  }
}

/* The thermodynamic field: coefficients [zones][nt] -> [zones][planes][t][t] -> [zones][planes][q][t] -> a point. */
template <class H>
static __device__ __forceinline__ void energy_to_planes(const fused_tables<H> &tables, int first,
                                                        const double *coefficients, double *planes)
{
  constexpr int n = H::t * H::t;
  for (int i = this_thread(); i < H::zones * n; i += H::threads) {
    const int zone = i / n, node = i % n;
#pragma unroll
    for (int p = 0; p < H::planes; p++) {
      double value = 0.0;
#pragma unroll
      for (int z = 0; z < H::t; z++) value += tables.bt[first + p][z] * coefficients[zone * H::nt + z * n + node];
      planes[(zone * H::planes + p) * n + node] = value;
    }
  }
}

template <class H>
static __device__ __forceinline__ void energy_to_rows(const fused_tables<H> &tables, const double *planes, double *rows)
{
  for (int i = this_thread(); i < H::zones * H::planes * H::t; i += H::threads) {
    const int plane = i / H::t, x = i % H::t;
#pragma unroll
    for (int q = 0; q < H::q; q++) {
      double value = 0.0;
#pragma unroll
      for (int y = 0; y < H::t; y++) value += tables.bt[q][y] * planes[(plane * H::t + y) * H::t + x];
      rows[(plane * H::q + q) * H::t + x] = value;
    }
  }
}

template <class H>
static __device__ __forceinline__ double energy_to_point(const fused_lookup<H> &lookup, const fused_point<H> &p,
                                                         const double *rows)
{
  double value = 0.0;
#pragma unroll
  for (int x = 0; x < H::t; x++) value += lookup.bt[p.x * H::t + x] * rows[p.row() * H::t + x];
  return value;
}

} // namespace fem_cuda

#endif
