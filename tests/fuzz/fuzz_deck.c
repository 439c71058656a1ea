/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as a deck: a deck, which printed is one again, or a sentence on one line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/deck/deck.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void want(int truth)
{
  if (!truth) abort();
}

static void check_sentence(const char *message, size_t size)
{
  const size_t n = strnlen(message, size);
  want(n > 0 && n < size && !strchr(message, '\n'));
}

static void differs(void *user, const char *key, const char *before, const char *now)
{
  (void)user, (void)key, (void)before, (void)now;
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static deck d, again;
  char message[1024] = "", *text = NULL;
  size_t length = 0;
  const int status = deck_parse(&d, "fuzz.yaml", (const char *)data, size, 0, NULL, message, sizeof message);
  want(status == 0 || status == 2);
  if (status) {
    check_sentence(message, sizeof message);
    return 0;
  }
  FILE *memory = open_memstream(&text, &length);
  want(memory != NULL);
  deck_print(&d, memory);
  fclose(memory);
  want(deck_parse(&again, "again.yaml", text, length, 0, NULL, message, sizeof message) == 0);
  deck_compare(&d, &again, differs, NULL);
  free(text);
  return 0;
}
