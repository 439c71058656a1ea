/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The preconditioner of solvers/cuda/pcg_split.cuh, zone inverses (fem/mass/precondition.h) by the zone blocks of
 * velocity_mass's cuda.sumfact: z = P r and (r, z), in single precision, from and to vectors in the order of conjugate
 * gradients.
 *   grid       persistent blocks, a zone block at a time; then a thread per dof that has slots
 *   block      64 threads per component; 192 where there is a thread per row; then 256
 *   registers  a zone's component; of large zones in 3D a row of nodes
 *   shared     r at the zone block's nodes and the zones' values at their places, 4 bytes per component each
 *   takes      the shapes of the table at the end
 *   memory     each node once per zone block, its scale once; sums to z, or to slots where other zone blocks add.
 *              EVEN: zones of one density each have S_z = sqrt(c_z) diag M^ / diag M, of which a number per zone and
 *              one per dof are read
 *   accuracy   six digits; sums over zones in their order.  With S the scale over its largest entry and u a unit per
 *              component, r S / u comes in and z / (S u) goes out: neither over- nor underflows
 */
#include <cmath>
#include <cstdlib>

#include "fem/mass/cuda/precondition.cuh"
#include "fem/mass/cuda/velocity_zone_block.cuh"

namespace fem_cuda
{

namespace
{

template <int DIM_, int N_, bool EVEN_> struct inverse_shape {
  static constexpr int DIM = DIM_, N = N_, ND = power(N, DIM);
  static constexpr bool EVEN = EVEN_;
  static constexpr bool ROWS = DIM == 3 && N > 3; /* a thread per row; else per zone and component */
  static constexpr int THREADS = ROWS ? 192 : DIM * 64;
  static size_t shared(int nodes, int stride)
  {
    return sizeof(float) * (size_t)(DIM * ND * stride + DIM * nodes);
  }
};

/* Applies the inverses of a zone block's zones to r at its nodes, and stores the results by slot: a thread per zone
 * and component. */
template <class S, class T>
__device__ __forceinline__ void invert_whole(const inverse_arguments<T> &a, const line_table<float, S::N> &table,
                                             int block, const uint16_t *local, const float *r, float *zones)
{
  constexpr int N = S::N, ND = S::ND;
  const int size = a.zone_blocks.size, nodes = a.zone_blocks.most_nodes;
  const float *scale = a.scale + (int64_t)block * (S::EVEN ? 1 : ND) * size;
#pragma unroll 1
  for (int item = (int)threadIdx.x; item < S::DIM * size; item += S::THREADS) {
    const int z = item % size, c = item / size;
    float u[ND];
#pragma unroll
    for (int i = 0; i < ND; i++) {
      u[i] = r[c * nodes + local[i * a.stride + z]];
      if (!S::EVEN) u[i] *= scale[i * size + z];
    }
    multiply_zone<float, N>(table, u);
#pragma unroll
    for (int i = 0; i < ND; i++) zones[(c * ND + i) * a.stride + z] = scale[(S::EVEN ? 0 : i * size) + z] * u[i];
  }
}

/* The same one direction after the other: FIRST brings r in, LAST scales what goes out. */
template <class S, int INNER, bool FIRST, bool LAST, class T>
__device__ __forceinline__ void invert_rows(const inverse_arguments<T> &a, const line_table<float, S::N> &table,
                                            const float *scale, const uint16_t *local, const float *r, float *zones)
{
  constexpr int N = S::N, ND = S::ND, LINES = ND / N;
  const int size = a.zone_blocks.size, nodes = a.zone_blocks.most_nodes;
  for (int item = (int)threadIdx.x; item < S::DIM * LINES * size; item += S::THREADS) {
    const int z = item % size, line = item / size % LINES, c = item / size / LINES;
    const int first = line / INNER * INNER * N + line % INNER;
    float *places = zones + c * ND * a.stride + z;
    float v[N];
#pragma unroll
    for (int l = 0; l < N; l++) {
      const int i = first + l * INNER;
      v[l] = FIRST ? r[c * nodes + local[i * a.stride + z]] : places[i * a.stride];
      if (FIRST && !S::EVEN) v[l] *= scale[i * size + z];
    }
    multiply_line(table, v);
#pragma unroll
    for (int l = 0; l < N; l++) {
      const int i = first + l * INNER;
      places[i * a.stride] = LAST ? scale[(S::EVEN ? 0 : i * size) + z] * v[l] : v[l];
    }
  }
  __syncthreads();
}

/* Sums over the zones of each node, as sum_zones in velocity_zone_block.cuh; adds to each thread's part of (r, z). */
template <class S, class T>
__device__ __forceinline__ void sum_places(const inverse_arguments<T> &a, const zone_block_head &head, const float *r,
                                           const float *zones, double (&energy)[S::DIM])
{
  constexpr int DIM = S::DIM, ND = S::ND;
  const zone_block_view &v = a.zone_blocks;
  const int lane = (int)threadIdx.x % FEM_CHUNK;
  const uint16_t *start = v.chunk_start + (int64_t)head.numbering * (v.nchunks + 1);
  const uint16_t *place = v.place + (int64_t)head.numbering * v.most_rows * FEM_CHUNK + lane;
#pragma unroll 1
  for (int chunk = (int)threadIdx.x / FEM_CHUNK; chunk * FEM_CHUNK < head.nnodes; chunk += S::THREADS / FEM_CHUNK) {
    const int last = start[chunk + 1], i = chunk * FEM_CHUNK + lane;
    float sum[DIM] = {};
#pragma unroll 4
    for (int row = start[chunk]; row < last; row++) {
      const int at = place[row * FEM_CHUNK];
#pragma unroll
      for (int c = 0; c < DIM; c++) sum[c] += zones[c * ND * a.stride + at];
    }
    if (i >= head.nnodes) continue;
    const bool inner = i < head.ninner;
    const int64_t own = head.first_own + i;
    const int fixed = inner ? a.essential[own] : 0;
    const float scale = S::EVEN && inner ? a.node_scale[own] : 1.0f;
    float *to = inner ? a.cg.z + own : a.slots + head.first_slot + i - head.ninner;
    const int64_t stride = inner ? a.cg.n : a.nslots;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      to[c * stride] = fixed >> c & 1 ? 0.0f : scale * sum[c];
      energy[c] += (double)r[c * v.most_nodes + i] * (double)sum[c];
    }
  }
}

template <class S, class T>
__global__ void __launch_bounds__(S::THREADS) invert(inverse_arguments<T> a, line_table<float, S::N> table)
{
  constexpr int DIM = S::DIM, ND = S::ND;
  __shared__ double sums[32 * DIM];
  const zone_block_view &v = a.zone_blocks;
  float *zones = shared_array<float>(), *r = zones + DIM * ND * a.stride;
  double energy[DIM] = {}, over[DIM];
#pragma unroll
  for (int c = 0; c < DIM; c++) over[c] = a.largest / a.cg.state->unit[c];
  if (threadIdx.x < DIM) zones[threadIdx.x * ND * a.stride + v.size] = 0.0f; /* the padding place */
  for (int k = (int)blockIdx.x; k < a.count; k += (int)gridDim.x) {
    const zone_block_head head = v.head[k];
    const uint16_t *local = v.local + (int64_t)head.numbering * ND * a.stride;
    for (int i = (int)threadIdx.x; i < head.nnodes; i += S::THREADS) {
      const int64_t dof = v.step_node[head.first_node + i] & ~NODE_OF_ANOTHER;
      const float scale = S::EVEN ? __ldcg(a.node_scale + dof) : 1.0f;
#pragma unroll
      for (int c = 0; c < DIM; c++)
        r[c * v.most_nodes + i] = scale * (float)(over[c] * __ldcg(a.cg.r + c * a.cg.n + dof));
    }
    __syncthreads();
    if constexpr (S::ROWS) {
      const float *scale = a.scale + (int64_t)k * (S::EVEN ? 1 : ND) * v.size;
      invert_rows<S, 1, true, false>(a, table, scale, local, r, zones);
      invert_rows<S, S::N, false, false>(a, table, scale, local, r, zones);
      invert_rows<S, S::N * S::N, false, true>(a, table, scale, local, r, zones);
    } else {
      invert_whole<S>(a, table, k, local, r, zones);
      __syncthreads();
    }
    sum_places<S>(a, head, r, zones, energy);
    __syncthreads();
  }
  const double sum = solvers_cuda::sum_block(energy, sums);
  __syncthreads();
  solvers_cuda::finish_precondition<DIM>(a.cg, sum, sums, a.largest);
}

constexpr int GATHER_THREADS = 256;

/* z at the dofs that have slots: a thread per dof. */
template <int DIM, class T> __global__ void __launch_bounds__(GATHER_THREADS) gather_inverse(inverse_arguments<T> a)
{
  const int64_t i = blockIdx.x * (int64_t)GATHER_THREADS + threadIdx.x;
  if (i >= a.cg.n) return;
  const int first = a.slot_start[i], last = a.slot_start[i + 1], fixed = a.essential[i];
  if (first == last) return;
  const float scale = a.node_scale ? a.node_scale[i] : 1.0f;
  float sum[DIM] = {};
  for (int j = first; j < last; j++)
#pragma unroll
    for (int c = 0; c < DIM; c++) sum[c] += a.slots[c * a.nslots + a.slot_of_dof[j]];
#pragma unroll
  for (int c = 0; c < DIM; c++) a.cg.z[c * a.cg.n + i] = fixed >> c & 1 ? 0.0f : scale * sum[c];
}

template <class S> int blocks_of(int nodes, int stride)
{
  return resident_blocks(invert<S, double>, S::THREADS, S::shared(nodes, stride));
}

template <class S, class T> int run(batched_ctx *ctx, const double *inverse, const inverse_arguments<T> &a, int blocks)
{
  line_table<float, S::N> table;
  for (int i = 0; i < S::N * S::N; i++) table.m[i] = (float)inverse[i];
  int status = launch(ctx, invert<S, T>, blocks, S::THREADS, S::shared(a.zone_blocks.most_nodes, a.stride), a, table);
  if (!status) status = launch(ctx, gather_inverse<S::DIM, T>, ceil_div(a.cg.n, GATHER_THREADS), GATHER_THREADS, 0, a);
  return status;
}

template <int DIM, int N, bool EVEN> constexpr inverse_kernel row()
{
  using S = inverse_shape<DIM, N, EVEN>;
  return {DIM, N, EVEN, blocks_of<S>, run<S, double>, run<S, float>};
}

const inverse_kernel kernels[] = {
  row<2, 2, false>(), row<2, 3, false>(), row<2, 4, false>(), row<2, 5, false>(), row<2, 6, false>(),
  row<3, 2, false>(), row<3, 3, false>(), row<3, 4, false>(), row<3, 5, false>(), row<3, 6, false>(),
  row<2, 2, true>(),  row<2, 3, true>(),  row<2, 4, true>(),  row<2, 5, true>(),  row<2, 6, true>(),
  row<3, 2, true>(),  row<3, 3, true>(),  row<3, 4, true>(),  row<3, 5, true>(),  row<3, 6, true>(),
};

/* scale [zone block][nd][size] from [nzones][nd], a thread per entry; zero where there is no zone. */
__global__ void arrange(int64_t count, int nd, int size, const int *__restrict__ zone, double largest,
                        const double *__restrict__ from, float *__restrict__ to)
{
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int64_t block = i / size / nd;
  const int z = zone[block * size + i % size];
  to[i] = z < 0 ? 0.0f : (float)(from[(int64_t)z * nd + i / size % nd] / largest);
}

/* to = from / largest, a thread per number. */
__global__ void narrow_over(int64_t count, double largest, const double *__restrict__ from, float *__restrict__ to)
{
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count) to[i] = (float)(from[i] / largest);
}

/* The numbers of zones from [zone block][lanes] to [zone block][size], likewise. */
__global__ void narrow_zones(int64_t count, int size, int lanes, double largest, const double *__restrict__ from,
                             float *__restrict__ to)
{
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count) to[i] = (float)(from[i / size * lanes + i % size] / largest);
}

/* The largest of n numbers in the context's memory; a negative one: no memory. */
double largest_of(batched_ctx *ctx, const double *x, size_t n)
{
  double *host = static_cast<double *>(malloc(sizeof(double) * (n + 1))), largest = -1.0;
  if (host && batched_copy_to_host(ctx, host, x, sizeof(double) * n) == BATCHED_SUCCESS) {
    largest = 0.0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, host[i]);
  }
  free(host);
  return largest;
}

/* What is read of S_z, arranged for the passes. */
int make_scale(batched_ctx *ctx, const fem_mass *m, const sumfact_store *product, inverse_passes *p)
{
  const fem_space *s = m->space;
  const zone_block_view &v = product->zone_blocks;
  const int64_t zones = (int64_t)product->nzone_blocks * v.size, lanes = product->kernel->lanes;
  if (!p->kernel->even) {
    const inverse_store *store = static_cast<const inverse_store *>(m->zone_inverse->store);
    for (int64_t i = 0; i < (int64_t)s->nzones * s->nd; i++) p->largest = fmax(p->largest, m->zone_inverse->scale[i]);
    return launch(ctx, arrange, ceil_div(zones * s->nd, 256), 256, 0, zones * s->nd, s->nd, v.size, v.zone, p->largest,
                  store->scale, p->scale);
  }
  const double node = largest_of(ctx, product->inverse_diagonal, (size_t)s->ndofs),
               zone = largest_of(ctx, product->weights, (size_t)(product->nzone_blocks * lanes));
  if (node < 0.0 || zone < 0.0) return BATCHED_NO_MEMORY;
  p->largest = node * sqrt(zone);
  const int status = launch(ctx, narrow_zones, ceil_div(zones, 256), 256, 0, zones, v.size, (int)lanes, zone,
                            product->weights, p->scale);
  return status ? status
                : launch(ctx, narrow_over, ceil_div(s->ndofs, 256), 256, 0, (int64_t)s->ndofs, node,
                         product->inverse_diagonal, p->node_scale);
}

/* The small matrix of the kernel: M^^-1, between the diagonals of M^ where these are not in the scale. */
void make_inverse(const fem_mass *m, inverse_passes *p)
{
  const fem_space *s = m->space;
  const int n = s->d1;
  double diagonal[FEM_INVERSE_NODES];
  for (int i = 0; i < n; i++) {
    diagonal[i] = p->kernel->even ? 0.0 : 1.0;
    for (int q = 0; q < s->q1 && p->kernel->even; q++) diagonal[i] += s->weights[q] * s->b[q * n + i] * s->b[q * n + i];
  }
  for (int i = 0; i < n * n; i++) p->inverse[i] = diagonal[i / n] * m->zone_inverse->inverse[i] * diagonal[i % n];
}

template <class T> inverse_arguments<T> arguments_of(const fem_mass *m, const void *vectors)
{
  const sumfact_store *product = static_cast<const sumfact_store *>(m->store);
  const inverse_passes &p = static_cast<const inverse_store *>(m->zone_inverse->store)->passes;
  return {product->zone_blocks,
          product->nzone_blocks,
          product->kernel->stride,
          p.scale,
          p.node_scale,
          p.largest,
          p.slots,
          product->nslots,
          product->slot_start,
          product->slot_of_dof,
          product->step_essential,
          *static_cast<const solvers_cuda::split_vectors_of<T> *>(vectors)};
}

int step_precondition(batched_ctx *ctx, void *mass, const void *vectors)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  const inverse_passes &p = static_cast<const inverse_store *>(m->zone_inverse->store)->passes;
  return p.kernel->run(ctx, p.inverse, arguments_of<double>(m, vectors), p.blocks);
}

int step_precondition_single(batched_ctx *ctx, void *mass, const void *vectors)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  const inverse_passes &p = static_cast<const inverse_store *>(m->zone_inverse->store)->passes;
  return p.kernel->run_single(ctx, p.inverse, arguments_of<float>(m, vectors), p.blocks);
}

} // namespace

const inverse_kernel *find_inverse_kernel(const fem_space *s, bool even)
{
  for (const inverse_kernel &k : kernels)
    if (k.dim == s->dim && k.n == s->d1 && k.even == even) return &k;
  return nullptr;
}

int setup_passes(batched_ctx *ctx, fem_mass *m, inverse_passes *p)
{
  const fem_space *s = m->space;
  if (m->functions != &velocity_sumfact || !halo_alone(s->halo)) return BATCHED_SUCCESS;
  sumfact_store *product = static_cast<sumfact_store *>(m->store);
  if (!product->kernel || s->nzones == 0) return BATCHED_SUCCESS;
  const bool even = product->kernel->q == 0;
  const inverse_kernel *kernel = find_inverse_kernel(s, even);
  if (!kernel) return BATCHED_SUCCESS;
  const zone_block_view &v = product->zone_blocks;
  const int blocks = kernel->blocks(v.most_nodes, product->kernel->stride);
  if (blocks == 0) return BATCHED_SUCCESS;
  const size_t zones = (size_t)product->nzone_blocks * (size_t)v.size;
  p->kernel = kernel;
  p->scale = static_cast<float *>(batched_allocate(ctx, sizeof(float) * (zones * (size_t)(even ? 1 : s->nd) + 1)));
  if (even) p->node_scale = static_cast<float *>(batched_allocate(ctx, sizeof(float) * ((size_t)s->ndofs + 1)));
  p->slots =
    static_cast<float *>(batched_allocate(ctx, sizeof(float) * ((size_t)s->dim * (size_t)product->nslots + 1)));
  if (!p->scale || !p->slots || (even && !p->node_scale)) return BATCHED_NO_MEMORY;
  make_inverse(m, p);
  const int status = make_scale(ctx, m, product, p);
  if (status) return status;
  p->blocks = blocks < product->nzone_blocks ? blocks : product->nzone_blocks;
  product->split.precondition = step_precondition;
  product->split.precondition_blocks = p->blocks;
  product->single.precondition = step_precondition_single;
  product->single.precondition_blocks = p->blocks;
  return BATCHED_SUCCESS;
}

void release_passes(batched_ctx *ctx, inverse_passes *p)
{
  batched_release(ctx, p->scale);
  batched_release(ctx, p->node_scale);
  batched_release(ctx, p->slots);
}

} // namespace fem_cuda
