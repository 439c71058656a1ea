/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/context.h"
#include "batched/lowrank/list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int lowrank_list_create(lowrank_list *list, batched_type type, int64_t room)
{
  const size_t n = room > 0 ? (size_t)room : 1;
  *list = (lowrank_list){.type = type, .room = room, .pointers = malloc(n * (sizeof(void *) + 3 * sizeof(int)))};
  if (!list->pointers) return BATCHED_NO_MEMORY;
  list->ms = (int *)(list->pointers + n);
  list->ns = list->ms + n;
  list->lds = list->ns + n;
  return BATCHED_SUCCESS;
}

void lowrank_list_destroy(lowrank_list *list)
{
  free(list->pointers);
  *list = (lowrank_list){0};
}

void lowrank_list_add(lowrank_list *list, void *p, int m, int n, int ld)
{
  const int64_t i = list->count++;
  list->pointers[i] = p;
  list->ms[i] = m;
  list->ns[i] = n;
  list->lds[i] = ld;
}

/* True where all sizes are the bound, or, where that is negative, the largest of them, which is *most. */
static bool is_common(const int *sizes, int64_t count, int bound, int *most)
{
  int largest = 0, least = INT_MAX;
  for (int64_t i = 0; i < count; i++) {
    if (sizes[i] > largest) largest = sizes[i];
    if (sizes[i] < least) least = sizes[i];
  }
  *most = largest;
  return count == 0 || (least == largest && (bound < 0 || bound == largest));
}

/* Where the arrays of a list are, in the context's space. */
typedef struct arrays {
  void **pointers;
  int *ms, *ns, *lds;
} arrays;

/* Copies those of some lists to the GPU's scratch memory, all at once; on the host they are the lists' own. */
static void upload(lowrank_work *w, const lowrank_list *const *lists, int nlists, arrays *to)
{
  int64_t count = 0;
  for (int i = 0; i < nlists; i++) {
    to[i] = (arrays){lists[i]->pointers, lists[i]->ms, lists[i]->ns, lists[i]->lds};
    count += lists[i]->count;
  }
  if (count == 0 || batched_get_space(w->ctx) != BATCHED_CUDA) return;
  const size_t n = (size_t)count, bytes = n * (sizeof(void *) + 3 * sizeof(int));
  char *const host = malloc(bytes), *const there = lowrank_push(w, bytes);
  if (!host && !w->status) w->status = BATCHED_NO_MEMORY;
  size_t first = 0;
  for (int i = 0; i < nlists && !w->status; i++) {
    const size_t here = (size_t)lists[i]->count;
    const size_t at[] = {first * sizeof(void *), n * sizeof(void *) + first * sizeof(int),
                         n * sizeof(void *) + (n + first) * sizeof(int),
                         n * sizeof(void *) + (2 * n + first) * sizeof(int)};
    memcpy(host + at[0], to[i].pointers, here * sizeof *to[i].pointers);
    memcpy(host + at[1], to[i].ms, here * sizeof(int));
    memcpy(host + at[2], to[i].ns, here * sizeof(int));
    memcpy(host + at[3], to[i].lds, here * sizeof(int));
    to[i] = (arrays){(void **)(there + at[0]), (int *)(there + at[1]), (int *)(there + at[2]), (int *)(there + at[3])};
    first += here;
  }
  LOWRANK_DO(w, batched_copy_in_turn(w->ctx, there, host, bytes));
  free(host);
  for (int i = 0; i < nlists && w->status; i++) to[i] = (arrays){0}; /* no call takes such a batch */
}

/* The batch of a list whose arrays are there. */
static batched_matrix batch_of(const lowrank_list *list, const arrays *there, int m, int n)
{
  int most_m, most_n, most_ld;
  const bool same_m = is_common(list->ms, list->count, m, &most_m);
  const bool same_n = is_common(list->ns, list->count, n, &most_n);
  const bool same_ld = is_common(list->lds, list->count, -1, &most_ld);
  const int bound_m = m < 0 ? most_m : m, bound_ld = most_ld > bound_m ? most_ld : bound_m;
  batched_matrix a = batched_make_array(list->type, there->pointers, bound_m, n < 0 ? most_n : n,
                                        bound_ld > 1 ? bound_ld : 1, list->count);
  return batched_with_sizes(a, same_m ? NULL : there->ms, same_n ? NULL : there->ns,
                            same_ld && most_ld == a.ld ? NULL : there->lds);
}

batched_matrix lowrank_list_batch(lowrank_work *w, const lowrank_list *list, int m, int n)
{
  arrays there;
  upload(w, &list, 1, &there);
  return batch_of(list, &there, m, n);
}

void lowrank_products_create(lowrank_work *w, lowrank_products *p, batched_type type, batched_trans transa,
                             batched_trans transb, int64_t room)
{
  *p = (lowrank_products){transa, transb, {0}, {0}, {0}};
  LOWRANK_DO(w, lowrank_list_create(&p->a, type, room));
  LOWRANK_DO(w, lowrank_list_create(&p->b, type, room));
  LOWRANK_DO(w, lowrank_list_create(&p->c, type, room));
}

void lowrank_products_add(lowrank_products *p, int m, int n, int k, const void *a, int lda, const void *b, int ldb,
                          void *c, int ldc)
{
  const bool ta = p->transa != BATCHED_NO_TRANS, tb = p->transb != BATCHED_NO_TRANS;
  if (!p->c.pointers || m == 0 || n == 0) return;
  lowrank_list_add(&p->a, (void *)a, ta ? k : m, ta ? m : k, lda);
  lowrank_list_add(&p->b, (void *)b, tb ? n : k, tb ? k : n, ldb);
  lowrank_list_add(&p->c, c, m, n, ldc);
}

void lowrank_products_run(lowrank_work *w, lowrank_products *p, batched_scalar alpha, batched_scalar beta)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  if (!w->status && p->c.count > 0) {
    const lowrank_list *const lists[] = {&p->a, &p->b, &p->c};
    arrays there[3];
    upload(&inner, lists, 3, there);
    LOWRANK_DO(&inner, batched_gemm(w->ctx, p->transa, p->transb, alpha, batch_of(&p->a, &there[0], -1, -1),
                                    batch_of(&p->b, &there[1], -1, -1), beta, batch_of(&p->c, &there[2], -1, -1)));
  }
  p->a.count = p->b.count = p->c.count = 0;
  w->status = lowrank_end(&inner);
}

void lowrank_products_destroy(lowrank_products *p)
{
  lowrank_list_destroy(&p->a);
  lowrank_list_destroy(&p->b);
  lowrank_list_destroy(&p->c);
}

int *lowrank_fetch_ints(lowrank_work *w, const int *from, int64_t count)
{
  if (!from || w->status) return NULL;
  int *ints = malloc((size_t)(count > 0 ? count : 1) * sizeof *ints);
  if (!ints)
    w->status = BATCHED_NO_MEMORY;
  else
    LOWRANK_DO(w, batched_copy_to_host(w->ctx, ints, from, (size_t)count * sizeof *ints));
  return ints;
}

void **lowrank_fetch_pointers(lowrank_work *w, batched_matrix a)
{
  if (w->status) return NULL;
  void **pointers = malloc((size_t)(a.count > 0 ? a.count : 1) * sizeof *pointers);
  if (!pointers) {
    w->status = BATCHED_NO_MEMORY;
  } else if (a.array) {
    LOWRANK_DO(w, batched_copy_to_host(w->ctx, pointers, a.array, (size_t)a.count * sizeof *pointers));
  } else {
    for (int64_t b = 0; b < a.count; b++) pointers[b] = batched_at(&a, b);
  }
  return pointers;
}
