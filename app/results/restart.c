/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/restart.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the numbers in a checkpoint mean; anything else may change from one run to the next. */
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

/* What is said in front of the deck that --check prints is a comment there. */
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
static int find_latest(restart *r, const deck *now, const options *o, FILE *to, char *message, size_t size)
{
  static const char key[] = "output.directory=";
  char copy[DECK_PATH];
  const char *directory = o->deck ? now->output.directory : "results";
  int skipped;
  for (int i = 0; !o->deck && i < o->noverrides; i++) {
    if (strncmp(o->overrides[i], key, sizeof key - 1) != 0) continue;
    snprintf(copy, sizeof copy, "%s", o->overrides[i] + sizeof key - 1);
    directory = deck_plain_text(copy);
  }
  int status = checkpoint_latest(directory, r->path, &skipped, message, size);
  if (!status && skipped && to)
    fprintf(to, "%swarning: %d newer checkpoint%s of %s damaged; going on from %s\n", mark_of(o), skipped,
            skipped > 1 ? "s" : "", skipped > 1 ? "are" : "is", r->path);
  return status;
}

int restart_read(restart *r, deck *now, const options *o, FILE *to, char *message, size_t size)
{
  char warning[1024] = "";
  int status =
    o->deck ? deck_read(now, o->deck, o->noverrides, o->overrides, message, size) : 0; // once: it may be a pipe
  if (status) return status;
  if (o->deck) snprintf(warning, sizeof warning, "%s", message);
  if (strcmp(o->restart, "latest") == 0)
    status = find_latest(r, now, o, to, message, size);
  else if (snprintf(r->path, sizeof r->path, "%s", o->restart) >= (int)sizeof r->path) {
    snprintf(message, size, "--restart: the name of the file is too long");
    status = STATUS_INPUT;
  } else if (is_folder(r->path)) {
    snprintf(message, size, "--restart: %s is a folder; its newest checkpoint is: --restart latest output.directory=%s",
             r->path, r->path);
    status = STATUS_INPUT;
  }
  if (status) return status;
  char *text = checkpoint_deck(r->path, message, size);
  if (!text) return STATUS_INPUT;
  status = deck_parse(&r->then, r->path, text, strlen(text), 0, NULL, message, size);
  if (!status && !o->deck)
    status = deck_parse(now, r->path, text, strlen(text), o->noverrides, o->overrides, message, size);
  free(text);
  if (status) return status;
  snprintf(message, size, "%s", warning); // what the checkpoint's deck is warned of was said to the run that wrote it
  if (now->mesh.dim == 0) now->mesh.dim = r->then.mesh.dim; // as the file says, which is read later
  comparison c = {.to = to, .mark = mark_of(o), .message = message, .size = size};
  deck_compare(&r->then, now, differs, &c);
  return c.status;
}
