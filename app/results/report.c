/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a run as JSON.
 */
#include "app/results/report.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "app/deck/deck_json.h"
#include "app/files/file_new.h"
#include "app/files/json.h"
#include "app/results/report_path.h"
#include "app/version.h"

double report_host_peak(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0; /* Linux counts KiB */
}

double report_fraction_of_limit(const report *r, const batched_stats *s)
{
  if (!(r->bandwidth > 0) || !(r->peak_flops > 0) || !(s->seconds > 0)) return -1;
  if (s->cost.flops <= 0 && s->cost.bytes <= 0) return -1;
  double least = s->cost.flops / r->peak_flops, moving = s->cost.bytes / r->bandwidth;
  return (moving > least ? moving : least) / s->seconds;
}

/* -1 stands for a number that does not exist. */
static void write_known(json *j, const char *key, double x)
{
  if (x != -1) json_number(j, key, x);
}

static void write_made(json *j, const provenance *p)
{
  json_object(j, "made");
  json_string(j, "date", p->date);
  json_string(j, "command", p->command);
  json_string(j, "host", p->host);
  json_integer(j, "nodes", p->nodes);
  json_string(j, "system", p->system);
  json_string(j, "processor", p->processor);
  json_integer(j, "cores", p->cores);
  json_string(j, "compiler", p->compiler);
  json_string(j, "flags", p->flags);
  if (*p->cuda) json_string(j, "cuda", p->cuda);
  json_string(j, "mpi", p->mpi);
  json_string(j, "blas", p->blas);
  json_string(j, "hdf5", p->hdf5);
  json_close(j);
}

static void write_identity(json *j, const report *r)
{
  json_integer(j, "schema", REPORT_SCHEMA);
  json_string(j, "status", r->status);
  json_string(j, "version", app_version);
  json_string(j, "git", app_git);
  if (r->made) write_made(j, r->made);
  deck_write_json(r->deck, j, "deck");
  json_integer(j, "ranks", r->ranks);
  json_integer(j, "threads", r->threads);
  json_string(j, "backend", r->backend);
  json_string(j, "device", r->device);
  json_integer(j, "gpus", r->gpus);
  if (r->messages) json_string(j, "messages", r->messages);
}

/* The variants that ran under a key, each once, in order of first use. */
static void variants_of(batched_ctx *ctx, const char *key, char *text, size_t size)
{
  const batched_stats *rows;
  int n = batched_get_stats(ctx, &rows);
  text[0] = '\0';
  for (int i = 0; i < n; i++) {
    if (strcmp(rows[i].op->key, key) != 0) continue;
    bool known = false;
    for (int k = 0; k < i; k++)
      known = known || (strcmp(rows[k].op->key, key) == 0 && strcmp(rows[k].variant->name, rows[i].variant->name) == 0);
    size_t used = strlen(text);
    if (!known) snprintf(text + used, size - used, "%s%s", used ? ", " : "", rows[i].variant->name);
  }
}

static void write_variants(json *j, const report *r)
{
  const char *keys[DECK_MAX_KERNELS];
  int n = r->ctx ? deck_kernel_keys(keys) : 0;
  json_object(j, "variants");
  for (int i = 0; i < n; i++) {
    char names[512];
    variants_of(r->ctx, keys[i], names, sizeof names);
    if (names[0]) json_string(j, keys[i], names);
  }
  json_close(j);
}

static void write_sizes(json *j, const report *r)
{
  char checksum[17];
  snprintf(checksum, sizeof checksum, "%016" PRIx64, r->mesh_checksum);
  json_integer(j, "zones", r->zones);
  json_string(j, "mesh_checksum", checksum);
  json_object(j, "dofs");
  json_integer(j, "kinematic", r->kinematic_dofs);
  json_integer(j, "thermodynamic", r->thermodynamic_dofs);
  json_close(j);
  json_integer(j, "quadrature_points_per_zone", r->quadrature_points);
  json_object(j, "boundary");
  json_integer(j, "wall_x", r->boundary.walls[0]);
  json_integer(j, "wall_y", r->boundary.walls[1]);
  json_integer(j, "wall_z", r->boundary.walls[2]);
  json_integer(j, "free", r->boundary.free);
  json_close(j);
}

static void write_result(json *j, const report *r)
{
  json_integer(j, "steps", r->steps);
  json_integer(j, "attempts", r->attempts);
  json_number(j, "time", r->time);
  json_number(j, "dt", r->dt);
  json_object(j, "norm");
  json_number(j, "e", r->norm_e);
  json_number(j, "v", r->norm_v);
  json_number(j, "x", r->norm_x);
  json_close(j);
  json_object(j, "energy");
  json_number(j, "initial", r->energy_initial);
  json_number(j, "final", r->energy_final);
  json_number(j, "change", r->energy_final - r->energy_initial);
  json_number(j, "work", r->energy_work);
  json_number(j, "imbalance", r->energy_imbalance);
  json_number(j, "internal", r->energy_internal);
  json_number(j, "kinetic", r->energy_kinetic);
  json_close(j);
  json_object(j, "iterations");
  json_integer(j, "velocity", r->iterations_velocity);
  if (r->rounds_velocity > 0) json_integer(j, "velocity_rounds", r->rounds_velocity);
  json_integer(j, "energy", r->iterations_energy);
  json_close(j);
  json_object(j, "unconverged");
  json_integer(j, "velocity", r->unconverged_velocity);
  json_integer(j, "energy", r->unconverged_energy);
  json_close(j);
  if (r->fault) fault_write_json(r->fault, j, "fault");
}

/* Names like "density.l1" nest; those of one quantity stand together. */
static void write_errors(json *j, const report *r)
{
  if (r->nerrors == 0) return;
  char open[64] = "";
  json_object(j, "error");
  for (int i = 0; i < r->nerrors; i++) {
    const char *name = r->errors[i].name, *dot = strchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;
    bool same = n > 0 && strlen(open) == n && strncmp(open, name, n) == 0;
    if (*open && !same) json_close(j);
    if (!same) {
      snprintf(open, sizeof open, "%.*s", (int)n, name);
      if (*open) json_object(j, open);
    }
    json_number(j, dot ? dot + 1 : name, r->errors[i].value);
  }
  if (*open) json_close(j);
  json_close(j);
}

static void write_speed(json *j, const report *r)
{
  json_object(j, "seconds");
  write_known(j, "velocity_solve", r->seconds.velocity_solve);
  write_known(j, "energy_solve", r->seconds.energy_solve);
  write_known(j, "force", r->seconds.force);
  write_known(j, "points", r->seconds.points);
  write_known(j, "major", r->seconds.major);
  write_known(j, "loop", r->seconds.loop);
  write_known(j, "setup", r->seconds.setup);
  write_known(j, "output", r->seconds.output);
  write_known(j, "starved", r->seconds.starved);
  json_close(j);
  json_object(j, "rate");
  write_known(j, "velocity_solve", r->rate.velocity_solve);
  write_known(j, "energy_solve", r->rate.energy_solve);
  write_known(j, "force", r->rate.force);
  write_known(j, "points", r->rate.points);
  write_known(j, "total", r->rate.total);
  write_known(j, "fom0", r->rate.fom0);
  json_close(j);
}

/* From the command to here. */
static void write_parts(json *j, const report *r)
{
  if (!r->parts) return;
  json_object(j, "parts");
  for (int i = 0; i < RUN_PARTS; i++) json_number(j, part_names[i], r->parts->seconds[i]);
  json_number(j, "sum", parts_sum(r->parts, PART_LAUNCH, PART_LIMITS));
  json_close(j);
}

/* Counts are of the loop over the steps: of all ranks together, but for reductions, in which all take part. */
static void write_split(json *j, const report *r)
{
  const run_split *s = r->split;
  if (!s) return;
  json_object(j, "communication");
  json_integer(j, "neighbours", s->neighbours);
  json_integer(j, "messages", s->traffic.messages);
  json_integer(j, "bytes", s->traffic.bytes);
  json_integer(j, "reductions", s->traffic.reductions);
  json_close(j);
  json_object(j, "seconds_by_rank");
  for (int i = 0; i < SPLIT_PARTS; i++) {
    json_object(j, split_names[i]);
    json_number(j, "min", s->seconds[i].min);
    json_number(j, "mean", s->seconds[i].mean);
    json_number(j, "max", s->seconds[i].max);
    json_close(j);
  }
  json_close(j);
}

static void write_operations(json *j, const report *r)
{
  const batched_stats *rows;
  int n = r->ctx ? batched_get_stats(r->ctx, &rows) : 0;
  json_array(j, "operations");
  for (int i = 0; i < n; i++) {
    json_object(j, NULL);
    json_string(j, "operation", rows[i].op->name);
    json_string(j, "key", rows[i].op->key);
    json_string(j, "variant", rows[i].variant->name);
    json_integer(j, "calls", rows[i].calls);
    json_number(j, "seconds", rows[i].seconds);
    json_number(j, "flops", rows[i].cost.flops);
    json_number(j, "bytes", rows[i].cost.bytes);
    write_known(j, "fraction", report_fraction_of_limit(r, &rows[i]));
    json_bool(j, "nested", rows[i].nested);
    json_close(j);
  }
  json_close(j);
}

static void write_machine(json *j, const report *r)
{
  json_object(j, "limits");
  if (r->bandwidth > 0) json_number(j, "bandwidth", r->bandwidth);
  if (r->peak_flops > 0) json_number(j, "peak_flops", r->peak_flops);
  json_close(j);
  json_object(j, "joules");
  write_known(j, "cpu", r->joules_cpu);
  write_known(j, "gpu", r->joules_gpu);
  json_close(j);
  json_object(j, "memory");
  json_number(j, "host_peak", r->host_peak > 0 ? r->host_peak : report_host_peak());
  json_number(j, "device_peak", r->device_peak > 0 ? r->device_peak : (double)batched_peak_bytes(BATCHED_CUDA));
  json_close(j);
}

static void write_all(json *j, const report *r)
{
  json_object(j, NULL);
  write_identity(j, r);
  write_variants(j, r);
  write_sizes(j, r);
  write_result(j, r);
  write_errors(j, r);
  write_speed(j, r);
  write_parts(j, r);
  write_split(j, r);
  write_operations(j, r);
  write_machine(j, r);
  json_close(j);
  json_end(j);
}

int report_write(const report *r, const char *path, char *message, size_t size)
{
  file_replace f;
  const int status = report_begin(&f, path, message, size);
  if (status) return status;
  json j = json_begin(f.file);
  write_all(&j, r);
  const int reason = file_replace_commit(&f);
  if (reason) snprintf(message, size, "%s: can't write the report: %s", path, file_explain(reason));
  return reason ? STATUS_MACHINE : STATUS_OK;
}
