/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run.h"

#include <string.h>

#include "app/checkpoint/resume.h"
#include "app/machine/stop.h"
#include "app/results/fault.h"
#include "app/results/measure.h"
#include "app/results/progress.h"
#include "app/results/report_path.h"
#include "app/run_files.h"
#include "app/run_machine.h"
#include "app/run_mesh.h"

/* Everything that accompanies the time loop. */
typedef struct run {
  deck *deck;
  const run_settings *settings;
  hydro *hydro; // owned
  run_files files;
  pulse *pulse; // owned
  run_machine machine;
  double begun; // when, by batched_seconds
  stop_watch watch;
  progress progress;
  report report;
  comm_traffic traffic; // when the steps began
  run_split split;
  fault fault;
  int64_t unconverged[2]; // solves for the velocity and the energy, at the start; -1: the warning was given
  char message[RUN_MESSAGE];
} run;

int run_refuse(int status, const char *message)
{
  char line[RUN_MESSAGE];
  snprintf(line, sizeof line, "%s", message);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
  if (comm_rank() == 0) fprintf(stderr, "shocklet: %s\n", line);
  return status;
}

static bool is_root(void)
{
  return comm_rank() == 0;
}

/* Root alone can see whether the report can be written; all ranks hear of it. */
static int check_report(run *r)
{
  int status = 0;
  if (r->settings->report && is_root())
    status = report_check(r->settings->report, r->deck->output.directory, r->message, sizeof r->message);
  comm_broadcast(&status, sizeof status, 0);
  return status;
}

/* The state to start from: the deck's, or that of a checkpoint. */
static int start(run *r)
{
  hydro *h = r->hydro;
  int status;
  if (r->settings->from) {
    const restart *from = r->settings->from;
    status = restart_compare_mesh(from, h, r->message, sizeof r->message);
    if (status) return status;
    pulse_beat(r->pulse, PULSE_READ, from->step);
    status = checkpoint_read(h, from->path, r->message, sizeof r->message);
    if (status == STATUS_INPUT && r->settings->unusable) *r->settings->unusable = true;
    if (!status) status = hydro_resume(h, &from->then, r->message, sizeof r->message);
  } else {
    status = hydro_start(h, r->message, sizeof r->message);
  }
  if (status) return status;
  h->failure = balance_begin(h, r->settings->from);
  if (h->failure) return hydro_explain(h, r->message, sizeof r->message);
  guard_create(h);
  return STATUS_OK;
}

/* Which GPUs are used, and how messages leave them; that there are too few. */
static void say_where(const run *r)
{
  const gpu *g = &r->hydro->gpu;
  if (!is_root() || r->settings->quiet || g->number < 0) return;
  if (comm_size() > 1)
    printf("%s; messages in %s\n", g->text, halo_path(r->hydro->space->halo));
  else
    puts(g->text);
  if (comm_size() > g->distinct)
    puts("ranks that share a GPU take turns, and wait for each other in every sum: start one rank per GPU");
}

static int begin(run *r)
{
  r->pulse = pulse_begin(r->deck->run.silence, r->deck->run.silence_ends);
  int status = check_report(r);
  if (!status) status = run_files_claim(&r->files, r->deck, r->settings->from, r->message, sizeof r->message);
  if (!status) status = hydro_create(&r->hydro, r->deck, r->message, sizeof r->message);
  if (!status) r->hydro->pulse = r->pulse;
  if (!status) status = run_mesh_say(r->hydro, r->settings->quiet, &r->report, r->message, sizeof r->message);
  if (!status) status = start(r);
  if (r->hydro) parts_take(&r->hydro->parts, PART_START);
  if (!status) status = run_files_open(&r->files, r->hydro, r->message, sizeof r->message);
  if (status) return status;
  r->report.seconds.setup = batched_seconds() - r->begun;
  say_where(r);
  r->progress = progress_begin(r->deck->output.progress, r->settings->quiet, is_root() ? stdout : NULL, r->hydro->steps,
                               r->hydro->time, r->deck->time.final, r->deck->time.max_steps);
  run_machine_open(&r->machine, &r->hydro->gpu);
  if (!r->settings->from) status = run_files_write_fields(&r->files, r->hydro, r->message, sizeof r->message);
  parts_take(&r->hydro->parts, PART_FILES);
  return status;
}

static int64_t iterations(const hydro *h)
{
  return h->velocity_mass->iterations + h->energy_mass->iterations;
}

/* The same on all ranks: what only a line tells is not worth a reduction where there are no lines. */
static bool prints_lines(const run *r)
{
  return !r->settings->quiet && strcmp(r->deck->output.progress, "none") != 0;
}

static void print_line(run *r, int64_t iterations_before)
{
  hydro *h = r->hydro;
  const double norm = hydro_norm_e(h);
  progress_print_line(
    &r->progress,
    &(progress_line){
      .step = h->steps, .time = h->time, .dt = h->dt, .norm_e = norm, .iterations = iterations(h) - iterations_before});
}

static void say(run *r, int64_t iterations_before)
{
  const hydro *h = r->hydro;
  if (progress_wants_line(h->steps) || h->last) {
    if (prints_lines(r)) print_line(r, iterations_before);
    run_machine_watch(&r->machine);
  }
  progress_draw(&r->progress, h->steps, h->time);
}

static int save(run *r)
{
  const double before = r->files.seconds;
  int status = guard_check_constants(r->hydro, r->message, sizeof r->message);
  if (status) return status;
  status = run_files_save(&r->files, r->hydro, r->message, sizeof r->message);
  stop_saved(&r->watch, r->files.seconds - before);
  return status;
}

/* A step that can't be made: says why, and leaves the last good state. */
static int collapsed(run *r)
{
  if (fault_find(r->hydro, &r->fault)) {
    snprintf(r->message, sizeof r->message,
             "step %lld can't be made; out of memory while searching for the zone at fault",
             (long long)r->hydro->steps + 1);
    return STATUS_MACHINE;
  }
  r->report.fault = &r->fault;
  fault_print(&r->fault, r->message, sizeof r->message);
  run_refuse(STATUS_RUN, r->message);
  const int status = run_files_dump(&r->files, r->hydro, r->message, sizeof r->message);
  return status ? status : STATUS_RUN;
}

/* A solve that does not converge is no error, but nobody should have to search for it. */
static void warn(int64_t step, const fem_mass *m, const char *what, int64_t *known)
{
  if (*known < 0 || m->unconverged <= *known) return;
  *known = -1;
  if (is_root())
    fprintf(
      stderr,
      "shocklet: warning: in step %lld conjugate gradients for the %s did not reach solvers.%s.tolerance, %.3g, within "
      "max_iterations, %d; the report counts such solves\n",
      (long long)step, what, what, m->options.tolerance, m->options.max_iterations);
}

/* Output and requests after a step: lines, files, signals.  Writes nothing of a state whose energy is wrong. */
static int after_step(run *r, int64_t iterations_before)
{
  hydro *h = r->hydro;
  pulse_beat(r->pulse, PULSE_BETWEEN, h->steps);
  balance_step(h);
  if (h->balance.jumps && is_root())
    fprintf(
      stderr,
      "shocklet: warning: in step %lld the energy jumped by %.2g of itself, a thousand times more than in any step "
      "before: is this machine at fault?\n",
      (long long)h->steps, h->balance.jump);
  if (balance_is_lost(h, r->message, sizeof r->message)) return STATUS_RUN;
  say(r, iterations_before);
  run_machine_sample(&r->machine);
  const int status = run_files_add(&r->files, h, r->message, sizeof r->message);
  if (status) return status;
  const stop_request asked = stop_look(&r->watch, h->steps);
  if (asked.stop && !h->last) r->report.status = "stopped";
  return asked.checkpoint ? save(r) : 0;
}

/* Solves that ended at max_iterations, in all of the run.  Its numbers are not those of the scheme. */
static bool has_unconverged(const hydro *h)
{
  return h->velocity_mass->unconverged + h->energy_mass->unconverged > 0;
}

static int step_to_the_end(run *r)
{
  hydro *h = r->hydro;
  const double start = batched_seconds();
  r->traffic = comm_traffic_so_far();
  int status = 0;
  r->report.status = "done";
  r->watch = stop_begin(r->deck, r->begun);
  r->unconverged[0] = h->velocity_mass->unconverged;
  r->unconverged[1] = h->energy_mass->unconverged;
  while (!status && !h->last && strcmp(r->report.status, "done") == 0) {
    const int64_t before = iterations(h);
    const hydro_outcome outcome = hydro_step(h);
    const int64_t step = h->steps + (outcome != HYDRO_ACCEPTED);
    warn(step, h->velocity_mass, "velocity", &r->unconverged[0]); // also of an attempt that is repeated
    warn(step, h->energy_mass, "energy", &r->unconverged[1]);
    if (outcome == HYDRO_ACCEPTED) status = after_step(r, before);
    if (outcome == HYDRO_REPEATED && h->last) status = run_files_add_last(&r->files, h, r->message, sizeof r->message);
    if (outcome == HYDRO_COLLAPSED) status = collapsed(r);
    if (outcome == HYDRO_FAILED) status = hydro_explain(h, r->message, sizeof r->message);
  }
  stop_end();
  if (!status) status = guard_check_constants(h, r->message, sizeof r->message);
  if (strcmp(r->report.status, "done") == 0 && has_unconverged(h)) r->report.status = "unconverged";
  if (status) r->report.status = "failed";
  progress_end(&r->progress);
  r->report.seconds.loop = batched_seconds() - start;
  parts_take(&h->parts, PART_STEPS);
  return status;
}

static int write_report(run *r)
{
  report *p = &r->report;
  int status = 0;
  pulse_beat(r->pulse, PULSE_REPORT, r->hydro->steps);
  run_machine_measure(&r->machine, r->hydro, p);
  split_measure(r->hydro, r->traffic, p->seconds.loop, &r->split);
  p->split = &r->split;
  hydro_measure(r->hydro, p);
  p->seconds.output = r->files.seconds;
  parts_take(&r->hydro->parts, PART_RESULTS);
  p->parts = &r->hydro->parts;
  if (is_root()) {
    hydro_give_stages(r->hydro);
    batched_measure_limits(r->hydro->ctx, &p->bandwidth, &p->peak_flops);
    parts_take(&r->hydro->parts, PART_LIMITS);
    if (!r->settings->quiet) report_print(p, stdout);
    fflush(stdout); // the report may have to wait for who reads it
    if (r->settings->report) status = report_write(p, r->settings->report, r->message, sizeof r->message);
    if (strcmp(p->status, "stopped") == 0 && !r->settings->quiet)
      printf("stopped at step %lld; to go on: shocklet --restart %s\n", (long long)r->hydro->steps, r->files.saved);
  }
  comm_broadcast(&status, sizeof status, 0);
  return status;
}

/* ended: it came to an end of its own, good or bad; where the machine failed it, the same deck may begin again. */
static void end(run *r, bool ended)
{
  run_files_destroy(&r->files, ended);
  run_machine_destroy(&r->machine);
  hydro_destroy(&r->hydro);
  pulse_end(&r->pulse);
}

int run_deck(deck *d, const run_settings *settings)
{
  run r = {.deck = d,
           .settings = settings,
           .begun = batched_seconds(),
           .report = {.status = "failed", .joules_cpu = -1.0, .joules_gpu = -1.0}};
  int status = begin(&r);
  const bool begun = status == STATUS_OK;
  const bool unusable = settings->unusable && *settings->unusable;
  if (unusable) {
    if (is_root()) fprintf(stderr, "shocklet: warning: a newer checkpoint can't be used: %s\n", r.message);
  } else if (!status) {
    status = run_files_finish(&r.files, r.hydro, step_to_the_end(&r), r.message, sizeof r.message);
    if (status) {
      r.report.status = "failed";
      run_refuse(status, r.message);
    }
    const int reported = write_report(&r);
    if (reported) status = run_refuse(reported, r.message);
  } else {
    run_refuse(status, r.message);
  }
  end(&r, begun && status != STATUS_MACHINE);
  return status;
}
