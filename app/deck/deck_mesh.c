/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mesh that a deck asks for: a file, or a box with the defaults of its problem.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/deck/deck_schema.h"

static int fail(deck_reader *r, const char *name, const char *sentence)
{
  return deck_fail(r, deck_origin_of(r, name), name, "%s", sentence);
}

/* Resolves two keys that exclude each other: one on the command line overrides one in the deck; otherwise `loser` is an
 * error. */
static int exclude(deck_reader *r, const char *winner, const char *loser)
{
  char sentence[128];
  if (deck_origin_of(r, winner)->level > deck_origin_of(r, loser)->level) return 0;
  snprintf(sentence, sizeof sentence, "can't be given together with %s; allowed: one of the two", winner);
  return fail(r, loser, sentence);
}

/* ------------------------------------------------------------------ mesh.file */

static int join(char *path, size_t size, const char *folder, const char *file)
{
  int n = snprintf(path, size, "%s/%s", folder, file);
  return n > 0 && (size_t)n < size ? 0 : -1;
}

/* A relative path starts at the deck's folder; one from the command line may also start at the working folder. */
static int find_file(deck_reader *r, char *found, size_t size)
{
  const char *file = r->d->mesh.file;
  char folder[DECK_PATH], *end;
  if (file[0] == '/') return join(found, size, "", file + 1);
  snprintf(folder, sizeof folder, "%s", r->name);
  end = strrchr(folder, '/');
  if (end)
    end[1] = '\0';
  else
    strcpy(folder, ".");
  char *absolute = realpath(folder, NULL);
  int wrong = join(found, size, absolute ? absolute : folder, file);
  free(absolute);
  if (wrong || access(found, F_OK) == 0 || deck_origin_of(r, "mesh.file")->level != DECK_COMMAND_LINE) return wrong;
  char *here = getcwd(NULL, 0);
  char other[DECK_PATH];
  if (here && join(other, sizeof other, here, file) == 0 && access(other, F_OK) == 0) strcpy(found, other);
  free(here);
  return 0;
}

static int resolve_file(deck_reader *r)
{
  char path[DECK_PATH];
  if (find_file(r, path, sizeof path)) return fail(r, "mesh.file", "the path is too long");
  if (!deck_is_printable(path))
    return fail(r, "mesh.file",
                "the name of the folder it is in is not plain UTF-8 text, as that of a mesh file must be");
  struct stat status;
  const char *why = NULL;
  if (stat(path, &status) || access(path, R_OK))
    why = strerror(errno);
  else if (S_ISDIR(status.st_mode))
    why = strerror(EISDIR);
  if (why) return deck_fail(r, deck_origin_of(r, "mesh.file"), "mesh.file", "can't read %s: %s", path, why);
  memset(r->d->mesh.file, 0, sizeof r->d->mesh.file);
  strcpy(r->d->mesh.file, path);
  return 0;
}

/* A file takes the place of the box and its zones. */
static int file_excludes(deck_reader *r)
{
  static const char *const box[] = {"mesh.zones", "mesh.lower", "mesh.upper"};
  int wrong = 0;
  for (int i = 0; i < 3 && !wrong; i++)
    if (deck_origin_of(r, box[i])->count > 0) wrong = exclude(r, "mesh.file", box[i]);
  if (!wrong && (r->d->mesh.zones_per_rank.zones > 0 || r->d->mesh.zones_per_rank.axes > 0)) {
    wrong = exclude(r, "mesh.file", "mesh.zones_per_rank");
    r->d->mesh.zones_per_rank = (deck_share){.zones = 0};
  }
  return wrong;
}

/* ------------------------------------------------------------------ the box */

static void dims_of(const problem *p, char *text, size_t size)
{
  text[0] = '\0';
  for (int dim = 1; dim <= 3; dim++) {
    size_t n = strlen(text);
    if (p->dims >> dim & 1) snprintf(text + n, size - n, "%s%d", n ? ", " : "", dim);
  }
}

static int resolve_dim(deck_reader *r)
{
  deck *d = r->d;
  bool asked = deck_is_given(r, "mesh.dim");
  if (d->mesh.file[0]) {
    if (!asked) d->mesh.dim = 0;
    if (d->mesh.dim == 0) return 0;
  } else if (!asked) {
    d->mesh.dim = d->problem.row->dim;
  } else if (d->mesh.dim == 0) {
    return fail(r, "mesh.dim", "0 is only allowed with mesh.file; allowed: 1 to 3");
  }
  if (d->problem.row->dims >> d->mesh.dim & 1) return 0;
  char dims[16];
  dims_of(d->problem.row, dims, sizeof dims);
  return deck_fail(r, deck_origin_of(r, "mesh.dim"), "mesh.dim", "%s does not exist in %dD; allowed: %s",
                   d->problem.name, d->mesh.dim, dims);
}

static int check_length(deck_reader *r, const char *name)
{
  int n = deck_origin_of(r, name)->count, dim = r->d->mesh.dim;
  if (!deck_is_given(r, name) || n == dim) return 0;
  return deck_fail(r, deck_origin_of(r, name), name, "has %d %s; allowed: %d, as mesh.dim is %d", n,
                   n == 1 ? "entry" : "entries", dim, dim);
}

/* The box has no axes from this one on. */
static void forget_axes(deck *d, int first)
{
  for (int c = first; c < 3; c++) {
    d->mesh.zones[c] = 1;
    d->mesh.lower[c] = d->mesh.upper[c] = 0;
  }
}

static int resolve_box(deck_reader *r)
{
  deck *d = r->d;
  const problem_box *box = &d->problem.row->box[d->mesh.dim];
  int wrong = check_length(r, "mesh.zones");
  if (!wrong) wrong = check_length(r, "mesh.lower");
  if (!wrong) wrong = check_length(r, "mesh.upper");
  if (wrong) return wrong;
  for (int c = 0; c < d->mesh.dim; c++) {
    if (!deck_is_given(r, "mesh.zones")) d->mesh.zones[c] = box->zones[c];
    if (!deck_is_given(r, "mesh.lower")) d->mesh.lower[c] = box->lower[c];
    if (!deck_is_given(r, "mesh.upper")) d->mesh.upper[c] = box->upper[c];
    double lower = d->mesh.lower[c], upper = d->mesh.upper[c];
    const char *name = deck_is_given(r, "mesh.upper") ? "mesh.upper" : "mesh.lower";
    if (!(upper > lower))
      return deck_fail(r, deck_origin_of(r, name), name,
                       "along axis %d mesh.upper is %.16g; allowed: above mesh.lower, %.16g", c, upper, lower);
  }
  forget_axes(d, d->mesh.dim);
  return 0;
}

int deck_parts(const deck *d)
{
  return strcmp(d->mesh.zone, "triangle") == 0 ? 2 : strcmp(d->mesh.zone, "tet") == 0 ? 6 : 1;
}

/* Zones along each axis are those of mesh.zones, each of which may be cut. */
static int resolve_axes(deck_reader *r)
{
  const char *const name = "mesh.zones_per_rank";
  deck_share *share = &r->d->mesh.zones_per_rank;
  const deck_origin *origin = deck_origin_of(r, name);
  if (share->axes == 0 && origin->count > 0) return 0;
  const int wrong = check_length(r, name);
  if (wrong) return wrong;
  double zones = deck_parts(r->d);
  for (int c = 0; c < share->axes; c++) {
    if (share->along[c] == 0) return deck_fail(r, origin, name, "has 0 zones along axis %d; allowed: at least 1", c);
    zones *= share->along[c];
  }
  if (zones > DECK_MAX_SHARE)
    return deck_fail(r, origin, name, "makes %.9g zones; allowed: at most %d", zones, DECK_MAX_SHARE);
  share->zones = (int64_t)zones;
  return 0;
}

/* A box of triangles or tetrahedra has its dimension, and whole quads or hexes of them on a rank. */
static int resolve_zone(deck_reader *r)
{
  const deck *d = r->d;
  const int parts = deck_parts(d), dim = parts == 2 ? 2 : 3;
  if (parts == 1) return 0;
  if (d->mesh.file[0]) return exclude(r, "mesh.file", "mesh.zone");
  if (d->mesh.zones_per_rank.zones % parts != 0)
    return deck_fail(r, deck_origin_of(r, "mesh.zones_per_rank"), "mesh.zones_per_rank",
                     "is %lld; allowed: multiples of %d, as mesh.zone is %s", (long long)d->mesh.zones_per_rank.zones,
                     parts, d->mesh.zone);
  if (dim == d->mesh.dim) return 0;
  return deck_fail(r, deck_origin_of(r, "mesh.zone"), "mesh.zone", "%s needs mesh.dim %d, which is %d", d->mesh.zone,
                   dim, d->mesh.dim);
}

/* The problem's refinement belongs to the problem's zones. */
static int resolve_refine(deck_reader *r)
{
  deck *d = r->d;
  bool own = !deck_is_given(r, "mesh.zones") && !d->mesh.file[0] && d->mesh.zones_per_rank.zones == 0;
  if (!deck_is_given(r, "mesh.refine")) d->mesh.refine = own ? d->problem.row->box[d->mesh.dim].refine : 0;
  if (d->mesh.refine == 0 || d->mesh.zones_per_rank.zones == 0) return 0;
  int wrong = exclude(r, "mesh.zones_per_rank", "mesh.refine");
  d->mesh.refine = 0;
  return wrong;
}

/* A periodic box has the axis, and two zones along it, so that none is its own neighbour. */
static int resolve_periodic(deck_reader *r)
{
  const deck *d = r->d;
  const char *const name = "mesh.periodic";
  if (strcmp(d->mesh.periodic, "none") == 0) return 0;
  if (d->mesh.file[0]) return exclude(r, "mesh.file", name);
  if (d->problem.row->map)
    return deck_fail(r, deck_origin_of(r, name), name, "%s bends its box, whose sides don't fit each other",
                     d->problem.name);
  for (int c = 0; c < 3; c++) {
    if (!strchr(d->mesh.periodic, "xyz"[c])) continue;
    if (c >= d->mesh.dim)
      return deck_fail(r, deck_origin_of(r, name), name, "is %s, but the box has no axis %c, as mesh.dim is %d",
                       d->mesh.periodic, "xyz"[c], d -> mesh.dim);
    const double along = (double)d->mesh.zones[c] * (double)(1 << d->mesh.refine);
    if (along < 2 && d->mesh.zones_per_rank.zones == 0)
      return deck_fail(r, deck_origin_of(r, name), name,
                       "along %c there is 1 zone, which would be its own neighbour; allowed: at least 2", "xyz"[c]);
  }
  return 0;
}

/* zones_per_rank takes the place of zones.  A deck may have both, as a resolved one names every key; zones of its own
 * are warned of. */
static int resolve_zones_per_rank(deck_reader *r)
{
  const deck *d = r->d;
  const deck_origin *zones = deck_origin_of(r, "mesh.zones");
  if (d->mesh.zones_per_rank.zones == 0 || zones->level < deck_origin_of(r, "mesh.zones_per_rank")->level) return 0;
  if (zones->level == DECK_COMMAND_LINE) return exclude(r, "mesh.zones_per_rank", "mesh.zones");
  const problem_box *box = &d->problem.row->box[d->mesh.dim];
  bool own = false;
  for (int c = 0; c < d->mesh.dim; c++) own = own || d->mesh.zones[c] != box->zones[c];
  if (own) deck_fail(r, zones, "mesh.zones", "is not used, as mesh.zones_per_rank takes its place");
  return 0;
}

/* Blocks are those of a box of quads or hexes, and all there is where zones_per_rank gives each rank its zones. */
static int resolve_partition(deck_reader *r)
{
  const char *const name = "mesh.partition";
  const deck *d = r->d;
  const bool box = !d->mesh.file[0] && deck_parts(d) == 1, block = strcmp(d->mesh.partition, "block") == 0;
  if (block && !box)
    return deck_fail(r, deck_origin_of(r, name), name,
                     "block is for a box of quads or hexes; allowed with mesh.%s: auto, hilbert, rcb, metis",
                     d->mesh.file[0] ? "file" : "zone");
  if (!box || block || d->mesh.zones_per_rank.zones == 0 || strcmp(d->mesh.partition, "auto") == 0) return 0;
  return deck_fail(r, deck_origin_of(r, name), name,
                   "is %s, but mesh.zones_per_rank gives every rank a box; allowed: auto, block", d->mesh.partition);
}

static int check_zones(deck_reader *r)
{
  const deck *d = r->d;
  double zones = 1;
  bool fits = true;
  for (int c = 0; c < d->mesh.dim; c++) {
    double n = (double)d->mesh.zones[c] * (double)(1 << d->mesh.refine);
    zones *= n;
    fits = fits && n <= DECK_MAX_ZONES_ALONG;
  }
  const char *name = deck_is_given(r, "mesh.zones") ? "mesh.zones" : "mesh.refine";
  if (fits && zones <= DECK_MAX_ZONES) return 0;
  return deck_fail(r, deck_origin_of(r, name), name, "makes %.3g zones; allowed: at most %.0e, %d along an axis", zones,
                   DECK_MAX_ZONES, DECK_MAX_ZONES_ALONG);
}

int deck_resolve_mesh(deck_reader *r)
{
  int wrong = 0;
  bool file = r->d->mesh.file[0] != '\0';
  if (file) wrong = file_excludes(r);
  if (!wrong && file) wrong = resolve_file(r);
  if (!wrong) wrong = resolve_dim(r);
  if (file) forget_axes(r->d, 0);
  if (!wrong && !file) wrong = resolve_box(r);
  if (!wrong && !file) wrong = resolve_axes(r);
  if (!wrong) wrong = resolve_zone(r);
  if (!wrong) wrong = resolve_refine(r);
  if (!wrong) wrong = resolve_periodic(r);
  if (!wrong) wrong = resolve_partition(r);
  if (!wrong && !file) wrong = resolve_zones_per_rank(r);
  if (!wrong && !file) wrong = check_zones(r);
  return wrong ? wrong : deck_check_period(r);
}

int deck_set_dim(deck *d, int dim, char *message, size_t size)
{
  if (d->mesh.dim != 0 && d->mesh.dim != dim) {
    snprintf(message, size, "%s: has dimension %d, but mesh.dim is %d", d->mesh.file, dim, d->mesh.dim);
    return STATUS_INPUT;
  }
  if (!(d->problem.row->dims >> dim & 1)) {
    char dims[16];
    dims_of(d->problem.row, dims, sizeof dims);
    snprintf(message, size, "%s: has dimension %d, in which %s does not exist; allowed: %s", d->mesh.file, dim,
             d->problem.name, dims);
    return STATUS_INPUT;
  }
  if (d->output.probes.count % dim != 0) {
    snprintf(message, size, "%s: has dimension %d, but output.probes has %d numbers; allowed: a multiple of %d",
             d->mesh.file, dim, d->output.probes.count, dim);
    return STATUS_INPUT;
  }
  d->mesh.dim = dim;
  return 0;
}
