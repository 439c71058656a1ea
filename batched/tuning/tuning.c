/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/context.h"
#include "batched/host/vendor_library.h"
#include "batched/tuning/choice.h"

typedef struct measured {
  const batched_family *family;
  batched_type type;
  int config;
  int size[3];
  float log_size[3];
  double seconds;
} measured;

/* An answer that was given. */
typedef struct answer {
  const batched_family *family;
  batched_type type;
  int size[3], otherwise, config;
} answer;

enum { REMEMBERED = 16 };

typedef struct lines {
  const measured *rows;
  int n;
} lines;

struct batched_tuning {
  lines own, shipped; /* own.rows are owned */
  answer answers[REMEMBERED];
  const batched_family *forced;
  int forced_config;
  bool asked;
  int asked_size[3];
  struct batched_choices *choices; /* owned */
};

/* Sizes are compared by their ratios; 0 counts as 1. */
static void logarithms(const int size[3], float out[3])
{
  for (int i = 0; i < 3; i++) out[i] = log2f(size[i] > 1 ? (float)size[i] : 1.0f);
}

static double cost_of(const batched_family *f, int config, batched_type type, const int size[3])
{
  double volume = 1;
  if (f->cost) return f->cost(config, type, size[0], size[1], size[2]);
  for (int i = 0; i < 3; i++) volume *= size[i] > 1 ? size[i] : 1;
  return volume;
}

static float distance_of(const measured *r, const float at[3])
{
  float distance = 0;
  for (int d = 0; d < 3; d++) distance += fabsf(r->log_size[d] - at[d]);
  return distance;
}

/* Enough of a gain to leave the family's own choice: measurements differ by that much from day to day. */
static const double gain = 0.98;

/* Times on one GPU say nothing about another's: those of a family and type are the user's, or the shipped ones. */
static const lines *lines_of(const struct batched_tuning *t, const batched_family *family, batched_type type)
{
  for (int i = 0; i < t->own.n; i++)
    if (t->own.rows[i].family == family && t->own.rows[i].type == type) return &t->own;
  return &t->shipped;
}

static int fastest(const struct batched_tuning *t, const batched_family *family, batched_type type, const int size[3],
                   int otherwise)
{
  float at[3];
  const measured *nearest[BATCHED_MAX_CONFIGS] = {NULL};
  const lines *const table = lines_of(t, family, type);
  logarithms(size, at);
  for (int i = 0; i < table->n; i++) {
    const measured *r = &table->rows[i];
    if (r->family != family || r->type != type) continue;
    const measured *other = nearest[r->config];
    if (!other || distance_of(r, at) < distance_of(other, at)) nearest[r->config] = r;
  }
  double seconds[BATCHED_MAX_CONFIGS];
  int best = -1;
  for (int c = 0; c < family->nconfigs; c++) {
    const measured *r = nearest[c];
    seconds[c] = INFINITY;
    if (!r || (family->fits && !family->fits(c, type, size[0], size[1], size[2]))) continue;
    seconds[c] = r->seconds * cost_of(family, c, type, size) / cost_of(family, c, type, r->size);
    if (best < 0 || seconds[c] < seconds[best]) best = c;
  }
  if (best < 0) return otherwise;
  const bool known = otherwise >= 0 && otherwise < family->nconfigs && seconds[otherwise] < INFINITY;
  return known && seconds[best] > gain * seconds[otherwise] ? otherwise : best;
}

/* Programs ask for few sizes, and for each many times. */
static int remembered(struct batched_tuning *t, const batched_family *family, batched_type type, const int size[3],
                      int otherwise)
{
  const unsigned at = ((unsigned)size[0] * 31u + (unsigned)size[1]) * 31u + (unsigned)size[2] + (unsigned)type;
  answer *a = &t->answers[at % REMEMBERED];
  if (a->family != family || a->type != type || a->otherwise != otherwise ||
      memcmp(a->size, size, sizeof a->size) != 0) {
    *a = (answer){family, type, {size[0], size[1], size[2]}, otherwise, 0};
    a->config = fastest(t, family, type, size, otherwise);
  }
  return a->config;
}

int batched_tuned(const batched_ctx *ctx, const batched_family *family, batched_type type, int m, int n, int k,
                  int otherwise)
{
  struct batched_tuning *t = ctx->tuning;
  if (!t) return otherwise;
  const int size[3] = {m, n, k};
  if (t->forced != family) return remembered(t, family, type, size, otherwise);
  if (!t->asked) memcpy(t->asked_size, size, sizeof size);
  t->asked = true;
  return t->forced_config < 0 ? otherwise : t->forced_config;
}

static struct batched_tuning *tuning_of(batched_ctx *ctx)
{
  if (!ctx->tuning) ctx->tuning = calloc(1, sizeof *ctx->tuning);
  return ctx->tuning;
}

struct batched_choices **batched_choices_in(batched_ctx *ctx)
{
  struct batched_tuning *t = tuning_of(ctx);
  return t ? &t->choices : NULL;
}

int batched_force_config(batched_ctx *ctx, const batched_family *family, int config)
{
  struct batched_tuning *t = tuning_of(ctx);
  if (!t) return BATCHED_NO_MEMORY;
  t->forced = family;
  t->forced_config = config;
  t->asked = false;
  return BATCHED_SUCCESS;
}

bool batched_asked_size(const batched_ctx *ctx, int size[3])
{
  if (!ctx->tuning || !ctx->tuning->asked) return false;
  memcpy(size, ctx->tuning->asked_size, 3 * sizeof(int));
  return true;
}

/* ------------------------------------------------------------------ reading a table */

static const batched_family *family_called(const batched_family *const *families, const char *name)
{
  for (; *families; families++)
    if (strcmp((*families)->name, name) == 0) return *families;
  return NULL;
}

static int config_called(const batched_family *family, const char *name)
{
  for (int i = 0; i < family->nconfigs; i++)
    if (strcmp(family->describe(i), name) == 0) return i;
  return -1;
}

static bool read_row(const batched_family *const *families, const char *line, measured *row)
{
  char family[64], config[64], type;
  int *const size = row->size;
  if (sscanf(line, "%63[^,\n],%c,%d,%d,%d,%63[^,\n],%lf", family, &type, &size[0], &size[1], &size[2], config,
             &row->seconds) != 7)
    return false;
  const char *known = type ? strchr("sdcz", type) : NULL;
  row->family = family_called(families, family);
  if (!known || !row->family || size[0] < 0 || size[1] < 0 || size[2] < 0) return false;
  if (!(row->seconds > 0 && row->seconds < INFINITY)) return false;
  row->type = (batched_type)(known - "sdcz");
  row->config = config_called(row->family, config);
  logarithms(size, row->log_size);
  return row->config >= 0 && row->config < BATCHED_MAX_CONFIGS;
}

/* Reads the lines of a text that make sense, at most `most`; returns how many. */
static int read_rows(const batched_family *const *families, const char *text, measured *rows, int most)
{
  int n = 0;
  for (const char *line = text; line && n < most; line = strchr(line, '\n')) {
    line += *line == '\n';
    n += read_row(families, line, &rows[n]);
  }
  return n;
}

int batched_load_tuning(batched_ctx *ctx, const batched_family *const *families, const char *text)
{
  struct batched_tuning *t = tuning_of(ctx);
  int most = 1;
  if (!t) return 0;
  for (const char *c = text; *c; c++) most += *c == '\n';
  measured *rows = malloc((size_t)most * sizeof *rows);
  const int n = rows ? read_rows(families, text, rows, most) : 0;
  free((void *)t->own.rows);
  t->own = (lines){rows, n};
  memset(t->answers, 0, sizeof t->answers);
  return n;
}

/* ------------------------------------------------------------------ shipped tables */

/* Those that contexts of this process took so far, one after the other; once read they are constants.  Static, so that
 * no allocation can fail. */
enum { MAX_SHIPPED = 8192, MAX_TABLES = 16 };
static measured shipped[MAX_SHIPPED];
static int nshipped;
static lines shipped_tables[MAX_TABLES]; /* rows NULL: not read */
static pthread_mutex_t shipping = PTHREAD_MUTEX_INITIALIZER;

static void read_shipped(int i)
{
  const int n = read_rows(batched_families, batched_tuning_tables[i], shipped + nshipped, MAX_SHIPPED - nshipped);
  shipped_tables[i] = (lines){shipped + nshipped, n};
  nshipped += n;
}

int batched_ship_tuning(batched_ctx *ctx, const char *table)
{
  struct batched_tuning *t = tuning_of(ctx);
  int i = 0;
  while (batched_tuning_tables[i] && batched_tuning_tables[i] != table) i++;
  if (!t || !batched_tuning_tables[i] || i >= MAX_TABLES) return 0;
  pthread_mutex_lock(&shipping);
  if (!shipped_tables[i].rows) read_shipped(i);
  pthread_mutex_unlock(&shipping);
  t->shipped = shipped_tables[i];
  memset(t->answers, 0, sizeof t->answers);
  return t->shipped.n;
}

/* ------------------------------------------------------------------ of a context */

/* Puts those that make up for a slow BLAS before the host's shipped lines. */
static void load_lines_of_slow_vendor(batched_ctx *ctx)
{
  const char *reference = batched_find_choices("host with a reference BLAS", 0);
  const char *old = batched_find_choices("host with an OpenBLAS for older processors", 0);
  if (reference && batched_vendor_is_untuned()) batched_load_choices(ctx, reference);
  if (old && batched_vendor_is_for_older_processors()) batched_load_choices(ctx, old);
}

/* The lines of the user's file come before the shipped ones; a file that can't be read is no table. */
void batched_open_tuning(batched_ctx *ctx)
{
  char device[256] = "host";
  int capability = 0;
  if (ctx->space == BATCHED_CUDA && batched_cuda_device(device, (int)sizeof device, &capability)) return;
  const char *choices = batched_find_choices(device, capability);
  if (choices) batched_ship_choices(ctx, choices);
  if (ctx->space == BATCHED_HOST) load_lines_of_slow_vendor(ctx);
  bool named;
  char *text = batched_read_tuning(&named);
  if (ctx->space == BATCHED_CUDA) {
    const char *table = named && !text ? NULL : batched_find_tuning(device, capability);
    if (table) batched_ship_tuning(ctx, table);
    if (text) batched_load_tuning(ctx, batched_families, text);
  }
  if (text) batched_load_choices(ctx, text);
  free(text);
}

void batched_close_tuning(batched_ctx *ctx)
{
  if (!ctx->tuning) return;
  batched_free_choices(ctx->tuning->choices);
  free((void *)ctx->tuning->own.rows);
  free(ctx->tuning);
}
