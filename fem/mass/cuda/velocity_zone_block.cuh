/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the kernels with a thread block per zone block (fem/mass/zone_blocks.h): loads its nodes to shared memory,
 * and sums over its zones.
 */
#ifndef FEM_CUDA_VELOCITY_ZONE_BLOCK_CUH
#define FEM_CUDA_VELOCITY_ZONE_BLOCK_CUH

#include "fem/mass/zone_blocks.h"
#include "solvers/cuda/sums.cuh"
#include "fem/mass/cuda/velocity_sumfact.cuh"

namespace fem_cuda
{

/* The basis [Q][N] as a kernel's argument: the constant bank serves it to multiplications as an operand. */
template <class T, int N, int Q> struct basis_table {
  T b[Q * N];
};

template <class T, int N, int Q> basis_table<T, N, Q> basis_of(const fem_space *s)
{
  basis_table<T, N, Q> t;
  for (int i = 0; i < Q * N; i++) t.b[i] = (T)s->b[i];
  return t;
}

/* A symmetric matrix of one direction as a kernel's argument, likewise. */
template <class T, int N> struct line_table {
  T m[N * N];
};

/* u = m u for the numbers of one line. */
template <class T, int N> __device__ __forceinline__ void multiply_line(const line_table<T, N> &t, T (&u)[N])
{
  T in[N];
#pragma unroll
  for (int i = 0; i < N; i++) in[i] = u[i];
#pragma unroll
  for (int i = 0; i < N; i++) {
    u[i] = 0;
#pragma unroll
    for (int l = 0; l < N; l++) u[i] += t.m[i * N + l] * in[l];
  }
}

/* u = (m x ... x m) u, the Kronecker product over all directions, for a zone's ND = N^DIM numbers in registers. */
template <class T, int N, int ND> __device__ __forceinline__ void multiply_zone(const line_table<T, N> &t, T (&u)[ND])
{
#pragma unroll
  for (int inner = 1; inner < ND; inner *= N)
#pragma unroll
    for (int line = 0; line < ND / N; line++) {
      T v[N];
      const int first = line / inner * inner * N + line % inner;
#pragma unroll
      for (int l = 0; l < N; l++) v[l] = u[first + l * inner];
      multiply_line(t, v);
#pragma unroll
      for (int l = 0; l < N; l++) u[first + l * inner] = v[l];
    }
}

/* In shared memory doubles follow so many numbers of either precision. */
__host__ __device__ constexpr int even(int n)
{
  return n + n % 2;
}

/* Vector that a kernel multiplies with the matrix: any, or p of solvers/cuda/pcg_split.cuh, which it steps by the
 * diagonal or, with z, by a preconditioner. */
enum product_kind { PRODUCT, STEP_BY_DIAGONAL, STEP_BY_Z };

/* x at the nodes of a block's zone block, in shared memory: [dim][stride]. */
template <class T> struct zone_block_nodes {
  T *x;
  int stride;
};

/* Scalars and vectors of an iteration, in shared memory to save registers. */
template <class T, int DIM> struct step_input {
  int64_t n; /* ndofs */
  const T *last_p;
  T *next_p;
  const float *last_direction;
  float *next_direction;
  T alpha[DIM], beta[DIM];
  float turn[DIM]; /* beta for directions */

  __device__ __forceinline__ void read(const solvers_cuda::split_vectors_of<T> &v)
  {
    const solvers_cuda::pcg_state &s = *v.state;
    n = v.n;
    last_p = solvers_cuda::last_p(v);
    next_p = solvers_cuda::next_p(v);
    last_direction = solvers_cuda::last_direction(v);
    next_direction = solvers_cuda::next_direction(v);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      alpha[c] = (T)s.alpha[c], beta[c] = (T)s.beta[c];
      turn[c] = (float)(s.beta[c] * (s.direction_unit[c] / s.last_unit[c]));
    }
  }
};

/* x at a node, on its way to shared memory. */
template <class T, int DIM, product_kind KIND> struct node_values {
  T x[DIM];

  __device__ __forceinline__ void fetch(const product_arguments<T> &a, const step_input<T, DIM> *, unsigned node)
  {
    const int64_t dof = node & ~NODE_OF_ANOTHER;
#pragma unroll
    for (int c = 0; c < DIM; c++) x[c] = a.x[c * a.ndofs + dof];
  }
  __device__ __forceinline__ void step(const product_arguments<T> &, const step_input<T, DIM> *, unsigned)
  {
  }
};

/* The same with a step: p = D^-1 r + beta p is formed while it is loaded; the first zone block that has the node stores
 * it, and updates x.  Loads bypass the L1 cache, which keeps the zone blocks' tables. */
template <class T, int DIM> struct node_values<T, DIM, STEP_BY_DIAGONAL> {
  T x[DIM]; /* p */
  T r[DIM], solved[DIM], d;

  __device__ __forceinline__ void fetch(const product_arguments<T> &a, const step_input<T, DIM> *in, unsigned node)
  {
    const int64_t dof = node & ~NODE_OF_ANOTHER, n = in->n;
    const T *p = in->last_p + dof, *from_r = a.cg.r + dof, *from_x = a.cg.x + dof;
    d = __ldcg(a.cg.inverse_diagonal + dof);
#pragma unroll
    for (int c = 0; c < DIM; c++, p += n, from_r += n, from_x += n) {
      x[c] = __ldcg(p);
      r[c] = __ldcg(from_r);
      solved[c] = node == dof ? __ldcg(from_x) : T(0);
    }
  }
  __device__ __forceinline__ void step(const product_arguments<T> &a, const step_input<T, DIM> *in, unsigned node)
  {
    const int64_t dof = node & ~NODE_OF_ANOTHER, n = in->n;
    T *p = in->next_p + dof, *to_x = a.cg.x + dof;
#pragma unroll
    for (int c = 0; c < DIM; c++, p += n, to_x += n) {
      const T last = x[c];
      x[c] = d * r[c] + in->beta[c] * last;
      if (node != dof) continue;
      *p = x[c];
      *to_x = solved[c] + in->alpha[c] * last;
    }
  }
};

/* The same with z: p = z + beta p, rounded to single precision before it is multiplied. */
template <class T, int DIM> struct node_values<T, DIM, STEP_BY_Z> {
  T x[DIM]; /* p */
  float z[DIM], last[DIM];

  __device__ __forceinline__ void fetch(const product_arguments<T> &a, const step_input<T, DIM> *in, unsigned node)
  {
    const int64_t dof = node & ~NODE_OF_ANOTHER, n = in->n;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      z[c] = __ldcg(a.cg.z + c * n + dof);
      last[c] = __ldcg(in->last_direction + c * n + dof);
    }
  }
  __device__ __forceinline__ void step(const product_arguments<T> &, const step_input<T, DIM> *in, unsigned node)
  {
    const int64_t dof = node & ~NODE_OF_ANOTHER, n = in->n;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      const float p = fmaf(in->turn[c], last[c], z[c]);
      if (node == dof) in->next_direction[c * n + dof] = p;
      x[c] = p;
    }
  }
};

/* Brings the nodes in.  The first nodes of a thread are looked up while the zone block before is being done. */
template <class T, int DIM, int THREADS, int AHEAD, product_kind KIND> struct node_loader {
  static constexpr unsigned NONE = ~0u;
  static constexpr int AT_ONCE = KIND == STEP_BY_DIAGONAL && AHEAD > 2 ? 2 : AHEAD; /* as registers allow */
  unsigned node[AHEAD];

  static __device__ __forceinline__ unsigned number(const zone_block_view &v, const zone_block_head &head, int i)
  {
    return KIND != PRODUCT ? v.step_node[head.first_node + i] : (unsigned)v.node[head.first_node + i];
  }
  __device__ __forceinline__ void look_up(const zone_block_view &v, const zone_block_head &head)
  {
#pragma unroll
    for (int j = 0; j < AHEAD; j++) {
      const int i = (int)threadIdx.x + j * THREADS;
      node[j] = i < head.nnodes ? number(v, head, i) : NONE;
    }
  }
  /* A barrier has to follow. */
  __device__ __forceinline__ void load(const product_arguments<T> &a, const zone_block_head &head,
                                       const step_input<T, DIM> *in, const zone_block_nodes<T> &to) const
  {
    node_values<T, DIM, KIND> values[AT_ONCE];
#pragma unroll
    for (int first = 0; first < AHEAD; first += AT_ONCE) {
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
        if (node[first + j] != NONE) values[j].fetch(a, in, node[first + j]);
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
        if (node[first + j] != NONE)
          store(a, in, to, (int)threadIdx.x + (first + j) * THREADS, node[first + j], values[j]);
    }
    for (int i = (int)threadIdx.x + AHEAD * THREADS; i < head.nnodes; i += THREADS) {
      const unsigned one = number(a.zone_blocks, head, i);
      values[0].fetch(a, in, one);
      store(a, in, to, i, one, values[0]);
    }
  }
  static __device__ __forceinline__ void store(const product_arguments<T> &a, const step_input<T, DIM> *in,
                                               const zone_block_nodes<T> &to, int i, unsigned node,
                                               node_values<T, DIM, KIND> &values)
  {
    values.step(a, in, node);
#pragma unroll
    for (int c = 0; c < DIM; c++) to.x[c * to.stride + i] = values.x[c];
  }
};

/* Sums what the zones left in their places, by a block of THREADS, a warp per chunk: complete sums to y, others to the
 * slots.  With a step: adds to each thread's part of x . y, [DIM][THREADS] in shared memory. */
template <int DIM, int THREADS, product_kind KIND, class T>
__device__ __forceinline__ void sum_zones(const product_arguments<T> &a, const zone_block_head &head,
                                          const zone_block_nodes<T> &nodes, const T *zones, int zones_stride,
                                          double *energy)
{
  constexpr bool STEP = KIND != PRODUCT;
  const zone_block_view &v = a.zone_blocks;
  const int lane = (int)threadIdx.x % FEM_CHUNK;
  const uint16_t *start = v.chunk_start + (int64_t)head.numbering * (v.nchunks + 1);
  const uint16_t *place = v.place + (int64_t)head.numbering * v.most_rows * FEM_CHUNK + lane;
  double mine[DIM] = {};
#pragma unroll 1
  for (int chunk = (int)threadIdx.x / FEM_CHUNK; chunk * FEM_CHUNK < head.nnodes; chunk += THREADS / FEM_CHUNK) {
    const int last = start[chunk + 1], i = chunk * FEM_CHUNK + lane;
    T sum[DIM] = {};
#pragma unroll 4
    for (int row = start[chunk]; row < last; row++) {
      const int at = place[row * FEM_CHUNK];
#pragma unroll
      for (int c = 0; c < DIM; c++) sum[c] += zones[c * zones_stride + at];
    }
    if (i >= head.nnodes) continue;
    const bool inner = i < head.ninner;
    const int64_t dof = !inner ? 0 : STEP ? head.first_own + i : v.node[head.first_node + i];
    T *to = inner ? a.y + dof : a.slots + head.first_slot + i - head.ninner;
    const int64_t stride = inner ? a.ndofs : a.nslots;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      to[c * stride] = sum[c];
      if (STEP) mine[c] += (double)nodes.x[c * nodes.stride + i] * (double)sum[c];
    }
  }
  if constexpr (STEP) {
#pragma unroll
    for (int c = 0; c < DIM; c++) energy[c * THREADS + (int)threadIdx.x] += mine[c];
  }
}

/* The end of a product with a step: the energy of all threads, and the step of the scalars. */
template <int DIM, int THREADS, class T>
__device__ __forceinline__ void finish_step(const product_arguments<T> &a, double *energy)
{
  double mine[DIM];
#pragma unroll
  for (int c = 0; c < DIM; c++) mine[c] = energy[c * THREADS + (int)threadIdx.x];
  __syncthreads(); /* the memory serves the sums, too */
  const double sum = solvers_cuda::sum_block(mine, energy);
  __syncthreads();
  solvers_cuda::finish_product<DIM>(a.cg, sum, energy);
}

/* Clears the padding place and, with a step, the energy; reads the step's input.  A barrier has to follow. */
template <int DIM, int THREADS, product_kind KIND, class T>
__device__ __forceinline__ void prepare(const product_arguments<T> &a, T *zones, int zones_stride,
                                        step_input<T, DIM> *input, double *energy)
{
  const int t = (int)threadIdx.x;
  if (t < DIM) zones[t * zones_stride + a.zone_blocks.size] = 0;
  if constexpr (KIND != PRODUCT) {
    if (t == 0) input->read(a.cg);
#pragma unroll
    for (int c = 0; c < DIM; c++) energy[c * THREADS + t] = 0.0;
  }
}

/* Bulk copies from global to shared memory, and the mbarrier that awaits them. */
struct bulk_copy {
  uint64_t *barrier; /* in shared memory */
  unsigned phase;

  static __device__ __forceinline__ unsigned address(const void *p)
  {
    return (unsigned)__cvta_generic_to_shared(p);
  }
  /* One thread; a barrier of the block has to follow. */
  __device__ __forceinline__ void init() const
  {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /* One thread; 16 divides the addresses and `bytes`. */
  __device__ __forceinline__ void start(void *to, const void *from, unsigned bytes) const
  {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
      "l"(from), "r"(bytes), "r"(address(barrier))
      : "memory");
  }
  /* All threads. */
  __device__ __forceinline__ void wait()
  {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(address(barrier)),
                 "r"(phase)
                 : "memory");
    phase ^= 1;
  }
};

} // namespace fem_cuda

#endif
