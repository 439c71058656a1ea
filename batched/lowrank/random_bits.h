/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers by a counter, for the host and for kernels alike: the finaliser of SplitMix64 (Steele, Lea, Flood,
 * OOPSLA 2014) on seed, column and row in turn.  A number is (ones - 32 + u) / 4 with the count of ones in 64 bits and
 * an odd multiple u of 2^-18 between -1/2 and 1/2: mean 0, variance 1.005, near to a normal distribution, never 0, and
 * exact in every type.
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

/* The number, times 2^20, that belongs to bits with so many ones. */
LOWRANK_INLINE int lowrank_random_number(uint64_t bits, int ones)
{
  const int fraction = (int)(lowrank_mix(bits) >> 47); /* 17 bits */
  return (ones - 32) * (1 << 18) + 2 * fraction + 1 - (1 << 17);
}

#endif
