/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is everything to be done?  Not with SHOCKLET_THOROUGH=0, which scripts/test gives to sanitizers, where a row takes
 * four times as long: left out is then what repeats the same code, on larger or other random matrices.
 */
#ifndef TESTS_BATCHED_THOROUGH_H
#define TESTS_BATCHED_THOROUGH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_thorough(void)
{
  const char *const word = getenv("SHOCKLET_THOROUGH");
  return !word || strcmp(word, "0") != 0;
}

#endif
