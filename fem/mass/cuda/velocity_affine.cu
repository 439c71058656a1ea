/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of velocity_mass where every zone was a parallelepiped of one density at the start: y = M_v x with
 * the mass matrix of the reference zone, a tensor product of one of order N, times a number per zone.  No quadrature,
 * and no weights to be read; the rule only makes the small matrix.
 *   grid       persistent blocks, a zone block at a time
 *   block      a thread per zone and component, or several of them; of large zones in 3D a thread per row of nodes, one
 *              direction after the other
 *   registers  a zone's component, or a row; BLOCKS blocks per multiprocessor
 *   shared     x and the products at the zone block's nodes
 *   takes      the shapes of the table at the end, any rule
 *   memory     each node once per zone block, a number per zone; sums to y, or to slots where other zone blocks add
 *   accuracy   sums over zones in the order of the zones: the same bits in every run
 */
#include "fem/mass/cuda/velocity_zone_block.cuh"

namespace fem_cuda
{

/* The mass matrix of one direction of the reference zone. */
template <class T, int N> static line_table<T, N> make_table(const fem_space *s)
{
  line_table<T, N> t;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int q = 0; q < s->q1; q++) sum += s->weights[q] * s->b[q * N + i] * s->b[q * N + j];
      t.m[i * N + j] = (T)sum;
    }
  return t;
}

/* A kernel for N nodes per direction: at most SIZE zones per zone block, THREADS threads, BLOCKS blocks per
 * multiprocessor. */
template <class T_, int DIM_, int N_, int SIZE_, int THREADS_, int BLOCKS_> struct affine_shape {
  using T = T_;
  static constexpr int DIM = DIM_, N = N_, SIZE = SIZE_, THREADS = THREADS_, BLOCKS = BLOCKS_;
  static constexpr int ND = power(N, DIM), STRIDE = SIZE + 1; /* of places: one is empty */
  static constexpr bool ROWS = DIM == 3 && N > 3;
  static DEVICE int numbers(int nodes)
  {
    return even(DIM * ND * STRIDE + DIM * nodes);
  }
  static size_t shared(int nodes)
  {
    return sizeof(T) * (size_t)numbers(nodes) + sizeof(double) * (size_t)(DIM * THREADS) + sizeof(step_input<T, DIM>);
  }
};

/* From x at the zone block's nodes to the places, a thread per zone and component; scale: of the zones. */
template <class S, class T = typename S::T>
__device__ __forceinline__ void do_zones(const line_table<T, S::N> &table, const T *scale, const uint16_t *local,
                                         const T *x, int nodes, T *zones)
{
  constexpr int N = S::N, ND = S::ND;
#pragma unroll 1
  for (int item = (int)threadIdx.x; item < S::DIM * S::SIZE; item += S::THREADS) {
    const int z = item % S::SIZE, c = item / S::SIZE;
    const T factor = scale[z];
    T u[ND];
#pragma unroll
    for (int i = 0; i < ND; i++) u[i] = x[c * nodes + local[i * S::STRIDE + z]];
    multiply_zone<T, N>(table, u);
#pragma unroll
    for (int i = 0; i < ND; i++) zones[(c * ND + i) * S::STRIDE + z] = factor * u[i];
  }
}

/* The same in one direction, a thread per row: the first brings x in, the last scales what goes out. */
template <class S, int INNER, class T = typename S::T>
__device__ __forceinline__ void do_rows(const line_table<T, S::N> &table, const T *scale, const uint16_t *local,
                                        const T *x, int nodes, T *zones)
{
  constexpr int N = S::N, ND = S::ND, LINES = ND / N;
  constexpr bool FIRST = INNER == 1, LAST = INNER == LINES;
#pragma unroll 2
  for (int item = (int)threadIdx.x; item < S::DIM * LINES * S::SIZE; item += S::THREADS) {
    const int z = item % S::SIZE, line = item / S::SIZE % LINES, c = item / S::SIZE / LINES;
    const int first = line / INNER * INNER * N + line % INNER;
    T *places = zones + c * ND * S::STRIDE + z;
    const T factor = LAST ? scale[z] : T(1);
    T v[N];
#pragma unroll
    for (int l = 0; l < N; l++) {
      const int i = first + l * INNER;
      v[l] = FIRST ? x[c * nodes + local[i * S::STRIDE + z]] : places[i * S::STRIDE];
    }
    multiply_line(table, v);
#pragma unroll
    for (int l = 0; l < N; l++) places[(first + l * INNER) * S::STRIDE] = LAST ? factor * v[l] : v[l];
  }
}

template <class S, product_kind KIND>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
  affine_kernel(product_arguments<typename S::T> a, line_table<typename S::T, S::N> table)
{
  using T = typename S::T;
  constexpr int PLACES = S::ND * S::STRIDE;
  const zone_block_view &v = a.zone_blocks;
  T *zones = shared_array<T>(), *x = zones + S::DIM * PLACES;
  const int nodes = v.most_nodes, step = (int)gridDim.x;
  double *energy = reinterpret_cast<double *>(zones + S::numbers(nodes));
  auto *input = reinterpret_cast<step_input<T, S::DIM> *>(energy + S::DIM * S::THREADS);
  const zone_block_nodes<T> zone_block = {x, nodes};
  node_loader<T, S::DIM, S::THREADS, 4, KIND> loader;

  int k = a.first + (int)blockIdx.x;
  zone_block_head head = {};
  if (k < a.last) head = v.head[k];
  prepare<S::DIM, S::THREADS, KIND>(a, zones, PLACES, input, energy);
  loader.look_up(v, head);
  __syncthreads();
  for (; k < a.last; k += step) {
    loader.load(a, head, input, zone_block);
    const uint16_t *local = v.local + (int64_t)head.numbering * PLACES;
    const T *scale = a.weights + (int64_t)k * S::SIZE;
    const zone_block_head next = k + step < a.last ? v.head[k + step] : zone_block_head{};
    __syncthreads();
    if constexpr (S::ROWS) {
      do_rows<S, 1>(table, scale, local, x, nodes, zones);
      __syncthreads();
      do_rows<S, S::N>(table, scale, local, x, nodes, zones);
      __syncthreads();
      do_rows<S, S::N * S::N>(table, scale, local, x, nodes, zones);
    } else {
      do_zones<S>(table, scale, local, x, nodes, zones);
    }
    __syncthreads();
    loader.look_up(v, next);
    sum_zones<S::DIM, S::THREADS, KIND>(a, head, zone_block, zones, PLACES, energy);
    head = next;
    __syncthreads();
  }
  if (KIND != PRODUCT) finish_step<S::DIM, S::THREADS>(a, energy);
}

template <class S> static int resident_of(int nodes)
{
  return resident_blocks(affine_kernel<S, STEP_BY_DIAGONAL>, S::THREADS, S::shared(nodes));
}

template <class S>
static int affine_run(batched_ctx *ctx, const fem_space *s, const product_arguments<double> &a, int blocks, bool step)
{
  return launch(ctx,
                !step    ? affine_kernel<S, PRODUCT>
                : a.cg.z ? affine_kernel<S, STEP_BY_Z>
                         : affine_kernel<S, STEP_BY_DIAGONAL>,
                blocks, S::THREADS, S::shared(a.zone_blocks.most_nodes), a, make_table<double, S::N>(s));
}

template <class S>
static int affine_run_single(batched_ctx *ctx, const fem_space *s, const product_arguments<float> &a, int blocks)
{
  return launch(ctx, a.cg.z ? affine_kernel<S, STEP_BY_Z> : affine_kernel<S, STEP_BY_DIAGONAL>, blocks, S::THREADS,
                S::shared(a.zone_blocks.most_nodes), a, make_table<float, S::N>(s));
}

/* A row: zones of a zone block, and its nodes: what zone blocks like cubes have, and a quarter more. */
template <int DIM, int N, int SIZE, int THREADS, int BLOCKS> static constexpr zone_block_kernel row(int nodes)
{
  using S = affine_shape<double, DIM, N, SIZE, THREADS, BLOCKS>;
  using F = affine_shape<float, DIM, N, SIZE, THREADS, BLOCKS>;
  return {DIM, N, 0, SIZE, S::STRIDE, nodes, SIZE, resident_of<S>, affine_run<S>, resident_of<F>, affine_run_single<F>};
}

static const zone_block_kernel kernels[] = {
  row<2, 2, 256, 256, 4>(360), row<2, 3, 64, 128, 8>(360),  row<2, 4, 64, 128, 6>(780), row<2, 5, 64, 128, 4>(1360),
  row<2, 6, 64, 128, 3>(2100), row<3, 2, 216, 224, 4>(430), row<3, 3, 64, 192, 3>(900), row<3, 4, 8, 192, 5>(430),
  row<3, 5, 8, 256, 3>(900),   row<3, 6, 8, 256, 2>(1650),
};

const zone_block_kernel *find_affine_kernel(const fem_space *s)
{
  for (const zone_block_kernel &k : kernels)
    if (k.dim == s->dim && k.n == s->d1) return &k;
  return nullptr;
}

} // namespace fem_cuda
