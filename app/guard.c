/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/guard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/hydro.h"
#include "app/machine/collective_status.h"
#include "batched/note.h"
#include "solvers/checksums.h"

enum { SOLVES = 64 }; // from one residual to the next

/* Largest ratio of a converged solve's true residual to its tolerance: the solver stops by another norm. */
static const double slack = 1e4;

typedef struct guard_entry {
  const char *what;
  const void *data; // borrowed, in the context's memory
  size_t bytes;
} guard_entry;

/* Sums of an attempt. */
enum {
  NOTED, // of the derivatives of each stage, and at the end
  AGAIN = SOLVER_MAX_STAGES,
  BEGIN = 2 * SOLVER_MAX_STAGES, // of the state of each stage, before and after
  END = 3 * SOLVER_MAX_STAGES,
  BEFORE = 4 * SOLVER_MAX_STAGES,
  AFTER,
  SLOTS
};

_Static_assert(SOLVER_MAX_STAGES + 2 <= SOLVER_MOST_CHECKSUMS, "the sums of an attempt are made at once");

struct guard {
  guard_entry *entries; // owned, [n]
  int n, room;
  bool is_full;            // no memory for all entries
  uint64_t *sums;          // owned, [2][n] on the host: at the start, and now
  uint64_t *there;         // owned, [n] in the context's memory
  uint64_t *slots;         // owned, there, [SLOTS]: zeros between attempts
  batched_note *note;      // owned: the slots of the last attempt
  uint64_t state, attempt; // sums of the state after the last step, and of what the attempt came to
  int nstages;             // of the attempt, so far
  int nsummed;             // of the last one
  bool is_summed;          // the last one: its sums are on their way
};

/* ------------------------------------------------------------------ what never changes */

static void add(void *user, const char *what, const void *data, size_t bytes)
{
  guard *g = user;
  if (!data || bytes == 0 || g->is_full) return;
  if (g->n == g->room) {
    const int room = g->room ? 2 * g->room : 32;
    guard_entry *more = realloc(g->entries, sizeof *more * (size_t)room);
    g->is_full = !more;
    if (!more) return;
    g->entries = more, g->room = room;
  }
  g->entries[g->n++] = (guard_entry){.what = what, .data = data, .bytes = bytes};
}

static void add_all(guard *g, const hydro *h)
{
  const size_t kinematic = sizeof(double) * (size_t)h->nkinematic;
  fem_space_constants(h->space, add, g);
  fem_material_constants(h->space, h->material, add, g);
  fem_force_constants(h->force, add, g);
  fem_mass_constants(h->velocity_mass, add, g);
  fem_mass_constants(h->energy_mass, add, g);
  add(g, "the weight of the nodes", h->weight, kinematic);
  add(g, "the velocity of the pistons", h->balance.piston, kinematic);
}

/* The sums of all entries. */
static int sum_constants(batched_ctx *ctx, const guard *g, uint64_t *sums)
{
  int status = batched_fill_zero(ctx, g->there, sizeof *sums * (size_t)g->n);
  for (int i = 0; i < g->n && !status; i++)
    status = solver_checksum(ctx, g->entries[i].bytes, g->entries[i].data, g->there + i);
  return status ? status : batched_copy_to_host(ctx, sums, g->there, sizeof *sums * (size_t)g->n);
}

/* The first that has changed on this rank; NULL: none. */
static const char *find_change(batched_ctx *ctx, const guard *g)
{
  if (sum_constants(ctx, g, g->sums + g->n)) return NULL; // the next step says what the device has
  for (int i = 0; i < g->n; i++)
    if (g->sums[i] != g->sums[g->n + i]) return g->entries[i].what;
  return NULL;
}

int guard_check_constants(hydro *h, char *message, size_t size)
{
  if (!h->guard) return STATUS_OK;
  if (!h->damage) h->damage = find_change(h->ctx, h->guard);
  if (h->damage) guard_explain(h, message, size);
  return collective_status(h->damage ? STATUS_MACHINE : STATUS_OK, message, size);
}

void guard_explain(const hydro *h, char *message, size_t size)
{
  snprintf(
    message, size,
    "step %lld: %s on rank %d changed in memory where the program changed nothing: this machine is at fault; go on "
    "from the last checkpoint on another one",
    (long long)h->steps, h->damage, comm_rank());
}

/* The sum of a state, to a slot. */
static solver_checksum_args sum_of(const hydro *h, const double *state, int slot)
{
  return (solver_checksum_args){
    .bytes = sizeof(double) * (size_t)h->nstate, .data = state, .sum = h->guard->slots + slot};
}

static int sum_state(const hydro *h, const double *state, int slot)
{
  const solver_checksum_args sum = sum_of(h, state, slot);
  return solver_checksums(h->ctx, 1, &sum);
}

static int clear_slots(const hydro *h)
{
  return batched_fill_zero(h->ctx, h->guard->slots, sizeof *h->guard->slots * SLOTS);
}

/* All of an attempt's sums on their way to the host; zeros for the next one. */
static int note_slots(const hydro *h)
{
  const guard *g = h->guard;
  const int status = batched_note_take(g->note, 0, g->slots, sizeof *g->slots * SLOTS);
  return status ? status : clear_slots(h);
}

static const uint64_t *slots_of(const guard *g)
{
  return batched_note_read(g->note);
}

/* ------------------------------------------------------------------ begin and end */

static int set_up(hydro *h, guard *g)
{
  add_all(g, h);
  g->sums = malloc(sizeof *g->sums * 2 * (size_t)g->n);
  g->there = batched_allocate(h->ctx, sizeof *g->there * (size_t)g->n);
  g->slots = batched_allocate(h->ctx, sizeof *g->slots * SLOTS);
  g->note = batched_note_create(h->ctx, sizeof *g->slots * SLOTS);
  if (g->is_full || !g->sums || !g->there || !g->slots || !g->note) return BATCHED_NO_MEMORY;
  int status = sum_constants(h->ctx, g, g->sums);
  if (!status) status = clear_slots(h);
  if (!status) status = sum_state(h, h->state, AFTER);
  if (!status) status = note_slots(h);
  if (!status) status = batched_synchronize(h->ctx);
  if (!status) g->state = slots_of(g)[AFTER];
  return status;
}

void guard_create(hydro *h)
{
  guard *g = h->guard = calloc(1, sizeof *g);
  if (comm_worst(g ? set_up(h, g) : BATCHED_NO_MEMORY)) guard_destroy(h);
}

void guard_destroy(hydro *h)
{
  guard *g = h->guard;
  if (!g) return;
  batched_release(h->ctx, g->there);
  batched_release(h->ctx, g->slots);
  batched_note_destroy(&g->note);
  free(g->sums);
  free(g->entries);
  free(g);
  h->guard = NULL;
}

/* ------------------------------------------------------------------ what a step makes */

int guard_begin_stage(hydro *h, const double *y)
{
  const guard *g = h->guard;
  return g && g->nstages < SOLVER_MAX_STAGES ? sum_state(h, y, BEGIN + g->nstages) : BATCHED_SUCCESS;
}

int guard_end_stage(hydro *h, const double *y, const double *derivative)
{
  guard *g = h->guard;
  if (!g || g->nstages == SOLVER_MAX_STAGES) return BATCHED_SUCCESS;
  const int stage = g->nstages++;
  const solver_checksum_args both[] = {sum_of(h, y, END + stage), sum_of(h, derivative, NOTED + stage)};
  return solver_checksums(h->ctx, 2, both);
}

int guard_sum_attempt(hydro *h)
{
  guard *g = h->guard;
  if (!g) return BATCHED_SUCCESS;
  solver_checksum_args all[SOLVER_MOST_CHECKSUMS] = {sum_of(h, h->before, BEFORE), sum_of(h, h->state, AFTER)};
  for (int i = 0; i < g->nstages; i++) all[2 + i] = sum_of(h, h->stages + i * h->nstate, AGAIN + i);
  int status = solver_checksums(h->ctx, 2 + g->nstages, all);
  if (!status) status = note_slots(h);
  g->nsummed = g->nstages;
  g->nstages = 0;
  g->is_summed = true;
  return status;
}

int guard_check_attempt(hydro *h)
{
  guard *g = h->guard;
  if (!g || !g->is_summed) return BATCHED_SUCCESS;
  const uint64_t *slots = slots_of(g);
  g->is_summed = false;
  if (slots[BEFORE] != g->state) h->damage = "the state at the start of the step";
  for (int i = 0; i < g->nsummed; i++) {
    if (slots[BEGIN + i] != slots[END + i]) h->damage = "the state of a stage";
    if (slots[NOTED + i] != slots[AGAIN + i]) h->damage = "the derivative of a stage";
  }
  g->attempt = slots[AFTER];
  return h->damage ? BATCHED_DEVICE_FAILED : BATCHED_SUCCESS;
}

int guard_forget_stage(hydro *h)
{
  if (!h->guard) return BATCHED_SUCCESS;
  h->guard->nstages = 0;
  return clear_slots(h);
}

void guard_accept(hydro *h)
{
  if (h->guard) h->guard->state = h->guard->attempt;
}

/* The squares of residual and right-hand side over what this rank owns; the work space of the solve is free. */
static int find_residual(hydro *h, const double *a, double squares[2])
{
  const fem_space *s = h->space;
  fem_mass *m = h->velocity_mass;
  double *r = m->work;
  int status = fem_velocity_mass_apply(h->ctx, m, a, r);
  if (!status) status = fem_constrain(h->ctx, s, r);
  const solver_combine_args difference = {
    .n = h->nkinematic, .nterms = 2, .c = {-1.0, 1.0}, .x = {r, h->force_one}, .y = r};
  if (!status) status = solver_combine(h->ctx, &difference);
  for (int c = 0; c < s->dim && !status; c++) {
    double parts[2] = {0.0, 0.0};
    const double *rc = r + (int64_t)c * s->ndofs, *bc = h->force_one + (int64_t)c * s->ndofs;
    status = solver_dot(h->ctx, s->nowned, rc, rc, &parts[0]);
    if (!status) status = solver_dot(h->ctx, s->nowned, bc, bc, &parts[1]);
    squares[0] += parts[0], squares[1] += parts[1];
  }
  return status;
}

int guard_check_solve(hydro *h, const double *a)
{
  fem_mass *m = h->velocity_mass;
  double squares[2] = {0.0, 0.0};
  if (!h->guard || m->solves % SOLVES != 0) return BATCHED_SUCCESS;
  int status = fem_mass_settle(h->ctx, m);
  if (status || m->unconverged > 0) return status;
  status = find_residual(h, a, squares);
  comm_sum(squares, 2);
  const double most = fmax(slack * m->options.tolerance, 1e-9);
  if (squares[0] > most * most * squares[1]) h->damage = "a solve for the velocity, by its residual,";
  return h->damage ? BATCHED_DEVICE_FAILED : status;
}

bool guard_will_check(const hydro *h, int solves)
{
  return h->guard && h->velocity_mass->solves % SOLVES + solves >= SOLVES;
}
