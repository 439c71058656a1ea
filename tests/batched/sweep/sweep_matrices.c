/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices and arithmetic of the oracles.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/batched/sweep/sweep.h"
#include "tests/batched/sweep/sweep_private.h"

static _Thread_local uint64_t state;

void sweep_seed(uint64_t seed)
{
  state = seed * 2 + 1;
}

/* Steele, Lea and Flood's splitmix64. */
long double sweep_uniform(void)
{
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (long double)(z >> 11) * 0x1p-52L - 1;
}

wide sweep_number(batched_type type)
{
  long double re = sweep_uniform();
  return batched_is_complex(type) ? re + sweep_uniform() * I : re;
}

long double sweep_eps(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? 0x1p-24L : 0x1p-53L;
}

long double sweep_unit(const sweep_case *c, long double norm)
{
  return norm * sweep_eps(c->type) + (batched_real_type(c->type) == BATCHED_S ? 0x1p-149L : 0x1p-1074L);
}

long double sweep_abs(wide x)
{
  return hypotl(creall(x), cimagl(x));
}

long double sweep_larger(long double x, long double y)
{
  return isnan(x) || x > y ? x : y;
}

long double sweep_norm(sweep_dense x)
{
  long double sum = 0;
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++)
    sum += creall(x.x[i]) * creall(x.x[i]) + cimagl(x.x[i]) * cimagl(x.x[i]);
  return sqrtl(sum);
}

wide sweep_wide(batched_scalar a, batched_type type)
{
  return a.re + (batched_is_complex(type) ? a.im : 0) * I;
}

enum { MAX_TEMPORARIES = 64 };
static _Thread_local wide *temporaries[MAX_TEMPORARIES];
static _Thread_local int ntemporaries;

sweep_dense sweep_new(int m, int n)
{
  if (ntemporaries == MAX_TEMPORARIES) abort();
  sweep_dense x = {m, n, calloc((size_t)m * (size_t)n + 1, sizeof(wide))};
  if (!x.x) abort();
  temporaries[ntemporaries++] = x.x;
  return x;
}

void sweep_free_temporaries(void)
{
  while (ntemporaries > 0) free(temporaries[--ntemporaries]);
}

/* What a thread of sweep_share() does. */
typedef struct share {
  int first, last;
  void (*part)(int first, int last, void *data);
  void *data;
} share;

static void *do_share(void *argument)
{
  const share *const s = argument;
  s->part(s->first, s->last, s->data);
  return NULL;
}

void sweep_share(int n, double operations, void (*part)(int first, int last, void *data), void *data)
{
  enum { MOST = 32 };
  const double worth = 2e6; // operations that take longer than to start threads
  const long processors = operations < worth ? 1 : sysconf(_SC_NPROCESSORS_ONLN); // which opens a file
  int threads = processors < MOST ? (int)processors : MOST;
  if (threads > n) threads = n;
  pthread_t thread[MOST];
  share s[MOST];
  bool began[MOST] = {false};
  for (int i = 0; i < threads; i++) {
    s[i] = (share){(int)((int64_t)n * i / threads), (int)((int64_t)n * (i + 1) / threads), part, data};
    if (i > 0) began[i] = pthread_create(&thread[i], NULL, do_share, &s[i]) == 0;
    if (i > 0 && !began[i]) do_share(&s[i]);
  }
  if (threads > 0) do_share(&s[0]);
  for (int i = 1; i < threads; i++)
    if (began[i]) pthread_join(thread[i], NULL);
}

static wide element(batched_trans t, sweep_dense a, int i, int j)
{
  if (t == BATCHED_NO_TRANS) return SWEEP_AT(a, i, j);
  return t == BATCHED_TRANS ? SWEEP_AT(a, j, i) : conjl(SWEEP_AT(a, j, i));
}

bool sweep_is_real(sweep_dense x)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++)
    if (cimagl(x.x[e]) != 0) return false;
  return true;
}

/* Real parts of op(x), column-major. */
static long double *real_parts(batched_trans t, sweep_dense x)
{
  const int m = t == BATCHED_NO_TRANS ? x.m : x.n, n = t == BATCHED_NO_TRANS ? x.n : x.m;
  long double *r = malloc(((size_t)m * (size_t)n + 1) * sizeof *r);
  if (!r) abort();
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) r[i + (int64_t)j * m] = creall(element(t, x, i, j));
  return r;
}

/* The same without imaginary parts, column by column: what large matrices need. */
static void multiply_real(long double alpha, batched_trans ta, sweep_dense a, batched_trans tb, sweep_dense b,
                          sweep_dense c)
{
  const int k = ta == BATCHED_NO_TRANS ? a.n : a.m;
  long double *x = real_parts(ta, a), *y = real_parts(tb, b), *sum = malloc(((size_t)c.m + 1) * sizeof *sum);
  if (!sum) abort();
  for (int j = 0; j < c.n; j++) {
    for (int i = 0; i < c.m; i++) sum[i] = 0;
    for (int p = 0; p < k; p++) {
      const long double factor = y[p + (int64_t)j * k], *column = x + (int64_t)p * c.m;
      for (int i = 0; i < c.m; i++) sum[i] += column[i] * factor;
    }
    for (int i = 0; i < c.m; i++) SWEEP_AT(c, i, j) += alpha * sum[i];
  }
  free(x);
  free(y);
  free(sum);
}

/* A vector times a matrix, or times one that is transposed. */
typedef struct vector_product {
  batched_trans trans;
  sweep_dense a, x, y;
} vector_product;

static void add_columns(int first, int last, void *data)
{
  const vector_product *const p = data;
  for (int j = 0; j < p->a.n; j++) {
    const long double re = creall(p->x.x[j]), im = cimagl(p->x.x[j]);
    for (int i = first; i < last; i++) {
      const long double *const a = (const long double *)&SWEEP_AT(p->a, i, j);
      long double *const y = (long double *)&p->y.x[i];
      y[0] += a[0] * re - a[1] * im;
      y[1] += a[0] * im + a[1] * re;
    }
  }
}

static void dot_columns(int first, int last, void *data)
{
  const vector_product *const p = data;
  const long double sign = p->trans == BATCHED_CONJ_TRANS ? -1 : 1;
  for (int j = first; j < last; j++) {
    long double re = 0, im = 0;
    for (int i = 0; i < p->a.m; i++) {
      const long double *const a = (const long double *)&SWEEP_AT(p->a, i, j), *const x =
                                                                                 (const long double *)&p->x.x[i];
      re += a[0] * x[0] - sign * a[1] * x[1];
      im += a[0] * x[1] + sign * a[1] * x[0];
    }
    p->y.x[j] = __builtin_complex(re, im);
  }
}

sweep_dense sweep_times(batched_trans trans, sweep_dense a, sweep_dense x)
{
  const int n = trans == BATCHED_NO_TRANS ? a.m : a.n;
  vector_product p = {trans, a, x, sweep_new(n, 1)};
  sweep_share(n, 2.0 * a.m * a.n, trans == BATCHED_NO_TRANS ? add_columns : dot_columns, &p);
  return p.y;
}

sweep_dense sweep_vector(batched_type type, int n)
{
  sweep_dense x = sweep_new(n, 1);
  sweep_seed(4711);
  for (int i = 0; i < n; i++) x.x[i] = sweep_number(type);
  return x;
}

long double sweep_probe(const sweep_case *c, sweep_dense a, sweep_dense x, sweep_dense y, sweep_dense v)
{
  sweep_dense d = sweep_new(x.m, x.n);
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++) d.x[i] = x.x[i] - y.x[i];
  const int n = v.m * v.n, largest = x.m > n ? x.m : n;
  if (n == 0) return 0;
  return sweep_norm(d) * sqrtl(n) / (largest * sweep_unit(c, sweep_norm(a) * sweep_norm(v)));
}

/* A product of sweep_multiply(). */
typedef struct product {
  wide alpha;
  batched_trans ta, tb;
  sweep_dense a, b, c;
} product;

static void multiply_columns(int first, int last, void *data)
{
  const product *const p = data;
  const int k = p->ta == BATCHED_NO_TRANS ? p->a.n : p->a.m;
  for (int j = first; j < last && p->ta == BATCHED_NO_TRANS; j++)
    for (int l = 0; l < k; l++) {
      const wide factor = p->alpha * element(p->tb, p->b, l, j);
      for (int i = 0; i < p->c.m; i++) SWEEP_AT(p->c, i, j) += SWEEP_AT(p->a, i, l) * factor;
    }
  for (int j = first; j < last && p->ta != BATCHED_NO_TRANS; j++)
    for (int i = 0; i < p->c.m; i++) {
      wide sum = 0;
      for (int l = 0; l < k; l++) sum += element(p->ta, p->a, i, l) * element(p->tb, p->b, l, j);
      SWEEP_AT(p->c, i, j) += p->alpha * sum;
    }
}

void sweep_multiply(wide alpha, batched_trans ta, sweep_dense a, batched_trans tb, sweep_dense b, sweep_dense c)
{
  if (cimagl(alpha) == 0 && sweep_is_real(a) && sweep_is_real(b)) {
    multiply_real(creall(alpha), ta, a, tb, b, c);
    return;
  }
  product p = {alpha, ta, tb, a, b, c};
  sweep_share(c.n, (double)c.m * c.n * (ta == BATCHED_NO_TRANS ? a.n : a.m), multiply_columns, &p);
}

long double sweep_orthogonality(sweep_dense q)
{
  sweep_dense g = sweep_new(q.n, q.n);
  sweep_multiply(1, BATCHED_CONJ_TRANS, q, BATCHED_NO_TRANS, q, g);
  for (int j = 0; j < q.n; j++) SWEEP_AT(g, j, j) -= 1;
  return sweep_norm(g);
}

long double sweep_scale(const sweep_case *c)
{
  const bool single = batched_real_type(c->type) == BATCHED_S;
  const int power = single ? 100 : 900;
  if (c->kind == SWEEP_DENORMAL) return ldexpl(1, single ? -140 : -1060);
  return c->kind == SWEEP_LARGE ? ldexpl(1, power) : c->kind == SWEEP_SMALL ? ldexpl(1, -power) : 1;
}

/* Random orthonormal columns, n <= m. */
static void random_orthonormal(batched_type type, sweep_dense q)
{
  for (int j = 0; j < q.n; j++) {
    for (int i = 0; i < q.m; i++) SWEEP_AT(q, i, j) = sweep_number(type);
    for (int twice = 0; twice < 2; twice++) {
      for (int p = 0; p < j; p++) {
        wide dot = 0;
        for (int i = 0; i < q.m; i++) dot += conjl(SWEEP_AT(q, i, p)) * SWEEP_AT(q, i, j);
        for (int i = 0; i < q.m; i++) SWEEP_AT(q, i, j) -= dot * SWEEP_AT(q, i, p);
      }
      sweep_dense column = {q.m, 1, &SWEEP_AT(q, 0, j)};
      long double norm = sweep_norm(column);
      for (int i = 0; i < q.m; i++) SWEEP_AT(q, i, j) /= norm;
    }
  }
}

/* Singular value or eigenvalue i of n. */
static long double value(const sweep_case *c, int i, int n)
{
  long double at = n > 1 ? (long double)i / (n - 1) : 0;
  switch (c->kind) {
  case SWEEP_RANK_ONE: return i == 0;
  case SWEEP_SINGULAR: return 2 * i < n ? 1 - at : 0;
  case SWEEP_ILL: return powl(10 * sweep_eps(c->type), at);
  case SWEEP_NEARLY_SINGULAR: return n > 1 && i == n - 1 ? sweep_eps(c->type) : 1;
  case SWEEP_CONDITION_2:
  case SWEEP_CONDITION_6:
  case SWEEP_CONDITION_10:
  case SWEEP_CONDITION_14:
    return powl(fmaxl(powl(10, -2 - 4 * ((int)c->kind - (int)SWEEP_CONDITION_2)), 10 * sweep_eps(c->type)), at);
  default: return 1;
  }
}

static void make_from_values(const sweep_case *c, sweep_dense x, bool hermitian)
{
  int k = x.m < x.n ? x.m : x.n;
  sweep_dense u = sweep_new(x.m, k), v = hermitian ? u : sweep_new(x.n, k), scaled = sweep_new(x.m, k);
  random_orthonormal(c->type, u);
  if (!hermitian) random_orthonormal(c->type, v);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(scaled, i, j) = value(c, j, k) * SWEEP_AT(u, i, j);
  memset(x.x, 0, sizeof(wide) * (size_t)x.m * (size_t)x.n);
  sweep_multiply(1, BATCHED_NO_TRANS, scaled, BATCHED_CONJ_TRANS, v, x);
}

/* Large matrices are made once, for all rows. */
enum { REMEMBERED = 64, REMEMBERED_ORDER = 64 };
static struct {
  uint64_t before, after;
  batched_type type;
  sweep_kind kind;
  bool hermitian;
  sweep_dense x;
} remembered[REMEMBERED];
static int nremembered;

static void from_values(const sweep_case *c, sweep_dense x, bool hermitian)
{
  const uint64_t before = state;
  const size_t bytes = sizeof(wide) * (size_t)x.m * (size_t)x.n;
  for (int i = 0; i < nremembered; i++) {
    if (remembered[i].before != before || remembered[i].type != c->type || remembered[i].kind != c->kind ||
        remembered[i].hermitian != hermitian || remembered[i].x.m != x.m || remembered[i].x.n != x.n)
      continue;
    memcpy(x.x, remembered[i].x.x, bytes);
    state = remembered[i].after;
    return;
  }
  make_from_values(c, x, hermitian);
  if (x.m < REMEMBERED_ORDER || x.n < REMEMBERED_ORDER || nremembered == REMEMBERED) return;
  const sweep_dense copy = {x.m, x.n, malloc(bytes)};
  if (!copy.x) abort();
  memcpy(copy.x, x.x, bytes);
  remembered[nremembered].before = before;
  remembered[nremembered].after = state;
  remembered[nremembered].type = c->type;
  remembered[nremembered].kind = c->kind;
  remembered[nremembered].hermitian = hermitian;
  remembered[nremembered++].x = copy;
}

/* How far row or column i of n falls in a graded matrix. */
static long double grade(const sweep_case *c, int i, int n)
{
  return n > 1 ? powl(powl(sweep_eps(c->type), 1.0L / (n - 1)), i) : 1;
}

static wide simple_element(const sweep_case *c, int i, int j, int n)
{
  switch (c->kind) {
  case SWEEP_ZERO: return 0;
  case SWEEP_IDENTITY: return i == j;
  case SWEEP_DIAGONAL: return i == j ? sweep_uniform() : 0;
  case SWEEP_HILBERT: return 1.0L / (i + j + 1);
  case SWEEP_GRADED: return sweep_number(c->type) * grade(c, i > j ? i : j, n);
  case SWEEP_UNEVEN:
    if (batched_real_type(c->type) == BATCHED_S) return sweep_number(c->type) * ldexpl(1, j % 2 ? 100 : 18);
    return sweep_number(c->type) * ldexpl(1, j % 2 ? 900 : 150);
  default: return sweep_number(c->type) * sweep_scale(c);
  }
}

static bool has_values(sweep_kind kind)
{
  return kind == SWEEP_RANK_ONE || kind == SWEEP_SINGULAR || kind == SWEEP_ILL || kind == SWEEP_NEARLY_SINGULAR ||
         (kind < SWEEP_KINDS && 1u << kind & SWEEP_CONDITIONS);
}

/* Q R, where R has -0.6 right of its diagonal: 16 columns that follow each other are worse conditioned than 1e3. */
static void hide_condition(batched_type type, sweep_dense x)
{
  const int k = x.m < x.n ? x.m : x.n;
  sweep_dense q = sweep_new(x.m, k), r = sweep_new(k, x.n);
  random_orthonormal(type, q);
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i <= j && i < k; i++) SWEEP_AT(r, i, j) = i == j ? 1 : -0.6L;
  memset(x.x, 0, sizeof(wide) * (size_t)x.m * (size_t)x.n);
  sweep_multiply(1, BATCHED_NO_TRANS, q, BATCHED_NO_TRANS, r, x);
}

void sweep_factor(sweep_dense x)
{
  for (int k = 0; k < x.n && k < x.m; k++) {
    int p = k;
    for (int i = k + 1; i < x.m; i++)
      if (sweep_abs(SWEEP_AT(x, i, k)) > sweep_abs(SWEEP_AT(x, p, k))) p = i;
    for (int j = 0; p != k && j < x.n; j++) {
      const wide t = SWEEP_AT(x, p, j);
      SWEEP_AT(x, p, j) = SWEEP_AT(x, k, j);
      SWEEP_AT(x, k, j) = t;
    }
    for (int i = k + 1; i < x.m; i++) SWEEP_AT(x, i, k) /= SWEEP_AT(x, k, k);
    for (int j = k + 1; j < x.n; j++)
      for (int i = k + 1; i < x.m; i++) SWEEP_AT(x, i, j) -= SWEEP_AT(x, i, k) * SWEEP_AT(x, k, j);
  }
}

void sweep_hidden_triangles(const sweep_case *c, sweep_dense x)
{
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = i == j ? 0.01L : i / 4 == j / 4 ? sweep_number(c->type) : 0;
}

bool sweep_is_hard(sweep_kind kind)
{
  return 1u << kind & (SWEEP_CONDITIONS | 1u << SWEEP_ILL | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN);
}

void sweep_right_hand_side(batched_type type, batched_trans trans, sweep_dense a, sweep_dense b)
{
  sweep_dense x = sweep_new(trans == BATCHED_NO_TRANS ? a.n : a.m, b.n);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(type);
  memset(b.x, 0, sizeof(wide) * (size_t)b.m * (size_t)b.n);
  sweep_multiply(1, trans, a, BATCHED_NO_TRANS, x, b);
}

void sweep_general(const sweep_case *c, sweep_dense x)
{
  if (c->kind == SWEEP_HIDDEN) {
    hide_condition(c->type, x);
    return;
  }
  if (has_values(c->kind)) {
    from_values(c, x, false);
    return;
  }
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = simple_element(c, i, j, x.m > x.n ? x.m : x.n);
}

/* Both triangles are U of A = P L U, or L if the diagonal is one of ones: as ill conditioned as the kind says. */
static void factors_triangle(const sweep_case *c, bool unit, sweep_dense x)
{
  sweep_general(c, x);
  sweep_factor(x);
  for (int j = 0; j < x.n; j++)
    for (int i = j + 1; i < x.n; i++)
      if (unit)
        SWEEP_AT(x, j, i) = SWEEP_AT(x, i, j);
      else
        SWEEP_AT(x, i, j) = SWEEP_AT(x, j, i);
}

/* The diagonal is large enough for solutions not to grow with the order. */
static void strong_triangle(const sweep_case *c, bool unit, sweep_dense x)
{
  const int n = x.n;
  const long double damp = unit ? 1 / (sweep_scale(c) * (n + 1)) : 1;
  sweep_general(c, x);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) SWEEP_AT(x, i, j) *= damp;
    if (c->kind == SWEEP_IDENTITY || c->kind == SWEEP_DIAGONAL) continue;
    const long double size = c->kind == SWEEP_GRADED ? grade(c, j, n) : sweep_scale(c);
    SWEEP_AT(x, j, j) = (sweep_number(c->type) + 2 + 0.1L * n) * size;
  }
}

void sweep_triangle(const sweep_case *c, batched_uplo uplo, bool unit, sweep_dense x)
{
  const int n = x.n;
  if (c->kind == SWEEP_HIDDEN) {
    sweep_hidden_triangles(c, x);
    for (int64_t e = 0; unit && e < (int64_t)n * n; e++) x.x[e] /= 0.01L;
  } else if (sweep_is_hard(c->kind)) {
    factors_triangle(c, unit, x);
  } else {
    strong_triangle(c, unit, x);
  }
  if (unit) sweep_poison_diagonal(x);
  sweep_poison_triangle(x, uplo == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

sweep_dense sweep_triangle_of(sweep_dense x, batched_uplo uplo, bool unit)
{
  sweep_dense a = sweep_new(x.n, x.n);
  for (int j = 0; j < x.n; j++) {
    for (int i = 0; i < x.n; i++)
      if (uplo == BATCHED_LOWER ? i > j : i < j) SWEEP_AT(a, i, j) = SWEEP_AT(x, i, j);
    SWEEP_AT(a, j, j) = unit ? 1 : SWEEP_AT(x, j, j);
  }
  return a;
}

sweep_dense sweep_sizes(sweep_dense x)
{
  sweep_dense y = sweep_new(x.m, x.n);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) y.x[e] = sweep_abs(x.x[e]);
  return y;
}

bool sweep_is_finite(sweep_dense x)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++)
    if (!isfinite(creall(x.x[e])) || !isfinite(cimagl(x.x[e]))) return false;
  return true;
}

void sweep_hermitian(const sweep_case *c, sweep_dense x, bool positive)
{
  const int n = x.n;
  if (has_values(c->kind)) {
    from_values(c, x, true);
    return;
  }
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      wide e = simple_element(c, i, j, n);
      SWEEP_AT(x, i, j) = i == j ? creall(e) : e;
      SWEEP_AT(x, j, i) = conjl(SWEEP_AT(x, i, j));
    }
  }
  for (int j = 0; positive && j < n; j++) /* diagonally dominant */
    SWEEP_AT(x, j, j) = c->kind == SWEEP_DIAGONAL ? 0.1L + sweep_abs(SWEEP_AT(x, j, j))
                        : c->kind == SWEEP_HILBERT || c->kind == SWEEP_IDENTITY
                          ? SWEEP_AT(x, j, j)
                          : sweep_abs(SWEEP_AT(x, j, j)) + 2 * n * sweep_scale(c);
}

void sweep_poison_triangle(sweep_dense x, batched_uplo other)
{
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++)
      if (other == BATCHED_UPPER ? i < j : i > j) SWEEP_AT(x, i, j) = SWEEP_POISON;
}

void sweep_poison_diagonal(sweep_dense x)
{
  for (int j = 0; j < x.n; j++) SWEEP_AT(x, j, j) = SWEEP_POISON;
}

bool sweep_is_poison(wide x)
{
  return creall(x) == SWEEP_POISON;
}
