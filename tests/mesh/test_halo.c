/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over the ranks that share a node against serial sums in the order of ranks, bit for bit.
 * ranks: 1 2 3 4 7
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/halo.h"
#include "samples.h"

enum { IDS = 300, MAX_NCOMP = 5 };

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

static void sums_are_serial_sums(void **state)
{
  (void)state;
  for (int salt = 0; salt < 6; salt++) {
    nodes mine = my_nodes(salt);
    halo *h;
    assert_int_equal(halo_create(&h, mine.n, mine.id), 0);
    for (int ncomp = 1; ncomp <= MAX_NCOMP; ncomp++) {
      double *x = malloc(sizeof *x * (size_t)(ncomp * mine.n + 1));
      for (int c = 0; c < ncomp; c++)
        for (int i = 0; i < mine.n; i++) x[c * mine.n + i] = value(comm_rank(), mine.local[i], c);
      halo_sum_begin(NULL, h, ncomp, x);
      halo_sum_end(NULL, h, ncomp, x);
      for (int c = 0; c < ncomp; c++) {
        for (int i = 0; i < mine.n; i++) {
          double sum = expected(mine.local[i], c, salt);
          assert_memory_equal(&x[c * mine.n + i], &sum, sizeof sum);
        }
      }
      free(x);
    }
    halo_destroy(&h);
    assert_null(h);
  }
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

/* Work between begin and end on nodes that are not shared is kept, and two sums may be under way. */
static void overlaps_with_work(void **state)
{
  (void)state;
  nodes mine = my_nodes(0);
  halo *h[2];
  double x[2][IDS];
  for (int j = 0; j < 2; j++) {
    assert_int_equal(halo_create(&h[j], mine.n, mine.id), 0);
    for (int i = 0; i < mine.n; i++) x[j][i] = value(comm_rank(), mine.local[i], j);
  }
  halo_sum_begin(NULL, h[0], 1, x[0]);
  halo_sum_begin(NULL, h[1], 1, x[1]);
  for (int i = 0; i < mine.n; i++) {
    if (sharers(mine.local[i], 0) == 1) x[0][i] += 1, x[1][i] += 1;
  }
  halo_sum_end(NULL, h[0], 1, x[0]);
  halo_sum_end(NULL, h[1], 1, x[1]);
  for (int j = 0; j < 2; j++) {
    for (int i = 0; i < mine.n; i++) {
      bool alone = sharers(mine.local[i], 0) == 1;
      assert_true(x[j][i] == (alone ? value(comm_rank(), mine.local[i], j) + 1 : expected(mine.local[i], j, 0)));
    }
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
  assert_int_equal(halo_neighbours(h), 0);
  assert_int_equal(halo_shared(h, &index), 0);
  halo_sum_begin(NULL, h, 3, &x);
  halo_sum_end(NULL, h, 3, &x);
  halo_destroy(&h);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums_are_serial_sums),
    cmocka_unit_test(knows_who_shares),
    cmocka_unit_test(overlaps_with_work),
    cmocka_unit_test(no_nodes_at_all),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
