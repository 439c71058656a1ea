/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that ends at a page which can't be touched, and that can be made unwritable.
 */
#ifndef TESTS_BATCHED_GUARD_PAGE_H
#define TESTS_BATCHED_GUARD_PAGE_H

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last `bytes` bytes, a page at most, before such a page; given back when the program ends. */
static void *guarded(size_t bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(p != MAP_FAILED && mprotect(p + page, page, PROT_NONE) == 0);
  return p + page - bytes;
}

/* From now on p, of guarded(bytes), is only read. */
static inline void forbid_writing(void *p, size_t bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  assert_int_equal(mprotect((char *)p + bytes - page, page, PROT_READ), 0);
}

#endif
