/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads words, numbers and raw bytes from a file's contents, which may be anything.  Every function returns false after
 * it has written one sentence into the message; the place is a line in a text file and a byte in a binary one.
 */
#ifndef MESH_SCAN_H
#define MESH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scan {
  const char *name; /* borrowed, of the file */
  const char *text; /* borrowed, [length], not ended by a 0 */
  size_t length;
  size_t at;      /* next byte */
  char comment;   /* starts a comment that runs to the end of the line; 0: there are none */
  bool binary;    /* places are told in bytes */
  bool no_memory; /* the reason of the failure */
  char *message;  /* borrowed, [size] */
  size_t size;
} scan;

typedef struct scan_word {
  const char *text; /* view, [length] */
  size_t length, at;
} scan_word;

/* Always false.  at: where in the file */
bool scan_fail(scan *s, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool scan_fail_memory(scan *s);

/* what: says in the message what should stand there, "a coordinate" */
bool scan_next(scan *s, const char *what, scan_word *word);
/* True if this word is next, which it consumes. */
bool scan_accept(scan *s, const char *word);
bool scan_expect(scan *s, const char *word);
bool scan_is(scan_word word, const char *text);
bool scan_at_end(scan *s);
bool scan_int(scan *s, const char *what, int64_t low, int64_t high, int64_t *value);
bool scan_number(scan *s, const char *what, double *value);
/* A number of things that need at least bytes_each bytes of what is left of the file. */
bool scan_count(scan *s, const char *what, size_t bytes_each, int64_t *value);
bool scan_fits(scan *s, size_t at, const char *what, size_t bytes_each, int64_t count);

/* The rest of the line, which must be blank: raw bytes follow it. */
bool scan_line_end(scan *s);
bool scan_raw(scan *s, const char *what, void *to, size_t bytes);
/* Moves behind the next `line` that starts a line. */
bool scan_skip_to(scan *s, const char *line);

/* A word for a message: up to 40 characters, what can't be printed is '?'. */
typedef struct scan_quote {
  char text[44];
} scan_quote;
scan_quote scan_quoted(scan_word word);

#endif
