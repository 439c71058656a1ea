/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels of heev_lanes_qr.cu hand on to each other in scratch memory, and how matrices share a warp.
 */
#ifndef BATCHED_EIGEN_CUDA_LANES_QR_MEMORY_CUH
#define BATCHED_EIGEN_CUDA_LANES_QR_MEMORY_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::eigen
{

template <class R> struct alignas(2 * sizeof(R)) lanes_turn {
  R c, s;
};

/* Numbers of a chunk's matrices, in scratch memory: n of each vector, `rotations` and `sweeps` places in the logs. */
template <class T> struct lanes_memory {
  real_of<T> *d, *e, *largest; /* largest: the element by which a matrix is scaled; NaN if it is not finite */
  T *tau;
  lanes_turn<real_of<T>> *log;
  unsigned short *extents; /* of a sweep: its first element, and 256 times its last one */
  int *many;               /* sweeps; -1: did not converge */
  int n, rotations, sweeps;
};

/* Squares below this count as zero where a norm is found; matrices have a largest element of about 1. */
template <class R> constexpr R lanes_least_square = sizeof(R) == 4 ? R(0x1p-100) : R(0x1p-900);

/* Sweeps to a value, at most. */
constexpr int lanes_most_sweeps = 8;

/* How matrices of up to N columns share a warp: lane l of a matrix's `lanes` has rows l, l + lanes, ... of it, as many
 * as registers have room for, so that a number read from shared memory serves several rows.  Beyond 32 a matrix has two
 * warps. */
template <class T, int N> struct lanes_share {
  static constexpr int rows = N > 32 ? 1 : N * sizeof(T) <= 160 ? 2 : N == 24 && sizeof(T) == 8 ? 3 : 1;
  static constexpr int warps = N > 32 ? 2 : 1, lanes = N > 32 ? 32 : (N + rows - 1) / rows, mats = 32 / lanes;
  static constexpr int chunk = rows > 1 ? 4 : 8; /* columns that are read at a time */
  /* Blocks per multiprocessor, whose quarters have registers for 512 in each lane: those of the rows, and `more`. */
  static constexpr int blocks(int more)
  {
    return 512 / (rows * N * (int)sizeof(T) / 4 + more) * 4 / warps;
  }
};

} // namespace batched_cuda::eigen

#endif
