/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of velocity_mass for large shapes in 3D: y = M_v x by sum factorisation, a thread per row of nodes
 * or points, one direction after the other.
 *   grid       persistent blocks of ZONES x Q x Q threads, a zone block at a time, ZONES of its zones together
 *   registers  a row, and in the last direction the weights of its points
 *   shared     the zones' values after one and after two directions, all components; x at the zone block's nodes
 *   takes      the shapes of the table at the end
 *   memory     each node once per zone block, the weights once; sums to y, or to slots where other zone blocks add
 *   accuracy   sums over zones in the order of the zones: the same bits in every run
 */
#include "fem/mass/cuda/velocity_zone_block.cuh"

namespace fem_cuda
{

/* Sizes, in numbers, of a kernel for N nodes and Q points per direction, ZONES zones at a time. */
template <class T, int N, int Q, int ZONES> struct row_shape {
  static constexpr int DIM = 3, ND = N * N * N, NQ = Q * Q * Q;
  static constexpr int SIZE = 8, STRIDE = 9; /* of a zone block; odd: neighbouring rows in different banks */
  static constexpr int THREADS = (ZONES * Q * Q + 31) / 32 * 32;
  static constexpr int ROW = Q | 1; /* odd, again */
  static constexpr int PLANE = Q * Q % 16 == 0 ? Q * Q + 8 : Q * Q;
  static constexpr int ROWS = N * N * ROW, PLANES = N * PLANE; /* after one direction, and after two */
  static DEVICE int numbers(int nodes)
  {
    return even(ZONES * DIM * (ROWS + PLANES) + DIM * ND * STRIDE + DIM * nodes);
  }
  static size_t shared(int nodes)
  {
    return sizeof(T) * (size_t)numbers(nodes) + sizeof(double) * (size_t)(DIM * THREADS) + sizeof(step_input<T, DIM>);
  }
  /* Per multiprocessor, as registers allow. */
  static constexpr int BLOCKS = N == 4 ? 3 : N == 5 ? 2 : 1, MORE = sizeof(T) == 4 ? (BLOCKS + 1) / 2 : 0;
};

/* out_q = sum_i b[q][i] in_i */
template <class T, int N, int Q>
__device__ __forceinline__ void to_points(const basis_table<T, N, Q> &t, const T (&in)[N], T (&out)[Q])
{
#pragma unroll
  for (int q = 0; q < Q; q++) {
    out[q] = 0;
#pragma unroll
    for (int i = 0; i < N; i++) out[q] += t.b[q * N + i] * in[i];
  }
}

/* out_i = sum_q b[q][i] in_q */
template <class T, int N, int Q>
__device__ __forceinline__ void to_nodes(const basis_table<T, N, Q> &t, const T (&in)[Q], T (&out)[N])
{
#pragma unroll
  for (int i = 0; i < N; i++) {
    out[i] = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) out[i] += t.b[q * N + i] * in[q];
  }
}

template <class T, int N, int Q, int ZONES, product_kind KIND>
__global__ void __launch_bounds__(row_shape<T, N, Q, ZONES>::THREADS,
                                  row_shape<T, N, Q, ZONES>::BLOCKS + row_shape<T, N, Q, ZONES>::MORE)
  row_kernel(product_arguments<T> a, basis_table<T, N, Q> table)
{
  using S = row_shape<T, N, Q, ZONES>;
  T *rows = shared_array<T>(), *planes = rows + ZONES * S::DIM * S::ROWS;
  T *zones = planes + ZONES * S::DIM * S::PLANES, *x = zones + S::DIM * S::ND * S::STRIDE;
  const zone_block_view &v = a.zone_blocks;
  const int nodes = v.most_nodes;
  double *energy = reinterpret_cast<double *>(rows + S::numbers(nodes)); /* [DIM][THREADS] */
  auto *input = reinterpret_cast<step_input<T, S::DIM> *>(energy + S::DIM * S::THREADS);
  const zone_block_nodes<T> zone_block = {x, nodes};
  node_loader<T, S::DIM, S::THREADS, 2, KIND> loader;
  const int t = (int)threadIdx.x, my_zone = t / (Q * Q), my_point = t % (Q * Q);

  int k = a.first + (int)blockIdx.x;
  const int step = (int)gridDim.x;
  zone_block_head head = {};
  if (k < a.last) head = v.head[k];
  prepare<S::DIM, S::THREADS, KIND>(a, zones, S::ND * S::STRIDE, input, energy);
  loader.look_up(v, head);
  __syncthreads();
  for (; k < a.last; k += step) {
    const uint16_t *local = v.local + (int64_t)head.numbering * S::ND * S::STRIDE;
    const zone_block_head next = k + step < a.last ? v.head[k + step] : zone_block_head{};
    loader.load(a, head, input, zone_block);
    for (int first = 0; first < v.size; first += ZONES) {
      const int nzones = min(ZONES, v.size - first), sets = nzones * S::DIM;
      const bool points = my_zone < nzones;
      const int zone = points ? v.zone[k * v.size + first + my_zone] : -1;
      T weights[Q];
#pragma unroll
      for (int q = 0; q < Q; q++)
        weights[q] = zone >= 0 ? a.weights[(int64_t)zone * S::NQ + q * Q * Q + my_point] : T(0);
      __syncthreads();
      for (int i = t; i < sets * N * N; i += S::THREADS) { /* a row of nodes to points along x */
        const int row = i % (N * N), set = i / (N * N), c = set % S::DIM, z = first + set / S::DIM;
        T in[N], out[Q];
#pragma unroll
        for (int l = 0; l < N; l++) in[l] = x[c * nodes + local[(row * N + l) * S::STRIDE + z]];
        to_points(table, in, out);
#pragma unroll
        for (int q = 0; q < Q; q++) rows[set * S::ROWS + row * S::ROW + q] = out[q];
      }
      __syncthreads();
      for (int i = t; i < sets * N * Q; i += S::THREADS) { /* along y */
        const int q0 = i % Q, l0 = i / Q % N, set = i / (N * Q);
        T in[N], out[Q];
#pragma unroll
        for (int l = 0; l < N; l++) in[l] = rows[set * S::ROWS + (l0 * N + l) * S::ROW + q0];
        to_points(table, in, out);
#pragma unroll
        for (int q = 0; q < Q; q++) planes[set * S::PLANES + l0 * S::PLANE + q * Q + q0] = out[q];
      }
      __syncthreads();
      if (points) /* along z, there and back */
#pragma unroll 1
        for (int c = 0; c < S::DIM; c++) {
          T *column = planes + (my_zone * S::DIM + c) * S::PLANES + my_point, in[N], out[Q];
#pragma unroll
          for (int l = 0; l < N; l++) in[l] = column[l * S::PLANE];
          to_points(table, in, out);
#pragma unroll
          for (int q = 0; q < Q; q++) out[q] *= weights[q];
          to_nodes(table, out, in);
#pragma unroll
          for (int l = 0; l < N; l++) column[l * S::PLANE] = in[l];
        }
      __syncthreads();
      for (int i = t; i < sets * N * Q; i += S::THREADS) { /* back along y */
        const int q0 = i % Q, l0 = i / Q % N, set = i / (N * Q);
        T in[Q], out[N];
#pragma unroll
        for (int q = 0; q < Q; q++) in[q] = planes[set * S::PLANES + l0 * S::PLANE + q * Q + q0];
        to_nodes(table, in, out);
#pragma unroll
        for (int l = 0; l < N; l++) rows[set * S::ROWS + (l0 * N + l) * S::ROW + q0] = out[l];
      }
      __syncthreads();
      for (int i = t; i < sets * N * N; i += S::THREADS) { /* back along x */
        const int row = i % (N * N), set = i / (N * N), c = set % S::DIM, z = first + set / S::DIM;
        T in[Q], out[N];
#pragma unroll
        for (int q = 0; q < Q; q++) in[q] = rows[set * S::ROWS + row * S::ROW + q];
        to_nodes(table, in, out);
#pragma unroll
        for (int l = 0; l < N; l++) zones[(c * S::ND + row * N + l) * S::STRIDE + z] = out[l];
      }
    }
    __syncthreads();
    loader.look_up(v, next);
    sum_zones<S::DIM, S::THREADS, KIND>(a, head, zone_block, zones, S::ND * S::STRIDE, energy);
    head = next;
    __syncthreads();
  }
  if (KIND != PRODUCT) finish_step<S::DIM, S::THREADS>(a, energy);
}

template <class T, int N, int Q, int ZONES> int row_blocks(int nodes)
{
  using S = row_shape<T, N, Q, ZONES>;
  return resident_blocks(row_kernel<T, N, Q, ZONES, STEP_BY_DIAGONAL>, S::THREADS, S::shared(nodes));
}

template <int N, int Q, int ZONES>
int row_run(batched_ctx *ctx, const fem_space *s, const product_arguments<double> &a, int blocks, bool step)
{
  using S = row_shape<double, N, Q, ZONES>;
  return launch(ctx,
                !step    ? row_kernel<double, N, Q, ZONES, PRODUCT>
                : a.cg.z ? row_kernel<double, N, Q, ZONES, STEP_BY_Z>
                         : row_kernel<double, N, Q, ZONES, STEP_BY_DIAGONAL>,
                blocks, S::THREADS, S::shared(a.zone_blocks.most_nodes), a, basis_of<double, N, Q>(s));
}

template <int N, int Q, int ZONES>
int row_run_single(batched_ctx *ctx, const fem_space *s, const product_arguments<float> &a, int blocks)
{
  using S = row_shape<float, N, Q, ZONES>;
  return launch(ctx,
                a.cg.z ? row_kernel<float, N, Q, ZONES, STEP_BY_Z> : row_kernel<float, N, Q, ZONES, STEP_BY_DIAGONAL>,
                blocks, S::THREADS, S::shared(a.zone_blocks.most_nodes), a, basis_of<float, N, Q>(s));
}

/* A row of the table; `nodes`: what zone blocks like cubes have, and a quarter more. */
template <int N, int Q, int ZONES> constexpr zone_block_kernel row(int nodes)
{
  using S = row_shape<double, N, Q, ZONES>;
  return {3,
          N,
          Q,
          S::SIZE,
          S::STRIDE,
          nodes,
          0,
          row_blocks<double, N, Q, ZONES>,
          row_run<N, Q, ZONES>,
          row_blocks<float, N, Q, ZONES>,
          row_run_single<N, Q, ZONES>};
}

static const zone_block_kernel kernels[] = {row<4, 6, 4>(430), row<5, 8, 4>(900), row<6, 10, 2>(1650)};

const zone_block_kernel *find_row_kernel(const fem_space *s)
{
  for (const zone_block_kernel &k : kernels)
    if (k.dim == s->dim && k.n == s->d1 && k.q == s->q1) return &k;
  return nullptr;
}

} // namespace fem_cuda
