/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One context on the host for all tests of a program, by cmocka_run_group_tests(tests, setup, teardown).
 */
#ifndef TESTS_BATCHED_HOST_CONTEXT_H
#define TESTS_BATCHED_HOST_CONTEXT_H

#include "batched/batched.h"

static batched_ctx *ctx;

static int setup(void **unused)
{
  (void)unused;
  return batched_create(&ctx, BATCHED_HOST);
}

static int teardown(void **unused)
{
  (void)unused;
  batched_destroy(&ctx);
  return 0;
}

#endif
