/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For vendor_library.c, where no CBLAS and LAPACKE were found.
 */
#include "batched/host/vendor_library.h"

#include <stdio.h>

const char *batched_describe_blas(char *text, size_t size)
{
  snprintf(text, size, "none");
  return text;
}

bool batched_vendor_is_untuned(void)
{
  return false;
}

bool batched_vendor_is_for_older_processors(void)
{
  return false;
}

void batched_vendor_use_one_thread(void)
{
}
