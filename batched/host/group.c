/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of matrices of one shape, one for each SIMD lane: a variable batch is sorted by shape first.
 */
#include "batched/host/group.h"

/* In smaller batches, which the caches mostly hold, to fetch lines ahead costs as much as it wins or more. */
enum { STREAMED_BYTES = 8 << 20 };

static bool comes_before(const batched_matrix *a, int64_t x, int64_t y)
{
  int mx = batched_rows(a, x), my = batched_rows(a, y), nx = batched_cols(a, x), ny = batched_cols(a, y);
  if (mx != my) return mx < my;
  if (nx != ny) return nx < ny;
  return x < y;
}

static void sift_down(const batched_matrix *a, int64_t *order, int64_t root, int64_t count)
{
  for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && comes_before(a, order[child], order[child + 1])) child++;
    if (!comes_before(a, order[root], order[child])) return;
    int64_t t = order[root];
    order[root] = order[child];
    order[child] = t;
    root = child;
  }
}

/* Tests whether the batch is too large for the caches; vectors and right-hand sides each come with a square matrix. */
static bool is_streamed(const batched_matrix *a)
{
  const double order = batched_max(a->m, a->n);
  return (double)a->count * order * order * (double)batched_element_bytes(a->type) >= STREAMED_BYTES;
}

/* Heap sort: in place, and never slow. */
static void sort_by_shape(const batched_matrix *a, int64_t *order)
{
  for (int64_t i = 0; i < a->count; i++) order[i] = i;
  for (int64_t i = a->count / 2 - 1; i >= 0; i--) sift_down(a, order, i, a->count);
  for (int64_t last = a->count - 1; last > 0; last--) {
    int64_t t = order[0];
    order[0] = order[last];
    order[last] = t;
    sift_down(a, order, 0, last);
  }
}

int batched_groups_begin(batched_ctx *ctx, batched_groups *groups, const batched_matrix *shape, int lanes)
{
  *groups = (batched_groups){.shape = shape, .lanes = lanes};
  if (!shape->ms && !shape->ns) {
    groups->fetch = is_streamed(shape);
    return BATCHED_SUCCESS;
  }
  groups->order = batched_scratch_push(ctx, (size_t)shape->count * sizeof(int64_t));
  if (!groups->order) return BATCHED_NO_MEMORY;
  sort_by_shape(shape, groups->order);
  return BATCHED_SUCCESS;
}

void batched_groups_end(batched_ctx *ctx, batched_groups *groups)
{
  if (groups->order) batched_scratch_pop(ctx);
}

static int64_t matrix_at(const batched_groups *groups, int64_t position)
{
  return groups->order ? groups->order[position] : position;
}

bool batched_groups_next(batched_groups *groups, batched_group *group)
{
  const batched_matrix *a = groups->shape;
  if (groups->next == a->count) return false;
  const int64_t first = matrix_at(groups, groups->next);
  group->m = batched_rows(a, first);
  group->n = batched_cols(a, first);
  group->active = 0;
  while (group->active < groups->lanes && groups->next < a->count) {
    int64_t b = matrix_at(groups, groups->next);
    if (batched_rows(a, b) != group->m || batched_cols(a, b) != group->n) break;
    group->index[group->active++] = b;
    groups->next++;
  }
  for (int l = group->active; l < groups->lanes; l++) group->index[l] = first;
  group->ahead = groups->fetch && groups->next + groups->lanes <= a->count ? groups->lanes : 0;
  return true;
}
