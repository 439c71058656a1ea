/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that fails: the k-th allocation and the k-th operation, for every k and with every variant of the
 * operators, and on a GPU a kernel that reads what is not there.  Each time there is one sentence, and nothing stays
 * behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "app/machine/memory.h"
#include "app/deck/operations.h"
#include "tests/app/runs.h"

enum { MANY = 100000, STEPS = 2 };

static batched_space space = BATCHED_HOST;
static deck the_deck;
static char message[1024];

static hydro *create(const char *key, const char *variant, int *status)
{
  char text[512], kernel[128] = "";
  hydro *h = NULL;
  if (key) snprintf(kernel, sizeof kernel, ", %s: %s", key, variant);
  snprintf(
    text, sizeof text,
    "problem: {name: taylor-green}\nmesh: {dim: 2, zones: [2, 2]}\ntime: {final: 0.1}\nkernels: {backend: %s%s}\n",
    space == BATCHED_CUDA ? "cuda" : "host", kernel);
  message[0] = '\0';
  if (deck_parse(&the_deck, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  *status = hydro_create(&h, &the_deck, message, sizeof message);
  assert_int_equal(h == NULL, *status != 0);
  return h;
}

static void expect_sentence(const char *what)
{
  if (!strstr(message, what)) fail_msg("\"%s\" is not in: %s", what, message);
  assert_null(strchr(message, '\n'));
}

/* The k-th allocation of the set-up and of the first steps: true if there are fewer. */
static bool allocation_fails(const char *key, const char *variant, int k)
{
  int status;
  batched_fail_allocation(k);
  hydro *h = create(key, variant, &status);
  if (status) {
    assert_int_equal(status, 3);
    expect_sentence("out of");
  } else {
    status = hydro_start(h, message, sizeof message);
    for (int step = 0; !status && step < STEPS; step++) {
      if (hydro_step(h) != HYDRO_FAILED) continue;
      hydro_explain(h, message, sizeof message);
      status = 3;
    }
    if (status) {
      assert_int_equal(status, 3);
      expect_sentence("out of");
    }
    hydro_destroy(&h);
  }
  batched_fail_allocation(-1);
  return status == 0;
}

/* The k-th operation of the first steps: true if there are fewer. */
static bool operation_fails(const char *key, const char *variant, int k)
{
  int status;
  hydro *h = create(key, variant, &status);
  assert_int_equal(status, 0);
  batched_fail_operation(k);
  status = hydro_start(h, message, sizeof message);
  if (!status && hydro_step(h) == HYDRO_FAILED) {
    hydro_explain(h, message, sizeof message);
    status = 3;
  }
  batched_fail_operation(-1);
  if (status) {
    assert_int_equal(status, 3);
    expect_sentence(batched_strerror(BATCHED_DEVICE_FAILED));
  }
  hydro_destroy(&h);
  return status == 0;
}

/* Each failure of that kind, with each variant of the operators (of all but the first, every stride-th); what is in use
 * does not pile up. */
static void each(bool (*fails)(const char *key, const char *variant, int k), const char *what, int stride)
{
  const batched_op *op;
  for (int i = 0; (op = app_operation(i)); i++) {
    if (op != &fem_stress_op && op != &fem_velocity_solve_op && op != &fem_energy_solve_op) continue;
    for (const batched_variant *v = op->variants[space]; v && v->name; v++) {
      int k = 0;
      assert_true(fails(op->key, v->name, MANY));
      const size_t peak = batched_peak_bytes(space);
      while (!fails(op->key, v->name, k)) k += v == op->variants[space] ? 1 : stride;
      printf("%s, %s: %d %s\n", op->key, v->name, k, what);
      fflush(stdout);
      assert_true(k > 3);
      assert_true(batched_peak_bytes(space) <= peak);
    }
  }
}

static void every_allocation(void **state)
{
  (void)state;
  each(allocation_fails, "allocations", 1);
}

static void every_operation(void **state)
{
  (void)state;
  each(operation_fails, "operations", 7);
}

/* More than the machine has: what was allocated until then is given back, and the sentence says how much there is. */
static void too_large_a_run(void **state)
{
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); // its malloc ends the program instead
#endif
  if (space != BATCHED_HOST) skip(); // a driver is not limited
  static const char text[] = "problem: {name: sedov}\nmesh: {dim: 3, refine: 5}\nkernels: {backend: host}\n";
  struct rlimit before;
  hydro *h = NULL;
  if (deck_parse(&the_deck, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
  memory_limit(2e7);
  assert_int_equal(hydro_create(&h, &the_deck, message, sizeof message), 3);
  assert_null(h);
  expect_sentence("out of memory");
  expect_sentence("a rank can have ");
  assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

/* The device's own failure, which no call is spared from then on: the last test of the process. */
static void a_kernel_that_faults(void **state)
{
  (void)state;
  int status;
  double *const nowhere = (double *)(uintptr_t)4096;
  if (space == BATCHED_HOST) skip();
  hydro *h = create(NULL, NULL, &status);
  assert_int_equal(status, 0);
  assert_int_equal(hydro_start(h, message, sizeof message), 0);
  batched_scal(h->ctx, batched_real(2.0), batched_strided(nowhere, 100, 1, 100, 100, 1));
  assert_int_equal(hydro_step(h), HYDRO_FAILED);
  hydro_explain(h, message, sizeof message);
  puts(message);
  expect_sentence("illegal");
  hydro_destroy(&h);
  create(NULL, NULL, &status);
  assert_int_equal(status, 3);
  puts(message);
}

/* A mesh that no GPU has room for. */
static void too_large(void **state)
{
  (void)state;
  if (space == BATCHED_HOST) skip(); // the host would be asked for as much
  batched_ctx *ctx;
  batched_device about;
  int status;
  hydro *h = create(NULL, NULL, &status);
  assert_int_equal(status, 0);
  assert_int_equal(batched_get_device(h->gpu.number, &about), BATCHED_SUCCESS);
  hydro_destroy(&h);
  assert_int_equal(batched_create_on_device(&ctx, 0), BATCHED_SUCCESS);
  void *nearly_all = NULL;
  for (size_t bytes = about.memory; !nearly_all && bytes > about.memory / 2; bytes -= 1 << 20)
    nearly_all = batched_allocate(ctx, bytes);
  void *rest[64];
  int n = 0;
  for (size_t bytes = 1 << 21; n < 64 && bytes >= 256;) {
    rest[n] = batched_allocate(ctx, bytes);
    if (rest[n])
      n++;
    else
      bytes /= 2;
  }
  h = create(NULL, NULL, &status);
  puts(message);
  if (status) {
    assert_int_equal(status, 3);
    expect_sentence("GPU memory");
    expect_sentence("are free");
  }
  hydro_destroy(&h);
  for (int i = 0; i < n; i++) batched_release(ctx, rest[i]);
  batched_release(ctx, nearly_all);
  batched_destroy(&ctx);
  h = create(NULL, NULL, &status);
  assert_int_equal(status, 0);
  hydro_destroy(&h);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_allocation), cmocka_unit_test(every_operation),      cmocka_unit_test(too_large_a_run),
    cmocka_unit_test(too_large),        cmocka_unit_test(a_kernel_that_faults),
  };
  comm_init(&argc, &argv);
  int failed = 77;
  if (argc > 1 && strcmp(argv[1], "--gpu") == 0) space = BATCHED_CUDA;
  const batched_variant *rows = fem_stress_op.variants[space];
  if (space == BATCHED_CUDA && (batched_device_count(NULL) == 0 || !rows || !rows->name))
    puts("SKIPPED: no CUDA device, or CUDA was not built");
  else
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
