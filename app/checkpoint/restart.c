/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/checkpoint/restart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/version.h"

/* Keys that give the numbers in a checkpoint their meaning; all others may change from one run to the next. */
static const char *const fixed[] = {"problem.", "mesh.", "discretization.", NULL};
static const char *const free_all_the_same[] = {"mesh.partition", NULL};

typedef struct comparison {
  FILE *to;
  const char *mark; // in front of each line
  char *message;
  size_t size;
  int status;
} comparison;

static bool starts_with(const char *key, const char *const *list)
{
  for (; *list; list++)
    if (strncmp(key, *list, strlen(*list)) == 0) return true;
  return false;
}

static void differs(void *user, const char *key, const char *before, const char *now)
{
  comparison *c = user;
  if (!starts_with(key, fixed) || starts_with(key, free_all_the_same)) {
    if (c->to) fprintf(c->to, "%srestart with %s: %s (was %s)\n", c->mark, key, now, before);
    return;
  }
  const size_t n = c->status ? strlen(c->message) : 0; // keys that follow from others, as refine, are not alone
  snprintf(c->message + n, c->size - n, "%s%s is %s in the checkpoint, not %s", n ? "; " : "--restart: ", key, before,
           now);
  c->status = STATUS_INPUT;
}

/* Comments out messages that come before the deck that --check prints. */
static const char *mark_of(const options *o)
{
  return o->check ? "# " : "";
}

static bool is_folder(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The folder of `latest`: output.directory of the deck, which has been read, or of the overrides. */
static const char *folder_of(const deck *now, const options *o, char copy[DECK_PATH])
{
  static const char key[] = "output.directory=";
  const char *directory = o->deck ? now->output.directory : "results";
  for (int i = 0; !o->deck && i < o->noverrides; i++) {
    if (strncmp(o->overrides[i], key, sizeof key - 1) != 0) continue;
    snprintf(copy, DECK_PATH, "%s", o->overrides[i] + sizeof key - 1);
    directory = deck_plain_text(copy);
  }
  return directory;
}

/* The deck in the checkpoint, and whether its clock may stand there. */
static int read_then(restart *r, const checkpoint_origin *origin, char *message, size_t size)
{
  r->step = origin->step;
  r->time = origin->time;
  r->mesh = origin->mesh;
  const int status = deck_parse(&r->then, r->path, origin->deck, strlen(origin->deck), 0, NULL, message, size);
  if (status || origin->time <= r->then.time.final * (1.0 + 1e-12)) return status;
  snprintf(message, size, "%s: is of t = %.9g, behind the end of its own run, %.9g", r->path, origin->time,
           r->then.time.final);
  return STATUS_INPUT;
}

static int take(restart *r, checkpoint_origin *origin, char *message, size_t size)
{
  checkpoint_origin_destroy(origin);
  if (!checkpoint_verify(r->path, origin, message, size)) return STATUS_INPUT;
  return read_then(r, origin, message, size);
}

/* Passing over newer checkpoints is told of, if need be on stderr. */
static void say_passed_over(const restart *r, const options *o, int passed, const char *why, FILE *to)
{
  fprintf(to ? to : stderr, "%swarning: %d newer checkpoint%s can't be used; going on from %s; the newest: %s\n",
          to ? mark_of(o) : "shocklet: ", passed, passed > 1 ? "s" : "", r->path, why);
}

/* Names the file that a failed run has left.  It is not taken by itself: the same deck would fail again. */
static void add_fault(const char *directory, char *message, size_t size)
{
  char path[CHECKPOINT_PATH];
  const size_t n = strlen(message);
  if (checkpoint_of_fault(directory, path))
    snprintf(message + n, size - n, "; to go on from before the fault: --restart %s, and a smaller time.cfl, say",
             path);
}

/* The newest one of a step before `below` that can be used. */
static int find_latest(restart *r, const deck *now, const options *o, int64_t below, checkpoint_origin *origin,
                       FILE *to, char *message, size_t size)
{
  char copy[DECK_PATH], why[CHECKPOINT_PATH + 256] = "", first[CHECKPOINT_PATH + 256] = "";
  const char *directory = folder_of(now, o, copy);
  const bool again = below < INT64_MAX;
  int passed = 0;
  for (; checkpoint_before(directory, below, r->path, why, sizeof why) == STATUS_OK; passed++) {
    const int status = take(r, origin, why, sizeof why);
    if (!status && passed) say_passed_over(r, o, passed, first, to);
    if (status != STATUS_INPUT) {
      snprintf(message, size, "%s", why);
      return status;
    }
    if (passed == 0) snprintf(first, sizeof first, "%s", why);
    below = checkpoint_step_of(r->path);
  }
  if (passed)
    snprintf(message, size, "--restart latest: %s: none of its %d checkpoints can be used; the newest: %s", directory,
             passed, first);
  else
    snprintf(message, size, "--restart latest: %s%s", why, again ? " that can be used" : "");
  if (!passed) add_fault(directory, message, size);
  return STATUS_INPUT;
}

static int find_named(restart *r, const options *o, checkpoint_origin *origin, char *message, size_t size)
{
  if (snprintf(r->path, sizeof r->path, "%s", o->restart) >= (int)sizeof r->path) {
    snprintf(message, size, "--restart: the name of the file is too long");
    return STATUS_INPUT;
  }
  if (is_folder(r->path)) {
    snprintf(message, size, "--restart: %s is a folder; its newest checkpoint is: --restart latest output.directory=%s",
             r->path, r->path);
    return STATUS_INPUT;
  }
  return take(r, origin, message, size);
}

/* Another program may come to other numbers. */
static void say_version(const options *o, const checkpoint_origin *origin, FILE *to)
{
  if (!to || (strcmp(origin->version, app_version) == 0 && strcmp(origin->git, app_git) == 0)) return;
  fprintf(to, "%srestart with version %s (%s): the checkpoint was written by %s (%s)\n", mark_of(o), app_version,
          app_git, origin->version, origin->git);
}

/* The checkpoint's deck with the overrides, unless one is named; what has changed. */
static int read_now(const restart *r, deck *now, const options *o, const checkpoint_origin *origin, FILE *to,
                    char *message, size_t size)
{
  if (!o->deck) {
    const int status =
      deck_parse(now, r->path, origin->deck, strlen(origin->deck), o->noverrides, o->overrides, message, size);
    if (status) return status;
    message[0] = '\0'; // what the checkpoint's deck is warned of was said to the run that wrote it
  }
  if (now->mesh.dim == 0) now->mesh.dim = r->then.mesh.dim; // as the file says, which is read later
  comparison c = {.to = to, .mark = mark_of(o), .message = message, .size = size};
  deck_compare(&r->then, now, differs, &c);
  return c.status;
}

/* The deck that is named, once. */
static int read_given(restart *r, deck *now, const options *o, char *message, size_t size)
{
  message[0] = '\0';
  const int status = r->is_read ? STATUS_OK : deck_read(&r->given, o->deck, o->noverrides, o->overrides, message, size);
  r->is_read = status == STATUS_OK;
  *now = r->given;
  return status;
}

int restart_read(restart *r, deck *now, const options *o, int64_t below, FILE *to, char *message, size_t size)
{
  char warning[1024] = "";
  checkpoint_origin origin = {0};
  int status = o->deck ? read_given(r, now, o, message, size) : STATUS_OK;
  if (status) return status;
  if (o->deck) snprintf(warning, sizeof warning, "%s", message);
  r->latest = strcmp(o->restart, "latest") == 0;
  status =
    r->latest ? find_latest(r, now, o, below, &origin, to, message, size) : find_named(r, o, &origin, message, size);
  if (!status) {
    say_version(o, &origin, to);
    snprintf(message, size, "%s", warning);
    status = read_now(r, now, o, &origin, to, message, size);
  }
  checkpoint_origin_destroy(&origin);
  return status;
}

int restart_compare_mesh(const restart *r, const hydro *h, char *message, size_t size)
{
  if (r->mesh == h->mesh_checksum || !h->deck->mesh.file[0]) return STATUS_OK; // a box is in the deck
  snprintf(message, size,
           "%s: is a checkpoint of another mesh than is in %s now: its checksum is %016" PRIx64
           ", that of the file %016" PRIx64,
           r->path, h->deck->mesh.file, r->mesh, h->mesh_checksum);
  return STATUS_INPUT;
}

void restart_broadcast(restart *r)
{
  deck_broadcast(&r->then);
  comm_broadcast(r->path, sizeof r->path, 0);
  comm_broadcast(&r->step, sizeof r->step, 0);
  comm_broadcast(&r->time, sizeof r->time, 0);
  comm_broadcast(&r->mesh, sizeof r->mesh, 0);
  comm_broadcast(&r->latest, sizeof r->latest, 0);
}
