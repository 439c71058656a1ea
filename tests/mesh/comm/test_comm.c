/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks: 1 2 3 4
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/comm/comm.h"

static void reductions(void **state)
{
  (void)state;
  int rank = comm_rank(), size = comm_size();
  double sum[2] = {rank + 1, 2}, low[2] = {rank, -rank}, high[2] = {rank, -rank};
  int64_t isum = ((int64_t)1 << 40) + rank, imax = ((int64_t)1 << 40) + rank;
  comm_sum(sum, 2);
  comm_min(low, 2);
  comm_max(high, 2);
  comm_sum_int64(&isum, 1);
  comm_max_int64(&imax, 1);
  assert_true(sum[0] == 0.5 * size * (size + 1) && sum[1] == 2 * size);
  assert_true(low[0] == 0 && low[1] == 1 - size);
  assert_true(high[0] == size - 1 && high[1] == 0);
  assert_int_equal(isum, ((int64_t)size << 40) + size * (size - 1) / 2);
  assert_int_equal(imax, ((int64_t)1 << 40) + size - 1);
  assert_int_equal(comm_exclusive_sum(rank + 1), rank * (rank + 1) / 2);
  assert_int_equal(comm_worst(rank == size - 1 ? 3 : 0), 3);
  assert_int_equal(comm_worst(0), 0);
}

/* Sums of n numbers whose terms cancel: every rank must still see the same bits. */
static void expect_the_same_bits(int n)
{
  double x[100], first[100];
  for (int i = 0; i < n; i++) x[i] = (comm_rank() % 2 ? -1e16 : 1e16) + 1. / (i + comm_rank() + 1);
  comm_sum(x, n);
  memcpy(first, x, sizeof x[0] * (size_t)n);
  comm_broadcast(first, sizeof first[0] * (size_t)n, 0);
  assert_memory_equal(x, first, sizeof x[0] * (size_t)n);
}

static void sums_have_the_same_bits(void **state)
{
  (void)state;
  expect_the_same_bits(100);
}

/* Through shared memory, many in a row, and others between them: those of the ranks, added in their order. */
static void sums_by_memory(void **state)
{
  (void)state;
  comm_reduce_by_memory();
  for (int k = 0; k < 1000; k++) {
    double x[3], right[3] = {0.0, 0.0, 0.0};
    const int n = 1 + k % 3;
    for (int i = 0; i < n; i++) {
      for (int r = 0; r < comm_size(); r++) right[i] += 1. / (k + 10 * i + r + 1);
      x[i] = 1. / (k + 10 * i + comm_rank() + 1);
    }
    comm_sum(x, n);
    assert_memory_equal(x, right, sizeof x[0] * (size_t)n);
    if (k % 100 == 0) assert_int_equal(comm_worst(comm_rank() == 0 ? k : 0), k);
  }
  for (int n = 1; n < 100; n += 11) expect_the_same_bits(n);
  comm_reduce_by_memory(); // anew
  reductions(state);
}

/* Others go on between begin and end, by memory and without. */
static void least_meanwhile(void **state)
{
  (void)state;
  const int size = comm_size(), rank = comm_rank();
  for (int k = 0; k < 200; k++) {
    double least = 1e3 * k - (rank + k) % size, sums[2] = {rank, k}, most = rank == k % size ? k : -k;
    comm_request r;
    comm_min_begin(&r, &least);
    for (int j = 0; j < k % 4; j++) comm_sum(sums, 2), sums[0] -= 0.5 * size * (size - 1) - rank, sums[1] = k;
    comm_max(&most, 1);
    comm_min_end(&r);
    assert_true(least == 1e3 * k - (size - 1));
    assert_true(sums[0] == rank && sums[1] == k && most == k);
  }
}

static void least_by_memory(void **state)
{
  comm_reduce_by_memory();
  least_meanwhile(state);
}

static void broadcasts(void **state)
{
  (void)state;
  for (int root = 0; root < comm_size(); root++) {
    char text[8] = "other";
    if (comm_rank() == root) strcpy(text, "root");
    comm_broadcast(text, sizeof text, root);
    assert_string_equal(text, "root");
    comm_broadcast(NULL, 0, root);
  }
}

/* Ranks append their numbers to one file, each in its turn: without turns the slow first one would come last. */
static void turns_are_in_order(void **state)
{
  (void)state;
  char name[64];
  int pid = (int)getpid();
  comm_broadcast(&pid, sizeof pid, 0);
  snprintf(name, sizeof name, "turns-%d.tmp", pid);
  comm_turn_begin(comm_size());
  if (comm_rank() == 0) usleep(20000);
  FILE *file = fopen(name, comm_rank() == 0 ? "w" : "a");
  assert_non_null(file);
  fprintf(file, "%d\n", comm_rank());
  fclose(file);
  comm_turn_end(comm_size());
  comm_barrier();
  file = fopen(name, "r");
  assert_non_null(file);
  for (int r = 0, seen; r < comm_size(); r++) {
    assert_int_equal(fscanf(file, "%d", &seen), 1);
    assert_int_equal(seen, r);
  }
  fclose(file);
  comm_barrier();
  if (comm_rank() == 0) remove(name);
}

static void local_ranks(void **state)
{
  (void)state;
  int64_t seen[16] = {0};
  const int local = comm_local_rank(), here = comm_local_size();
  assert_in_range(here, 1, comm_size());
  assert_in_range(local, 0, here - 1);
  seen[local] = 1;
  comm_sum_int64(seen, comm_size());
  assert_true(seen[0] >= 1);        // as many as there are machines
  assert_true(seen[here - 1] >= 1); // the last of this one is there
}

static void init_twice(void **state)
{
  (void)state;
  comm_init(NULL, NULL);
  assert_true(comm_size() >= 1);
}

/* Rank r has a count of r + 1 for each rank, and a word for the next one. */
static void exchanges(void **state)
{
  (void)state;
  enum { MOST = 16 };
  const int rank = comm_rank(), size = comm_size();
  int count[MOST], in_count[MOST];
  int64_t out[2] = {rank, 0}, in[2];
  assert_true(size <= MOST);
  for (int r = 0; r < size; r++) count[r] = rank + 1;
  comm_exchange_counts(count, in_count);
  for (int r = 0; r < size; r++) assert_int_equal(in_count[r], r + 1);
  const int from = (rank + size - 1) % size;
  comm_shift(out, in, 2 * sizeof *in);
  assert_true(in[0] == from && in[1] == 0);
}

/* One rank alone expects nobody: no network, no daemon; ranks of one host without GPUs expect no network.  MPICH's
 * launcher does not say how many ranks there are. */
static void company(void **state)
{
  (void)state;
  const char *alone = getenv("OMPI_MCA_ess_singleton_isolated"), *path = getenv("OMPI_MCA_btl"),
             *sends = getenv("OMPI_MCA_pml"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (comm_size() == 1 && getenv("PMI_RANK")) return;
  if (comm_size() == 1) {
    assert_true(alone && path && strcmp(alone, "1") == 0 && strcmp(path, "self") == 0);
    return;
  }
  assert_true(!alone && !path);
  const bool searches = !here || comm_local_size() < comm_size() || access("/dev/nvidiactl", F_OK) == 0;
  assert_true(searches ? !sends : sends && strcmp(sends, "ob1") == 0);
}

int main(int argc, char **argv)
{
  static const char *const said[] = {"OMPI_MCA_ess_singleton_isolated", "OMPI_MCA_pml", "OMPI_MCA_btl"};
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reductions),
    cmocka_unit_test(sums_have_the_same_bits),
    cmocka_unit_test(least_meanwhile),
    cmocka_unit_test(sums_by_memory),
    cmocka_unit_test(least_by_memory),
    cmocka_unit_test(broadcasts),
    cmocka_unit_test(turns_are_in_order),
    cmocka_unit_test(local_ranks),
    cmocka_unit_test(init_twice),
    cmocka_unit_test(exchanges),
    cmocka_unit_test(company),
  };
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) unsetenv(said[i]); // by who runs the tests
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
