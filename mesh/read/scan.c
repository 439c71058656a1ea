/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read/scan.h"

static bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static int line_of(const scan *s, size_t at)
{
  int line = 1;
  for (size_t i = 0; i < at && i < s->length; i++) line += s->text[i] == '\n';
  return line;
}

bool scan_fail(scan *s, size_t at, const char *format, ...)
{
  char sentence[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  if (s->binary)
    snprintf(s->message, s->size, "%s:byte %zu: %s", s->name, at, sentence);
  else
    snprintf(s->message, s->size, "%s:%d: %s", s->name, line_of(s, at), sentence);
  return false;
}

bool scan_fail_memory(scan *s)
{
  s->no_memory = true;
  snprintf(s->message, s->size, "%s: out of memory for this mesh", s->name);
  return false;
}

scan_quote scan_quoted(scan_word word)
{
  scan_quote q = {0};
  size_t n = word.length < 40 ? word.length : 40;
  for (size_t i = 0; i < n; i++) q.text[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
  if (word.length > n) memcpy(q.text + n, "...", 3);
  return q;
}

/* Blanks are spaces, comments, and the mark of UTF-8 at the beginning, which editors on Windows write. */
static void skip_blank(scan *s)
{
  if (s->at == 0 && s->length >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0) s->at = 3;
  while (s->at < s->length) {
    char c = s->text[s->at];
    if (s->comment && c == s->comment) {
      while (s->at < s->length && s->text[s->at] != '\n') s->at++;
    } else if (is_space(c)) {
      s->at++;
    } else {
      return;
    }
  }
}

static scan_word peek(scan *s)
{
  skip_blank(s);
  size_t end = s->at;
  while (end < s->length && !is_space(s->text[end])) end++;
  return (scan_word){.text = s->text + s->at, .length = end - s->at, .at = s->at};
}

bool scan_at_end(scan *s)
{
  return peek(s).length == 0;
}

bool scan_next(scan *s, const char *what, scan_word *word)
{
  *word = peek(s);
  if (word->length == 0) return scan_fail(s, s->length, "the file ends where %s should be; is it complete?", what);
  s->at += word->length;
  return true;
}

bool scan_is(scan_word word, const char *text)
{
  return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool scan_accept(scan *s, const char *text)
{
  scan_word word = peek(s);
  if (!scan_is(word, text)) return false;
  s->at += word.length;
  return true;
}

bool scan_expect(scan *s, const char *text)
{
  scan_word word;
  char what[64];
  snprintf(what, sizeof what, "'%s'", text);
  if (!scan_next(s, what, &word)) return false;
  if (scan_is(word, text)) return true;
  return scan_fail(s, word.at, "'%s' stands where '%s' should be", scan_quoted(word).text, text);
}

/* The word as a C string; false if it is too long to be a number. */
static bool copy_word(scan_word word, char copy[128])
{
  if (word.length >= 128 || memchr(word.text, 0, word.length)) return false;
  memcpy(copy, word.text, word.length);
  copy[word.length] = 0;
  return true;
}

bool scan_int(scan *s, const char *what, int64_t low, int64_t high, int64_t *value)
{
  scan_word word;
  char copy[128], *end = copy;
  if (!scan_next(s, what, &word)) return false;
  errno = 0;
  long long v = copy_word(word, copy) ? strtoll(copy, &end, 10) : 0;
  if (end == copy || *end)
    return scan_fail(s, word.at, "'%s' stands where %s should be, an integer", scan_quoted(word).text, what);
  if (errno || v < low || v > high)
    return scan_fail(s, word.at, "%s is %s, but must be from %lld to %lld", what, scan_quoted(word).text,
                     (long long)low, (long long)high);
  *value = v;
  return true;
}

bool scan_number(scan *s, const char *what, double *value)
{
  scan_word word;
  char copy[128], *end = copy;
  if (!scan_next(s, what, &word)) return false;
  double v = copy_word(word, copy) ? strtod(copy, &end) : 0;
  if (end == copy || *end)
    return scan_fail(s, word.at, "'%s' stands where %s should be, a number", scan_quoted(word).text, what);
  if (!isfinite(v)) return scan_fail(s, word.at, "%s is %s, but must be finite", what, scan_quoted(word).text);
  *value = v;
  return true;
}

bool scan_fits(scan *s, size_t at, const char *what, size_t bytes_each, int64_t count)
{
  size_t room = (s->length - s->at + 1) / bytes_each; // the last word needs no blank after it
  if ((uint64_t)count <= room) return true;
  return scan_fail(s, at, "%s is %lld, more than the rest of the file can hold; is it complete?", what,
                   (long long)count);
}

bool scan_count(scan *s, const char *what, size_t bytes_each, int64_t *value)
{
  size_t at = peek(s).at;
  return scan_int(s, what, 0, INT32_MAX / 12, value) && scan_fits(s, at, what, bytes_each, *value);
}

bool scan_line_end(scan *s)
{
  while (s->at < s->length && s->text[s->at] != '\n' && is_space(s->text[s->at])) s->at++;
  if (s->at < s->length && s->text[s->at] == '\n') {
    s->at++;
    return true;
  }
  return scan_fail(s, s->at, "the line should end here, before binary data");
}

bool scan_raw(scan *s, const char *what, void *to, size_t bytes)
{
  if (bytes > s->length - s->at)
    return scan_fail(s, s->length, "the file ends where %s should be; is it complete?", what);
  memcpy(to, s->text + s->at, bytes);
  s->at += bytes;
  return true;
}

bool scan_skip_to(scan *s, const char *line)
{
  size_t start = s->at, n = strlen(line);
  for (size_t i = s->at; i < s->length;) {
    const char *found = memmem(s->text + i, s->length - i, line, n);
    if (!found) break;
    i = (size_t)(found - s->text) + n;
    if (found > s->text && found[-1] == '\n' && (i == s->length || is_space(s->text[i]))) {
      s->at = i;
      return true;
    }
  }
  return scan_fail(s, start, "there is no '%s' after this; is the file complete?", line);
}
