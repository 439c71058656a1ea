/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of CUDA rows, from functions of the operation's own argument struct:
 *
 *   static bool fits_lanes(const batched_potrf_args &p);
 *   static bool likes_lanes(const batched_potrf_args &p);
 *   static int lanes(batched_ctx *ctx, const batched_potrf_args &p);
 *
 *   const batched_variant batched_potrf_cuda[] = {row<fits_lanes, likes_lanes, lanes>("cuda.lanes"), ...,
 *                                                 BATCHED_LAST_ROW};
 *
 * nullptr for fits or likes: always.  never for likes: only when asked for by name, or when no other row fits.
 */
#ifndef BATCHED_CUDA_ROWS_CUH
#define BATCHED_CUDA_ROWS_CUH

#include <type_traits>

#include "batched/variant.h"

namespace batched_cuda
{

static inline bool never(const void *)
{
  return false;
}

/* The argument struct of a predicate or of a row's function. */
template <class A> A args_of_function(bool (*)(const A &));
template <class A> A args_of_function(int (*)(batched_ctx *, const A &));
template <auto f> using args_of = decltype(args_of_function(f));

template <auto predicate> constexpr auto untyped_predicate() -> bool (*)(const void *)
{
  if constexpr (std::is_null_pointer_v<decltype(predicate)>)
    return nullptr;
  else if constexpr (std::is_same_v<decltype(predicate), bool (*)(const void *)>)
    return predicate;
  else
    return [](const void *args) { return predicate(*static_cast<const args_of<predicate> *>(args)); };
}

template <auto fits, auto likes, auto run> constexpr batched_variant row(const char *name)
{
  return {name, untyped_predicate<fits>(), untyped_predicate<likes>(),
          [](batched_ctx *ctx, const void *args) { return run(ctx, *static_cast<const args_of<run> *>(args)); }};
}

/* Runs the row that suits the arguments, whatever the context was told to use: for calls between operations that no
 * user can see. */
template <class A> int run_best(batched_ctx *ctx, const batched_variant *table, const A &args)
{
  const batched_variant *best = batched_pick(table, &args);
  return best ? best->run(ctx, &args) : (int)BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda

/* The end of a table. */
#define BATCHED_LAST_ROW \
  { \
    nullptr, nullptr, nullptr, nullptr \
  }

#endif
