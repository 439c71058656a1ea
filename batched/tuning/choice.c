/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tuning/choice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "batched/context.h"

enum { M, N, K, KU, RHS, MN, MNK, M_MOD_16, COUNT, QUANTITIES };
static const char *const quantities[QUANTITIES] = {"m", "n", "k", "ku", "rhs", "mn", "mnk", "m%16", "count"};

/* Bits of a shape, and the words for a bit that is set and one that is not. */
enum { LOWER = 1, TRANSPOSED = 2, VARIABLE = 4, ODD = 8, LONG = 16, VECTORS = 32, TRAITS = 6 };
static const char *const words[TRAITS][2] = {{"lower", "upper"}, {"transposed", "plain"}, {"variable", "uniform"},
                                             {"odd", "even"},    {"long", "short"},       {"vectors", "values"}};

enum { MAX_TERMS = 6, MAX_NAME = 32, MAX_WHERE = 120, MAX_ROWS = 32, SECTIONS = 256, MAX_SHIPPED = 1024 };

/* quantity in low .. high */
typedef struct term {
  int quantity;
  int64_t low, high;
} term;

/* A line of a table. */
typedef struct choice {
  char operation[MAX_NAME], row[MAX_NAME];
  unsigned types;         /* a bit each */
  unsigned traits, wants; /* those that matter, and their values */
  int nterms;
  term terms[MAX_TERMS];
} choice;

/* The lines of one operation whose rows are there, and the places of these rows. */
typedef struct section {
  const void *table; /* whose rows; NULL: free */
  int n;
  struct {
    const choice *line;
    int row;
  } * lines; /* owned */
} section;

/* Lines of a context: those that it loaded come before those of a shipped table. */
struct batched_choices {
  int n, nshipped, nsections;
  choice *lines;         /* owned */
  const choice *shipped; /* borrowed */
  section *sections;     /* owned: SECTIONS of them, from the first look-up on */
};

/* ------------------------------------------------------------------ reading */

static bool read_number(const char **at, int64_t *value)
{
  char *end;
  if (**at < '0' || **at > '9') return false;
  *value = strtoll(*at, &end, 10);
  *at = end;
  return true;
}

/* "5", "5..9", "5.." or "..9" */
static bool read_range(const char *at, term *t)
{
  t->low = INT64_MIN;
  const bool has_low = read_number(&at, &t->low);
  t->high = t->low;
  if (strncmp(at, "..", 2) == 0) {
    at += 2;
    t->high = INT64_MAX;
    if (!read_number(&at, &t->high) && !has_low) return false;
  } else if (!has_low) {
    return false;
  }
  return *at == 0 && t->low <= t->high;
}

static bool read_word(choice *c, const char *word)
{
  const char *equals = strchr(word, '=');
  for (int i = 0; i < TRAITS && !equals; i++) {
    const bool yes = strcmp(word, words[i][0]) == 0;
    if (!yes && strcmp(word, words[i][1]) != 0) continue;
    c->traits |= 1u << i;
    if (yes) c->wants |= 1u << i;
    return true;
  }
  for (int i = 0; i < QUANTITIES && equals && c->nterms < MAX_TERMS; i++) {
    const size_t length = strlen(quantities[i]);
    if ((size_t)(equals - word) != length || strncmp(word, quantities[i], length) != 0) continue;
    c->terms[c->nterms].quantity = i;
    return read_range(equals + 1, &c->terms[c->nterms++]);
  }
  return false;
}

static bool read_types(choice *c, const char *letters)
{
  for (; *letters; letters++) {
    const char *known = strchr("sdcz", *letters);
    if (!known) return false;
    c->types |= 1u << (known - "sdcz");
  }
  return c->types != 0;
}

/* The text up to a comma or the end of the line; NULL if it is too long. */
static const char *read_field(const char *at, char *field, size_t most)
{
  const size_t length = strcspn(at, ",\r\n");
  if (length >= most) return NULL;
  memcpy(field, at, length);
  field[length] = 0;
  at += length;
  return *at == ',' ? at + 1 : at;
}

static bool read_line(const char *line, choice *c)
{
  char types[MAX_NAME], where[MAX_WHERE];
  if (*line == '#') return false;
  *c = (choice){.nterms = 0};
  line = read_field(line, c->operation, sizeof c->operation);
  if (line) line = read_field(line, types, sizeof types);
  if (line) line = read_field(line, c->row, sizeof c->row);
  if (line) line = read_field(line, where, sizeof where);
  if (!line || (*line && !strchr("\r\n", *line)) || !strchr(c->row, '.') || !read_types(c, types)) return false;
  char *rest = where;
  for (char *word; (word = strtok_r(rest, " ", &rest));)
    if (!read_word(c, word)) return false;
  return true;
}

static void forget_sections(struct batched_choices *c)
{
  if (c->nsections == 0) return;
  for (int i = 0; i < SECTIONS; i++) free(c->sections[i].lines);
  memset(c->sections, 0, SECTIONS * sizeof *c->sections);
  c->nsections = 0;
}

/* Reads the lines of a text that make sense, at most `most`; returns how many. */
static int read_lines(const char *text, choice *lines, int most)
{
  int n = 0;
  for (const char *line = text; line && n < most; line = strchr(line, '\n')) {
    line += *line == '\n';
    n += read_line(line, &lines[n]);
  }
  return n;
}

static struct batched_choices *choices_of(batched_ctx *ctx)
{
  struct batched_choices **in = batched_choices_in(ctx);
  if (in && !*in) *in = calloc(1, sizeof **in);
  return in ? *in : NULL;
}

int batched_load_choices(batched_ctx *ctx, const char *text)
{
  struct batched_choices *c = choices_of(ctx);
  if (!c) return 0;
  int most = c->n + 1;
  for (const char *at = text; *at; at++) most += *at == '\n';
  choice *lines = malloc((size_t)most * sizeof *lines);
  if (!lines) return 0;
  const int n = read_lines(text, lines, most - c->n);
  if (c->n > 0) memcpy(lines + n, c->lines, (size_t)c->n * sizeof *lines);
  forget_sections(c);
  free(c->lines);
  c->lines = lines;
  c->n += n;
  return n;
}

/* ------------------------------------------------------------------ shipped tables */

/* All shipped lines, table after table: constants, read once per process by whichever thread comes first.  Static, so
 * that no allocation can fail. */
static choice shipped[MAX_SHIPPED];
static pthread_once_t shipped_are_read = PTHREAD_ONCE_INIT;
static struct {
  int first, n;
} shipped_tables[MAX_SHIPPED];

static void read_shipped(void)
{
  int n = 0;
  for (int i = 0; i < MAX_SHIPPED && batched_choice_tables[i]; i++) {
    shipped_tables[i].first = n;
    shipped_tables[i].n = read_lines(batched_choice_tables[i], shipped + n, MAX_SHIPPED - n);
    n += shipped_tables[i].n;
  }
}

int batched_ship_choices(batched_ctx *ctx, const char *table)
{
  struct batched_choices *c = choices_of(ctx);
  int i = 0;
  while (batched_choice_tables[i] && batched_choice_tables[i] != table) i++;
  if (!c || !batched_choice_tables[i] || i >= MAX_SHIPPED) return 0;
  pthread_once(&shipped_are_read, read_shipped);
  forget_sections(c);
  c->shipped = shipped + shipped_tables[i].first;
  c->nshipped = shipped_tables[i].n;
  return c->nshipped;
}

void batched_clear_choices(batched_ctx *ctx)
{
  struct batched_choices **in = batched_choices_in(ctx);
  if (!in) return;
  batched_free_choices(*in);
  *in = NULL;
}

void batched_free_choices(struct batched_choices *c)
{
  if (!c) return;
  forget_sections(c);
  free(c->sections);
  free(c->lines);
  free(c);
}

/* ------------------------------------------------------------------ looking up */

static int find_name(const char *const *names, const char *name)
{
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

/* Line i of n + nshipped. */
static const choice *line_at(const struct batched_choices *c, int i)
{
  return i < c->n ? &c->lines[i] : &c->shipped[i - c->n];
}

static section make_section(const struct batched_choices *c, const void *table, const char *operation,
                            const char *const *names)
{
  section s = {.table = table};
  const int all = c->n + c->nshipped;
  int most = 0;
  for (int i = 0; i < all; i++) most += strcmp(line_at(c, i)->operation, operation) == 0;
  if (most > 0) s.lines = malloc((size_t)most * sizeof *s.lines);
  for (int i = 0; i < all && s.lines; i++) {
    if (strcmp(line_at(c, i)->operation, operation) != 0) continue;
    const int row = find_name(names, line_at(c, i)->row);
    if (row < 0) continue;
    s.lines[s.n].line = line_at(c, i);
    s.lines[s.n++].row = row;
  }
  return s;
}

/* Finds the place of a table's section, or the free one that it would take. */
static section *place_of(struct batched_choices *c, const void *table)
{
  size_t at = (size_t)((uintptr_t)table >> 4) * 0x9e3779b9u >> 8;
  for (;; at++) {
    section *s = &c->sections[at % SECTIONS];
    if (!s->table || s->table == table) return s;
  }
}

/* The section of a table, or NULL: there is none yet, or no memory. */
static const section *find_section(struct batched_choices *c, const void *table)
{
  if (!c->sections) c->sections = calloc(SECTIONS, sizeof *c->sections);
  const section *s = c->sections ? place_of(c, table) : NULL;
  return s && s->table ? s : NULL;
}

static const section *add_section(struct batched_choices *c, const void *table, const char *operation,
                                  const char *const *names)
{
  if (!c->sections) return NULL;
  if (2 * c->nsections > SECTIONS) forget_sections(c);
  section *s = place_of(c, table);
  *s = make_section(c, table, operation, names);
  c->nsections++;
  return s;
}

static void measure(const batched_shape *s, int64_t value[QUANTITIES], unsigned *traits)
{
  value[M] = s->m;
  value[N] = s->n;
  value[K] = s->k;
  value[KU] = s->ku;
  value[RHS] = s->rhs;
  value[MN] = value[M] * value[N];
  value[MNK] = value[MN] * value[K];
  value[M_MOD_16] = s->m % 16;
  value[COUNT] = s->count;
  const bool is_long = 2 * (int64_t)s->m >= 3 * (int64_t)s->n || 2 * (int64_t)s->n >= 3 * (int64_t)s->m;
  *traits = (s->lower ? LOWER : 0) | (s->transposed ? TRANSPOSED : 0) | (s->variable ? VARIABLE : 0) |
            (s->odd ? ODD : 0) | (is_long ? LONG : 0) | (s->vectors ? VECTORS : 0);
}

static bool holds(const choice *c, batched_type type, unsigned traits, const int64_t value[QUANTITIES])
{
  if (!(c->types >> type & 1) || (traits & c->traits) != c->wants) return false;
  for (int i = 0; i < c->nterms; i++)
    if (value[c->terms[i].quantity] < c->terms[i].low || value[c->terms[i].quantity] > c->terms[i].high) return false;
  return true;
}

static int next_row(const section *s, const batched_shape *shape, int *cursor)
{
  int64_t value[QUANTITIES];
  unsigned traits;
  measure(shape, value, &traits);
  while (*cursor < s->n) {
    const int i = (*cursor)++;
    if (holds(s->lines[i].line, shape->type, traits, value)) return s->lines[i].row;
  }
  return -1;
}

int batched_next_choice(batched_ctx *ctx, const char *operation, const char *const *names, const batched_shape *shape,
                        int *cursor)
{
  struct batched_choices **in = batched_choices_in(ctx);
  if (!in || !*in) return -1;
  const section *s = find_section(*in, names);
  if (!s) s = add_section(*in, names, operation, names);
  return s ? next_row(s, shape, cursor) : -1;
}

static const section *section_of(batched_ctx *ctx, const batched_op *op)
{
  struct batched_choices **in = batched_choices_in(ctx);
  const batched_variant *table = op->variants[ctx->space];
  if (!in || !*in || !table) return NULL;
  const section *s = find_section(*in, table);
  if (s) return s;
  const char *names[MAX_ROWS + 1] = {NULL};
  for (int i = 0; i < MAX_ROWS && table[i].name; i++) names[i] = table[i].name;
  return add_section(*in, table, op->name, names);
}

/* Within another operation of a host the count may be that of a thread's share or of a part, on which no bit of a
 * result depends: the whole batch's counts. */
const batched_variant *batched_choose_by_table(batched_ctx *ctx, const batched_op *op, const void *args)
{
  const section *s = section_of(ctx, op);
  if (!s || s->n == 0) return NULL;
  batched_shape shape = batched_shape_of(op, args);
  if (ctx->space == BATCHED_HOST) shape.count = batched_whole_count(ctx, shape.count);
  for (int cursor = 0, row; (row = next_row(s, &shape, &cursor)) >= 0;) {
    const batched_variant *v = &op->variants[ctx->space][row];
    if (!v->fits || v->fits(args)) return v;
  }
  return NULL;
}
