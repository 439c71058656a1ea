/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "batched/variant.h"
#include "mesh/comm/comm.h"
#include "mesh/comm/node_sums.h"
#include "mesh/comm/traffic.h"

enum { TURN_TAG = 71, SHIFT_TAG = 73 };

/* Tests whether this process may have been started as one of several ranks.  Launchers say so by variables of PMI,
 * PMIx, ALPS or PALS; Open MPI's says how many ranks there are. */
static bool may_have_company(void)
{
  static const char *const said[] = {"PMI_RANK",       "PMI_FD",      "PMI_PORT",   "PMIX_RANK",
                                     "PMIX_NAMESPACE", "ALPS_APP_PE", "PALS_RANKID"};
  const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
  if (ranks) return strcmp(ranks, "1") != 0;
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (getenv(said[i])) return true;
  return false;
}

/* A rank alone needs no network, which Open MPI looks for in all that it knows, no daemon that could start others, and
 * no list of what OpenCL and X know of this machine, for which hwloc loads compilers.  What the user says of these is
 * left as it is. */
static void expect_nobody(void)
{
  if (may_have_company()) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0);
  if (getenv("OMPI_MCA_pml") || getenv("OMPI_MCA_btl")) return;
  setenv("OMPI_MCA_pml", "ob1", 1);
  setenv("OMPI_MCA_btl", "self", 1);
}

/* Ranks of one host send through its memory, which is Open MPI's ob1; a search for faster ways takes .2 s of a start.
 * Where there are GPUs it may find one into their memory.  What the user says of these is left as it is. */
static void expect_one_host(void)
{
  const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (!all || !here || strcmp(all, here) != 0 || access("/dev/nvidiactl", F_OK) == 0) return;
  if (!getenv("OMPI_MCA_pml") && !getenv("OMPI_MCA_btl")) setenv("OMPI_MCA_pml", "ob1", 1);
}

void comm_init(int *argc, char ***argv)
{
  int already;
  MPI_Initialized(&already);
  if (already) return;
  expect_nobody();
  expect_one_host();
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
}

/* State of this process, as MPI's own is; NULL: these go through MPI.  minima: those with a begin and an end. */
static node_sums *sums, *minima;

/* Ranks take leave of their launcher in several small messages.  By TCP's default each of them waits for an answer to
 * the one before, which the other side, having nothing to say, holds back for 40 ms (Nagle's algorithm, RFC 1122). */
static void send_at_once(void)
{
  enum { MOST = 256 };
  for (int s = STDERR_FILENO + 1; s < MOST; s++) // no socket of TCP refuses
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

void comm_finalize(void)
{
  int already;
  node_sums_destroy(&sums);
  node_sums_destroy(&minima);
  MPI_Finalized(&already);
  if (already) return;
  send_at_once();
  MPI_Finalize();
}

void comm_abort(int status)
{
  MPI_Abort(MPI_COMM_WORLD, status);
  __builtin_unreachable();
}

int comm_rank(void)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int comm_size(void)
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/* State of this process, as MPI's own is. */
static comm_traffic traffic;

comm_traffic comm_traffic_so_far(void)
{
  return traffic;
}

comm_traffic comm_traffic_since(comm_traffic before)
{
  return (comm_traffic){.messages = traffic.messages - before.messages,
                        .bytes = traffic.bytes - before.bytes,
                        .reductions = traffic.reductions - before.reductions,
                        .halo_seconds = traffic.halo_seconds - before.halo_seconds,
                        .reduction_seconds = traffic.reduction_seconds - before.reduction_seconds};
}

void comm_traffic_add(int messages, int64_t bytes, double seconds)
{
  traffic.messages += messages;
  traffic.bytes += bytes;
  traffic.halo_seconds += seconds;
}

static void reduce(void *x, int n, MPI_Datatype type, MPI_Op op)
{
  const double start = batched_seconds();
  MPI_Allreduce(MPI_IN_PLACE, x, n, type, op, MPI_COMM_WORLD);
  traffic.reduction_seconds += batched_seconds() - start;
  traffic.reductions++;
}

/* Of numbers of the host, through shared memory where it can be had. */
static void combine(double *x, int n, node_operation operation)
{
  const MPI_Op ops[] = {[NODE_SUM] = MPI_SUM, [NODE_LEAST] = MPI_MIN, [NODE_LARGEST] = MPI_MAX};
  if (!sums || n > NODE_SUMS_MOST) {
    reduce(x, n, MPI_DOUBLE, ops[operation]);
    return;
  }
  const double start = batched_seconds();
  node_sums_post(sums, x, n);
  node_sums_take(sums, operation, x, n);
  traffic.reduction_seconds += batched_seconds() - start;
  traffic.reductions++;
}

void comm_sum(double *x, int n)
{
  combine(x, n, NODE_SUM);
}

void comm_min(double *x, int n)
{
  combine(x, n, NODE_LEAST);
}

void comm_max(double *x, int n)
{
  combine(x, n, NODE_LARGEST);
}

void comm_reduce_by_memory(void)
{
  node_sums_destroy(&sums);
  node_sums_destroy(&minima);
  node_sums_create(&sums);
  node_sums_create(&minima);
}

#ifdef SMPI_H /* SimGrid's MPI_Iallreduce sends a message from every rank to every other one */
void comm_min_begin(comm_request *r, double *x)
{
  *r = (comm_request){.x = x};
}

void comm_min_end(comm_request *r)
{
  comm_min(r->x, 1);
}
#else
_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "a request is kept as a pointer");

void comm_min_begin(comm_request *r, double *x)
{
  const double start = batched_seconds();
  MPI_Request request;
  *r = (comm_request){.x = x};
  if (minima) {
    node_sums_post(minima, x, 1);
  } else {
    MPI_Iallreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &request);
    memcpy(&r->handle, &request, sizeof request);
  }
  traffic.reduction_seconds += batched_seconds() - start;
  traffic.reductions++;
}

void comm_min_end(comm_request *r)
{
  const double start = batched_seconds();
  MPI_Request request;
  if (minima) {
    node_sums_take(minima, NODE_LEAST, r->x, 1);
  } else {
    memcpy(&request, &r->handle, sizeof request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  traffic.reduction_seconds += batched_seconds() - start;
}
#endif

void comm_sum_int64(int64_t *x, int n)
{
  reduce(x, n, MPI_INT64_T, MPI_SUM);
}

void comm_max_int64(int64_t *x, int n)
{
  reduce(x, n, MPI_INT64_T, MPI_MAX);
}

int comm_worst(int status)
{
  reduce(&status, 1, MPI_INT, MPI_MAX);
  return status;
}

int64_t comm_exclusive_sum(int64_t x)
{
  int64_t before = 0; // MPI_Exscan leaves rank 0's result alone
  MPI_Exscan(&x, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return comm_rank() == 0 ? 0 : before;
}

void comm_exchange_counts(const int *out, int *in)
{
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

void comm_shift(const void *out, void *in, size_t bytes)
{
  const int size = comm_size(), rank = comm_rank();
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, (rank + 1) % size, SHIFT_TAG, in, (int)bytes, MPI_BYTE,
               (rank + size - 1) % size, SHIFT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void comm_broadcast(void *data, size_t bytes, int root)
{
  const size_t piece = 1 << 30; // MPI counts in int
  for (size_t done = 0; done < bytes; done += piece) {
    size_t n = bytes - done < piece ? bytes - done : piece;
    MPI_Bcast((char *)data + done, (int)n, MPI_BYTE, root, MPI_COMM_WORLD);
  }
}

void comm_barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

void comm_turn_begin(int each)
{
  int rank = comm_rank();
  if (rank % each > 0) MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, TURN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void comm_turn_end(int each)
{
  int rank = comm_rank();
  if (rank + 1 < comm_size() && (rank + 1) % each > 0) MPI_Send(NULL, 0, MPI_BYTE, rank + 1, TURN_TAG, MPI_COMM_WORLD);
}

/* This rank's place among those of this machine, in their order among all, and their number; 0: not asked for yet. */
static struct {
  int rank, size;
} local;

/* The first time collective. */
static void find_here(void)
{
  MPI_Comm ranks;
  if (local.size > 0) return;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, comm_rank(), MPI_INFO_NULL, &ranks);
  MPI_Comm_rank(ranks, &local.rank);
  MPI_Comm_size(ranks, &local.size);
  MPI_Comm_free(&ranks);
}

int comm_local_rank(void)
{
  find_here();
  return local.rank;
}

int comm_local_size(void)
{
  find_here();
  return local.size;
}

void comm_go_on(void)
{
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

/* An extension that Open MPI and MPICH have; NULL in others. */
int MPIX_Query_cuda_support(void) __attribute__((weak));

#ifndef SMPI_H /* SimGrid's MPI has one process, no tools interface, and no GPUs */
bool comm_shares_memory(void)
{
  return !comm_worst(comm_local_size() < comm_size());
}

/* Open MPI 4 answers that as it was built; whether it does so in this run is a variable of it. */
static bool is_switched_off(void)
{
  int provided, variable, count;
  MPI_T_cvar_handle handle;
  long long on = 0; // of fewer bytes, perhaps
  bool known = false;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  if (MPI_T_cvar_get_index("opal_cuda_support", &variable) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(variable, NULL, &handle, &count) == MPI_SUCCESS) {
    known = count == 1 && MPI_T_cvar_read(handle, &on) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return known && !on;
}
#else
bool comm_shares_memory(void)
{
  return false;
}

static bool is_switched_off(void)
{
  return true;
}
#endif

void comm_describe(char *text, size_t size)
{
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int n = 0;
  MPI_Get_library_version(all, &n);
  const size_t first = strcspn(all, "\n\t"); // MPICH's goes on with how it was configured
  snprintf(text, size, "%.*s", (int)first, all);
}

bool comm_takes_device_memory(void)
{
  return MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1 && !is_switched_off();
}
