/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The density as a polynomial in each zone: M rho = sum_q mass_q b_j, a block of LANES zones at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/space/assemble.h"
#include "fem/space/points.h"
#include "fem/space/share.h"

typedef struct block_projection {
  fem_rule rule;
  fem_points at;
  fem_assembly assembly;
  double *basis;                                    /* [nq][nt] */
  real *jacobian, *volume, *matrix, *rho, *pair[2]; /* [nq][dim][dim], [nq], [nt][nt], [nt], and for the assembly */
} block_projection;

static int block_projection_create(block_projection *p, const fem_space *s)
{
  *p = (block_projection){.basis = fem_assemble_basis(s, s->t1, s->bt)};
  int status = fem_rule_create_own(&p->rule, s);
  if (!status) status = fem_points_create(&p->at, &p->rule, s);
  if (!status) status = fem_assembly_create(&p->assembly, s, s->t1, s->bt);
  p->jacobian = fem_points_allocate(s->nq * s->dim * s->dim);
  p->volume = fem_points_allocate(s->nq);
  p->matrix = fem_points_allocate(s->nt * s->nt);
  p->rho = fem_points_allocate(s->nt);
  const int most = p->assembly.npairs > s->q1 ? p->assembly.npairs : s->q1;
  for (int i = 0; i < 2; i++) p->pair[i] = fem_points_allocate(fem_power(most, s->factors));
  const bool made = p->basis && p->jacobian && p->volume && p->matrix && p->rho && p->pair[0] && p->pair[1];
  return !status && made ? STATUS_OK : STATUS_MACHINE;
}

static void block_projection_destroy(block_projection *p)
{
  real *all[] = {p->jacobian, p->volume, p->matrix, p->rho, p->pair[0], p->pair[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  fem_assembly_destroy(&p->assembly);
  fem_points_destroy(&p->at);
  fem_rule_destroy(&p->rule);
  free(p->basis);
}

/* matrix [nt][nt] of a block, as fem_assembly_zone. */
static void assemble_block(block_projection *p)
{
  const fem_assembly *a = &p->assembly;
  const real *in = p->volume;
  int n = fem_power(a->q1, a->factors - 1);
  for (int d = 0; d < a->factors; d++, n = n / a->q1 * a->npairs) {
    real *out = p->pair[d % 2];
    for (int pair = 0; pair < a->npairs; pair++)
      for (int i = 0; i < n; i++) {
        real sum = a->pairs[pair * a->q1] * in[i * a->q1];
        for (int q = 1; q < a->q1; q++) sum += a->pairs[pair * a->q1 + q] * in[i * a->q1 + q];
        out[pair * n + i] = sum;
      }
    in = out;
  }
  for (int i = 0; i < a->n * a->n; i++) p->matrix[i] = in[a->place[i]];
}

/* Solves a b = b for symmetric positive definite a [n][n], which are overwritten; false if one is not.  Row j above the
 * diagonal becomes that of the factor's transpose. */
static bool solve_block(int n, real *a, real *b)
{
  for (int j = 0; j < n; j++) {
    if (!real_all(a[j * n + j] > 0.0)) return false;
    const real scale = 1.0 / real_sqrt(a[j * n + j]);
    for (int k = j; k < n; k++) a[j * n + k] *= scale;
    for (int i = j + 1; i < n; i++)
      for (int k = i; k < n; k++) a[i * n + k] -= a[j * n + i] * a[j * n + k];
  }
  for (int j = 0; j < n; j++) {
    b[j] /= a[j * n + j];
    for (int k = j + 1; k < n; k++) b[k] -= a[j * n + k] * b[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/* mass [nzones][nq]; rho [][nt] from zone `first` on */
static bool project_block(block_projection *p, const fem_space *s, const double *mass, int first, double *rho)
{
  for (int i = 0; i < s->nt; i++) p->rho[i] = real_of(0.0);
  for (int q = 0; q < s->nq; q++) {
    real at_point;
    double values[LANES];
    for (int l = 0; l < LANES; l++) values[l] = mass[(int64_t)fem_points_zone(&p->at, l) * s->nq + q];
    memcpy(&at_point, values, sizeof at_point);
    p->volume[q] = s->weight[q] * fem_points_determinant(s->dim, p->jacobian + q * s->dim * s->dim);
    for (int i = 0; i < s->nt; i++) p->rho[i] += at_point * p->basis[(int64_t)q * s->nt + i];
  }
  assemble_block(p);
  if (!solve_block(s->nt, p->matrix, p->rho)) return false;
  for (int l = 0; l < p->at.zones; l++)
    for (int i = 0; i < s->nt; i++) rho[(int64_t)(fem_points_zone(&p->at, l) - first) * s->nt + i] = p->rho[i][l];
  return true;
}

typedef struct density_projection {
  const fem_space *s;
  const fem_material *m;
  const double *x;
  double *rho;
} density_projection;

/* Zones first .. end - 1 to rho [end - first][nt]. */
static int project_zones(const density_projection *d, int first, int end, double *rho)
{
  block_projection p;
  int status = block_projection_create(&p, d->s);
  fem_points_within(&p.at, first, end);
  while (!status && fem_points_next(&p.at)) {
    fem_points_kinematic(&p.at, d->s->dim, d->x, NULL, p.jacobian);
    if (!project_block(&p, d->s, d->m->mass, first, rho)) status = STATUS_RUN;
  }
  block_projection_destroy(&p);
  return status;
}

static int project_density_chunk(void *data, int chunk, int first, int end)
{
  const density_projection *d = data;
  (void)chunk;
  return project_zones(d, first, end, d->rho + (int64_t)first * d->s->nt);
}

int fem_project_density(const fem_space *s, const fem_material *m, const double *x, double *rho)
{
  density_projection d = {s, m, x, rho};
  return fem_for_chunks(s, project_density_chunk, &d);
}

int fem_project_density_in(const fem_space *s, const fem_material *m, const double *x, int zone, double *rho)
{
  const density_projection d = {.s = s, .m = m, .x = x};
  return project_zones(&d, zone, zone + 1, rho);
}
