/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices, and columns, so far from each other that 32 bits do not count the elements between them.  Most of the
 * memory is never touched; on the host it is address space alone.
 */
#include <sys/mman.h>

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep_private.h"

/* Elements between neighbours: the third begins beyond 2^31. */
static const int64_t distance = ((int64_t)1 << 30) + 8;

/* Where an operand lies instead. */
typedef struct place {
  char *data;
  size_t bytes;
  int ld;
  int64_t stride;
} place;

static bool reserve(batched_ctx *ctx, place *p)
{
  if (batched_get_space(ctx) == BATCHED_CUDA) return (p->data = batched_allocate(ctx, p->bytes));
  void *data = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  p->data = data == MAP_FAILED ? NULL : data;
  return p->data;
}

static void give_back(batched_ctx *ctx, place *p)
{
  if (batched_get_space(ctx) == BATCHED_CUDA)
    batched_release(ctx, p->data);
  else if (p->data)
    munmap(p->data, p->bytes);
}

/* With far columns the matrices lie between each other. */
static place place_of(const sweep_batch *x, bool columns)
{
  const int64_t b = x->view.count - 1, j = x->view.n - 1;
  place p = {.ld = columns ? (int)distance : x->view.ld, .stride = columns ? x->view.m + 2 : distance};
  p.bytes = (size_t)(b * p.stride + j * p.ld + x->view.m) * batched_element_bytes(x->view.type);
  return p;
}

/* From where the harness put the matrices to the place, or back. */
static void move(batched_ctx *ctx, const sweep_batch *x, const place *p, bool back)
{
  const size_t size = batched_element_bytes(x->view.type);
  for (int64_t b = 0; b < x->view.count; b++) {
    for (int j = 0; j < x->ns[b]; j++) {
      char *near = (char *)x->device[0] + (size_t)(x->offset[b] + (int64_t)j * x->lds[b]) * size;
      char *far = p->data + (size_t)(b * p->stride + (int64_t)j * p->ld) * size;
      assert_int_equal(batched_copy_within(ctx, back ? near : far, back ? far : near, (size_t)x->ms[b] * size), 0);
    }
  }
}

static int call_far(batched_ctx *ctx, const sweep_case *c, sweep_trial *t, const place *places)
{
  sweep_trial far = *t;
  for (int i = 0; i < sweep.family->noperands; i++) {
    far.x[i].view.data = places[i].data;
    far.x[i].view.ld = places[i].ld;
    far.x[i].view.stride = places[i].stride;
  }
  return t->status = sweep_call(ctx, c, &far);
}

/* The same bits as near to each other. */
static void check_far(batched_ctx *ctx, const char *variant, const sweep_case *c, bool columns)
{
  place places[SWEEP_MAX_OPERANDS] = {0};
  sweep_trial near = sweep_start(ctx, c, 0, -1, 0), t = sweep_start(ctx, c, 0, -1, 0);
  bool room = true;
  for (int i = 0; i < sweep.family->noperands; i++) {
    places[i] = place_of(&t.x[i], columns);
    room = room && reserve(ctx, &places[i]);
  }
  if (!room) print_message("%s: no room for far %s\n", sweep_describe(variant, c), columns ? "columns" : "matrices");
  sweep_flush();
  for (int i = 0; room && i < sweep.family->noperands; i++) move(ctx, &t.x[i], &places[i], false);
  if (room && sweep_done(variant, c, call_far(ctx, c, &t, places))) {
    sweep_done("auto", c, sweep_call(ctx, c, &near));
    for (int i = 0; i < sweep.family->noperands; i++) move(ctx, &t.x[i], &places[i], true);
    sweep_read_results(ctx, &near);
    sweep_read_results(ctx, &t);
    for (int64_t b = 0; b < c->count; b++)
      if (!sweep_same_bits(&near, b, &t, b))
        fail_msg("%s: matrix %d differs with far %s", sweep_describe(variant, c), (int)b,
                 columns ? "columns" : "matrices");
  }
  for (int i = 0; i < sweep.family->noperands; i++) give_back(ctx, &places[i]);
  sweep_finish(ctx, &near);
  sweep_finish(ctx, &t);
}

void sweep_far_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {3, 9, 34};
  const bool gpu = batched_get_space(ctx) == BATCHED_CUDA;
  if (!sweep_keeps_bits(ctx, variant)) return;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s], step = sweep.family->nflags > 4 ? sweep.family->nflags / 4 : 1;
    for (int type = 0; type < (gpu ? 1 : 4); type++) {
      for (int flags = type % step; flags < sweep.family->nflags; flags += step) {
        const sweep_case c = {.type = type, .m = n, .n = n, .k = n, .flags = flags, .count = 3};
        check_far(ctx, variant, &c, false);
        if (!gpu || n == 3) check_far(ctx, variant, &c, true); // there is memory for three columns
      }
    }
  }
}
