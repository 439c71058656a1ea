/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of velocity_mass for small shapes: y = M_v x by sum factorisation, a thread per zone and component.
 *   grid       persistent blocks of DIM x LANES threads, a zone block of LANES zones at a time
 *   registers  a zone's component; BLOCKS blocks per multiprocessor
 *   shared     weights [nq][LANES], by bulk copies one zone block ahead; x and the products at the zone block's nodes
 *   takes      the shapes of the table at the end
 *   memory     each node once per zone block, the weights once; sums to y, or to slots where other zone blocks add
 *   accuracy   sums over zones in the order of the zones: the same bits in every run
 */
#include "fem/mass/cuda/velocity_zone_block.cuh"

namespace fem_cuda
{

/* y = B^T D B u in one direction: a row of points. */
template <int N, int Q, int LANES, class T>
__device__ __forceinline__ void row_product(const basis_table<T, N, Q> &t, const T *u, const T *weights, T *y)
{
#pragma unroll
  for (int i = 0; i < N; i++) y[i] = 0;
#pragma unroll
  for (int q = 0; q < Q; q++) {
    T value = 0;
#pragma unroll
    for (int i = 0; i < N; i++) value += t.b[q * N + i] * u[i];
    value *= weights[q * LANES];
#pragma unroll
    for (int i = 0; i < N; i++) y[i] += t.b[q * N + i] * value;
  }
}

/* The same for a tensor product of DIM directions, slice of points by slice. */
template <int DIM, int N, int Q, int LANES, class T>
__device__ __forceinline__ void zone_product(const basis_table<T, N, Q> &t, const T *u, const T *weights, T *y)
{
  if constexpr (DIM == 1) {
    row_product<N, Q, LANES>(t, u, weights, y);
  } else {
    constexpr int SLICE = DIM == 2 ? N : N * N, POINTS = DIM == 2 ? Q : Q * Q;
#pragma unroll
    for (int i = 0; i < SLICE * N; i++) y[i] = 0;
#pragma unroll(Q > 6 ? 1 : Q)
    for (int q = 0; q < Q; q++) {
      T in[SLICE], out[SLICE];
#pragma unroll
      for (int i = 0; i < SLICE; i++) {
        in[i] = 0;
#pragma unroll
        for (int l = 0; l < N; l++) in[i] += t.b[q * N + l] * u[l * SLICE + i];
      }
      zone_product<DIM - 1, N, Q, LANES>(t, in, weights + q * POINTS * LANES, out);
#pragma unroll
      for (int i = 0; i < SLICE; i++)
#pragma unroll
        for (int l = 0; l < N; l++) y[l * SLICE + i] += t.b[q * N + l] * out[i];
    }
  }
}

/* A kernel for N nodes and Q points per direction: LANES zones per zone block, C components per thread, BLOCKS blocks
 * per multiprocessor. */
template <class T_, int DIM_, int N_, int Q_, int LANES_, int C_, int BLOCKS_> struct zone_shape {
  using T = T_;
  static constexpr int DIM = DIM_, N = N_, Q = Q_, LANES = LANES_, C = C_, BLOCKS = BLOCKS_;
  static constexpr int ND = power(N, DIM), NQ = power(Q, DIM), THREADS = DIM / C * LANES;
  static_assert(C == 1 || C == DIM);
  static constexpr int STRIDE = LANES + 1; /* of places: one is empty */
  /* Weights [NQ][LANES], zones [DIM][ND][STRIDE], x [DIM][nodes], the energy, the step's input, the
   * barrier. */
  static constexpr int ENERGY = DIM * THREADS;
  static DEVICE int numbers(int nodes)
  {
    return even(NQ * LANES + DIM * ND * STRIDE + DIM * nodes);
  }
  static size_t shared(int nodes)
  {
    return sizeof(T) * (size_t)numbers(nodes) + sizeof(double) * (size_t)(ENERGY + 1) + sizeof(step_input<T, DIM>);
  }
};

/* The zone of this thread's lane: from the nodes of the zone block to the places. */
template <class S, class T>
__device__ __forceinline__ void do_zone(const basis_table<T, S::N, S::Q> &table, const uint16_t *local, const T *x,
                                        const T *weights, T *places)
{
  T u[S::ND], y[S::ND];
#pragma unroll
  for (int i = 0; i < S::ND; i++) u[i] = x[local[i * S::STRIDE]];
  zone_product<S::DIM, S::N, S::Q, S::LANES>(table, u, weights, y);
#pragma unroll
  for (int i = 0; i < S::ND; i++) places[i * S::STRIDE] = y[i];
}

template <class S, product_kind KIND>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
  zone_kernel(product_arguments<typename S::T> a, basis_table<typename S::T, S::N, S::Q> table)
{
  using T = typename S::T;
  constexpr int PATCH = S::NQ * S::LANES; /* weights */
  constexpr unsigned BYTES = PATCH * sizeof(T);
  const zone_block_view &v = a.zone_blocks;
  T *weights = shared_array<T>(), *zones = weights + PATCH, *x = zones + S::DIM * S::ND * S::STRIDE;
  const int nodes = v.most_nodes;
  double *energy = reinterpret_cast<double *>(weights + S::numbers(nodes));
  auto *input = reinterpret_cast<step_input<T, S::DIM> *>(energy + S::ENERGY);
  bulk_copy copy = {reinterpret_cast<uint64_t *>(input + 1), 0};
  const zone_block_nodes<T> zone_block = {x, nodes};
  const int c0 = (int)threadIdx.x / S::LANES * S::C, z = (int)threadIdx.x % S::LANES, step = (int)gridDim.x;
  node_loader<T, S::DIM, S::THREADS, S::C == 1 ? 4 : 2, KIND> loader;

  int k = a.first + (int)blockIdx.x;
  zone_block_head head = {};
  if (threadIdx.x == 0) {
    copy.init();
    if (k < a.last) copy.start(weights, a.weights + (int64_t)k * PATCH, BYTES);
  }
  if (k < a.last) head = v.head[k];
  prepare<S::DIM, S::THREADS, KIND>(a, zones, S::ND * S::STRIDE, input, energy);
  loader.look_up(v, head);
  __syncthreads();
  for (; k < a.last; k += step) {
    loader.load(a, head, input, zone_block);
    const uint16_t *local = v.local + (int64_t)head.numbering * S::ND * S::STRIDE + z;
    __syncthreads();
    copy.wait();
#pragma unroll 1
    for (int c = c0; c < c0 + S::C; c++)
      do_zone<S>(table, local, x + c * nodes, weights + z, zones + c * S::ND * S::STRIDE + z);
    const zone_block_head next = k + step < a.last ? v.head[k + step] : zone_block_head{};
    __syncthreads();
    if (threadIdx.x == 0 && k + step < a.last) copy.start(weights, a.weights + (int64_t)(k + step) * PATCH, BYTES);
    loader.look_up(v, next);
    sum_zones<S::DIM, S::THREADS, KIND>(a, head, zone_block, zones, S::ND * S::STRIDE, energy);
    head = next;
    __syncthreads();
  }
  if (KIND != PRODUCT) finish_step<S::DIM, S::THREADS>(a, energy);
}

template <class S> int resident_of(int nodes)
{
  return resident_blocks(zone_kernel<S, STEP_BY_DIAGONAL>, S::THREADS, S::shared(nodes));
}

template <class S>
int zone_run(batched_ctx *ctx, const fem_space *s, const product_arguments<double> &a, int blocks, bool step)
{
  return launch(ctx,
                !step    ? zone_kernel<S, PRODUCT>
                : a.cg.z ? zone_kernel<S, STEP_BY_Z>
                         : zone_kernel<S, STEP_BY_DIAGONAL>,
                blocks, S::THREADS, S::shared(a.zone_blocks.most_nodes), a, basis_of<double, S::N, S::Q>(s));
}

template <class S>
int zone_run_single(batched_ctx *ctx, const fem_space *s, const product_arguments<float> &a, int blocks)
{
  return launch(ctx, a.cg.z ? zone_kernel<S, STEP_BY_Z> : zone_kernel<S, STEP_BY_DIAGONAL>, blocks, S::THREADS,
                S::shared(a.zone_blocks.most_nodes), a, basis_of<float, S::N, S::Q>(s));
}

/* A row: zones of a zone block, at most LANES, and its nodes: what zone blocks like cubes have, and a quarter more. */
template <int DIM, int N, int Q, int LANES, int C, int BLOCKS> constexpr zone_block_kernel row(int size, int nodes)
{
  using S = zone_shape<double, DIM, N, Q, LANES, C, BLOCKS>;
  using F = zone_shape<float, DIM, N, Q, LANES, C, BLOCKS + BLOCKS / 2>;
  return {DIM, N, Q, size, S::STRIDE, nodes, LANES, resident_of<S>, zone_run<S>, resident_of<F>, zone_run_single<F>};
}

static const zone_block_kernel kernels[] = {
  row<2, 2, 2, 64, 1, 6>(64, 100), row<2, 3, 4, 64, 1, 6>(64, 360),   row<2, 4, 6, 64, 1, 4>(64, 780),
  row<2, 5, 8, 32, 1, 5>(32, 700), row<2, 6, 10, 32, 1, 3>(32, 1080), row<3, 2, 2, 224, 3, 3>(216, 430),
  row<3, 3, 4, 64, 1, 2>(64, 900),
};

const zone_block_kernel *find_zone_kernel(const fem_space *s)
{
  for (const zone_block_kernel &k : kernels)
    if (k.dim == s->dim && k.n == s->d1 && k.q == s->q1) return &k;
  return nullptr;
}

} // namespace fem_cuda
