/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NCCL, loaded when it is asked for (dlopen of libnccl.so.2, version 2.7 or later), so that nothing links with it; no
 * kernels of its own.  All ranks have one communicator, made once.  An exchange is one group of sends and receives in
 * a stream of its own, between two events: NCCL waits for what the context had to do, the context for NCCL in nccl_end.
 *   takes      one rank per GPU, on one machine or several; double precision, any number of neighbours
 *   memory     NCCL's own buffers; messages are read and written where nccl_exchange has them
 *   accuracy   bytes are copied: sums are the caller's
 */
#include "mesh/comm/nccl.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "batched/cuda/launch.cuh"
#include "mesh/comm/comm.h"
#include "mesh/comm/halo_device.h"

namespace mesh_cuda
{
namespace
{

/* The part of nccl.h, version 2.7 and later, that is used. */
struct ncclComm;
struct unique_id {
  char internal[128];
};
enum { NCCL_SUCCESS = 0, NCCL_FLOAT64 = 8 };

struct library {
  int (*get_unique_id)(unique_id *);
  int (*init_rank)(ncclComm **, int, unique_id, int);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void *, size_t, int, int, ncclComm *, cudaStream_t);
  int (*receive)(void *, size_t, int, int, ncclComm *, cudaStream_t);
  const char *(*explain)(int);
};

/* Made once, and kept until the process ends. */
struct communicator {
  library nccl;
  ncclComm *ranks; /* NULL: there is none */
  cudaStream_t stream;
  cudaEvent_t packed, arrived;
} world;

template <class F> bool find(void *from, const char *name, F *f)
{
  *f = reinterpret_cast<F>(dlsym(from, name));
  return *f;
}

bool load(library *l)
{
  void *from = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  return from && find(from, "ncclGetUniqueId", &l->get_unique_id) && find(from, "ncclCommInitRank", &l->init_rank) &&
         find(from, "ncclGroupStart", &l->group_start) && find(from, "ncclGroupEnd", &l->group_end) &&
         find(from, "ncclSend", &l->send) && find(from, "ncclRecv", &l->receive) &&
         find(from, "ncclGetErrorString", &l->explain);
}

/* True where another rank has the GPU of this one: identities go around the ring of ranks. */
bool is_shared()
{
  int64_t mine[2], passing[2], next[2];
  bool shared = halo_device_identity(mine) != BATCHED_SUCCESS;
  memcpy(passing, mine, sizeof mine);
  for (int r = 1; r < comm_size(); r++) {
    comm_shift(passing, next, sizeof next);
    memcpy(passing, next, sizeof next);
    shared = shared || memcmp(passing, mine, sizeof mine) == 0;
  }
  return shared;
}

/* NULL, or why it can't be; then `world` is as it was. */
const char *join(communicator *c)
{
  static char why[160];
  unique_id id = {};
  setenv("NCCL_NVLS_ENABLE", "0", 0); // multicast of NVLink stays off
  int status = comm_rank() == 0 ? c->nccl.get_unique_id(&id) : NCCL_SUCCESS;
  if (comm_worst(status)) return "NCCL makes no communicator";
  comm_broadcast(&id, sizeof id, 0);
  status = c->nccl.init_rank(&c->ranks, comm_size(), id, comm_rank());
  if (status) snprintf(why, sizeof why, "NCCL makes no communicator: %s", c->nccl.explain(status));
  if (comm_worst(status)) return status ? why : "NCCL makes no communicator on another rank";
  cudaError_t error = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
  if (!error) error = cudaEventCreateWithFlags(&c->packed, cudaEventDisableTiming);
  if (!error) error = cudaEventCreateWithFlags(&c->arrived, cudaEventDisableTiming);
  return comm_worst(error) ? "the GPU has no stream for NCCL" : nullptr;
}

} // namespace
} // namespace mesh_cuda

using namespace mesh_cuda;

const char *nccl_open(void)
{
  if (world.ranks) return nullptr;
  if (comm_worst(!load(&world.nccl))) return "libnccl.so.2 can't be loaded";
  if (comm_worst(is_shared())) return "NCCL takes one rank per GPU, and two ranks have the same one";
  const char *why = join(&world);
  if (why) world.ranks = nullptr;
  return why;
}

int nccl_begin(batched_ctx *ctx, const nccl_exchange *e)
{
  cudaError_t error = cudaEventRecord(world.packed, batched_cuda::stream_of(ctx));
  if (!error) error = cudaStreamWaitEvent(world.stream, world.packed, 0);
  int status = world.nccl.group_start();
  for (int j = 0; j < e->nneighbours && !status; j++) {
    const size_t at = (size_t)e->first[j] * (size_t)e->ncomp;
    const size_t count = (size_t)(e->first[j + 1] - e->first[j]) * (size_t)e->ncomp;
    status = world.nccl.send(e->out + at, count, NCCL_FLOAT64, e->neighbours[j], world.ranks, world.stream);
    if (!status)
      status = world.nccl.receive(e->in + at, count, NCCL_FLOAT64, e->neighbours[j], world.ranks, world.stream);
  }
  const int ended = world.nccl.group_end();
  if (!error) error = cudaEventRecord(world.arrived, world.stream);
  return status || ended ? BATCHED_DEVICE_FAILED : batched_cuda::status_of(error);
}

int nccl_end(batched_ctx *ctx)
{
  return batched_cuda::status_of(cudaStreamWaitEvent(batched_cuda::stream_of(ctx), world.arrived, 0));
}
