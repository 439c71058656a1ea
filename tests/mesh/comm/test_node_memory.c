/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that the ranks of a machine share.  It is made in /dev/shm, which a container may lack: then there is none,
 * and the rest is skipped.
 * ranks: 1 2 3
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh/comm/node_memory.h"
#include "mesh/comm/comm.h"

/* Everybody reads what everybody wrote; pieces are as large as the largest wish, and begin as zeros. */
static void ranks_see_each_other(void **state)
{
  (void)state;
  const int rank = comm_rank(), size = comm_size();
  for (size_t most = 1; most < 100000; most *= 10) {
    node_memory b;
    node_memory_create(&b, rank == size - 1 ? most : 1);
    assert_non_null(b.base);
    assert_true(b.piece >= most && b.piece % NODE_MEMORY_PAGE == 0);
    char *mine = b.base + (size_t)rank * b.piece;
    for (size_t i = 0; i < b.piece; i++) assert_int_equal(mine[i], 0);
    memset(mine, rank + 1, b.piece);
    comm_barrier();
    for (int r = 0; r < size; r++) {
      assert_int_equal(b.base[(size_t)r * b.piece], r + 1);
      assert_int_equal(b.base[(size_t)(r + 1) * b.piece - 1], r + 1);
    }
    comm_barrier();
    node_memory_destroy(&b);
    assert_null(b.base);
  }
}

/* Others keep their node_memory when one has left. */
static void memory_outlives_ranks(void **state)
{
  (void)state;
  node_memory b, other;
  node_memory_create(&b, 10);
  node_memory_create(&other, 10);
  assert_true(b.base && other.base && b.base != other.base);
  b.base[(size_t)comm_rank() * b.piece] = 7;
  comm_barrier();
  if (comm_rank() == 0) node_memory_destroy(&b);
  comm_barrier();
  if (comm_rank() > 0) assert_int_equal(b.base[0], 7);
  assert_int_equal(other.base[0], 0);
  node_memory_destroy(&b);
  node_memory_destroy(&other);
}

static void no_base_without_shared_memory(void **state)
{
  (void)state;
  node_memory b;
  node_memory_create(&b, 10);
  assert_null(b.base);
  node_memory_destroy(&b);
}

int main(int argc, char **argv)
{
  enum { SKIPPED = 77 };
  const struct CMUnitTest alone[] = {cmocka_unit_test(no_base_without_shared_memory)};
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_see_each_other),
    cmocka_unit_test(memory_outlives_ranks),
  };
  comm_init(&argc, &argv);
  const bool missing = comm_worst(access("/dev/shm", W_OK) != 0);
  int failed = missing ? cmocka_run_group_tests(alone, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
  if (missing && !failed) {
    if (comm_rank() == 0) puts("/dev/shm can't be written to here: node memories are not tested");
    failed = SKIPPED;
  }
  comm_finalize();
  return failed;
}
