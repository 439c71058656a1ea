/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The BLAS behind the vendor's rows has a name, and "none" where there are no such rows.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/host/vendor_library.h"
#include "batched/operations.h"

static void test_has_a_name(void **unused)
{
  (void)unused;
  char text[256] = "", little[5];
  bool there = false;
  for (const batched_variant *v = batched_gemm_op.variants[BATCHED_HOST]; v->name; v++)
    there = there || strcmp(v->name, "vendor.blas") == 0;
  assert_ptr_equal(batched_describe_blas(text, sizeof text), text);
  assert_true(strlen(text) > 2 && !strchr(text, '\n'));
  assert_int_equal(strcmp(text, "none") != 0, there);
  assert_int_equal(strstr(text, "slow") != NULL, batched_vendor_is_untuned());
  assert_true(strlen(batched_describe_blas(little, sizeof little)) < sizeof little);
  assert_memory_equal(little, text, 4);
}

/* What the environment says comes first. */
static void test_one_thread(void **unused)
{
  (void)unused;
  int (*threads)(void);
  *(void **)&threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  if (!threads) skip();
  const int before = threads();
  setenv("OPENBLAS_NUM_THREADS", "7", 1);
  batched_vendor_use_one_thread();
  assert_int_equal(threads(), before);
  unsetenv("OPENBLAS_NUM_THREADS");
  unsetenv("GOTO_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  batched_vendor_use_one_thread();
  assert_int_equal(threads(), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_has_a_name), cmocka_unit_test(test_one_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
