/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/scaling.h"
#include "batched/host/rows.h"

#define BODY "batched/eigen/host/scaling_body.h"
#include "batched/host/each_type.h"

batched_scaled batched_lay_out_scaled(batched_pile *pile, const batched_matrix *a, const batched_matrix *b)
{
  batched_scaled s;
  s.a = batched_pile_matrices(pile, a->type, a->m, a->n, a->ms, a->ns, a->count);
  s.b = batched_pile_matrices(pile, b->type, b->m, b->n, b->ms, b->ns, b->count);
  s.exponent_a = batched_pile_take(pile, (size_t)a->count * sizeof(int));
  s.exponent_b = batched_pile_take(pile, (size_t)a->count * sizeof(int));
  return s;
}

void batched_scale(const batched_matrix *a, const batched_matrix *b, const batched_scaled *to)
{
  FOR_TYPE(a->type, scale, a, b, to);
}

void batched_scale_back(const batched_scaled *from, const batched_matrix *b, const batched_matrix *s)
{
  FOR_TYPE(b->type, scale_solutions, from, b);
  if (!s) return;
  if (s->type == BATCHED_S)
    scale_values_s(from, s);
  else
    scale_values_d(from, s);
}
