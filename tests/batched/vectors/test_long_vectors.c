/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Complex vectors with more real numbers than an int counts: zeros, which take no memory, but for the last elements.
 *
 * label: slow
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "batched/operations.h"
#include "tests/batched/host_context.h"

enum { LENGTH = (1 << 30) + 3 };

static float _Complex *x;

static int set_up(void **unused)
{
  x = mmap(NULL, LENGTH * sizeof *x, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (x == MAP_FAILED) {
    x = NULL;
    return setup(unused);
  }
  madvise(x, LENGTH * sizeof *x, MADV_NOHUGEPAGE);
  x[LENGTH - 2] = 3;
  __imag__ x[LENGTH - 1] = -4;
  return setup(unused);
}

static int tear_down(void **unused)
{
  if (x) munmap(x, LENGTH * sizeof *x);
  return teardown(unused);
}

static batched_matrix vector(void)
{
  if (!x) skip();
  return batched_strided(x, LENGTH, 1, LENGTH, LENGTH, 1);
}

static void test_nrm2(void **unused)
{
  (void)unused;
  float r = -1;
  assert_int_equal(batched_nrm2(ctx, vector(), batched_strided(&r, 1, 1, 1, 1, 1)), 0);
  assert_true(r == 5);
}

static void test_asum(void **unused)
{
  (void)unused;
  float r = -1;
  assert_int_equal(batched_asum(ctx, vector(), batched_strided(&r, 1, 1, 1, 1, 1)), 0);
  assert_true(r == 7);
}

static void test_amax(void **unused)
{
  (void)unused;
  int index = -1;
  assert_int_equal(batched_amax(ctx, vector(), &index), 0);
  assert_int_equal(index, LENGTH);
}

static void test_dot(void **unused)
{
  (void)unused;
  float _Complex r = -1;
  assert_int_equal(batched_dot(ctx, BATCHED_CONJ_TRANS, vector(), vector(), batched_strided(&r, 1, 1, 1, 1, 1)), 0);
  assert_true(r == 25);
}

/* x^H x as a product with a matrix of one column. */
static void test_gemv(void **unused)
{
  (void)unused;
  float _Complex r = -1;
  assert_int_equal(batched_select(ctx, &batched_gemv_op, "host.simd"), 0);
  assert_int_equal(batched_gemv(ctx, BATCHED_CONJ_TRANS, batched_real(1), vector(), vector(), batched_real(0),
                                batched_strided(&r, 1, 1, 1, 1, 1)),
                   0);
  assert_true(r == 25);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nrm2), cmocka_unit_test(test_asum), cmocka_unit_test(test_amax),
    cmocka_unit_test(test_dot),  cmocka_unit_test(test_gemv),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
