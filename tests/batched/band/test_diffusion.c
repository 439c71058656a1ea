/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A user's program, that of docs/batched/band.md: 10000 implicit steps of diffusion along lines of different lengths,
 * in one call; in either space.  The answer is known: a cosine that fits the line keeps its shape and decays.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched.h"

enum { LINES = 10000, LONGEST = 512 };

/* Line i has 1 to LONGEST cells. */
static int cells_of(int i)
{
  return 1 + (int)((i * 2654435761u) % LONGEST);
}

/* One step of u_t = u_xx with steps of dt and dx, r = dt / dx^2: the diagonals of I - r D, D the second difference with
 * no flow over the ends; and u, a cosine of the wave number `mode`. */
static void fill_line(int n, double r, int mode, double *lower, double *diagonal, double *upper, double *u)
{
  for (int i = 0; i < n; i++) {
    diagonal[i] = 1 + r * ((i > 0) + (i < n - 1));
    lower[i] = upper[i] = -r;
    u[i] = cos(M_PI * mode * (i + 0.5) / n);
  }
}

/* By how much the cosine is smaller after the step. */
static double decay(int n, double r, int mode)
{
  const double s = sin(M_PI * mode / (2.0 * n));
  return 1 / (1 + 4 * r * s * s);
}

/* Pointers to where each line begins in an array on the context's space. */
static void *pointers(batched_ctx *ctx, double *data, const int64_t *begin)
{
  double **at = malloc(LINES * sizeof *at);
  void *sent = batched_allocate(ctx, LINES * sizeof *at);
  for (int i = 0; i < LINES; i++) at[i] = data + begin[i];
  batched_copy_from_host(ctx, sent, at, LINES * sizeof *at);
  free(at);
  return sent;
}

/* The lines lie behind each other in each of four arrays: the three diagonals, and u. */
static void check_lines(batched_space space)
{
  const double r = 10;
  batched_ctx *ctx;
  if (batched_create(&ctx, space)) return; /* no GPU */
  int64_t *begin = malloc((LINES + 1) * sizeof *begin);
  int *cells = malloc(LINES * sizeof *cells), *info = malloc(LINES * sizeof *info);
  begin[0] = 0;
  for (int i = 0; i < LINES; i++) begin[i + 1] = begin[i] + (cells[i] = cells_of(i));
  const size_t bytes = (size_t)begin[LINES] * sizeof(double);
  double *host[4], *data[4];
  void *at[4];
  for (int k = 0; k < 4; k++) host[k] = malloc(bytes);
  for (int i = 0; i < LINES; i++)
    fill_line(cells[i], r, i % 3, host[0] + begin[i], host[1] + begin[i], host[2] + begin[i], host[3] + begin[i]);
  for (int k = 0; k < 4; k++) {
    data[k] = batched_allocate(ctx, bytes);
    batched_copy_from_host(ctx, data[k], host[k], bytes);
    at[k] = pointers(ctx, data[k], begin);
  }
  int *ns = batched_allocate(ctx, LINES * sizeof *ns), *infos = batched_allocate(ctx, LINES * sizeof *infos);
  batched_copy_from_host(ctx, ns, cells, LINES * sizeof *ns);
#define LINE(k) batched_variable((double **)at[k], LONGEST, 1, LONGEST, ns, NULL, NULL, LINES)
  assert_int_equal(batched_gtsv(ctx, LINE(0), LINE(1), LINE(2), LINE(3), infos), 0);
  assert_int_equal(batched_copy_to_host(ctx, host[3], data[3], bytes), 0);
  assert_int_equal(batched_copy_to_host(ctx, info, infos, LINES * sizeof *info), 0);
  for (int i = 0; i < LINES; i++) {
    const int n = cells[i], mode = i % 3;
    assert_int_equal(info[i], 0);
    for (int j = 0; j < n; j++) {
      const double exact = decay(n, r, mode) * cos(M_PI * mode * (j + 0.5) / n);
      if (!(fabs(host[3][begin[i] + j] - exact) < 1e-11))
        fail_msg("line %d of %d cells, cell %d: %g, not %g", i, n, j, host[3][begin[i] + j], exact);
    }
  }
  for (int k = 0; k < 4; k++) {
    batched_release(ctx, data[k]);
    batched_release(ctx, at[k]);
    free(host[k]);
  }
  batched_release(ctx, ns);
  batched_release(ctx, infos);
  free(begin);
  free(cells);
  free(info);
  batched_destroy(&ctx);
}

static void test_lines(void **unused)
{
  (void)unused;
  check_lines(BATCHED_HOST);
}

static void test_lines_on_gpu(void **unused)
{
  (void)unused;
  check_lines(BATCHED_CUDA);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_lines_on_gpu)};
  return cmocka_run_group_tests_name("diffusion", tests, NULL, NULL);
}
