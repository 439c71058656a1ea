/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks whose kernels add up among themselves, by inboxes in the GPUs' memory, and in the host's where a GPU's can't be
 * opened, or where what is opened is other memory; and a wait with a limit.  Skipped where there is no GPU.
 */
#include <cstdarg>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "batched/cuda/launch.cuh"
#include "mesh/comm/comm.h"
#include "mesh/comm/cuda/peers.cuh"

using namespace mesh_cuda;

enum { NODES = 300, NCOMP = 3, SUMS = 2, TIMES = 10, THREADS = 128, ROOM = 40 };

static batched_ctx *ctx;

/* The linker lets these stand in for the calls of peers.cu (--wrap). */
static enum { RIGHT, REFUSED, ELSEWHERE } opening;

extern "C" {
cudaError_t __real_cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t __real_cudaIpcCloseMemHandle(void *p);

cudaError_t __wrap_cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags)
{
  if (opening == RIGHT) return __real_cudaIpcOpenMemHandle(p, handle, flags);
  return opening == REFUSED ? cudaErrorNotSupported : cudaMalloc(p, 1 << 20);
}

cudaError_t __wrap_cudaIpcCloseMemHandle(void *p)
{
  return opening == RIGHT ? __real_cudaIpcCloseMemHandle(p) : cudaFree(p);
}
}

/* What kernels of conjugate gradients do: a sum over the ranks, shared nodes, a sum over the ranks, and again.  One
 * block; x, y [NCOMP][NODES], totals [TIMES][2][SUMS]. */
static __global__ void add_up(const peer_view *peers, const double *x, double *y, double *totals)
{
  __shared__ double sums[SUMS], all[MOST_PEERS * SUMS];
  const peer_view &p = *peers;
  const int t = (int)threadIdx.x;
  for (int k = 0; k < 2 * TIMES; k++) {
    if (k % 2) {
      const uint32_t sequence = *p.sequence;
      for (int i = t; i < NCOMP * p.nslots; i += THREADS)
        post(p.to[i / NCOMP] + i % NCOMP, k * x[i % NCOMP * NODES + p.node[i / NCOMP]], sequence);
      for (int i = t; i < NCOMP * p.nshared; i += THREADS) {
        const int s = i / NCOMP, c = i % NCOMP, at = c * NODES + p.shared[s];
        y[at] = sum_of_ranks(p, NCOMP, s, c, k * x[at], sequence);
      }
    }
    if (t < SUMS) sums[t] = k + (t + 1) * (p.rank + 1);
    __syncthreads();
    sum_over_ranks<SUMS>(p, sums, all);
    if (t < SUMS) totals[k * SUMS + t] = sums[t];
    __syncthreads();
  }
}

/* Whole numbers, whose sums are exact. */
static double value(int rank, int i)
{
  return (rank + 1) * 1000.0 + i;
}

static void expect_sums(const std::vector<double> &y, const std::vector<double> &totals)
{
  const int size = comm_size();
  for (int i = 0; i < NCOMP * NODES; i++) {
    double sum = 0;
    for (int r = 0; r < size; r++) sum += (2 * TIMES - 1) * value(r, i);
    assert_true(y[(size_t)i] == sum);
  }
  for (int k = 0; k < 2 * TIMES; k++)
    for (int t = 0; t < SUMS; t++)
      assert_true(totals[(size_t)(k * SUMS + t)] == size * k + (t + 1) * size * (size + 1) / 2);
}

static bool are_in_device(const halo_peers *peers)
{
  peer_view view;
  cudaPointerAttributes about;
  assert_int_equal(batched_copy_to_host(ctx, &view, halo_peers_view(peers), sizeof view), BATCHED_SUCCESS);
  assert_int_equal(cudaPointerGetAttributes(&about, view.mine), cudaSuccess);
  return about.type == cudaMemoryTypeDevice;
}

/* All ranks share all nodes, which each has in another order. */
static void expect(bool in_device)
{
  const int rank = comm_rank();
  std::vector<int64_t> id;
  std::vector<double> host;
  for (int i = 0; i < NODES; i++) id.push_back((7 * i + rank) % NODES);
  for (int i = 0; i < NCOMP * NODES; i++) host.push_back(value(rank, i / NODES * NODES + (int)id[(size_t)(i % NODES)]));
  halo *h;
  halo_peers *peers;
  assert_int_equal(halo_create(&h, NODES, id.data()), 0);
  halo_peers_create(&peers, ctx, h, NCOMP, nullptr, ROOM, true);
  assert_non_null(peers);
  assert_int_equal(are_in_device(peers), in_device);

  const size_t bytes = sizeof(double) * NCOMP * NODES, total_bytes = sizeof(double) * 2 * TIMES * SUMS;
  double *x = static_cast<double *>(batched_allocate(ctx, bytes)),
         *y = static_cast<double *>(batched_allocate(ctx, bytes)),
         *totals = static_cast<double *>(batched_allocate(ctx, total_bytes));
  std::vector<double> host_totals(2 * TIMES * SUMS), sorted(host);
  assert_true(x && y && totals);
  assert_int_equal(batched_copy_from_host(ctx, x, host.data(), bytes), BATCHED_SUCCESS);
  assert_int_equal(batched_cuda::launch(ctx, add_up, 1, THREADS, 0, halo_peers_view(peers), x, y, totals),
                   BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(ctx, host.data(), y, bytes), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(ctx, host_totals.data(), totals, total_bytes), BATCHED_SUCCESS);
  for (int i = 0; i < NCOMP * NODES; i++)
    sorted[(size_t)(i / NODES * NODES + (int)id[(size_t)(i % NODES)])] = host[(size_t)i];
  expect_sums(sorted, host_totals);
  double *all[] = {x, y, totals};
  for (double *p : all) batched_release(ctx, p);
  halo_peers_destroy(&peers);
  halo_destroy(&h);
  opening = RIGHT;
}

static void words_arrive(void **)
{
  expect(true);
}

/* For one rank; all agree. */
static void inbox_cannot_be_opened(void **)
{
  opening = comm_rank() == 1 ? REFUSED : RIGHT;
  expect(false);
}

static void letters_go_astray(void **)
{
  opening = comm_rank() == 1 ? ELSEWHERE : RIGHT;
  expect(false);
}

/* A word that nobody has posted; values [2]. */
static __global__ void wait_in_vain(peer_view view, double *values)
{
  for (int i = 0; i < 2; i++) values[i] = await_in_time(view, view.mine, 12345);
}

/* It is not a number after the limit, and the host knows. */
static void waits_end(void **)
{
  flagged_word *word = static_cast<flagged_word *>(batched_allocate(ctx, sizeof *word));
  double *values = static_cast<double *>(batched_allocate(ctx, 2 * sizeof *values)), came[2] = {};
  int *over = nullptr;
  assert_true(word && values);
  assert_int_equal(cudaHostAlloc(&over, sizeof *over, cudaHostAllocMapped), cudaSuccess);
  assert_int_equal(batched_fill_zero(ctx, word, sizeof *word), BATCHED_SUCCESS);
  *over = 0;
  peer_view view = {};
  view.mine = word, view.limit = 50, view.over = over;
  assert_int_equal(batched_cuda::launch(ctx, wait_in_vain, 1, 1, 0, view, values), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(ctx, came, values, sizeof came), BATCHED_SUCCESS);
  assert_true(came[0] != came[0] && came[1] != came[1] && *over == 1);
  cudaFreeHost(over);
  batched_release(ctx, values);
  batched_release(ctx, word);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_arrive),
    cmocka_unit_test(inbox_cannot_be_opened),
    cmocka_unit_test(letters_go_astray),
    cmocka_unit_test(waits_end),
  };
  comm_init(&argc, &argv);
  const int devices = batched_device_count(NULL);
  int failed = 77;
  if (devices > 0 && batched_create_on_device(&ctx, comm_local_rank() % devices)) comm_abort(1);
  if (devices > 0)
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  else if (comm_rank() == 0)
    puts("SKIPPED: no CUDA device");
  batched_destroy(&ctx);
  comm_finalize();
  return failed;
}
