/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "batched/check.h"

static _Thread_local char note[200];

const char *batched_refusal(void)
{
  return note;
}

static bool yes(void)
{
  note[0] = 0;
  return true;
}

bool batched_accept(bool ok, const char *format, ...)
{
  if (ok) return yes();
  va_list args;
  va_start(args, format);
  vsnprintf(note, sizeof note, format, args);
  va_end(args);
  return false;
}

batched_extent batched_row_extent(const batched_matrix *a)
{
  return (batched_extent){a->m, a->ms};
}

batched_extent batched_col_extent(const batched_matrix *a)
{
  return (batched_extent){a->n, a->ns};
}

batched_extent batched_length(const batched_matrix *x)
{
  if (x->n == 1 && !x->ns) return batched_row_extent(x);
  if (x->m == 1 && !x->ms) return batched_col_extent(x);
  return (batched_extent){x->m == 0 && x->n == 0 ? 0 : -1, NULL};
}

static const char no_vector[] = "it is no vector: n must be 1, and ns NULL, or m 1, and ms NULL";

bool batched_is_vector(const batched_matrix *x)
{
  return batched_accept(batched_length(x).bound >= 0, "%s", no_vector);
}

bool batched_is_real(const batched_matrix *x)
{
  return batched_accept(!batched_is_complex(x->type), "it must be real, s or d");
}

/* Tests x = max(y - less, 0), as bounds and for each matrix; what: the name of these sizes. */
static bool extents_agree(const batched_ctx *ctx, batched_extent x, batched_extent y, int less, int64_t count,
                          const char *what)
{
  const int wanted = y.bound > less ? y.bound - less : 0;
  if (x.bound < 0 || y.bound < 0) return batched_accept(false, "%s", no_vector);
  if (x.bound != wanted) return batched_accept(false, "%s %d and %d do not agree", what, x.bound, wanted);
  if ((!x.each && !y.each) || batched_get_space(ctx) != BATCHED_HOST) return yes();
  for (int64_t b = 0; b < count; b++) {
    const int here = batched_extent_at(y, b) > less ? batched_extent_at(y, b) - less : 0;
    if (batched_extent_at(x, b) != here)
      return batched_accept(false, "matrix %lld: %s %d and %d do not agree", (long long)b, what,
                            batched_extent_at(x, b), here);
  }
  return yes();
}

bool batched_same_extent(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count)
{
  return extents_agree(ctx, x, y, 0, count, "sizes");
}

bool batched_is_one_less(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count)
{
  return extents_agree(ctx, x, y, 1, count, "sizes");
}

int batched_check_range(batched_range range, double vl, double vu, int il, int iu, int n, int number)
{
  if (!batched_accept((unsigned)range <= BATCHED_INTERVAL,
                      "range %d is none of BATCHED_ALL (0), BATCHED_INDEX (1) and BATCHED_INTERVAL (2)", (int)range))
    return -number;
  if (!batched_accept(range != BATCHED_INTERVAL || vl < vu, "vl %g is not below vu %g", vl, vu)) return -number - 2;
  if (range != BATCHED_INDEX || (n == 0 && il == 1 && iu == 0)) return 0;
  if (!batched_accept(il >= 1 && il <= (n > 1 ? n : 1), "il %d is not in 1 .. %d", il, n)) return -number - 3;
  return batched_accept(iu >= il && iu <= n, "iu %d is not in il %d .. n %d", iu, il, n) ? 0 : -number - 4;
}

int batched_range_length(batched_range range, int il, int iu, int n)
{
  return range == BATCHED_ALL ? n : range == BATCHED_INDEX ? iu - il + 1 : 0;
}

bool batched_is_range_of(const batched_ctx *ctx, const batched_matrix *x, batched_type type, int64_t count,
                         batched_range range, int values)
{
  const batched_matrix like = {.type = type, .count = count};
  return batched_is_valid_result(ctx, x) && batched_same_kind(x, &like) && batched_is_vector(x) &&
         batched_accept(range == BATCHED_INTERVAL || batched_length(x).bound == values,
                        "its length is %d, and the range has %d values", batched_length(x).bound, values);
}

bool batched_is_square(const batched_ctx *ctx, const batched_matrix *a)
{
  return extents_agree(ctx, batched_row_extent(a), batched_col_extent(a), 0, a->count, "a square matrix's m and n,");
}

/* "its length is 3, not min(m, n) - 1 = 4" */
static bool refuse_length(const char *of, int length, int less, int wanted)
{
  char minus[16] = "";
  if (less > 0) snprintf(minus, sizeof minus, " - %d", less);
  return batched_accept(false, "%s length is %d, not min(m, n)%s = %d", of, length, minus, wanted);
}

static int min_less(int m, int n, int less)
{
  const int k = (m < n ? m : n) - less;
  return k > 0 ? k : 0;
}

bool batched_is_min_extent_less(const batched_ctx *ctx, batched_extent x, const batched_matrix *a, int less)
{
  const int wanted = min_less(a->m, a->n, less);
  if (x.bound < 0) return batched_accept(false, "%s", no_vector);
  if (x.bound != wanted) return refuse_length("its", x.bound, less, wanted);
  if ((!x.each && !a->ms && !a->ns) || batched_get_space(ctx) != BATCHED_HOST) return yes();
  for (int64_t b = 0; b < a->count; b++) {
    const int here = min_less(batched_rows(a, b), batched_cols(a, b), less);
    if (batched_extent_at(x, b) != here) {
      char which[48];
      snprintf(which, sizeof which, "matrix %lld: the", (long long)b);
      return refuse_length(which, batched_extent_at(x, b), less, here);
    }
  }
  return yes();
}

bool batched_is_min_extent(const batched_ctx *ctx, batched_extent x, const batched_matrix *a)
{
  return batched_is_min_extent_less(ctx, x, a, 0);
}

/* Tests that each matrix's x is at least its y. */
static bool is_at_least(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count, const char *names)
{
  if (x.bound < y.bound) return batched_accept(false, "%c %d < %c %d", names[0], x.bound, names[1], y.bound);
  if ((!x.each && !y.each) || batched_get_space(ctx) != BATCHED_HOST) return yes();
  for (int64_t b = 0; b < count; b++)
    if (batched_extent_at(x, b) < batched_extent_at(y, b))
      return batched_accept(false, "matrix %lld: %c %d < %c %d", (long long)b, names[0], batched_extent_at(x, b),
                            names[1], batched_extent_at(y, b));
  return yes();
}

bool batched_is_tall(const batched_ctx *ctx, const batched_matrix *a)
{
  return is_at_least(ctx, batched_row_extent(a), batched_col_extent(a), a->count, "mn");
}

bool batched_is_wide(const batched_ctx *ctx, const batched_matrix *a)
{
  return is_at_least(ctx, batched_col_extent(a), batched_row_extent(a), a->count, "nm");
}

bool batched_same_kind(const batched_matrix *a, const batched_matrix *b)
{
  static const char types[] = "sdcz";
  if (a->type != b->type)
    return batched_accept(false, "types %c and %c do not agree", types[a->type & 3], types[b->type & 3]);
  return batched_accept(a->count == b->count, "counts %lld and %lld do not agree", (long long)a->count,
                        (long long)b->count);
}

/* One matrix of a variable batch, or the bounds (b < 0).  Only a refusal writes text: batches are long. */
static bool sizes_are_valid(const batched_matrix *a, int64_t b, int m, int n, int ld)
{
  if (m >= 0 && n >= 0 && m <= a->m && n <= a->n && ld <= a->ld && ld >= m && ld >= 1) return yes();
  char which[40] = "";
  if (b >= 0) snprintf(which, sizeof which, "matrix %lld: ", (long long)b);
  return batched_accept(m >= 0, "%sm %d < 0", which, m) && batched_accept(n >= 0, "%sn %d < 0", which, n) &&
         batched_accept(m <= a->m, "%sm %d > its bound %d", which, m, a->m) &&
         batched_accept(n <= a->n, "%sn %d > its bound %d", which, n, a->n) &&
         batched_accept(ld <= a->ld, "%sld %d > its bound %d", which, ld, a->ld) &&
         batched_accept(ld >= m, "%sld %d < m %d", which, ld, m) && batched_accept(ld >= 1, "%sld %d < 1", which, ld);
}

static bool all_sizes_are_valid(const batched_matrix *a)
{
  for (int64_t b = 0; b < a->count; b++)
    if (!sizes_are_valid(a, b, batched_rows(a, b), batched_cols(a, b), batched_ld(a, b))) return false;
  return yes();
}

/* Tests that a pointer array on the host has no NULL for a matrix that is not empty. */
static bool all_are_there(const batched_ctx *ctx, const batched_matrix *a)
{
  if (!a->array || batched_get_space(ctx) != BATCHED_HOST) return yes();
  for (int64_t b = 0; b < a->count; b++)
    if (!a->array[b] && batched_rows(a, b) > 0 && batched_cols(a, b) > 0)
      return batched_accept(false, "matrix %lld: array[%lld] is NULL", (long long)b, (long long)b);
  return yes();
}

/* Tests that the addresses of all matrices, empty ones too, are numbers of 64 bits. */
static bool is_within_memory(const batched_matrix *a)
{
  const double bytes = (double)batched_element_bytes(a->type) * (double)a->count * (double)a->stride;
  return batched_accept(a->array || fabs(bytes) < 0x1p62, "count %lld times stride %lld is more than memory can have",
                        (long long)a->count, (long long)a->stride);
}

bool batched_is_valid(const batched_ctx *ctx, const batched_matrix *a, bool touched)
{
  const bool empty = a->m == 0 || a->n == 0 || a->count == 0, pointed = a->data || a->array;
  return batched_accept((unsigned)a->type <= BATCHED_Z, "type %d is none of BATCHED_S (0) .. BATCHED_Z (3)",
                        (int)a->type) &&
         sizes_are_valid(a, -1, a->m, a->n, a->ld) &&
         batched_accept(a->count >= 0, "count %lld < 0", (long long)a->count) && is_within_memory(a) &&
         batched_accept(!a->data || !a->array, "data and array are both given") &&
         batched_accept(!touched || empty || pointed, "data and array are NULL") &&
         (!batched_is_variable(a) || batched_get_space(ctx) != BATCHED_HOST || all_sizes_are_valid(a)) &&
         (!touched || empty || all_are_there(ctx, a));
}

/* Elements from a matrix's first to behind its last one. */
static int64_t extent_of(int m, int n, int ld)
{
  return m > 0 && n > 0 ? (int64_t)ld * (n - 1) + m : 0;
}

/* Tests whether m x n matrices that are d elements apart share one. */
static bool overlap(int m, int n, int64_t ld, int64_t d)
{
  const int64_t columns = d / ld, rows = d % ld;
  return (columns < n && rows < m) || (columns + 1 < n && ld - rows < m);
}

/* Tests whether any two matrices with these bounds share an element.  Those side by side in the columns of one array,
 * whose ld they have, do not. */
static bool bounds_overlap(const batched_matrix *a)
{
  const int64_t extent = extent_of(a->m, a->n, a->ld), apart = a->stride < 0 ? -a->stride : a->stride;
  if (apart >= extent || (apart >= a->m && (double)apart * (double)(a->count - 1) + a->m <= a->ld)) return false;
  for (int64_t d = 1; d < a->count && d * apart < extent; d++)
    if (overlap(a->m, a->n, a->ld, d * apart)) return true;
  return false;
}

/* A matrix that reaches beyond the next one's begin, by its own size, or -1; sizes on a GPU are taken on trust. */
static int64_t find_overlap(const batched_ctx *ctx, const batched_matrix *a)
{
  if (!bounds_overlap(a)) return -1;
  if (!batched_is_variable(a)) return 0;
  for (int64_t b = 0; b < a->count - 1 && batched_get_space(ctx) == BATCHED_HOST; b++)
    if (extent_of(batched_rows(a, b), batched_cols(a, b), batched_ld(a, b)) > a->stride) return b;
  return -1;
}

/* Tests that no two matrices of a batch that is written share an element. */
static bool stands_apart(const batched_ctx *ctx, const batched_matrix *a)
{
  if (a->array || a->count <= 1 || a->m == 0 || a->n == 0) return yes();
  if (a->stride == 0) return batched_accept(false, "it is written, and can't be one matrix for the batch (stride 0)");
  if (a->stride < 0) return batched_accept(false, "it is written, and stride %lld < 0", (long long)a->stride);
  const int64_t b = find_overlap(ctx, a);
  return batched_accept(b < 0, "it is written, and matrices %lld and %lld overlap: stride %lld < ld (n - 1) + m = %lld",
                        (long long)b, (long long)b + 1, (long long)a->stride,
                        b < 0 ? 0LL : (long long)extent_of(batched_rows(a, b), batched_cols(a, b), batched_ld(a, b)));
}

bool batched_is_valid_result(const batched_ctx *ctx, const batched_matrix *a)
{
  return batched_is_valid(ctx, a, true) && stands_apart(ctx, a);
}

bool batched_same_shape(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *b)
{
  return batched_same_kind(a, b) &&
         extents_agree(ctx, batched_row_extent(a), batched_row_extent(b), 0, b->count, "m") &&
         extents_agree(ctx, batched_col_extent(a), batched_col_extent(b), 0, b->count, "n");
}

bool batched_is_number(const batched_ctx *ctx, const batched_matrix *r, batched_type type, int64_t count)
{
  const batched_matrix one = {.type = type, .m = 1, .n = 1, .count = count};
  return batched_is_valid_result(ctx, r) && batched_same_shape(ctx, r, &one);
}

bool batched_is_vector_of(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, batched_type type,
                          int less)
{
  const batched_matrix like = {.type = type, .count = a->count};
  return batched_is_valid_result(ctx, x) && batched_same_kind(x, &like) &&
         batched_is_min_extent_less(ctx, batched_length(x), a, less);
}

bool batched_holds_solution(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *b)
{
  const int wanted = a->m > a->n ? a->m : a->n;
  if (b->m != wanted) return batched_accept(false, "b has %d rows, not max(m, n) = %d", b->m, wanted);
  if ((!a->ms && !a->ns && !b->ms) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t i = 0; i < a->count; i++) {
    const int m = batched_rows(a, i), n = batched_cols(a, i);
    if (batched_rows(b, i) != (m > n ? m : n))
      return batched_accept(false, "matrix %lld: b has %d rows, not max(m, n) = %d", (long long)i, batched_rows(b, i),
                            m > n ? m : n);
  }
  return true;
}
