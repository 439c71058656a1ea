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
 * fits says what a row can do.  What it is best for is data where sizes decide, lines of batched/tuning/rows/ (likes:
 * batched_by_table), and a function where the GPU at hand does.  nullptr for fits or likes: always.  never for likes:
 * only when asked for by name, or when no other row fits.
 */
#ifndef BATCHED_CUDA_ROWS_CUH
#define BATCHED_CUDA_ROWS_CUH

#include <type_traits>

#include "batched/cuda/scalar.cuh"
#include "batched/tuning/choice.h"

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

/* An operation's kernels, for rows and for calls from other operations alike.  B is a call on typed blocks of matrices,
 * and its shape() what a choice among them can depend on; nullptr for fits or likes as above. */
template <class B> struct kernel {
  bool (*fits)(const B &);
  bool (*likes)(const B &);
  int (*run)(batched_ctx *, const B &);

  bool can_do(const B &block) const
  {
    return !fits || fits(block);
  }
  bool is_best_for(const B &block) const
  {
    return can_do(block) && (!likes || likes(block));
  }
};

/* `likes` of kernels that are taken where a line of a table of choices says so. */
template <class B> bool by_table(const B &)
{
  return false;
}

/* Names of the first n kernels of an operation in the lines of a table of choices. */
template <size_t n> struct kernel_names {
  const char *operation, *kernels[n + 1]; /* the last one is NULL */
};

/* The kernel of the first line that holds for the call and whose kernel fits; else the first of the table that fits and
 * likes it; else nullptr. */
template <class B, size_t named, size_t n>
const kernel<B> *pick(batched_ctx *ctx, const kernel_names<named> &names, const kernel<B> (&table)[n], const B &block)
{
  static_assert(named <= n);
  const batched_shape shape = block.shape();
  for (int cursor = 0, i; (i = batched_next_choice(ctx, names.operation, names.kernels, &shape, &cursor)) >= 0;)
    if (table[i].can_do(block)) return &table[i];
  for (const kernel<B> &k : table)
    if (k.is_best_for(block)) return &k;
  return nullptr;
}

/* The row that is kernel i of operation O, a struct with
 *   using args;                                      the operation's argument struct
 *   static batched_type type_of(const args &);
 *   template <class T> static B typed(const args &); the call on blocks of T
 *   template <class T> static const auto &kernels(); the table of kernel<B>
 * likes: instead of the kernel's own. */
template <class O, int i> bool kernel_fits(const typename O::args &p)
{
  return holds_for(O::type_of(p), [&](auto t) {
    using T = decltype(t);
    return O::template kernels<T>()[i].can_do(O::template typed<T>(p));
  });
}
template <class O, int i> bool kernel_likes(const typename O::args &p)
{
  return holds_for(O::type_of(p), [&](auto t) {
    using T = decltype(t);
    const auto &likes = O::template kernels<T>()[i].likes;
    return !likes || likes(O::template typed<T>(p));
  });
}
template <class O, int i> int run_kernel(batched_ctx *ctx, const typename O::args &p)
{
  return with_type(O::type_of(p), [&](auto t) {
    using T = decltype(t);
    return O::template kernels<T>()[i].run(ctx, O::template typed<T>(p));
  });
}
template <class O, int i> constexpr batched_variant kernel_row(const char *name)
{
  return row<&kernel_fits<O, i>, &kernel_likes<O, i>, &run_kernel<O, i>>(name);
}
template <class O, int i, bool (*likes)(const void *)> constexpr batched_variant kernel_row(const char *name)
{
  return row<&kernel_fits<O, i>, likes, &run_kernel<O, i>>(name);
}

/* Runs the row that batched_find_best finds. */
template <class A> int run_best(batched_ctx *ctx, const batched_op &op, const A &args)
{
  const batched_variant *best = batched_find_best(ctx, &op, &args);
  return best ? best->run(ctx, &args) : (int)BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda

/* The end of a table. */
#define BATCHED_LAST_ROW \
  { \
    nullptr, nullptr, nullptr, nullptr \
  }

#endif
