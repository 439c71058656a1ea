/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program: command line, deck, run, report.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydro.h"
#include "mesh/comm.h"
#include "options.h"

enum { MESSAGE = 1024 };

/* Says the sentence once and hands the status on. */
static int refuse(int status, const char *message)
{
  if (comm_rank() == 0) fprintf(stderr, "shocklet: %s\n", message);
  return status;
}

static int run(deck *d, const options *o)
{
  char message[MESSAGE] = "";
  hydro *h;
  report r = {.status = "failed", .joules_cpu = -1, .joules_gpu = -1, .backend = "host", .device = "", .threads = 1};
  int status = hydro_create(&h, d, message, sizeof message);
  if (status) return refuse(status, message);
  status = hydro_start(h, message, sizeof message);
  double ie, ke;
  hydro_energies(h, &ie, &ke);
  r.energy_initial = ie + ke;
  while (!status && !h->last) {
    hydro_outcome outcome = hydro_step(h);
    if (outcome == HYDRO_COLLAPSED) status = 1, snprintf(message, sizeof message, "the time step collapsed at step %lld, t = %.17g", (long long)h->steps, h->time);
    if (outcome == HYDRO_FAILED) status = 3, snprintf(message, sizeof message, "out of memory");
  }
  hydro_measure(h, &r);
  if (comm_rank() == 0)
    printf("steps %lld attempts %lld t %.17g dt %.17g e %.17g v %.17g x %.17g ie %.17g ke %.17g its %lld %lld | T %.3f %.3f %.3f %.3f | fom0 %.3f\n", (long long)r.steps,
           (long long)r.attempts, r.time, r.dt, r.norm_e, r.norm_v, r.norm_x, r.energy_internal, r.energy_kinetic,
           (long long)r.iterations_velocity, (long long)r.iterations_energy, r.seconds.velocity_solve, r.seconds.energy_solve, r.seconds.force, r.seconds.points, r.rate.fom0);
  (void)o;
  if (comm_rank() == 0) for (int i = 0; i < r.nerrors; i++) printf("%s %.17g\n", r.errors[i].name, r.errors[i].value);
  hydro_destroy(&h);
  return status ? refuse(status, message) : 0;
}

int main(int argc, char **argv)
{
  comm_init(&argc, &argv);
  options o;
  deck d;
  char message[MESSAGE] = "";
  int status = options_parse(&o, argc, argv, message, sizeof message);
  if (status) {
    status = refuse(status, message);
  } else {
    if (comm_rank() == 0) status = deck_read(&d, o.deck, o.noverrides, o.overrides, message, sizeof message);
    comm_broadcast(&status, sizeof status, 0);
    if (!status) {
      deck_broadcast(&d);
      status = run(&d, &o);
    } else
      refuse(status, message);
  }
  comm_finalize();
  return status;
}
