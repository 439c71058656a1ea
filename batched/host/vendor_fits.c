/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the vendor's rows can do: BLAS and LAPACK count in 32 bits the elements of a matrix, also those between columns,
 * and those of their workspace.
 */
#include "batched/host/vendor.h"

#include <limits.h>

/* Rows or columns of which 64, and some, are workspace. */
enum { WITH_WORKSPACE = INT_MAX / 64 - 66 };

static bool are_countable(const batched_matrix *const *x, int n, int longest)
{
  for (int i = 0; i < n; i++)
    if ((int64_t)x[i]->ld * x[i]->n > INT_MAX || x[i]->m > longest || x[i]->n > longest) return false;
  return true;
}

/* The matrices of a call, of its arguments p, with sides up to `longest`. */
#define FITS(op, ...) FITS_UP_TO(INT_MAX, op, __VA_ARGS__)
#define FITS_UP_TO(longest, op, ...) \
  bool batched_vendor_fits_##op(const void *args) \
  { \
    const batched_##op##_args *p = args; \
    const batched_matrix *const x[] = {__VA_ARGS__}; \
    return are_countable(x, sizeof x / sizeof *x, longest); \
  }
FITS(scal, &p->x)
FITS(axpy, &p->x, &p->y)
FITS(dot, &p->x, &p->y)
FITS(nrm2, &p->x)
FITS(gemm, &p->a, &p->b, &p->c)
FITS(gemv, &p->a, &p->x, &p->y)
FITS(syrk, &p->a, &p->c)
FITS(trsv, &p->a, &p->x)
FITS(trsm, &p->a, &p->b)
FITS(trmm, &p->a, &p->b)
FITS(trtri, &p->a)
FITS(potrf, &p->a)
FITS(potrs, &p->a, &p->b)
FITS(posv, &p->a, &p->b)
FITS(potri, &p->a)
FITS(getrf, &p->a)
FITS(getrs, &p->a, &p->b)
FITS(gesv, &p->a, &p->b)
FITS(getri, &p->a)
FITS_UP_TO(WITH_WORKSPACE, geqrf, &p->a, &p->tau)
FITS_UP_TO(WITH_WORKSPACE, unmqr, &p->a, &p->tau, &p->c)
FITS_UP_TO(WITH_WORKSPACE, ungqr, &p->a, &p->tau)
FITS_UP_TO(WITH_WORKSPACE, gels, &p->a, &p->b)
FITS(heev, &p->a, &p->w)

/* u and vt are not looked at without vectors. */
bool batched_vendor_fits_gesvd(const void *args)
{
  const batched_gesvd_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->s, &p->u, &p->vt};
  return are_countable(x, p->job == BATCHED_VECTORS ? 4 : 2, WITH_WORKSPACE);
}

/* BLAS has no complex symmetric matrices. */
bool batched_vendor_fits_symv(const void *args)
{
  const batched_symv_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->x, &p->y};
  return (p->hermitian || !batched_is_complex(p->a.type)) && are_countable(x, 3, INT_MAX);
}
