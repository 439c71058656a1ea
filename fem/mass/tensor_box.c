/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/tensor_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ density and walls */

/* Points per direction of the whole lattice, and the density, of the mass matrix, at one of them. */
static int points_along(const fem_space *s, const tensor_lattice *l, int d)
{
  return d < s->dim ? (l->n[d] - 1) / s->k * s->q1 : 1;
}

static double density_at(const fem_mass *m, const tensor_lattice *l, const int point[3])
{
  const fem_space *s = m->space;
  int64_t cell = 0;
  int q = 0;
  for (int d = s->dim; d-- > 0;) {
    cell = cell * ((l->n[d] - 1) / s->k) + point[d] / s->q1;
    q = q * s->q1 + point[d] % s->q1;
  }
  return m->material->density[(int64_t)l->zone[cell] * s->nq + q];
}

/* On the line of points through the first one along d, over that one's: density = first prod_d along_d if it is a
 * product. */
static double along(const fem_mass *m, const tensor_lattice *l, int d, int i)
{
  int point[3] = {0, 0, 0};
  point[d] = i;
  return density_at(m, l, point) / density_at(m, l, (int[3]){0, 0, 0});
}

static bool is_product(const fem_mass *m, const tensor_lattice *l)
{
  const int n[3] = {points_along(m->space, l, 0), points_along(m->space, l, 1), points_along(m->space, l, 2)};
  const double first = density_at(m, l, (int[3]){0, 0, 0});
  int point[3];
  for (point[2] = 0; point[2] < n[2]; point[2]++)
    for (point[1] = 0; point[1] < n[1]; point[1]++) {
      const double plane = first * along(m, l, 1, point[1]) * along(m, l, 2, point[2]);
      for (point[0] = 0; point[0] < n[0]; point[0]++) {
        const double product = plane * along(m, l, 0, point[0]);
        if (!(fabs(density_at(m, l, point) - product) <= 1e-11 * product)) return false;
      }
    }
  return true;
}

/* Tests whether some node of this plane of the lattice moves along c. */
static bool is_kept(const fem_space *s, const tensor_lattice *l, int c, int d, int plane)
{
  const int64_t inner = d == 0 ? 1 : d == 1 ? l->n[0] : (int64_t)l->n[0] * l->n[1];
  const int64_t all = (int64_t)l->n[0] * l->n[1] * l->n[2], outer = all / inner / l->n[d];
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++)
      if (!(s->essential[l->dof[(o * l->n[d] + plane) * inner + i]] >> c & 1)) return true;
  return false;
}

/* kept [dim][dim][TENSOR_MOST_NODES]: planes of direction d that component c moves in.  false: a wall is no whole
 * plane. */
static bool find_walls(const fem_space *s, const tensor_lattice *l, bool *kept)
{
  for (int c = 0; c < s->dim; c++)
    for (int d = 0; d < s->dim; d++)
      for (int i = 0; i < l->n[d]; i++) kept[(c * s->dim + d) * TENSOR_MOST_NODES + i] = is_kept(s, l, c, d, i);
  const int64_t all = (int64_t)l->n[0] * l->n[1] * l->n[2];
  for (int64_t i = 0; i < all; i++) {
    const int node[3] = {(int)(i % l->n[0]), (int)(i / l->n[0] % l->n[1]), (int)(i / l->n[0] / l->n[1])};
    for (int c = 0; c < s->dim; c++) {
      bool moves = true;
      for (int d = 0; d < s->dim; d++) moves = moves && kept[(c * s->dim + d) * TENSOR_MOST_NODES + node[d]];
      if (moves == (s->essential[l->dof[i]] >> c & 1)) return false;
    }
  }
  return true;
}

static bool *make_walls(const fem_space *s, const tensor_lattice *l)
{
  bool *kept = malloc((size_t)(s->dim * s->dim) * TENSOR_MOST_NODES * sizeof *kept);
  if (kept && find_walls(s, l, kept)) return kept;
  free(kept);
  return NULL;
}

bool tensor_box_fits(const void *mass)
{
  const fem_mass *m = mass;
  tensor_lattice l;
  if (m->space->shape != MESH_TENSOR || !halo_alone(m->space->halo) || !tensor_lattice_make(m->space, &l)) return false;
  bool *kept = is_product(m, &l) ? make_walls(m->space, &l) : NULL;
  const bool fits = kept;
  free(kept);
  tensor_lattice_destroy(&l);
  return fits;
}

/* ------------------------------------------------------------------ matrices of a direction */

/* The 1D mass matrix of direction d, [n][n]; the first one has the density of the first point. */
static void fill_mass(const fem_mass *m, const tensor_lattice *l, int d, double *a)
{
  const fem_space *s = m->space;
  const int n = l->n[d];
  const double scale = d == 0 ? density_at(m, l, (int[3]){0, 0, 0}) : 1.0;
  memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
  for (int p = 0; p < points_along(s, l, d); p++) {
    const double *b = s->b + p % s->q1 * s->d1, weight = scale * along(m, l, d, p);
    double *corner = a + (int64_t)(p / s->q1 * s->k) * (n + 1);
    for (int i = 0; i < s->d1; i++)
      for (int j = 0; j < s->d1; j++) corner[i * n + j] += weight * b[i] * b[j];
  }
}

/* inverse [n][n]: of the rows and columns of a that are kept, zero elsewhere; by banded Cholesky, in work
 * [(k + 1) n + n n].  Not positive definite, which no mass matrix is: BATCHED_DEVICE_FAILED. */
static int invert(batched_ctx *host, int n, int k, const double *a, const bool *kept, double *inverse, double *work)
{
  double *band = work, *columns = work + (int64_t)(k + 1) * n;
  int *place = malloc(((size_t)n + 1) * sizeof *place), left = 0, info = 0;
  if (!place) return BATCHED_NO_MEMORY;
  for (int i = 0; i < n; i++)
    if (kept[i]) place[left++] = i;
  for (int j = 0; j < left; j++)
    for (int i = 0; i <= k; i++)
      band[j * (k + 1) + i] =
        j + i < left && place[j + i] - place[j] <= k ? a[(int64_t)place[j] * n + place[j + i]] : 0;
  memset(columns, 0, (size_t)left * (size_t)left * sizeof *columns);
  for (int j = 0; j < left; j++) columns[(int64_t)j * left + j] = 1.0;
  const int rows = left > 0 ? left : 1;
  int status = batched_pbsv(host, BATCHED_LOWER, k, batched_strided(band, k + 1, left, k + 1, 0, 1),
                            batched_strided(columns, left, left, rows, 0, 1), &info);
  memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
  for (int j = 0; j < left; j++)
    for (int i = 0; i < left; i++) inverse[(int64_t)place[j] * n + place[i]] = columns[(int64_t)j * left + i];
  free(place);
  return status ? status : info ? BATCHED_DEVICE_FAILED : BATCHED_SUCCESS;
}

static int place_matrix(batched_ctx *ctx, double **to, const double *host, int n)
{
  const size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
  *to = batched_allocate(ctx, bytes);
  return *to ? batched_copy_from_host(ctx, *to, host, bytes) : BATCHED_NO_MEMORY;
}

/* The matrices of direction d; space [n][n] doubles each. */
static int make_direction(batched_ctx *ctx, batched_ctx *host, const fem_mass *m, tensor_box *t, const bool *kept,
                          int d)
{
  const int dim = m->space->dim, k = m->space->k, n = t->lattice.n[d];
  const size_t size = (size_t)n * (size_t)n;
  double *a = malloc((3 * size + (size_t)(k + 1) * (size_t)n) * sizeof *a);
  if (!a) return BATCHED_NO_MEMORY;
  double *inverse = a + size, *work = inverse + size;
  fill_mass(m, &t->lattice, d, a);
  int status = place_matrix(ctx, &t->mass[d], a, n);
  for (int c = 0; c < dim && !status; c++) {
    status = invert(host, n, k, a, kept + (size_t)(c * dim + d) * TENSOR_MOST_NODES, inverse, work);
    if (!status) status = place_matrix(ctx, &t->inverse[c * dim + d], inverse, n);
  }
  free(a);
  return status;
}

static int make_matrices(batched_ctx *ctx, const fem_mass *m, tensor_box *t)
{
  batched_ctx *host = NULL;
  bool *kept = make_walls(m->space, &t->lattice);
  int status = kept ? batched_create(&host, BATCHED_HOST) : BATCHED_NO_MEMORY;
  for (int d = 0; d < m->space->dim && !status; d++) status = make_direction(ctx, host, m, t, kept, d);
  if (host) batched_destroy(&host);
  free(kept);
  return status;
}

int tensor_box_setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  const size_t bytes = sizeof(int) * (size_t)s->ndofs;
  tensor_box *t = m->store = calloc(1, sizeof *t);
  if (!t || !tensor_lattice_make(s, &t->lattice)) return BATCHED_NO_MEMORY; /* it is a box, as it fits */
  t->order = batched_allocate(ctx, bytes);
  if (!t->order) return BATCHED_NO_MEMORY;
  int status = batched_copy_from_host(ctx, t->order, t->lattice.dof, bytes);
  return status ? status : make_matrices(ctx, m, t);
}

void tensor_box_teardown(batched_ctx *ctx, fem_mass *m)
{
  tensor_box *t = m->store;
  tensor_lattice_destroy(&t->lattice);
  batched_release(ctx, t->order);
  for (int d = 0; d < 3; d++) batched_release(ctx, t->mass[d]);
  for (int i = 0; i < 9; i++) batched_release(ctx, t->inverse[i]);
  free(t);
  m->store = NULL;
}

/* ------------------------------------------------------------------ products */

/* v = A u along direction d, for a vector on the lattice: A [n][n] is symmetric.  A product of matrices for each of
 * the other directions' last index. */
static int multiply_along(batched_ctx *ctx, const int n[3], int d, double *a, double *u, double *v)
{
  const int64_t plane = (int64_t)n[0] * n[1];
  const batched_scalar one = batched_real(1), zero = batched_real(0);
  if (d == 0) /* columns of A's length */
    return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, batched_strided(a, n[0], n[0], n[0], 0, n[2]),
                        batched_strided(u, n[0], n[1], n[0], plane, n[2]), zero,
                        batched_strided(v, n[0], n[1], n[0], plane, n[2]));
  if (d == 1) /* rows, in each plane */
    return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, batched_strided(u, n[0], n[1], n[0], plane, n[2]),
                        batched_strided(a, n[1], n[1], n[1], 0, n[2]), zero,
                        batched_strided(v, n[0], n[1], n[0], plane, n[2]));
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, /* rows of planes, a line of each at a time */
                      batched_strided(u, n[0], n[2], (int)plane, n[0], n[1]),
                      batched_strided(a, n[2], n[2], n[2], 0, n[1]), zero,
                      batched_strided(v, n[0], n[2], (int)plane, n[0], n[1]));
}

/* y = (A_2 (x) A_1 (x) A_0) x for all components, a [ncomp][dim] or [dim] shared by them; in m->work. */
static int multiply(batched_ctx *ctx, fem_mass *m, tensor_permute *permute, double *const *a, bool shared,
                    const double *x, double *y)
{
  const fem_space *s = m->space;
  const tensor_box *t = m->store;
  const int64_t all = s->ndofs;
  double *u = m->work, *v = u + s->dim * all;
  int status = permute(ctx, t->order, s->dim, all, false, x, u);
  for (int d = 0; d < s->dim && !status; d++) {
    for (int c = 0; c < s->dim && !status; c++)
      status = multiply_along(ctx, t->lattice.n, d, a[shared ? d : c * s->dim + d], u + c * all, v + c * all);
    double *swap = u;
    u = v, v = swap;
  }
  return status ? status : permute(ctx, t->order, s->dim, all, true, u, y);
}

int tensor_box_product(batched_ctx *ctx, fem_mass *m, tensor_permute *permute, const double *x, double *y)
{
  const tensor_box *t = m->store;
  return multiply(ctx, m, permute, t->mass, true, x, y);
}

int tensor_box_solve(batched_ctx *ctx, fem_mass *m, tensor_permute *permute, const double *b, double *x)
{
  const tensor_box *t = m->store;
  return multiply(ctx, m, permute, t->inverse, false, b, x);
}
