/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rotations that have waited, and the strips of vectors that they turn, for one real type.
 */
#if !IS_COMPLEX
#define VEC SIMD(vec)
#define W SIMD(LANES)

/* SIMD vectors in a row of a strip: with those of four sweeps all of a step is in registers. */
enum { NAME(STRIP) = SIMD_REGISTERS == 32 ? 4 : 2 };

typedef struct NAME(angle) {
  R c, s;
} NAME(angle);

/* A strip: column j is x + j * width. */
typedef struct NAME(strip) {
  R *x;
  int width, rows; /* rows: as many count */
} NAME(strip);

static int NAME(strips)(const batched_sweeps *q)
{
  const int most = NAME(STRIP) * W;
  return (q->rows + most - 1) / most;
}

static NAME(strip) NAME(strip_of)(const batched_sweeps *q, int number)
{
  const int most = NAME(STRIP) * W, rows = batched_min(most, q->rows - number * most);
  return (NAME(strip)){(R *)q->vectors + (int64_t)number * most * q->n, (rows + W - 1) / W * W, rows};
}

/* Between x and rows first .. of the strips: into these, or out of them. */
static void NAME(move_vectors)(const batched_sweeps *q, const batched_sweep_rows *r, bool in)
{
  const int most = NAME(STRIP) * W;
  for (int s = 0; s < NAME(strips)(q); s++) {
    const NAME(strip) strip = NAME(strip_of)(q, s);
    const int begin = batched_max(r->first - s * most, 0), end = batched_min(r->first + r->rows - s * most, strip.rows);
    R *const x = r->x;
    for (int j = 0; in && j < q->n; j++) /* neither NaNs nor denormal numbers in rows that do not count */
      for (int i = strip.rows; i < strip.width; i++) strip.x[i + (int64_t)j * strip.width] = 0;
    for (int64_t j = 0; r->row == r->parts && j < q->n; j++)
      for (int i = begin; i < end; i++) {
        R *const user = x + j * r->col + (s * most + i - r->first), *const own = strip.x + j * strip.width + i;
        *(in ? own : user) = *(in ? user : own);
      }
    for (int i = begin; r->row != r->parts && i < end; i++) {
      const int row = s * most + i - r->first;
      R *const user = x + row / r->parts * r->row + row % r->parts, *const own = strip.x + i;
      for (int64_t j = 0; j < q->n; j++) {
        R *const there = user + j * r->col, *const here = own + j * strip.width;
        *(in ? here : there) = *(in ? there : here);
      }
    }
  }
}

static void NAME(exchange_vectors)(const batched_sweeps *q, int i, int j)
{
  for (int s = 0; s < NAME(strips)(q); s++) {
    const NAME(strip) strip = NAME(strip_of)(q, s);
    R *const x = strip.x + (int64_t)i * strip.width, *const y = strip.x + (int64_t)j * strip.width;
    for (int r = 0; r < strip.width; r++) {
      const R t = x[r];
      x[r] = y[r];
      y[r] = t;
    }
  }
}

static void NAME(negate_vector)(const batched_sweeps *q, int j)
{
  for (int s = 0; s < NAME(strips)(q); s++) {
    const NAME(strip) strip = NAME(strip_of)(q, s);
    R *const x = strip.x + (int64_t)j * strip.width;
    for (int r = 0; r < strip.width; r++) x[r] = -x[r];
  }
}

/* Rotations by nothing where a sweep has none: before and behind it, and where its first columns are not there yet or
 * its last ones gone. */
static void NAME(complete_sweeps)(const batched_sweep_group *g, NAME(angle) (*angles)[BATCHED_SWEEPS])
{
  const int end = g->hi + BATCHED_SWEEPS - 1;
  for (int k = 0; k < BATCHED_SWEEPS; k++) {
    const bool is_there = k < g->count;
    const int from = is_there ? g->from[k] + k : end + 1, to = is_there ? g->to[k] + k : end + 1;
    for (int p = g->lo; p < from; p++) angles[p][k] = (NAME(angle)){1, 0};
    for (int p = to; p <= end; p++) angles[p][k] = (NAME(angle)){1, 0};
  }
}

/* A group's rotations on `many` SIMD vectors (a constant) per column.  In step p sweep k turns columns p - k and
 * p - k + 1; held[k] is column p - k before. */
ALWAYS_INLINE void NAME(turn_strip)(int many, int n, const batched_sweep_group *g,
                                    const NAME(angle) (*angles)[BATCHED_SWEEPS], R *x)
{
  enum { K = BATCHED_SWEEPS };
  const int64_t width = many * W, step = g->backwards ? -width : width;
  const int end = g->hi + K - 1;
  R *load = x + (g->backwards ? n - 1 - g->lo : g->lo) * width, *store = load - (K - 1) * step;
  VEC held[4][K] = {{{0}}};
#pragma GCC unroll 4
  for (int r = 0; r < many; r++) held[r][0] = *(const VEC *)(load + r * W);
  for (int p = g->lo; p <= end; p++, store += step) {
    load += step;
#pragma GCC unroll 4
    for (int r = 0; r < many; r++) {
      VEC next = p < g->hi ? *(const VEC *)(load + r * W) : (VEC){0};
#pragma GCC unroll 4
      for (int k = 0; k < K; k++) {
        const VEC c = SIMD(splat)(angles[p][k].c), s = SIMD(splat)(angles[p][k].s), y = held[r][k];
        held[r][k] = c * next - s * y;
        next = c * y + s * next;
      }
      if (p - K + 1 >= g->lo) *(VEC *)(store + r * W) = next;
    }
  }
}

static void NAME(turn_vectors)(batched_sweeps *q)
{
  NAME(angle)(*const angles)[BATCHED_SWEEPS] = q->angles;
  for (int i = 0; i < q->used; i++) NAME(complete_sweeps)(&q->groups[i], angles + (int64_t)i * (q->n + BATCHED_SWEEPS));
  for (int s = 0; s < NAME(strips)(q); s++) {
    const NAME(strip) strip = NAME(strip_of)(q, s);
    for (int i = 0; i < q->used; i++) {
      const NAME(angle)(*const of)[BATCHED_SWEEPS] =
        (const NAME(angle)(*)[BATCHED_SWEEPS])angles + (int64_t)i * (q->n + BATCHED_SWEEPS);
      switch (strip.width / W) {
      case 1: NAME(turn_strip)(1, q->n, &q->groups[i], of, strip.x); break;
      case 2: NAME(turn_strip)(2, q->n, &q->groups[i], of, strip.x); break;
#if SIMD_REGISTERS == 32
      case 3: NAME(turn_strip)(3, q->n, &q->groups[i], of, strip.x); break;
      case 4: NAME(turn_strip)(4, q->n, &q->groups[i], of, strip.x); break;
#endif
      }
    }
  }
}

#undef VEC
#undef W
#endif
