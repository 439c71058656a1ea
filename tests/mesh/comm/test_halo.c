/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over the ranks that share a node against serial sums in the order of ranks, bit for bit.  With --gpu the vectors
 * are in the memory of a GPU, with --nccl too their messages go by NCCL, with --peers from GPU to GPU where they can.
 * ranks: 1 2 3 4 7
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/variant.h"
#include "mesh/comm/halo.h"
#include "mesh/comm/nccl.h"
#include "tests/mesh/samples.h"

enum { IDS = 300, MAX_NCOMP = 5 };

static batched_ctx *ctx; /* NULL: on the host */
static bool by_nccl;     /* --nccl: messages go by NCCL */
static bool by_peers;    /* --peers: see halo_take_peers */
static bool by_memory;   /* --shared-memory, with --bench: see halo_take_shared_memory */

/* A vector where the context has its own; its host's side again with take_back. */
static double *place(const double *x, int n)
{
  const size_t bytes = sizeof *x * (size_t)(n + 1);
  double *y = ctx ? batched_allocate(ctx, bytes) : malloc(bytes);
  assert_non_null(y);
  if (ctx)
    assert_int_equal(batched_copy_from_host(ctx, y, x, sizeof *x * (size_t)n), BATCHED_SUCCESS);
  else if (n > 0)
    memcpy(y, x, sizeof *x * (size_t)n);
  return y;
}

static void take_back(double *x, double *y, int n)
{
  if (ctx) {
    assert_int_equal(batched_copy_to_host(ctx, x, y, sizeof *x * (size_t)n), BATCHED_SUCCESS);
    batched_release(ctx, y);
    return;
  }
  if (n > 0) memcpy(x, y, sizeof *x * (size_t)n);
  free(y);
}

static void sum(halo *h, int ncomp, double *x)
{
  assert_int_equal(halo_sum_begin(ctx, h, ncomp, x), BATCHED_SUCCESS);
  assert_int_equal(halo_sum_end(ctx, h, ncomp, x), BATCHED_SUCCESS);
}

/* Everything about a rank follows from its number, so every rank can redo the sums of all. */
static const int64_t far = (int64_t)1 << 40;

static bool has(int rank, int id, int salt)
{
  uint64_t state = (uint64_t)salt * 7919 + (uint64_t)rank * 104729 + (uint64_t)id * 31 + 1;
  for (int i = 0; i < 3; i++) sample_random(&state);
  if (rank == 2 && salt % 2) return false; // this one owns nothing
  return sample_random(&state) % 5 < 2;
}

static double value(int rank, int id, int c)
{
  uint64_t state = (uint64_t)rank * 1299709 + (uint64_t)id * 15485863 + (uint64_t)c * 179424673 + 7;
  for (int i = 0; i < 3; i++) sample_random(&state);
  volatile double x = sample_uniform(&state) * (id % 3 ? 1 : 1e10); // no fused multiply-add with a sum
  return x;
}

static double expected(int id, int c, int salt)
{
  double sum = 0;
  for (int r = 0; r < comm_size(); r++) {
    if (has(r, id, salt)) sum += value(r, id, c);
  }
  return sum;
}

static int sharers(int id, int salt)
{
  int n = 0;
  for (int r = 0; r < comm_size(); r++) n += has(r, id, salt);
  return n;
}

typedef struct nodes {
  int n, local[IDS]; /* small numbers of this rank's ids */
  int64_t id[IDS];
} nodes;

static nodes my_nodes(int salt)
{
  nodes mine = {0};
  int order[IDS];
  uint64_t state = (uint64_t)comm_rank() + 1;
  sample_shuffle(order, IDS, &state); // ids may come in any order
  for (int i = 0; i < IDS; i++) {
    if (!has(comm_rank(), order[i], salt)) continue;
    mine.local[mine.n] = order[i];
    mine.id[mine.n++] = far + (int64_t)order[i] * 1000003;
  }
  return mine;
}

static void expect_sums(const nodes *mine, int salt, int ncomp, const double *x)
{
  for (int c = 0; c < ncomp; c++) {
    for (int i = 0; i < mine->n; i++) {
      double right = expected(mine->local[i], c, salt);
      assert_memory_equal(&x[c * mine->n + i], &right, sizeof right);
    }
  }
}

static void place_halo(halo *h)
{
  if (!ctx) {
    halo_take_shared_memory(h);
    return;
  }
  assert_int_equal(halo_place(ctx, h), BATCHED_SUCCESS);
  if (by_nccl) assert_null(halo_take_nccl(ctx, h));
  if (by_peers) halo_take_peers(h);
}

/* With messages placed before the first sum, and with what the first sum does by itself. */
static void sums_are_serial_sums(void **state)
{
  (void)state;
  for (int salt = 0; salt < 6; salt++) {
    nodes mine = my_nodes(salt);
    halo *h;
    assert_int_equal(halo_create(&h, mine.n, mine.id), 0);
    if (by_nccl || salt % 2) place_halo(h);
    for (int ncomp = 1; ncomp <= MAX_NCOMP; ncomp++) {
      const int n = ncomp * mine.n;
      double *x = malloc(sizeof *x * (size_t)(n + 1));
      for (int c = 0; c < ncomp; c++)
        for (int i = 0; i < mine.n; i++) x[c * mine.n + i] = value(comm_rank(), mine.local[i], c);
      double *y = place(x, n);
      sum(h, ncomp, y);
      take_back(x, y, n);
      expect_sums(&mine, salt, ncomp, x);
      free(x);
    }
    if (salt == 1 && comm_rank() == 0) printf("messages in %s\n", halo_path(h));
    halo_destroy(&h);
    assert_null(h);
  }
}

/* Without waiting in between: each sum has its own messages. */
static void sums_follow_each_other(void **state)
{
  (void)state;
  enum { SUMS = 50 };
  nodes mine = my_nodes(0);
  halo *h;
  double *x = malloc(sizeof *x * (size_t)(3 * mine.n + 1)), *y[SUMS];
  assert_int_equal(halo_create(&h, mine.n, mine.id), 0);
  if (!ctx) place_halo(h);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < mine.n; i++) x[c * mine.n + i] = value(comm_rank(), mine.local[i], c);
  for (int k = 0; k < SUMS; k++) y[k] = place(x, 3 * mine.n);
  for (int k = 0; k < SUMS; k++) sum(h, 1 + k % 3, y[k]);
  for (int k = 0; k < SUMS; k++) {
    take_back(x, y[k], 3 * mine.n);
    expect_sums(&mine, 0, 1 + k % 3, x);
  }
  free(x);
  halo_destroy(&h);
}

static void knows_who_shares(void **state)
{
  (void)state;
  for (int salt = 0; salt < 4; salt++) {
    nodes mine = my_nodes(salt);
    halo *h;
    assert_int_equal(halo_create(&h, mine.n, mine.id), 0);
    const int *index;
    int nshared = halo_shared(h, &index), at = 0, owned = 0, neighbours = 0;
    bool owner[IDS], is_neighbour[64] = {false};
    halo_owned(h, owner);
    for (int i = 0; i < mine.n; i++) {
      bool lowest = true;
      if (sharers(mine.local[i], salt) > 1) {
        assert_true(at < nshared);
        assert_int_equal(index[at++], i);
      }
      for (int r = 0; r < comm_size(); r++) {
        if (r == comm_rank() || !has(r, mine.local[i], salt)) continue;
        is_neighbour[r] = true;
        if (r < comm_rank()) lowest = false;
      }
      assert_int_equal(owner[i], lowest);
      owned += owner[i];
    }
    assert_int_equal(at, nshared);
    for (int r = 0; r < comm_size(); r++) neighbours += is_neighbour[r];
    assert_int_equal(halo_neighbours(h), neighbours);
    int64_t total = owned, all = 0;
    comm_sum_int64(&total, 1);
    for (int id = 0; id < IDS; id++) all += sharers(id, salt) > 0;
    assert_int_equal(total, all);
    halo_destroy(&h);
  }
}

/* Of shared nodes those that all ranks name. */
static void shares_what_is_named(void **state)
{
  (void)state;
  for (int salt = 0; salt < 4; salt++) {
    nodes mine = my_nodes(salt);
    halo *h;
    const int *index;
    int at = 0;
    for (int i = 0; i < mine.n; i++)
      if (mine.local[i] % 3 == 0) mine.id[i] = -1;
    assert_int_equal(halo_create(&h, mine.n, mine.id), 0);
    const int nshared = halo_shared(h, &index);
    for (int i = 0; i < mine.n; i++) {
      if (mine.id[i] < 0 || sharers(mine.local[i], salt) == 1) continue;
      assert_true(at < nshared);
      assert_int_equal(index[at++], i);
    }
    assert_int_equal(at, nshared);
    halo_destroy(&h);
  }
}

/* Work between begin and end on nodes that are not shared is kept, and two sums may be under way. */
static void overlaps_with_work(void **state)
{
  (void)state;
  nodes mine = my_nodes(0);
  halo *h[2];
  double x[2][IDS], *y[2];
  int alone = 0;
  while (alone < mine.n && sharers(mine.local[alone], 0) > 1) alone++;
  for (int j = 0; j < 2; j++) {
    assert_int_equal(halo_create(&h[j], mine.n, mine.id), 0);
    if (!ctx) place_halo(h[j]);
    for (int i = 0; i < mine.n; i++) x[j][i] = value(comm_rank(), mine.local[i], j);
    y[j] = place(x[j], mine.n);
  }
  for (int j = 0; j < 2; j++) assert_int_equal(halo_sum_begin(ctx, h[j], 1, y[j]), BATCHED_SUCCESS);
  for (int j = 0; j < 2 && alone < mine.n; j++) {
    const double other = 17.0 + j;
    if (ctx)
      assert_int_equal(batched_copy_from_host(ctx, y[j] + alone, &other, sizeof other), BATCHED_SUCCESS);
    else
      y[j][alone] = other;
  }
  for (int j = 0; j < 2; j++) {
    assert_int_equal(halo_sum_end(ctx, h[j], 1, y[j]), BATCHED_SUCCESS);
    take_back(x[j], y[j], mine.n);
    for (int i = 0; i < mine.n; i++) assert_true(x[j][i] == (i == alone ? 17.0 + j : expected(mine.local[i], j, 0)));
    halo_destroy(&h[j]);
  }
}

static void no_nodes_at_all(void **state)
{
  (void)state;
  halo *h;
  const int *index;
  double x = 1;
  assert_int_equal(halo_create(&h, 0, NULL), 0);
  place_halo(h);
  assert_int_equal(halo_neighbours(h), 0);
  assert_int_equal(halo_shared(h, &index), 0);
  sum(h, 3, &x);
  halo_destroy(&h);
}

/* --bench: sums over a face of 129 x 129 nodes with the next rank, three components; a face in the middle of a box has
 * more. */
static void measure(void **state)
{
  (void)state;
  enum { NODES = 129 * 129, SUMS = 300 };
  int64_t *id = malloc(2 * NODES * sizeof *id);
  double *x = calloc(6 * NODES, sizeof *x);
  halo *h;
  for (int i = 0; i < 2 * NODES; i++) id[i] = (int64_t)comm_rank() * NODES + i;
  assert_int_equal(halo_create(&h, 2 * NODES, id), 0);
  if (ctx || by_memory) place_halo(h);
  double *y = place(x, 6 * NODES), seconds = 0;
  for (int k = 0; k < SUMS; k++) {
    if (k == SUMS / 3) {
      comm_barrier();
      seconds = -batched_seconds();
    }
    sum(h, 3, y);
  }
  if (ctx) batched_synchronize(ctx);
  seconds += batched_seconds();
  take_back(x, y, 6 * NODES);
  const int counted = SUMS - SUMS / 3;
  if (comm_rank() == 0)
    printf("%d ranks, %d nodes shared, messages in %s: %.1f us a sum\n", comm_size(), NODES, halo_path(h),
           1e6 * seconds / counted);
  halo_destroy(&h);
  free(id);
  free(x);
}

/* Node i of a rank has the number i % IMAGED, so that most numbers have several images; odd ranks have half of them. */
enum { IMAGED = 50 };

static int imaged_nodes(int rank)
{
  return rank % 2 ? IMAGED / 2 : 3 * IMAGED + 7;
}

static double imaged_sum(int id, int c)
{
  double all = 0;
  for (int r = 0; r < comm_size(); r++) {
    if (id >= imaged_nodes(r)) continue;
    double own = value(r, id, c);
    for (int i = id + IMAGED; i < imaged_nodes(r); i += IMAGED) own += value(r, i, c);
    all += own;
  }
  return all;
}

static void images_get_one_sum(void **state)
{
  (void)state;
  enum { NCOMP = 2 };
  const int n = imaged_nodes(comm_rank());
  int64_t ids[4 * IMAGED];
  double x[NCOMP * 4 * IMAGED];
  bool owned[4 * IMAGED];
  halo *h = NULL;
  for (int i = 0; i < n; i++) ids[i] = i % IMAGED;
  for (int i = 0; i < NCOMP * n; i++) x[i] = value(comm_rank(), i % n, i / n);
  assert_int_equal(halo_create_joint(&h, n, ids), STATUS_OK);
  assert_false(halo_alone(h));
  place_halo(h);
  double *y = place(x, NCOMP * n);
  sum(h, NCOMP, y);
  take_back(x, y, NCOMP * n);
  for (int i = 0; i < NCOMP * n; i++) assert_true(x[i] == imaged_sum(i % n % IMAGED, i / n));
  halo_owned(h, owned);
  for (int i = 0; i < n; i++) assert_int_equal(owned[i], i < IMAGED && (comm_rank() == 0));
  for (int i = 0; i < NCOMP * n; i++) x[i] = value(comm_rank(), i % n, i / n);
  halo_take_owners(h, NCOMP, x);
  for (int i = 0; i < NCOMP * n; i++) assert_true(x[i] == value(0, i % n % IMAGED, i / n));
  halo_destroy(&h);
}

static double imaged_largest(int id)
{
  double largest = -INFINITY;
  for (int r = 0; r < comm_size(); r++)
    for (int i = id; i < imaged_nodes(r); i += IMAGED) largest = fmax(largest, value(r, i, 0));
  return largest;
}

static double shared_largest(int id, int salt)
{
  double largest = -INFINITY;
  for (int r = 0; r < comm_size(); r++)
    if (has(r, id, salt)) largest = fmax(largest, value(r, id, 0));
  return largest;
}

/* Among ranks, and among images, too. */
static void the_largest_is_found(void **state)
{
  (void)state;
  halo *h;
  double x[4 * IMAGED + IDS];
  int64_t ids[4 * IMAGED];
  const int n = imaged_nodes(comm_rank());
  for (int salt = 0; salt < 4; salt++) {
    nodes mine = my_nodes(salt);
    for (int i = 0; i < mine.n; i++) x[i] = value(comm_rank(), mine.local[i], 0);
    assert_int_equal(halo_create(&h, mine.n, mine.id), STATUS_OK);
    if (!ctx && salt % 2) place_halo(h);
    halo_max(h, x);
    for (int i = 0; i < mine.n; i++) assert_true(x[i] == shared_largest(mine.local[i], salt));
    halo_destroy(&h);
  }
  for (int i = 0; i < n; i++) ids[i] = i % IMAGED, x[i] = value(comm_rank(), i, 0);
  assert_int_equal(halo_create_joint(&h, n, ids), STATUS_OK);
  if (!ctx) place_halo(h);
  halo_max(h, x);
  for (int i = 0; i < n; i++) assert_true(x[i] == imaged_largest(i % IMAGED));
  halo_destroy(&h);
}

static bool has_word(int argc, char **argv, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], word) == 0) return true;
  return false;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums_are_serial_sums), cmocka_unit_test(sums_follow_each_other),
    cmocka_unit_test(knows_who_shares),     cmocka_unit_test(shares_what_is_named),
    cmocka_unit_test(overlaps_with_work),   cmocka_unit_test(no_nodes_at_all),
    cmocka_unit_test(images_get_one_sum),   cmocka_unit_test(the_largest_is_found),
  };
  const struct CMUnitTest bench[] = {cmocka_unit_test(measure)};
  comm_init(&argc, &argv);
  const int devices = has_word(argc, argv, "--gpu") ? batched_device_count(NULL) : 0;
  int failed = 77;
  by_nccl = has_word(argc, argv, "--nccl"), by_peers = has_word(argc, argv, "--peers");
  by_memory = has_word(argc, argv, "--shared-memory");
  if (devices > 0 && batched_create_on_device(&ctx, comm_local_rank() % devices)) comm_abort(1);
  const char *why = devices == 0 ? "no CUDA device, or CUDA was not built" : by_nccl ? nccl_open() : NULL;
  if (!has_word(argc, argv, "--gpu") || !why)
    failed = has_word(argc, argv, "--bench") ? cmocka_run_group_tests(bench, NULL, NULL)
                                             : cmocka_run_group_tests(tests, NULL, NULL);
  else if (comm_rank() == 0)
    printf("SKIPPED: %s\n", why);
  batched_destroy(&ctx);
  comm_finalize();
  return failed;
}
