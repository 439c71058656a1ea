/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notices bits that flip in memory: sums (solver_checksum) over what never changes, which are compared before every
 * checkpoint and at the end; over the state and over each stage's derivatives, from where they are made to where they
 * are used last; and now and then the true residual of a solve for the velocity.  What is written and read again within
 * one stage (the stress, the vectors of conjugate gradients) is not summed: that would take some percent of the time.
 */
#ifndef APP_GUARD_H
#define APP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct hydro;
typedef struct guard guard;

/* At the start of a run, with its first state: h->guard, NULL if memory is out (the run does without).  From then on
 * nobody but hydro_step may change the state. */
void guard_create(struct hydro *h);
void guard_destroy(struct hydro *h);

/* For hydro_step; h->guard may be NULL.  Before a stage's derivatives, [nstate], are made at the state y; after that;
 * after an attempt, which went from h->before to h->state; and, once its end was awaited, the verdict on that.  What
 * comes in between are stages of the next attempt.  Not collective; each returns a batched_status, and h->damage is not
 * NULL where something has changed: a sentence's subject. */
int guard_begin_stage(struct hydro *h, const double *y);
int guard_end_stage(struct hydro *h, const double *y, const double *derivative);
int guard_sum_attempt(struct hydro *h);
int guard_check_attempt(struct hydro *h);
/* The stage since then is none of the next attempt: it begins anew. */
int guard_forget_stage(struct hydro *h);
/* The attempt is a step. */
void guard_accept(struct hydro *h);

/* After a solve for M_v a = force_one: every so many of them.  Collective; as those above. */
int guard_check_solve(struct hydro *h, const double *a);
/* True if one of the next so many solves is such a one. */
bool guard_will_check(const struct hydro *h, int solves);

/* Checks what never changes.  Collective; STATUS_OK, or STATUS_MACHINE with a sentence. */
int guard_check_constants(struct hydro *h, char *message, size_t size);

/* "step 17: ... on rank 3 changed in memory ..." */
void guard_explain(const struct hydro *h, char *message, size_t size);

#endif
