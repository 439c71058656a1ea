/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of row cuda.resident of pcg where each component has multiprocessors of its own; contract:
 * pcg_components.cu.
 *
 * PEERS: every rank runs it on a GPU of its own, for the rows that it owns.  Foreign columns are in the halo of blocks
 * as those of other blocks are; whoever has the row posts its words in the inboxes of the ranks that need it, and every
 * block its dot products in those of all ranks.
 */
#ifndef SOLVERS_CUDA_PCG_COMPONENTS_CUH
#define SOLVERS_CUDA_PCG_COMPONENTS_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/reduce.cuh"
#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/flagged_word.cuh"
#include "solvers/cuda/pcg.cuh"
#include "solvers/cuda/pcg_division.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

/* The other ranks.  In the room of each inbox (peers.cuh) are words [PEER_REGIONS][ncomp][most_foreign] of foreign
 * columns, dot products [2][ncomp][nranks][blocks][SOLVER_DOTS], and a greeting of each rank. */
enum { PEER_W, PEER_S = PEER_W + 2, PEER_D = PEER_S, PEER_B = PEER_S + 2, PEER_REGIONS };

struct component_peers {
  mesh_cuda::flagged_word *mine;                        /* this rank's room */
  mesh_cuda::flagged_word *room[mesh_cuda::MOST_PEERS]; /* everybody's */
  int nranks, rank;
  int nrows, most_foreign;              /* rows that this rank owns; foreign columns that a rank has at most */
  const int *near;                      /* [blocks]: columns of a halo that are not foreign, which come first */
  const int *sent_start;                /* [nrows + 1], by position: into sent, */
  mesh_cuda::flagged_word *const *sent; /* words of component 0 in region 0 of other ranks' rooms */
};

struct component_arguments {
  image_view m;
  int ncomp;
  bool coupled;
  int64_t n;
  const double *inverse_diagonal; /* NULL: none, or there is P */
  const double *b;
  double *x;
  /* For even and odd sequence numbers, as some may still read the last: */
  flagged_word *w, *s; /* [2][ncomp][n], by position: A p, and P A p or P r */
  flagged_word *dots;  /* [2][ncomp][blocks][SOLVER_DOTS] */
  uint64_t sequence;   /* of the first iteration, and of the first exchange of P r */
  double tolerance;
  int max_iterations;
  solver_outcome *outcome;
  component_peers peers;
};

/* What the first warp tells the others. */
struct component_step {
  double alpha, beta;
  bool update, going, renew; /* renew: z is to be P r, and not stepped */
};

/* z is computed anew when (r, z) has fallen by this since it last was: by then it has lost about nine of its digits. */
constexpr double RENEWAL = 1e-18;

/* A block's part of one component: its rows are columns 0, 1, ..., then comes its halo.  Of several ranks each block
 * keeps x of its halo, too, as its rank may have foreign entries of x there. */
template <bool ZONES, bool SHARED, bool PEERS> struct slice {
  int component, block;
  int rows, first, columns; /* first: position */
  int near;                 /* columns that are not foreign */
  const int *halo;          /* [columns - rows]: positions */
  double *p, *r, *w;        /* [columns] */
  double *z, *s;            /* likewise, of P r and P A p */
  double *d;                /* likewise, D^-1 */
  double *x;                /* [rows], with PEERS [columns] */
  const double *value;      /* image: see pcg_division.cuh */
  const float *inverse;
  const uint16_t *column;
  const unsigned *lane;
  const int *start;
  int groups;
};

template <bool ZONES> __host__ __device__ constexpr int column_vectors()
{
  return ZONES ? 5 : 4;
}

/* Bytes of shared memory in front of the image, a multiple of 16. */
__host__ __device__ __forceinline__ size_t vector_bytes(bool zones, bool peers, int most_rows, int most_columns)
{
  const size_t columns = (size_t)most_columns, x = peers ? columns : (size_t)most_rows;
  return (sizeof(double) * ((zones ? column_vectors<true>() : column_vectors<false>()) * columns + x) + 15) / 16 * 16;
}

/* Starts to copy the image. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ slice<ZONES, SHARED, PEERS> find_slice(const component_arguments &a)
{
  const image_view &m = a.m;
  slice<ZONES, SHARED, PEERS> t;
  t.component = (int)blockIdx.x / m.blocks, t.block = (int)blockIdx.x % m.blocks;
  t.first = m.row_start[t.block], t.rows = m.row_start[t.block + 1] - t.first;
  t.columns = t.rows + m.halo_start[t.block + 1] - m.halo_start[t.block], t.halo = m.halo + m.halo_start[t.block];
  t.near = PEERS ? t.rows + a.peers.near[t.block] : t.columns;
  t.p = shared_array<double>();
  t.r = t.p + m.most_columns;
  t.w = t.r + m.most_columns;
  t.z = t.d = t.w + m.most_columns;
  t.s = t.z + m.most_columns;
  t.x = t.p + column_vectors<ZONES>() * m.most_columns;
  const unsigned char *from = m.bytes + t.block * m.layout.bytes, *image = from;
  if constexpr (SHARED) {
    unsigned char *to = shared_array<unsigned char>() + vector_bytes(ZONES, PEERS, m.most_rows, m.most_columns);
    for (size_t i = 16 * threadIdx.x; i < m.layout.bytes; i += 16 * IMAGE_THREADS)
      start_copy(reinterpret_cast<double2 *>(to + i), reinterpret_cast<const double2 *>(from + i));
    image = to;
  }
  t.value = reinterpret_cast<const double *>(image);
  t.inverse = reinterpret_cast<const float *>(image + m.layout.inverse);
  t.column = reinterpret_cast<const uint16_t *>(image + m.layout.column);
  t.lane = reinterpret_cast<const unsigned *>(image + m.layout.lane);
  t.start = reinterpret_cast<const int *>(image + m.layout.start);
  t.groups = m.groups[t.block];
  return t;
}

__device__ __forceinline__ flagged_word *words_of(const component_arguments &a, flagged_word *words, int component,
                                                  uint64_t sequence)
{
  return words + ((int64_t)(sequence % 2) * a.ncomp + component) * a.n;
}

/* Words [most_foreign] of foreign columns in this rank's inbox; those of another rank at `first`, the word of component
 * 0 in region 0. */
__device__ __forceinline__ int64_t place_of_region(const component_arguments &a, int region, int component)
{
  return ((int64_t)region * a.ncomp + component) * a.peers.most_foreign;
}

/* A number of the row at a position to the ranks that need it. */
__device__ __forceinline__ void send(const component_arguments &a, int region, int component, int position,
                                     double value, uint64_t sequence)
{
  const component_peers &p = a.peers;
  const int64_t place = place_of_region(a, region, component);
  const int last = p.sent_start[position + 1];
#pragma unroll 1
  for (int e = p.sent_start[position]; e < last; e++) mesh_cuda::post(p.sent[e] + place, value, (uint32_t)sequence);
}

/* The product of the slice's matrix, A or P, with x [columns]: use(row, sum, sent) in the first lane of each row, sent:
 * other ranks need it; zero where the component is fixed.  Lanes add up in the order of their entries, then by a
 * tree. */
template <bool INVERSE, bool ZONES, bool SHARED, bool PEERS, class F>
__device__ __forceinline__ void multiply(const slice<ZONES, SHARED, PEERS> &t, const double *x, F use)
{
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  for (int g = warp; g < t.groups; g += IMAGE_WARPS) {
    const unsigned mine = t.lane[g * 32 + lane];
    const int first = t.start[g] * 32 + lane, last = t.start[g + 1] * 32;
    double sum = 0.0;
#pragma unroll 4
    for (int j = first; j < last; j += 32) {
      const double value = INVERSE ? (double)t.inverse[j] : t.value[j];
      sum = fma(value, x[t.column[j]], sum);
    }
    const int lanes = image_lanes(mine), most = image_lanes(__shfl_sync(0xffffffffu, mine, 0));
    for (int other = 1; other < most; other *= 2) {
      const double theirs = __shfl_xor_sync(0xffffffffu, sum, other);
      if (other < lanes) sum += theirs;
    }
    if (image_row(mine) == IMAGE_NO_ROW || lane % lanes) continue;
    use(image_row(mine), image_fixed(mine) >> t.component & 1 ? 0.0 : sum, PEERS && image_fixed(mine) & IMAGE_SENT);
  }
}

/* Words of foreign columns into to [columns], by the threads from `first` on, last ones first, as the first ones have
 * words of other blocks to wait for. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void fetch_foreign(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t,
                                              int region, uint64_t sequence, int first, double *to)
{
  const mesh_cuda::flagged_word *words = a.peers.mine + place_of_region(a, region, t.component) - a.peers.nrows;
  for (int i = t.near + IMAGE_THREADS - 1 - (int)threadIdx.x; i < t.columns; i += IMAGE_THREADS - first)
    to[i] = mesh_cuda::await(words + t.halo[i - t.rows], (uint32_t)sequence);
}

/* Words of the halo into to [columns], by the threads from `first` on. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void fetch(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t,
                                      const flagged_word *words, int region, uint64_t sequence, int first, double *to)
{
  enum { COUNT = 2 };
  const int threads = IMAGE_THREADS - first, halo = t.near - t.rows;
  for (int i = (int)threadIdx.x - first; i < halo; i += COUNT * threads) {
    double values[COUNT];
    await(sequence, values, [&](int j) -> const flagged_word * {
      return i + j * threads < halo ? words + t.halo[i + j * threads] : nullptr;
    });
#pragma unroll
    for (int j = 0; j < COUNT; j++)
      if (i + j * threads < halo) to[t.rows + i + j * threads] = values[j];
  }
  if constexpr (PEERS) fetch_foreign(a, t, region + (int)(sequence % 2), sequence, first, to);
}

/* Leaves a number of a row to other blocks and, if it is to be sent, to other ranks. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void leave_row(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t,
                                          flagged_word *words, int region, int row, double value, uint64_t sequence,
                                          bool sent)
{
  if (sent) send(a, region + (int)(sequence % 2), t.component, t.first + row, value, sequence);
  leave(words + t.first + row, value, sequence);
}

/* z = P r of own rows and of the halo. */
template <bool SHARED, bool PEERS>
__device__ __forceinline__ void renew(const component_arguments &a, const slice<true, SHARED, PEERS> &t,
                                      uint64_t exchange)
{
  flagged_word *words = words_of(a, a.s, t.component, exchange);
  multiply<true>(t, t.r, [&](int row, double sum, bool sent) {
    t.z[row] = sum;
    leave_row(a, t, words, PEER_S, row, sum, exchange, sent);
  });
  fetch(a, t, words, PEER_S, exchange, 0, t.z);
  __syncthreads();
}

/* With several ranks: place in every inbox of a block's dot products of a component, or of all from a component on. */
__device__ __forceinline__ int64_t place_of_dots(const component_arguments &a, uint64_t sequence, int component,
                                                 int rank, int block)
{
  const int64_t of_component = (int64_t)(sequence % 2) * a.ncomp + component;
  return place_of_region(a, PEER_REGIONS, 0) +
         ((of_component * a.peers.nranks + rank) * a.m.blocks + block) * SOLVER_DOTS;
}

/* This block's dot products to all blocks of the component. */
template <bool PEERS>
__device__ __forceinline__ void send_dots(const component_arguments &a, int component, int block, uint64_t sequence,
                                          double (&dots)[SOLVER_DOTS], double (&of_warps)[IMAGE_WARPS][SOLVER_DOTS])
{
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const double sum = sum_transposed<SOLVER_DOTS, 32>(dots);
  if (lane < SOLVER_DOTS) of_warps[warp][lane] = sum;
  __syncthreads();
  if (warp > 0) return;
  double all = 0.0;
  for (int k = lane / SOLVER_DOTS; k < IMAGE_WARPS; k += 32 / SOLVER_DOTS) all += of_warps[k][lane % SOLVER_DOTS];
  for (int other = SOLVER_DOTS; other < 32; other *= 2) all += __shfl_xor_sync(0xffffffffu, all, other);
  if constexpr (PEERS) {
    const component_peers &p = a.peers;
    const int64_t place = place_of_dots(a, sequence, component, p.rank, block) + lane % SOLVER_DOTS;
    for (int r = lane / SOLVER_DOTS; r < p.nranks; r += 32 / SOLVER_DOTS)
      mesh_cuda::post(p.room[r] + place, all, (uint32_t)sequence);
  } else if (lane < SOLVER_DOTS) {
    flagged_word *words = a.dots + (((int64_t)(sequence % 2) * a.ncomp + component) * a.m.blocks + block) * SOLVER_DOTS;
    leave(words + lane, all, sequence);
  }
}

/* The sum of words [count] of a lane, l, l + 32, ..., COUNT of them at a time. */
template <int COUNT, class SEQUENCE, class WORD>
__device__ __forceinline__ double sum_words(const WORD *words, int count, SEQUENCE sequence)
{
  using mesh_cuda::await, solvers_cuda::await;
  double sum = 0.0;
  for (int first = (int)threadIdx.x % 32; first < count; first += COUNT * 32) {
    double values[COUNT];
    await(sequence, values, [=](int j) { return first + j * 32 < count ? words + first + j * 32 : nullptr; });
#pragma unroll
    for (int j = 0; j < COUNT; j++) sum += values[j];
  }
  return sum;
}

/* The sums over all blocks of the component, or of all that are coupled, by a warp; every lane has them. */
template <bool PEERS>
__device__ __forceinline__ void await_dots(const component_arguments &a, int component, uint64_t sequence,
                                           double (&sums)[SOLVER_DOTS])
{
  const int each = (PEERS ? a.peers.nranks : 1) * a.m.blocks * SOLVER_DOTS, count = a.coupled ? a.ncomp * each : each;
  const int from = a.coupled ? 0 : component;
  double sum;
  if constexpr (PEERS)
    sum = sum_words<12>(a.peers.mine + place_of_dots(a, sequence, from, 0, 0), count, (uint32_t)sequence);
  else
    sum = sum_words<6>(a.dots + ((int64_t)(sequence % 2) * a.ncomp + from) * each, count, sequence);
  for (int other = SOLVER_DOTS; other < 32; other *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
#pragma unroll
  for (int k = 0; k < SOLVER_DOTS; k++) sums[k] = __shfl_sync(0xffffffffu, sum, k);
}

/* By a warp whose lanes all have the sums: the first lane divides for one, the second for the other. */
__device__ __forceinline__ pcg_quotients divide_at_once(const double (&sums)[SOLVER_DOTS])
{
  const bool second = threadIdx.x % 2;
  const double quotient = (second ? 1.0 : sums[SOLVER_RZ]) / (second ? sums[SOLVER_RZ] : sums[SOLVER_PW]);
  return {__shfl_sync(0xffffffffu, quotient, 0), __shfl_sync(0xffffffffu, quotient, 1)};
}

/* The step of the component; `renewed`: (r, z) when z was last computed. */
__device__ __forceinline__ component_step choose(pcg_state &s, const double (&sums)[SOLVER_DOTS], double &renewed)
{
  s.iteration++;
  if (s.iteration == 1) renewed = sums[SOLVER_RZ];
  const bool left = decide_component(s, 0, sums, divide_at_once(sums));
  end_decision(s, left);
  component_step next = {s.alpha[0], s.beta[0], s.update[0], s.going, false};
  const bool known = s.beta[0] != 0.0;
  next.renew = s.update[0] && s.going && !(known && s.rz[0] > RENEWAL * renewed);
  if (next.renew) renewed = known ? s.rz[0] : PCG_ROUNDING * sums[SOLVER_RZ];
  return next;
}

/* x += alpha p;  r -= alpha w, of the halo, too;  p = z + beta p likewise, unless z is not known yet. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void update(const slice<ZONES, SHARED, PEERS> &t, const component_step &next)
{
  if (!next.update) return;
  for (int e = (int)threadIdx.x; e < t.columns; e += IMAGE_THREADS) {
    const double p = t.p[e], r = t.r[e] - next.alpha * t.w[e];
    if (PEERS || e < t.rows) t.x[e] += next.alpha * p;
    t.r[e] = r;
    if constexpr (ZONES) {
      if (next.renew) continue;
      const double z = t.z[e] - next.alpha * t.s[e];
      t.z[e] = z;
      t.p[e] = z + next.beta * p;
    } else {
      t.p[e] = t.d[e] * r + next.beta * p;
    }
  }
}

/* Tells the other ranks that this one has begun, and sends them b, and D^-1 if it is needed, of the rows that they
 * need.  Then the first threads wait until all have begun, and so have read all words of the solve before. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void greet(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t)
{
  const component_peers &p = a.peers;
  const int thread = (int)threadIdx.x;
  const int64_t greetings = place_of_dots(a, 0, 2 * a.ncomp, 0, 0);
  if (blockIdx.x == 0 && thread < p.nranks)
    mesh_cuda::post(p.room[thread] + greetings + p.rank, 0.0, (uint32_t)a.sequence);
  for (int i = thread; i < t.rows; i += IMAGE_THREADS) {
    const int position = t.first + i;
    if (p.sent_start[position] == p.sent_start[position + 1]) continue;
    const int row = a.m.row[position];
    send(a, PEER_B, t.component, position, a.b[t.component * a.n + row], a.sequence);
    if (!ZONES && a.inverse_diagonal) send(a, PEER_D, t.component, position, a.inverse_diagonal[row], a.sequence);
  }
  if (thread < p.nranks) mesh_cuda::await(p.mine + greetings + thread, (uint32_t)a.sequence);
}

/* The first vectors of the foreign columns. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void begin_foreign(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t)
{
  fetch_foreign(a, t, PEER_B, a.sequence, 0, t.r);
  if (!ZONES && a.inverse_diagonal) fetch_foreign(a, t, PEER_D, a.sequence, 0, t.d);
  for (int i = t.near + IMAGE_THREADS - 1 - (int)threadIdx.x; i < t.columns; i += IMAGE_THREADS) { // as there
    t.x[i] = 0.0;
    if constexpr (!ZONES) {
      if (!a.inverse_diagonal) t.d[i] = 1.0;
      t.p[i] = t.d[i] * t.r[i];
    }
  }
}

/* x of foreign entries of this rank's vectors, which have their numbers as positions; blocks that have the same one in
 * their halos write the same bits. */
template <bool ZONES, bool SHARED, bool PEERS>
__device__ __forceinline__ void write_foreign(const component_arguments &a, const slice<ZONES, SHARED, PEERS> &t)
{
  for (int i = t.near + (int)threadIdx.x; i < t.columns; i += IMAGE_THREADS) {
    const int position = t.halo[i - t.rows];
    if (position < a.n) a.x[t.component * a.n + position] = a.max_iterations > 0 ? t.x[i] : 0.0;
  }
}

/* A whole solve of one component.  Sequence numbers count the iterations, and, apart from them, exchanges of P times
 * something.  A word is written anew only when all have read it: A p and the dot products two iterations later, when
 * all dot products of the one between are there, which others leave after they have read; what has P two exchanges
 * later, when the neighbours, who are those that read it, have left theirs of the one between. */
template <bool ZONES, bool SHARED, bool PEERS>
__global__ void __launch_bounds__(IMAGE_THREADS, 1) iterate_component(const __grid_constant__ component_arguments a)
{
  __shared__ double of_warps[IMAGE_WARPS][SOLVER_DOTS];
  __shared__ component_step shared_step;
  const int thread = (int)threadIdx.x, warp = thread / 32;
  const slice<ZONES, SHARED, PEERS> t = find_slice<ZONES, SHARED, PEERS>(a);
  bool going = a.max_iterations > 0;
  if (PEERS && going) greet(a, t);
  for (int e = thread; e < t.near; e += IMAGE_THREADS) {
    const int row = a.m.row[e < t.rows ? t.first + e : t.halo[e - t.rows]];
    const double b = a.b[t.component * a.n + row];
    if (PEERS || e < t.rows) t.x[e] = 0.0;
    t.r[e] = b;
    if constexpr (!ZONES) {
      const double d = a.inverse_diagonal ? a.inverse_diagonal[row] : 1.0;
      t.d[e] = d, t.p[e] = d * b;
    }
  }
  if (PEERS && going) begin_foreign(a, t);
  if (SHARED) wait_copies();
  __syncthreads();
  uint64_t exchange = a.sequence;
  if constexpr (ZONES) {
    if (going) renew(a, t, exchange++);
    for (int e = thread; e < t.columns && going; e += IMAGE_THREADS) t.p[e] = t.z[e];
    __syncthreads();
  }
  pcg_state state = {};
  state.tolerance = a.tolerance, state.max_iterations = a.max_iterations;
  double renewed = 0.0;
  for (uint64_t sequence = a.sequence; going; sequence++) {
    double dots[SOLVER_DOTS] = {};
    flagged_word *words = words_of(a, a.w, t.component, sequence), *others = words_of(a, a.s, t.component, exchange);
    const auto add = [&](int row, double w, double z, double s) {
      const double r = t.r[row];
      dots[SOLVER_PW] += t.p[row] * w, dots[SOLVER_RZ] += r * z, dots[SOLVER_WZ] += w * z, dots[SOLVER_WW] += w * s;
    };
    multiply<false>(t, t.p, [&](int row, double w, bool sent) {
      leave_row(a, t, words, PEER_W, row, w, sequence, sent);
      t.w[row] = w;
      if constexpr (!ZONES) add(row, w, t.d[row] * t.r[row], t.d[row] * w);
    });
    if constexpr (ZONES) {
      fetch(a, t, words, PEER_W, sequence, 0, t.w);
      __syncthreads();
      multiply<true>(t, t.w, [&](int row, double s, bool sent) {
        leave_row(a, t, others, PEER_S, row, s, exchange, sent);
        t.s[row] = s;
        add(row, t.w[row], t.z[row], s);
      });
    }
    send_dots<PEERS>(a, t.component, t.block, sequence, dots, of_warps);
    if (warp == 0) {
      double sums[SOLVER_DOTS];
      await_dots<PEERS>(a, t.component, sequence, sums);
      const component_step next = choose(state, sums, renewed);
      if (thread == 0) shared_step = next;
    } else if constexpr (ZONES) {
      fetch(a, t, others, PEER_S, exchange, 32, t.s);
    } else {
      fetch(a, t, words, PEER_W, sequence, 32, t.w);
    }
    __syncthreads();
    const component_step next = shared_step;
    going = next.going;
    update(t, next);
    __syncthreads();
    if constexpr (ZONES) {
      exchange++;
      if (next.renew) {
        renew(a, t, exchange++);
        for (int e = thread; e < t.columns; e += IMAGE_THREADS) t.p[e] = t.z[e] + next.beta * t.p[e];
        __syncthreads();
      }
    }
  }
  for (int e = thread; e < t.rows; e += IMAGE_THREADS) a.x[t.component * a.n + a.m.row[t.first + e]] = t.x[e];
  if constexpr (PEERS) write_foreign(a, t);
  if (t.block == 0 && thread == 0) {
    a.outcome->iterations[t.component] = state.iterations[0];
    a.outcome->converged[t.component] = state.converged[0];
  }
}

} // namespace solvers_cuda

#endif
