/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One context for all tests of a program that runs them on a GPU or on the host.
 */
#ifndef TESTS_BATCHED_ONE_CONTEXT_H
#define TESTS_BATCHED_ONE_CONTEXT_H

#include <stdio.h>
#include <string.h>

#include "batched/batched.h"

static batched_ctx *ctx;

/* The space that the arguments ask for. */
static inline batched_space one_space(int argc, char **argv)
{
  return argc > 1 && strcmp(argv[1], "--gpu") == 0 ? BATCHED_CUDA : BATCHED_HOST;
}

/* 0, or the exit status of the program, with a sentence: 77 (skipped) where there is no GPU, else 1. */
static inline int one_context(batched_space space)
{
  const int status = batched_create(&ctx, space);
  if (status == BATCHED_NO_DEVICE)
    puts("SKIPPED: no CUDA device, or CUDA was not built");
  else if (status)
    puts(batched_strerror(status));
  return status == BATCHED_NO_DEVICE ? 77 : status ? 1 : 0;
}

#endif
