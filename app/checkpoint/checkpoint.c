/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/checkpoint/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint_part.h"
#include "app/files/checksum.h"
#include "app/files/file_new.h"
#include "app/files/file_replace.h"
#include "app/files/hdf.h"
#include "app/machine/collective_status.h"

/* ------------------------------------------------------------------ a rank's part */

static checkpoint_extent count_rows(int64_t mine)
{
  checkpoint_extent x = {.mine = mine, .first = comm_exclusive_sum(mine), .all = mine};
  comm_sum_int64(&x.all, 1);
  return x;
}

void checkpoint_part_destroy(checkpoint_part *p)
{
  free(p->node);
  free(p->zone);
  free(p->rows);
}

bool checkpoint_part_create(const hydro *h, checkpoint_part *p)
{
  const fem_space *s = h->space;
  const int64_t all = (int64_t)s->nzones * s->nd;
  *p = (checkpoint_part){.nodes = count_rows(s->ndofs), .zones = count_rows(s->nzones)};
  int64_t *ids = malloc(sizeof *ids * (size_t)(all + 1));
  p->node = malloc(sizeof *p->node * (size_t)(s->ndofs + 1));
  p->zone = malloc(sizeof *p->zone * (size_t)(s->nzones + 1));
  p->rows = malloc(sizeof *p->rows * (size_t)(h->nkinematic + 1));
  const bool enough = ids && p->node && p->zone && p->rows;
  if (enough) {
    mesh_node_ids(h->mesh, s->k, ids);
    for (int64_t i = 0; i < all; i++) p->node[s->dofs[i]] = ids[i];
    memcpy(p->zone, h->mesh->zone_ids, sizeof *p->zone * (size_t)s->nzones);
  }
  free(ids);
  return enough;
}

/* Solves that are not counted yet are those of a stage that is ahead, and none of the state's. */
static void fill_counters(const hydro *h, int64_t c[CHECKPOINT_COUNTERS])
{
  const fem_mass *v = h->velocity_mass, *e = h->energy_mass;
  const hydro_effort *last = &h->effort;
  const int64_t all[CHECKPOINT_COUNTERS] = {h->steps,
                                            h->attempts,
                                            h->evaluations,
                                            h->last,
                                            v->iterations,
                                            v->solves - v->nlate,
                                            v->unconverged,
                                            e->iterations,
                                            e->solves - e->nlate,
                                            e->unconverged,
                                            last->attempts,
                                            last->velocity_iterations,
                                            last->energy_iterations};
  memcpy(c, all, sizeof all);
}

/* [dim][ndofs] to [ndofs][dim]. */
static void to_rows(const fem_space *s, const double *u, double *rows)
{
  for (int c = 0; c < s->dim; c++)
    for (int64_t i = 0; i < s->ndofs; i++) rows[i * s->dim + c] = u[c * (int64_t)s->ndofs + i];
}

/* ------------------------------------------------------------------ writing */

static void make_file(hdf_file *f, const hydro *h, const checkpoint_part *p, const output_run *run)
{
  const fem_space *s = h->space;
  const double clock[CHECKPOINT_CLOCK] = {h->time, h->dt, h->balance.initial, h->balance.work, h->effort.dt};
  const int64_t mesh = (int64_t)h->mesh_checksum;
  int64_t counters[CHECKPOINT_COUNTERS];
  fill_counters(h, counters);
  hdf_make_group(f, "/run");
  hdf_put_text(f, NULL, "/run/deck", run->deck);
  hdf_put_text(f, "/run", "format", "shocklet checkpoint");
  hdf_put_text(f, NULL, "/run/version", run->version);
  hdf_put_text(f, NULL, "/run/git", run->git);
  hdf_make_dataset(f, "/run/format_version", H5T_STD_I64LE, 1, 0);
  hdf_put_rows(f, "/run/format_version", H5T_NATIVE_INT64, 0, 1, 0, &(int64_t){CHECKPOINT_FORMAT});
  hdf_make_dataset(f, "/run/clock", H5T_IEEE_F64LE, CHECKPOINT_CLOCK, 0);
  hdf_put_rows(f, "/run/clock", H5T_NATIVE_DOUBLE, 0, CHECKPOINT_CLOCK, 0, clock);
  hdf_make_dataset(f, "/run/counters", H5T_STD_I64LE, CHECKPOINT_COUNTERS, 0);
  hdf_put_rows(f, "/run/counters", H5T_NATIVE_INT64, 0, CHECKPOINT_COUNTERS, 0, counters);
  hdf_make_dataset(f, "/run/mesh", H5T_STD_I64LE, 1, 0);
  hdf_put_rows(f, "/run/mesh", H5T_NATIVE_INT64, 0, 1, 0, &mesh);
  hdf_make_dataset(f, "/run/parts", H5T_STD_I64LE, comm_size(), CHECKPOINT_COLUMNS);
  hdf_make_group(f, "/nodes");
  hdf_make_dataset(f, "/nodes/id", H5T_STD_I64LE, p->nodes.all, 0);
  hdf_make_dataset(f, "/nodes/position", H5T_IEEE_F64LE, p->nodes.all, s->dim);
  hdf_make_dataset(f, "/nodes/velocity", H5T_IEEE_F64LE, p->nodes.all, s->dim);
  hdf_make_group(f, "/zones");
  hdf_make_dataset(f, "/zones/id", H5T_STD_I64LE, p->zones.all, 0);
  hdf_make_dataset(f, "/zones/energy", H5T_IEEE_F64LE, p->zones.all, s->nt);
}

static void put_part(hdf_file *f, const hydro *h, const double *state, checkpoint_part *p, int64_t run)
{
  const fem_space *s = h->space;
  const int64_t row[CHECKPOINT_COLUMNS] = {[CHECKPOINT_NODES] = p->nodes.mine,
                                           [CHECKPOINT_ZONES] = p->zones.mine,
                                           [CHECKPOINT_STEP] = h->steps,
                                           [CHECKPOINT_RUN] = run};
  hdf_put_rows(f, "/run/parts", H5T_NATIVE_INT64, comm_rank(), 1, CHECKPOINT_COLUMNS, row);
  hdf_put_rows(f, "/nodes/id", H5T_NATIVE_INT64, p->nodes.first, p->nodes.mine, 0, p->node);
  to_rows(s, state, p->rows);
  hdf_put_rows(f, "/nodes/position", H5T_NATIVE_DOUBLE, p->nodes.first, p->nodes.mine, s->dim, p->rows);
  to_rows(s, state + h->nkinematic, p->rows);
  hdf_put_rows(f, "/nodes/velocity", H5T_NATIVE_DOUBLE, p->nodes.first, p->nodes.mine, s->dim, p->rows);
  hdf_put_rows(f, "/zones/id", H5T_NATIVE_INT64, p->zones.first, p->zones.mine, 0, p->zone);
  hdf_put_rows(f, "/zones/energy", H5T_NATIVE_DOUBLE, p->zones.first, p->zones.mine, s->nt, state + 2 * h->nkinematic);
}

/* A host copy of the state; NULL when memory is out. */
static double *copy_state(const hydro *h)
{
  const size_t bytes = sizeof(double) * (size_t)h->nstate;
  double *state = malloc(bytes + 1);
  if (!state || batched_copy_to_host(h->ctx, state, h->state, bytes) == BATCHED_SUCCESS) return state;
  free(state);
  return NULL;
}

/* The ranks write in turn, the first one makes the file.  Collective. */
static bool write_parts(const hydro *h, checkpoint_part *p, const double *state, const char *path,
                        const output_run *run, char *reason, size_t size)
{
  hdf_file f;
  pulse_beat(h->pulse, PULSE_TURN, h->steps);
  comm_turn_begin(comm_size());
  pulse_beat(h->pulse, PULSE_CHECKPOINT, h->steps);
  bool good = hdf_open(&f, path, comm_rank() == 0 ? HDF_CREATE : HDF_CHANGE, reason, size);
  if (good && comm_rank() == 0) make_file(&f, h, p, run);
  if (good) put_part(&f, h, state, p, run->number);
  good = hdf_close(&f);
  comm_turn_end(comm_size());
  pulse_beat(h->pulse, PULSE_BETWEEN, h->steps);
  return good;
}

int checkpoint_save(const hydro *h, const output_run *run, const char *path, char *message, size_t size)
{
  char temporary[CHECKPOINT_PATH + 32], tag[FILE_TAG], reason[CHECKPOINT_MESSAGE / 2] = "out of memory";
  checkpoint_part p;
  if (comm_rank() == 0) file_draw_tag(tag);
  comm_broadcast(tag, sizeof tag, 0);
  file_temporary(temporary, sizeof temporary, path, tag);
  double *state = copy_state(h);
  bool good = checkpoint_part_create(h, &p) && state;
  if (good && comm_rank() == 0 && !file_make_folders(h->deck->output.directory)) {
    good = false;
    snprintf(reason, sizeof reason, "%s", strerror(errno));
  }
  snprintf(message, size, "cannot write the checkpoint '%s': %s", path, reason);
  int status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  if (!status) {
    good = write_parts(h, &p, state, temporary, run, reason, sizeof reason);
    snprintf(message, size, "cannot write the checkpoint '%s': %s", path, reason);
    status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  }
  if (!status && comm_rank() == 0) {
    pulse_beat(h->pulse, PULSE_CHECKPOINT, h->steps);
    int error = checksum_seal(temporary);
    if (!error) error = file_publish(temporary, path);
    good = !error;
    snprintf(message, size, "cannot complete the checkpoint '%s': %s", path, file_explain(error));
  }
  if (!status) status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  if (status && comm_rank() == 0) unlink(temporary);
  checkpoint_part_destroy(&p);
  free(state);
  return status;
}

static void say_set_aside(const checkpoint_shelf *shelf, const char *directory, int64_t step, int n)
{
  if (n > 0)
    fprintf(
      stderr,
      "shocklet: warning: the run goes back behind %d checkpoint%s in %s, of step %lld or later, moved to old-%d\n", n,
      n > 1 ? "s" : "", directory, (long long)step, shelf->aside);
}

int checkpoint_write(const hydro *h, const output_run *run, checkpoint_shelf *shelf, char path[CHECKPOINT_PATH],
                     char *message, size_t size)
{
  const char *directory = h->deck->output.directory;
  const bool root = comm_rank() == 0;
  const int moved = shelf->moved;
  int status = STATUS_OK;
  checkpoint_path(directory, h->steps, path);
  if (root) status = checkpoint_shelf_make_way(shelf, directory, h->steps, message, size);
  status = collective_status(status, message, size);
  if (status) return status;
  status = checkpoint_save(h, run, path, message, size);
  if (status) return status;
  if (root) status = checkpoint_shelf_put(shelf, directory, h->steps, h->deck->output.keep, message, size);
  say_set_aside(shelf, directory, h->steps, shelf->moved - moved); // only rank 0 moves any
  return collective_status(status, message, size);
}
