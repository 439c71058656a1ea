/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI that takes the memory of GPUs is used where its bytes arrive, and only there.  Such an MPI is rare, so one is
 * made here: calls with the memory of the device go through copies on the host.  Skipped where there is no GPU.
 * ranks: 2 3
 * label: gpu
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/halo.h"

enum { NODES = 5000, NCOMP = 3, MAX_PENDING = 16 };

static batched_ctx *ctx;
static bool aware, wrong; /* what the MPI says, and whether it loses a byte */
static bool set_up;       /* until the halo is made, messages are of the host's memory alone */

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
  return aware;
}

/* The variable by which Open MPI 4 says whether it does so in this run; other MPIs have none. */
static enum { NO_VARIABLE, OFF, ON } variable;

int MPI_T_cvar_get_index(const char *name, int *index)
{
  *index = 0;
  return variable && strcmp(name, "opal_cuda_support") == 0 ? MPI_SUCCESS : MPI_T_ERR_INVALID_NAME;
}

int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
  assert_true(index == 0 && !object);
  *handle = (MPI_T_cvar_handle)&variable;
  *count = 1;
  return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *value)
{
  assert_true(handle == (MPI_T_cvar_handle)&variable);
  *(int *)value = variable == ON;
  return MPI_SUCCESS;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

/* Messages under way: where they lie on the host, and for those that come, where they belong. */
static struct {
  void *host, *device; /* device: NULL for those that go */
  size_t bytes;
} pending[MAX_PENDING];
static int npending;

static void *stage(const void *from, void *to, int count, MPI_Datatype type)
{
  int size;
  MPI_Type_size(type, &size);
  const size_t bytes = (size_t)size * (size_t)count;
  void *host = malloc(bytes + 1);
  assert_true(host && npending < MAX_PENDING);
  if (from) assert_int_equal(batched_copy_to_host(ctx, host, from, bytes), BATCHED_SUCCESS);
  pending[npending].host = host;
  pending[npending].device = to;
  pending[npending++].bytes = bytes;
  return host;
}

static void deliver(void)
{
  for (; npending > 0; npending--) {
    if (wrong) ((char *)pending[npending - 1].host)[pending[npending - 1].bytes - 1] ^= 1;
    if (pending[npending - 1].device)
      assert_int_equal(batched_copy_from_host(ctx, pending[npending - 1].device, pending[npending - 1].host,
                                              pending[npending - 1].bytes),
                       BATCHED_SUCCESS);
    free(pending[npending - 1].host);
  }
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
  return PMPI_Isend(aware && set_up ? stage(data, NULL, count, type) : data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
  return PMPI_Irecv(aware && set_up ? stage(NULL, data, count, type) : data, count, type, from, tag, comm, request);
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
  const int status = PMPI_Waitall(n, requests, statuses);
  deliver();
  return status;
}

int MPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int out_tag, void *in, int nin, MPI_Datatype tin,
                 int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
  assert_true(aware && variable != OFF); // an MPI that is not must never see the device's memory
  const void *host_out = stage(out, NULL, nout, tout);
  void *host_in = stage(NULL, in, nin, tin);
  const int result = PMPI_Sendrecv(host_out, nout, tout, to, out_tag, host_in, nin, tin, from, in_tag, comm, status);
  deliver();
  return result;
}

/* All ranks share all nodes, and rank r has r + 1 everywhere. */
static void expect(const char *path)
{
  static int64_t id[NODES];
  static double x[NCOMP * NODES];
  halo *h;
  double sum = 0;
  for (int i = 0; i < NODES; i++) id[i] = i;
  for (int i = 0; i < NCOMP * NODES; i++) x[i] = 1 + comm_rank() + 1e-3 * i;
  for (int r = 0; r < comm_size(); r++) sum += 1 + r + 1e-3 * (NODES + 1);
  set_up = false;
  assert_int_equal(halo_create(&h, NODES, id), 0);
  set_up = true;
  assert_int_equal(halo_place(ctx, h), BATCHED_SUCCESS);
  assert_string_equal(halo_path(h), path);
  wrong = false;
  double *y = batched_allocate(ctx, sizeof x);
  assert_int_equal(batched_copy_from_host(ctx, y, x, sizeof x), BATCHED_SUCCESS);
  for (int ncomp = 1; ncomp <= NCOMP; ncomp += NCOMP - 1) { // the first component is added up twice
    assert_int_equal(halo_sum_begin(ctx, h, ncomp, y), BATCHED_SUCCESS);
    assert_int_equal(halo_sum_end(ctx, h, ncomp, y), BATCHED_SUCCESS);
  }
  assert_int_equal(batched_copy_to_host(ctx, x, y, sizeof x), BATCHED_SUCCESS);
  assert_float_equal(x[NODES + 1], sum, 1e-12);
  assert_float_equal(x[1], comm_size() * (sum - comm_size() * 1e-3 * NODES), 1e-10);
  batched_release(ctx, y);
  halo_destroy(&h);
}

static void is_used(void **state)
{
  (void)state;
  aware = true;
  variable = NO_VARIABLE;
  expect("the GPU's memory");
  variable = ON;
  expect("the GPU's memory");
}

static void loses_a_byte(void **state)
{
  (void)state;
  aware = wrong = true;
  expect("pinned memory");
}

static void says_no(void **state)
{
  (void)state;
  aware = false;
  variable = NO_VARIABLE;
  expect("pinned memory");
}

static void is_switched_off(void **state)
{
  (void)state;
  aware = true;
  variable = OFF;
  expect("pinned memory");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_used),
    cmocka_unit_test(loses_a_byte),
    cmocka_unit_test(says_no),
    cmocka_unit_test(is_switched_off),
  };
  comm_init(&argc, &argv);
  int failed = 77;
  if (batched_create(&ctx, BATCHED_CUDA) == BATCHED_SUCCESS)
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  else if (comm_rank() == 0)
    puts("SKIPPED: no CUDA device, or CUDA was not built");
  batched_destroy(&ctx);
  comm_finalize();
  return failed;
}
