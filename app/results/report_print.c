/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a run as a table for people.
 */
#include "app/results/report.h"

#include <string.h>

/* Exact solutions are those between the walls of the problem's own box, along x alone where they change along x. */
static bool has_other_walls(const report *r)
{
  const deck *d = r->deck;
  const problem_box *own = &d->problem.row->box[d->mesh.dim];
  const int axes = d->problem.row->profile == PROFILE_X ? 1 : d->mesh.dim;
  bool other = d->mesh.zones_per_rank.zones > 0 && r->ranks > 1;
  for (int c = 0; c < axes; c++)
    other = other || d->mesh.lower[c] != own->lower[c] || d->mesh.upper[c] != own->upper[c];
  return other && !d->mesh.file[0] && strcmp(d->mesh.periodic, "none") == 0;
}

static void print_errors(const report *r, FILE *to)
{
  for (int i = 0; i < r->nerrors; i++) fprintf(to, "error %s %.6e\n", r->errors[i].name, r->errors[i].value);
  if (r->nerrors == 0 || !has_other_walls(r)) return;
  const problem_box *own = &r->deck->problem.row->box[r->deck->mesh.dim];
  fprintf(to, "the exact solution is that of %s in its own box,", r->deck->problem.name);
  for (int c = 0; c < r->deck->mesh.dim; c++) fprintf(to, "%s[%g, %g]", c ? " x " : " ", own->lower[c], own->upper[c]);
  fprintf(to, "; of other walls it does not know\n");
}

static void print_run(const report *r, FILE *to)
{
  const deck *d = r->deck;
  fprintf(to, "\n%s in %d dimensions, orders %d and %d, %lld zones, %lld + %lld dofs; %d %s, %s%s%s\n", d->problem.name,
          d->mesh.dim, d->discretization.kinematic_order, d->discretization.thermodynamic_order, (long long)r->zones,
          (long long)r->kinematic_dofs, (long long)r->thermodynamic_dofs, r->ranks, r->ranks == 1 ? "rank" : "ranks",
          r->backend, r->device && *r->device ? ": " : "", r->device ? r->device : "");
  if (r->made)
    fprintf(to, "on %s, %d %s; %s, %.*s, BLAS: %s, HDF5 %s\n", r->made->host, r->made->nodes,
            r->made->nodes == 1 ? "node" : "nodes", r->made->compiler, (int)strcspn(r->made->mpi, ","), r->made->mpi,
            r->made->blas, r->made->hdf5);
  fprintf(to, "%lld steps, %lld attempts, t = %.10g, dt = %.10g, |e| = %.15e\n", (long long)r->steps,
          (long long)r->attempts, r->time, r->dt, r->norm_e);
  fprintf(to, "energy %.15e, change %.3e, by work from outside %.3e, imbalance %.1e\n", r->energy_final,
          r->energy_final - r->energy_initial, r->energy_work, r->energy_imbalance);
  if (r->unconverged_velocity + r->unconverged_energy > 0)
    fprintf(to, "solves that did not converge: %lld for the velocity, %lld for the energy\n",
            (long long)r->unconverged_velocity, (long long)r->unconverged_energy);
  print_errors(r, to);
}

static void print_per_second(double amount, double seconds, int width, FILE *to)
{
  if (amount > 0 && seconds > 0)
    fprintf(to, " %*.2f", width, 1e-9 * amount / seconds);
  else
    fprintf(to, " %*s", width, "");
}

static void print_operations(const report *r, FILE *to)
{
  const batched_stats *rows;
  int n = r->ctx ? batched_get_stats(r->ctx, &rows) : 0;
  if (n == 0) return;
  fprintf(to, "\n%-18s %-22s %10s %10s %9s %9s %9s\n", "operation", "variant", "calls", "seconds", "Gflop/s", "GB/s",
          "of limit");
  for (int i = 0; i < n; i++) {
    const batched_stats *s = &rows[i];
    fprintf(to, "%s%-*s %-22s %10lld %10.3f", s->nested ? "  " : "", s->nested ? 16 : 18, s->op->name, s->variant->name,
            (long long)s->calls, s->seconds);
    print_per_second(s->cost.flops, s->seconds, 9, to);
    print_per_second(s->cost.bytes, s->seconds, 9, to);
    double fraction = report_fraction_of_limit(r, s);
    if (fraction >= 0) fprintf(to, " %7.1f %%", 100 * fraction);
    putc('\n', to);
  }
}

static void print_rate(const char *name, double seconds, double rate, FILE *to)
{
  if (rate < 0) return;
  fprintf(to, "%-42s", name);
  if (seconds >= 0)
    fprintf(to, " %9.3f", seconds);
  else
    fprintf(to, " %9s", "");
  fprintf(to, " %10.3f\n", rate);
}

/* Prints set-up and end beside the steps. */
static void print_parts(const report *r, FILE *to)
{
  if (!r->parts) return;
  const double begin = parts_sum(r->parts, PART_LAUNCH, PART_FILES),
               end = parts_sum(r->parts, PART_RESULTS, PART_LIMITS);
  fprintf(to, "%-42s %9.3f\n", "from the command to the first step", begin);
  fprintf(to, "%-42s %9.3f\n", "after the last step", end);
}

void report_print(const report *r, FILE *to)
{
  print_run(r, to);
  print_operations(r, to);
  fprintf(to, "\n%-42s %9s %10s\n", "", "seconds", "Mdofs/s");
  print_rate("velocity solve (CG)", r->seconds.velocity_solve, r->rate.velocity_solve, to);
  print_rate("energy solve", r->seconds.energy_solve, r->rate.energy_solve, to);
  print_rate("forces", r->seconds.force, r->rate.force, to);
  print_rate("quadrature points", r->seconds.points, r->rate.points, to);
  print_rate("figure of merit (CG, forces, points)", r->seconds.major, r->rate.total, to);
  print_rate("stages x dofs (FOM0)", -1, r->rate.fom0, to);
  if (r->seconds.loop >= 0) fprintf(to, "%-42s %9.3f\n", "all steps", r->seconds.loop);
  print_parts(r, to);
  if (r->seconds.starved > 0.05 * r->seconds.loop)
    fprintf(to, "%-42s %9.3f\n", "a rank kept from its core by others", r->seconds.starved);
  if (r->joules_cpu >= 0) fprintf(to, "%-42s %9.1f\n", "processors, J", r->joules_cpu);
  if (r->joules_gpu >= 0) fprintf(to, "%-42s %9.1f\n", "GPU, J", r->joules_gpu);
}
