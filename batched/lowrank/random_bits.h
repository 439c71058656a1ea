/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers by a counter, for the host and for kernels alike: the finaliser of SplitMix64 (Steele, Lea, Flood,
 * OOPSLA 2014) on seed, column and row in turn.  A number is (bits - 32) / 4 with the count of ones in 64 bits: mean 0,
 * variance 1, near to a normal distribution, and exact in every type.
 */
#ifndef BATCHED_LOWRANK_RANDOM_BITS_H
#define BATCHED_LOWRANK_RANDOM_BITS_H

#include <stdint.h>

#ifdef __CUDACC__
#define LOWRANK_INLINE static __host__ __device__ __forceinline__
#else
#define LOWRANK_INLINE static inline
#endif

LOWRANK_INLINE uint64_t lowrank_mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

LOWRANK_INLINE uint64_t lowrank_random_bits(uint64_t seed, int64_t row, int64_t column)
{
  const uint64_t step = 0x9e3779b97f4a7c15u;
  const uint64_t key = lowrank_mix(lowrank_mix(seed + step) + step * ((uint64_t)column + 1));
  return lowrank_mix(key + step * ((uint64_t)row + 1));
}

#endif
