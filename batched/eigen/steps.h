/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What drivers that are made of other operations do beside those, on the host (host/steps.c) and on a GPU
 * (cuda/steps.cu).  Arrays and matrices are in the context's space; each returns a status.
 */
#ifndef BATCHED_EIGEN_STEPS_H
#define BATCHED_EIGEN_STEPS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of each matrix, m x n: k = min(m, n), and k where m >= n, or where m < n, else 0; and each of the three less one, but
 * at least 0. */
typedef struct batched_sizes {
  int *mins, *tall, *wide, *mins_less, *tall_less, *wide_less;
} batched_sizes;

typedef struct batched_eigen_steps {
  int (*find_sizes)(batched_ctx *ctx, const batched_matrix *a, const batched_sizes *sizes);
  /* y = x, two matrices or two vectors of real numbers; NaN where info[b] > 0. */
  int (*store)(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y);
  int (*store_values)(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y);
  /* Multiplies each column of z, and divides each row of vt (which may be absent: count 0), by a number of modulus 1,
   * so that the column's largest component, the first of several, is real and positive. */
  int (*fix_signs)(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt);
  /* info[b] = more[b] where info[b] is 0. */
  int (*add_info)(batched_ctx *ctx, int64_t count, const int *more, int *info);
} batched_eigen_steps;

extern const batched_eigen_steps batched_eigen_host_steps, batched_eigen_cuda_steps;

static inline const batched_eigen_steps *batched_eigen_steps_of(const batched_ctx *ctx)
{
  return batched_get_space(ctx) == BATCHED_HOST ? &batched_eigen_host_steps : &batched_eigen_cuda_steps;
}

/* Pieces of a block of scratch memory, one after the other; where there is no block yet, `used` counts what it has to
 * have. */
typedef struct batched_pile {
  char *at;
  size_t used;
} batched_pile;

static inline void *batched_pile_take(batched_pile *pile, size_t bytes)
{
  void *piece = pile->at ? pile->at + pile->used : NULL;
  pile->used += (bytes + 255) / 256 * 256;
  return piece;
}

/* m x n matrices of `type`, one after the other; sizes as of a batch, NULL where they are uniform. */
static inline batched_matrix batched_pile_matrices(batched_pile *pile, batched_type type, int m, int n, const int *ms,
                                                   const int *ns, int64_t count)
{
  const int ld = m > 0 ? m : 1;
  const int64_t stride = (int64_t)ld * n;
  void *data = batched_pile_take(pile, (size_t)stride * (size_t)count * batched_element_bytes(type));
  return batched_with_sizes(batched_make_strided(type, data, m, n, ld, stride, count), ms, ns, NULL);
}

static inline batched_matrix batched_pile_vectors(batched_pile *pile, batched_type type, int n, const int *ns,
                                                  int64_t count)
{
  return batched_pile_matrices(pile, type, n, 1, ns, NULL, count);
}

/* Arrays of sizes where the matrices are of variable size, else NULLs. */
static inline batched_sizes batched_pile_sizes(batched_pile *pile, const batched_matrix *a)
{
  batched_sizes s = {NULL, NULL, NULL, NULL, NULL, NULL};
  if (!a->ms && !a->ns) return s;
  int **each[] = {&s.mins, &s.tall, &s.wide, &s.mins_less, &s.tall_less, &s.wide_less};
  for (int i = 0; i < 6; i++) *each[i] = (int *)batched_pile_take(pile, (size_t)a->count * sizeof(int));
  return s;
}

/* A driver on a part of its batch, with memory that `pile` stands for: lays it out, and, if the pile has a block, does
 * the work. */
typedef int batched_driver(batched_ctx *ctx, batched_pile *pile, const void *args);

/* Runs a driver on part after part of the batch, each of as many matrices as find room in some memory: all of a small
 * batch, or one at least. */
int batched_run_in_parts(batched_ctx *ctx, const batched_op *op, batched_driver *driver, const void *args);

/* The batch with its vectors' lengths (`each`) instead of their own: some of them shorter. */
static inline batched_matrix batched_with_lengths(batched_matrix x, const int *each)
{
  if (!each) return x;
  return x.n == 1 && !x.ns ? batched_with_sizes(x, each, NULL, x.lds) : batched_with_sizes(x, x.ms, each, x.lds);
}

#ifdef __cplusplus
}
#endif

#endif
