/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages between GPUs by NCCL (docs.nvidia.com/deeplearning/nccl), which is loaded when it is asked for: within a
 * machine and between machines, from the memory of one GPU to that of the other, without the host.
 */
#ifndef MESH_COMM_NCCL_H
#define MESH_COMM_NCCL_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Messages with all neighbours; arrays are borrowed. */
typedef struct nccl_exchange {
  int nneighbours, ncomp;
  const int *neighbours; /* [nneighbours]: ranks */
  const int *first;      /* [nneighbours + 1]: slots of each */
  const double *out;     /* [slot][ncomp], in the memory of the GPU */
  double *in;
} nccl_exchange;

/* Makes the communicator of all ranks, each with the GPU that is current, unless there is one.  Returns NULL, or why
 * there is none: NULL on all ranks, or on none.  Collective. */
const char *nccl_open(void);

/* Enqueues the messages behind what the context has to do; what it is given afterwards does not wait for them.  Between
 * this and nccl_end, `out` and `in` must stay.  Returns a batched_status. */
int nccl_begin(batched_ctx *ctx, const nccl_exchange *e);
/* Has the context's work from here on wait for the messages of the last nccl_begin.  Returns a batched_status. */
int nccl_end(batched_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
