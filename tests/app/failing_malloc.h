/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that runs out in our own code: its malloc and the like are wrapped (tests/app/CMakeLists.txt), and the
 * k-th of them on the last rank finds none.  Include after cmocka.h.
 */
#ifndef TESTS_APP_FAILING_MALLOC_H
#define TESTS_APP_FAILING_MALLOC_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/comm.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
FILE *__wrap_open_memstream(char **text, size_t *size);

/* How many are left before the one that fails, and then -1; other negative numbers: none does. */
enum { FAILED = -1, NONE_FAILS = -2 };
static int left = NONE_FAILS;

static bool fails(void)
{
  const bool now = left >= 0 && left-- == 0;
  if (now) errno = ENOMEM;
  return now;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
  return fails() ? NULL : __real_realloc(p, size);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
  return fails() ? NULL : __real_open_memstream(text, size);
}

/* The k-th from now on, from 0. */
static inline void failing_malloc_begin(int k)
{
  left = comm_rank() == comm_size() - 1 ? k : NONE_FAILS;
}

/* None any more; returns whether there were as many. */
static inline bool failing_malloc_end(void)
{
  const int failed = left == FAILED;
  left = NONE_FAILS;
  return comm_worst(failed);
}

/* All ranks have the same status, 0 or 3, and 3 with the same sentence. */
static inline void failing_malloc_check(int k, int status, bool failed, const char *message, size_t size)
{
  char first[1024];
  assert_true(size == sizeof first);
  memcpy(first, message, size);
  comm_broadcast(first, size, 0);
  assert_int_equal(comm_worst(status), status);
  if (!status) return;
  assert_true(failed);
  assert_int_equal(status, 3);
  assert_string_equal(message, first);
  if (!strstr(message, "out of memory") && !strstr(message, strerror(ENOMEM)))
    fail_msg("allocation %d: %s", k, message);
}

#endif
