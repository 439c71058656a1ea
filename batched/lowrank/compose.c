/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/steps.h"
#include "batched/lowrank/compose.h"

void *lowrank_push(lowrank_work *w, size_t bytes)
{
  if (w->status) return NULL;
  void *p = batched_scratch_push(w->ctx, bytes);
  if (p)
    w->pushed++;
  else
    w->status = BATCHED_NO_MEMORY;
  return p;
}

batched_matrix lowrank_matrix(lowrank_work *w, batched_type type, int m, int n, int64_t count)
{
  const int ld = m > 1 ? m : 1;
  const int64_t stride = (int64_t)ld * (n > 1 ? n : 1);
  void *data = lowrank_push(w, (size_t)(count * stride) * batched_element_bytes(type));
  return batched_make_strided(type, data, m, n, ld, stride, count);
}

batched_matrix lowrank_zeros(lowrank_work *w, batched_type type, int m, int n, int64_t count)
{
  const batched_matrix a = lowrank_matrix(w, type, m, n, count);
  LOWRANK_DO(w, batched_fill_zero(w->ctx, a.data, (size_t)(count * a.stride) * batched_element_bytes(type)));
  return a;
}

int lowrank_end(lowrank_work *w)
{
  for (; w->pushed > 0; w->pushed--) batched_scratch_pop(w->ctx);
  return w->status;
}

batched_matrix lowrank_block(batched_matrix a, int i, int j, int m, int n)
{
  if (a.data) a.data = (char *)a.data + (i + (int64_t)j * a.ld) * (int64_t)batched_element_bytes(a.type);
  a.m = m;
  a.n = n;
  return a;
}

batched_matrix lowrank_sized(batched_matrix a, const int *ms, const int *ns)
{
  a.ms = ms;
  a.ns = ns;
  return a;
}

const int *lowrank_mins(lowrank_work *w, int m, const int *ms, int n, const int *ns, int64_t count)
{
  if (!ms && !ns) return NULL;
  int *const all = lowrank_push(w, 6 * (size_t)count * sizeof(int));
  if (!all) return NULL;
  const batched_matrix a = {.m = m, .n = n, .ms = ms, .ns = ns, .count = count};
  const batched_sizes sizes = {all, all + count, all + 2 * count, all + 3 * count, all + 4 * count, all + 5 * count};
  LOWRANK_DO(w, batched_eigen_steps_of(w->ctx)->find_sizes(w->ctx, &a, &sizes));
  return all;
}

batched_matrix lowrank_columns(batched_matrix a, int n)
{
  a.n = n;
  return a;
}
