/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whose rows a test does: those of the host, or, with --gpu, those of a GPU.
 */
#ifndef TESTS_SOLVERS_SPACE_H
#define TESTS_SOLVERS_SPACE_H

#include <stdio.h>
#include <string.h>

#include "batched/batched.h"

static batched_space space = BATCHED_HOST;

/* Not 0, with a sentence: there is no GPU. */
static inline int space_choose(int argc, char **argv)
{
  batched_ctx *ctx;
  if (argc < 2 || strcmp(argv[1], "--gpu") != 0) return 0;
  space = BATCHED_CUDA;
  const int status = batched_create(&ctx, space);
  if (status) printf("No GPU here, so no tests of its rows.\n");
  batched_destroy(&ctx);
  return status;
}

#endif
