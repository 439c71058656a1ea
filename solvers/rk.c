/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "solvers/solvers.h"

const solver_rk solver_rk_euler = {.nstages = 1, .b = {1.0}};
const solver_rk solver_rk_midpoint = {.nstages = 2, .a = {[1] = {0.5}}, .b = {0.0, 1.0}};
const solver_rk solver_rk_ssp3 = {
  .nstages = 3,
  .a = {[1] = {1.0}, [2] = {0.25, 0.25}},
  .b = {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0},
};
const solver_rk solver_rk_classical = {
  .nstages = 4,
  .a = {[1] = {0.5}, [2] = {0.0, 0.5}, [3] = {0.0, 0.0, 1.0}},
  .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
};
/* J. H. Verner's most efficient 8-stage method of order 6, with the digits that MFEM gives. */
const solver_rk solver_rk_verner = {
  .nstages = 8,
  .a = {[1] = {.06},
        [2] = {.01923996296296296296, .07669337037037037037},
        [3] = {.035975, 0., .107925},
        [4] = {1.318683415233148260919747, 0., -5.042058063628562225427761634715637693344,
               4.220674648395413964508014358283902080483},
        [5] = {-41.87259166432751461803757780644346812905, 0., 159.4325621631374917700365669070346830453,
               -122.1192135650100309202516203389242140663, 5.531743066200053768252631238332999150076},
        [6] = {-54.43015693531650433250642051294142461271, 0., 207.0672513650184644273657173866509835987,
               -158.6108137845899991828742424365058599469, 6.991816585950242321992597280791793907096,
               -.01859723106220323397765171799549294623692},
        [7] = {-54.66374178728197680241215648050386959351, 0., 207.9528062553893734515824816699834244238,
               -159.2889574744995071508959805871426654216, 7.018743740796944434698170760964252490817,
               -.01833878590504572306472782005141738268361, -.0005119484997882099077875432497245168395840}},
  .b = {.03438957868357036009278820124728322386520, 0., 0., .2582624555633503404659558098586120858767,
        .4209371189673537150642551514069801967032, 4.405396469669310170148836816197095664891,
        -176.4831190242986576151740942499002125029, 172.3641334014150730294022582711902413315},
};

/* y = y0 + dt sum_j c[j] k_j, leaving out the stages that do not enter */
static int advance(batched_ctx *ctx, int64_t n, double dt, int nstages, const double *c, const double *y0,
                   const double *k, double *y)
{
  solver_combine_args args = {.n = n, .nterms = 1, .c = {1.0}, .x = {y0}, .y = y};
  for (int j = 0; j < nstages; j++) {
    if (c[j] == 0.0) continue;
    args.c[args.nterms] = dt * c[j];
    args.x[args.nterms++] = k + j * n;
  }
  return solver_combine(ctx, &args);
}

int solver_rk_step(batched_ctx *ctx, const solver_rk *rk, int64_t n, double dt, const double *y0, double *y, double *k,
                   int (*f)(void *user, const double *y, double *dydt), void *user)
{
  for (int i = 0; i < rk->nstages; i++) {
    int status = i == 0 ? f(user, y0, k) : advance(ctx, n, dt, i, rk->a[i], y0, k, y);
    if (!status && i > 0) status = f(user, y, k + i * n);
    if (status) return status;
  }
  return advance(ctx, n, dt, rk->nstages, rk->b, y0, k, y);
}
