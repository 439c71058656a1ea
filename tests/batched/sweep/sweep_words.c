/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words behind --bench.  One that says nothing would measure something else than was meant, and is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/batched/sweep/sweep_private.h"

/* Decimal numbers of at least `least`, `most` of them at most, with this between them. */
static bool are_numbers(const char *text, char between, int least, int most)
{
  int n = 0;
  for (;;) {
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || number < least || number > 1000000000 || ++n > most) return false;
    if (!*end) return true;
    if (*end != between) return false;
    text = end + 1;
  }
}

static bool is_shape(const char *text)
{
  const char *x = strchr(text, 'x');
  return x && strchr(x + 1, 'x') && are_numbers(text, 'x', 0, 3);
}

static bool is_row(batched_space space, const char *name, size_t length)
{
  for (const batched_variant *v = sweep.family->op->variants[space]; v->name; v++)
    if (strlen(v->name) == length && strncmp(name, v->name, length) == 0) return true;
  return false;
}

/* Names of rows of the operation, in the spaces that are looked at; the GPU's tests have auto, too. */
static bool are_rows(const char *text, bool host, bool gpu)
{
  for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
    end = at + strcspn(at, ",");
    const size_t length = (size_t)(end - at);
    const bool known = (gpu && length == 4 && strncmp(at, "auto", length) == 0) ||
                       (host && is_row(BATCHED_HOST, at, length)) || (gpu && is_row(BATCHED_CUDA, at, length));
    if (!known) return false;
  }
  return true;
}

bool sweep_has_rows(batched_space space)
{
  const bool gpu = space == BATCHED_CUDA;
  const batched_variant *v = sweep.family->op->variants[space];
  if (!sweep.rows || !v->name || are_rows(sweep.rows, !gpu, gpu)) return true;
  fprintf(stderr, "rows=%s: the rows of %s on the %s are", sweep.rows, sweep.family->op->name, gpu ? "GPU" : "host");
  for (; v->name; v++) fprintf(stderr, " %s", v->name);
  fputs(gpu ? " auto\n" : "\n", stderr);
  return false;
}

static bool is_one_of(const char *text, const char *const *names)
{
  for (; *names; names++)
    if (strcmp(text, *names) == 0) return true;
  return false;
}

static bool is_known(const char *word)
{
  static const char *const spaces[] = {"host", "cuda", NULL};
  static const char *const layouts[] = {"dense", "array", "variable", "shared", NULL};
  const char *equals = strchr(word, '=');
  if (!equals || !equals[1]) return false;
  const char *value = equals + 1;
  const size_t n = (size_t)(value - word);
  if (strncmp(word, "space=", n) == 0) return is_one_of(value, spaces);
  if (strncmp(word, "layout=", n) == 0) return is_one_of(value, layouts);
  if (strncmp(word, "types=", n) == 0) return value[strspn(value, "sdcz")] == 0;
  if (strncmp(word, "n=", n) == 0) return are_numbers(value, ',', 0, SWEEP_MAX_SIZES);
  if (strncmp(word, "shape=", n) == 0) return is_shape(value);
  if (strncmp(word, "rows=", n) == 0) return are_rows(value, true, true);
  if (strncmp(word, "count=", n) == 0 || strncmp(word, "threads=", n) == 0) return are_numbers(value, 0, 1, 1);
  static const char *const numbers[] = {"nrhs=", "k=", "flags=", NULL};
  for (int i = 0; numbers[i]; i++)
    if (strncmp(word, numbers[i], n) == 0) return are_numbers(value, 0, 0, 1);
  return false;
}

/* Which operands change their shape with n, or with k: bits. */
static unsigned changed_by(int flags, int n, int k)
{
  const sweep_case c = {.m = 8, .n = 8, .k = 8, .flags = flags}, d = {.m = 8, .n = n, .k = k, .flags = flags};
  sweep_operand x[SWEEP_MAX_OPERANDS] = {0}, y[SWEEP_MAX_OPERANDS] = {0};
  unsigned changed = 0;
  sweep.family->operands(&c, x);
  sweep.family->operands(&d, y);
  for (int i = 0; i < sweep.family->noperands; i++)
    if (x[i].m != y[i].m || x[i].n != y[i].n) changed |= 1u << i;
  return changed;
}

/* n is a number of right-hand sides where the first operand has nothing to do with it. */
static bool has_nrhs(int flags)
{
  const unsigned changed = changed_by(flags, 5, 8);
  return changed && !(changed & 1);
}

static bool takes_shared(int flags)
{
  const sweep_case c = {.m = 8, .n = 8, .k = 8, .flags = flags};
  sweep_operand x[SWEEP_MAX_OPERANDS] = {0};
  sweep.family->operands(&c, x);
  for (int i = 0; i < sweep.family->noperands; i++)
    if (x[i].shareable) return true;
  return false;
}

/* Words that are known, but that this operation has no use for, or not beside each other. */
static bool are_of_use(int argc, char **argv)
{
  const char *op = sweep.family->op->name, *shape = sweep_word(argc, argv, "shape", NULL);
  const char *nrhs = sweep_word(argc, argv, "nrhs", NULL), *k = sweep_word(argc, argv, "k", NULL);
  const int flags = atoi(sweep_word(argc, argv, "flags", "0"));
  if (flags >= sweep.family->nflags)
    fprintf(stderr, "--bench: flags=%d: those of %s are 0 to %d\n", flags, op, sweep.family->nflags - 1);
  else if (shape && (nrhs || k || sweep_word(argc, argv, "n", NULL)))
    fprintf(stderr, "--bench: shape=%s gives all sizes: n=, nrhs= and k= can't stand beside it\n", shape);
  else if (nrhs && !has_nrhs(flags))
    fprintf(stderr, "--bench: nrhs=%s: %s takes no nrhs=; shape=MxNxK gives all sizes\n", nrhs, op);
  else if (k && !changed_by(flags, 8, 5))
    fprintf(stderr, "--bench: k=%s: %s takes no k=\n", k, op);
  else if (strcmp(sweep_word(argc, argv, "layout", ""), "shared") == 0 && !takes_shared(flags))
    fprintf(stderr, "--bench: layout=shared: %s has no operand that a batch can share\n", op);
  else
    return true;
  return false;
}

/* Says what there is in place of a word. */
static void refuse(const char *word)
{
  const batched_op *op = sweep.family->op;
  if (strncmp(word, "rows=", 5) != 0 || !word[5]) {
    fprintf(stderr, "--bench: %s is none of " SWEEP_WORDS "\n", word);
    return;
  }
  fprintf(stderr, "--bench: %s: the rows of %s are auto", word, op->name);
  for (int space = 0; space < 2; space++)
    for (const batched_variant *v = op->variants[space]; v->name; v++) fprintf(stderr, ", %s", v->name);
  fputs("\n", stderr);
}

bool sweep_are_words(int argc, char **argv)
{
  for (int i = 0; i < argc; i++) {
    if (is_known(argv[i])) continue;
    refuse(argv[i]);
    return false;
  }
  return are_of_use(argc, argv);
}

const char *sweep_word(int argc, char **argv, const char *name, const char *otherwise)
{
  const size_t length = strlen(name);
  for (int i = 0; i < argc; i++)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  return otherwise;
}

int sweep_help(const char *program, const char *word)
{
  const bool asked = strcmp(word, "--help") == 0;
  fprintf(asked ? stdout : stderr,
          "%s: tests of %s in batches, on the host; --far: and all orders at which kernels for a GPU change\n"
          "  --gpu [--quick [--misread]] [--uninitialised] [--far]   the rows for CUDA; exit status 77 without a GPU\n"
          "  rows=NAME,...                               these rows alone\n"
          "  --bench [WORD ...]                          times the rows, as CSV; words: " SWEEP_WORDS "\n",
          program, sweep.family->op->name);
  if (!asked) fprintf(stderr, "%s is none of these\n", word);
  return asked ? 0 : 2;
}
