/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON, written as it comes: indented, numbers with 17 significant digits, null for what is not finite.
 */
#ifndef APP_JSON_H
#define APP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 16 };

typedef struct json {
  FILE *to; /* borrowed */
  int depth;
  char close[JSON_MAX_DEPTH]; /* of the objects and arrays that are open */
  bool begun[JSON_MAX_DEPTH + 1];
} json;

json json_begin(FILE *to);
/* Ends the text; everything that was opened must be closed. */
void json_end(json *j);

/* key: NULL inside an array and for the outermost value. */
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_close(json *j);

void json_number(json *j, const char *key, double x);
void json_integer(json *j, const char *key, int64_t i);
void json_bool(json *j, const char *key, bool yes);
/* NULL gives null.  The text is UTF-8; a byte that is not becomes a replacement character. */
void json_string(json *j, const char *key, const char *text);

#endif
