/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of wrong files: a right one with one piece replaced, and what the sentence must say.
 */
#ifndef TESTS_MESH_REFUSALS_H
#define TESTS_MESH_REFUSALS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"

typedef struct refusal {
  const char *find, *with; /* the first `find` is replaced; NULL: the end of the file */
  const char *says;        /* the beginning of the message after "name:" */
} refusal;

static inline char *replace_first(const char *text, const char *find, const char *with)
{
  const char *at = find ? strstr(text, find) : text + strlen(text);
  if (!at) return NULL;
  size_t skip = find ? strlen(find) : 0;
  char *result = malloc(strlen(text) + strlen(with) + 1);
  sprintf(result, "%.*s%s%s", (int)(at - text), text, with, at + skip);
  return result;
}

/* Parses text; 0 or the status, and the message after the name of the file. */
static inline int parse_text(const char *text, char message[500])
{
  mesh_coarse *c;
  char full[500] = "sample:";
  int status = mesh_coarse_parse(&c, "sample", text, strlen(text), full, sizeof full);
  mesh_coarse_destroy(&c);
  strcpy(message, full + strlen("sample:"));
  return status;
}

/* Prints what differs and returns how many cases did not go as the table says. */
static inline int check_refusals(const char *right, const refusal *table, size_t n)
{
  int wrong = 0;
  for (size_t i = 0; i < n; i++) {
    char message[500];
    char *text = replace_first(right, table[i].find, table[i].with);
    int status = text ? parse_text(text, message) : -1;
    if (status != 2 || strncmp(message, table[i].says, strlen(table[i].says)) != 0) {
      fprintf(stderr, "%s -> %s: status %d, '%s' instead of '%s'\n", table[i].find ? table[i].find : "(end)",
              table[i].with, status, text ? message : "not found", table[i].says);
      wrong++;
    }
    free(text);
  }
  return wrong;
}

#endif
