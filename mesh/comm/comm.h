/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What Shocklet needs of MPI.  Only comm.c, halo_messages.c and mail.c include mpi.h.
 */
#ifndef MESH_COMM_H
#define MESH_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/comm/exit_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions are collective over the ranks of the run, unless they say otherwise. */

void comm_init(int *argc, char ***argv);
void comm_finalize(void);
/* Ends all ranks with this exit_status; not collective. */
void comm_abort(int status) __attribute__((noreturn));

int comm_rank(void); /* not collective */
int comm_size(void); /* not collective */

/* In place, the same bits on every rank. */
void comm_sum(double *x, int n);
void comm_min(double *x, int n);
void comm_max(double *x, int n);
/* From here on these go through memory that all ranks share where the numbers are few, if the ranks are few, too, and
 * on one machine; so does comm_min_begin. */
void comm_reduce_by_memory(void);
/* The smallest *x of all ranks, in its place, while the caller does something else; x must not be touched in between.
 * Other calls of this header, and halos, may come in between, the same ones on all ranks. */
typedef struct comm_request {
  void *handle; /* owned; NULL: none, or shared memory */
  double *x;
} comm_request;

void comm_min_begin(comm_request *r, double *x);
void comm_min_end(comm_request *r);

void comm_sum_int64(int64_t *x, int n);
void comm_max_int64(int64_t *x, int n);
/* The highest status of any rank: 0 only if all have 0. */
int comm_worst(int status);
/* Sum over the ranks before this one (0 on rank 0). */
int64_t comm_exclusive_sum(int64_t x);

/* Everybody's counts for everybody: in[r] is what rank r has in its out[this rank]. */
void comm_exchange_counts(const int *out, int *in);
/* Bytes around the ring of ranks: to the next one, from the one before. */
void comm_shift(const void *out, void *in, size_t bytes);

void comm_broadcast(void *data, size_t bytes, int root);
void comm_barrier(void);

/* Turns, used to write a file rank by rank: begin waits for the rank before, end lets the next one go.  `each` ranks,
 * one after the other in number, take turns with each other only. */
void comm_turn_begin(int each);
void comm_turn_end(int each);

/* The rank among those that share this machine's memory, and how many these are.  Collective. */
int comm_local_rank(void);
int comm_local_size(void);

/* True where all ranks are processes of one machine; not where they are simulated. */
bool comm_shares_memory(void);
/* Lets MPI go on with what is under way, for who waits without it; not collective. */
void comm_go_on(void);

/* Which MPI this is, in a line; not collective. */
void comm_describe(char *text, size_t size);

/* True where the MPI at hand says that it reads and writes the memory of GPUs in this run.  Not collective. */
bool comm_takes_device_memory(void);

#ifdef __cplusplus
}
#endif

#endif
