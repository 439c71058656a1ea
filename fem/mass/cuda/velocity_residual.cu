/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The residual pass of solvers/cuda/pcg_split.cuh for row cuda.sumfact of velocity_mass: r -= alpha w and (r, D^-1 r).
 * The sums of slots are made where they are needed, and w itself is never complete in memory.
 *   grid       a thread per dof, up to 528 blocks that loop; with peers no more than are resident together, and where
 *              ranks share a GPU, one on each of a rank's part of the multiprocessors, as a product of another one that
 *              they wait for may need a whole multiprocessor; with z as many blocks as it takes, and no sums
 *   block      256 threads, at most 64 registers
 *   shared     the sums over warps, 256 bytes per component; with peers alpha
 *   takes      1 to 3 components; vectors in double or single precision, scalars and sums in double
 *   memory     per dof: reads r, D^-1, 9 bytes of offsets and flags, and w or its slots (a number per component and 4
 *              bytes each); writes r
 *   accuracy   slots, threads, blocks and ranks are added in their order: the same bits in every run
 */
#include <algorithm>

#include "fem/mass/cuda/velocity_sumfact.cuh"

namespace fem_cuda
{

constexpr int THREADS = 256;

template <class T> struct residual_arguments {
  const int *start, *slot; /* the slots of each dof */
  const unsigned char *essential;
  const T *slots; /* [dim][nslots] */
  int64_t nslots;
};

/* Component c of w at dof i, of this rank's zones. */
template <class T>
static __device__ __forceinline__ T sum_of_zones(const residual_arguments<T> &a,
                                                 const solvers_cuda::split_vectors_of<T> &v, int i, int c)
{
  const int first = a.start[i], last = a.start[i + 1];
  if (first == last) return v.w[c * v.n + i];
  T sum = 0;
  for (int j = first; j < last; j++) sum += a.slots[c * a.nslots + a.slot[j]];
  return sum;
}

/* All components of w at dof i, of this rank's zones: the sums of its slots, or what the product stored. */
template <int DIM, class T>
static __device__ __forceinline__ void sums_of_zones(const residual_arguments<T> &a, const T *__restrict__ w, int64_t n,
                                                     int64_t i, T (&sum)[DIM])
{
  const int first = a.start[i], last = a.start[i + 1];
#pragma unroll
  for (int c = 0; c < DIM; c++) sum[c] = first == last ? w[c * n + i] : T(0);
  for (int j = first; j < last; j++) {
    const int slot = a.slot[j];
#pragma unroll
    for (int c = 0; c < DIM; c++) sum[c] += a.slots[c * a.nslots + slot];
  }
}

/* Sends w at shared dofs to the other ranks, a thread per entry. */
template <int DIM, class T>
static __device__ __forceinline__ void post_shared(const residual_arguments<T> &a,
                                                   const solvers_cuda::split_vectors_of<T> &v)
{
  const mesh_cuda::peer_view &p = *v.peers;
  const uint32_t sequence = *p.sequence;
#pragma unroll 1
  for (int i = (int)blockIdx.x * THREADS + (int)threadIdx.x; i < DIM * p.nslots; i += THREADS * (int)gridDim.x)
    mesh_cuda::post(p.to[i / DIM] + i % DIM, sum_of_zones(a, v, p.node[i / DIM], i % DIM), sequence);
}

/* alpha [DIM] from what the products of all ranks have sent; block 0 keeps it for the next product.  shared: [32 *
 * DIM]. */
template <int DIM, class T>
static __device__ __forceinline__ void take_alpha(const solvers_cuda::split_vectors_of<T> &v, double *shared,
                                                  double *alpha)
{
  const mesh_cuda::peer_view &p = *v.peers;
  mesh_cuda::take_sums<DIM>(p, *p.sequence, alpha, shared);
  if (threadIdx.x == 0) {
    solvers_cuda::decide_alpha(*v.state, alpha, alpha);
    for (int c = 0; c < DIM && blockIdx.x == 0; c++) v.state->alpha[c] = alpha[c];
  }
  __syncthreads();
}

/* The residual at shared dofs, a thread per entry of the last blocks, as the first ones have posted. */
template <int DIM, class T>
static __device__ __forceinline__ void finish_shared(const residual_arguments<T> &a,
                                                     const solvers_cuda::split_vectors_of<T> &v, const double *alpha,
                                                     double (&sums)[DIM])
{
  const mesh_cuda::peer_view &p = *v.peers;
  const uint32_t sequence = *p.sequence;
#pragma unroll 1
  for (int k = (int)(gridDim.x - 1 - blockIdx.x) * THREADS + (int)threadIdx.x; k < DIM * p.nshared;
       k += THREADS * (int)gridDim.x) {
    const int s = k / DIM, c = k % DIM, i = p.shared[s], essential = a.essential[i];
    const double w = mesh_cuda::sum_of_ranks<true>(p, DIM, s, c, sum_of_zones(a, v, i, c), sequence);
    double next = v.r[c * v.n + i];
    if (!(essential >> c & 1)) next -= alpha[c] * w;
    v.r[c * v.n + i] = (T)next;
    if (essential & DOF_OF_ANOTHER) continue;
#pragma unroll
    for (int j = 0; j < DIM; j++)
      if (c == j) sums[j] += next * v.inverse_diagonal[i] * next;
  }
}

/* r -= alpha w, and the dot products r D^-1 r; a thread per dof, from the last to the first, since the L2 cache holds
 * what the product wrote last, and then what the next product reads first.  PEERS: other dofs are done while shared
 * ones travel; all blocks have to be resident together. */
template <int DIM, bool PEERS, class T>
static __global__ void __launch_bounds__(THREADS, 4)
  residual(residual_arguments<T> a, solvers_cuda::split_vectors_of<T> v)
{
  __shared__ double shared[32 * DIM], of_ranks[DIM];
  const T *__restrict__ w = v.w, *__restrict__ inverse_diagonal = v.inverse_diagonal;
  T *__restrict__ r = v.r, alpha[DIM];
  double sums[DIM] = {};
  if (PEERS) {
    post_shared<DIM>(a, v);
    take_alpha<DIM>(v, shared, of_ranks);
  }
#pragma unroll
  for (int c = 0; c < DIM; c++) alpha[c] = (T)(PEERS ? of_ranks[c] : v.state->alpha[c]);
  for (int64_t left = blockIdx.x * (int64_t)THREADS + threadIdx.x; left < v.n; left += (int64_t)THREADS * gridDim.x) {
    const int64_t i = v.n - 1 - left;
    const int essential = a.essential[i];
    if (PEERS && essential & SHARED_DOF) continue;
    const T d = inverse_diagonal[i];
    T next[DIM], sum[DIM];
#pragma unroll
    for (int c = 0; c < DIM; c++) next[c] = r[c * v.n + i];
    sums_of_zones<DIM>(a, w, v.n, i, sum);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      if (!(essential >> c & 1)) next[c] -= alpha[c] * sum[c];
      sums[c] += (double)next[c] * (double)d * (double)next[c];
      r[c * v.n + i] = next[c];
    }
  }
  if (PEERS) finish_shared<DIM>(a, v, of_ranks, sums);
  const double sum = solvers_cuda::sum_block(sums, shared);
  __syncthreads();
  solvers_cuda::finish_residual<DIM>(v, sum, shared);
}

/* r -= alpha w, where the preconditioner measures, and the directions that there is no more room for; a thread per dof,
 * in the same order. */
template <int DIM, class T>
static __global__ void __launch_bounds__(THREADS, 6)
  residual_alone(residual_arguments<T> a, solvers_cuda::split_vectors_of<T> v)
{
  const T *__restrict__ w = v.w;
  T *__restrict__ r = v.r;
  const int64_t i = v.n - 1 - (blockIdx.x * (int64_t)THREADS + threadIdx.x);
  if (i >= 0) {
    const int essential = a.essential[i];
    T next[DIM], sum[DIM];
#pragma unroll
    for (int c = 0; c < DIM; c++) next[c] = r[c * v.n + i];
    sums_of_zones<DIM>(a, w, v.n, i, sum);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      if (!(essential >> c & 1)) next[c] -= (T)v.state->alpha[c] * sum[c];
      r[c * v.n + i] = next[c];
    }
  }
  solvers_cuda::add_full_directions<DIM>(v);
}

template <class T> using residual_kernel = void (*)(residual_arguments<T>, solvers_cuda::split_vectors_of<T>);

template <class T> static residual_kernel<T> find_kernel(int dim, bool peers)
{
  static const residual_kernel<T> kernels[][2] = {{residual<1, false, T>, residual<1, true, T>},
                                                  {residual<2, false, T>, residual<2, true, T>},
                                                  {residual<3, false, T>, residual<3, true, T>}};
  return kernels[dim - 1][peers];
}

int residual_blocks(const fem_space *s, const sumfact_store *store)
{
  int64_t blocks = solvers_cuda::sum_blocks(s->ndofs, THREADS);
  if (store->peers) {
    const int sharing = halo_peers_sharing(store->peers);
    const int64_t room =
      sharing == 1 ? resident_blocks(find_kernel<double>(s->dim, true), THREADS, 0) : multiprocessors() / sharing;
    blocks = std::max<int64_t>(1, std::min(blocks, room));
  }
  return (int)blocks;
}

template <class T>
int launch_residual(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store,
                    const solvers_cuda::split_vectors_of<T> &v)
{
  const fem_space *s = m->space;
  const residual_arguments<T> a = {store->slot_start, store->slot_of_dof, store->step_essential,
                                   reinterpret_cast<const T *>(store->slots), store->nslots};
  if (v.z)
    return launch(ctx,
                  s->dim == 1   ? residual_alone<1, T>
                  : s->dim == 2 ? residual_alone<2, T>
                                : residual_alone<3, T>,
                  ceil_div(v.n, THREADS), THREADS, 0, a, v);
  return launch(ctx, find_kernel<T>(s->dim, store->peers), store->split.residual_blocks, THREADS, 0, a, v);
}

template int launch_residual(batched_ctx *, const fem_mass *, const sumfact_store *,
                             const solvers_cuda::split_vectors_of<double> &);
template int launch_residual(batched_ctx *, const fem_mass *, const sumfact_store *,
                             const solvers_cuda::split_vectors_of<float> &);

} // namespace fem_cuda
