/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mesh/read/draft.h"

/* Words that the formats begin with. */
static bool is_known(scan_word word)
{
  return scan_is(word, "MFEM") || scan_is(word, "areamesh2") || word.text[0] == '$';
}

static bool read_any(scan *s, mesh_draft *d)
{
  scan_word word;
  if (!scan_next(s, "a mesh", &word)) return false;
  if (scan_is(word, "MFEM")) return mesh_read_mfem(s, d);
  if (scan_is(word, "areamesh2")) return mesh_read_netgen(s, d);
  if (word.text[0] == '$') {
    s->at = word.at;
    return mesh_read_gmsh(s, d);
  }
  return scan_fail(s, word.at,
                   "'%s' does not begin a mesh: only MFEM mesh v1.0 to v1.3 and Gmsh MSH 2.2 or 4.1 can be read",
                   scan_quoted(word).text);
}

int mesh_coarse_parse(mesh_coarse **coarse, const char *name, const char *text, size_t length, char *message,
                      size_t size)
{
  scan s = {.name = name, .text = text, .length = length, .message = message, .size = size};
  mesh_draft d = {0};
  bool ok = read_any(&s, &d) && mesh_draft_check(&d, &s);
  *coarse = NULL;
  if (ok) {
    *coarse = d.c;
    d.c = NULL;
  }
  mesh_draft_destroy(&d);
  return ok ? 0 : s.no_memory ? STATUS_MACHINE : STATUS_INPUT;
}

enum { FIRST = 1 << 16 };
static const size_t longest = (size_t)1 << 31; // of a mesh file, as of the numbers of its lines

/* Tests whether the first bytes of a file begin a mesh; else the rest, which may have no end, is not read. */
static bool begins_mesh(const char *text, size_t length)
{
  char message[256];
  scan s = {.name = "", .text = text, .length = length, .message = message, .size = sizeof message};
  scan_word word;
  return scan_next(&s, "a mesh", &word) && is_known(word);
}

/* All of an open file; NULL with errno set. */
static char *read_open(FILE *file, size_t *length)
{
  size_t room = FIRST;
  char *text = malloc(room);
  *length = 0;
  while (text) {
    *length += fread(text + *length, 1, room - *length, file);
    if (*length < room || (room == FIRST && !begins_mesh(text, *length))) break;
    char *more = room < longest ? realloc(text, room *= 2) : NULL;
    if (!more) free(text);
    if (room >= longest && !more) errno = EFBIG;
    text = more;
  }
  if (!text || !ferror(file)) return text;
  const int error = errno;
  free(text);
  errno = error;
  return NULL;
}

/* The whole file in *text (owned by the caller), a regular one or a pipe; NULL with errno set. */
static char *read_file(const char *path, size_t *length)
{
  struct stat is;
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  const bool device = fstat(fileno(file), &is) == 0 && (S_ISCHR(is.st_mode) || S_ISBLK(is.st_mode));
  char *text = device ? NULL : read_open(file, length);
  const int error = device ? ENOTSUP : errno;
  fclose(file);
  errno = error;
  return text;
}

static int read_alone(mesh_coarse **coarse, const char *path, char *message, size_t size)
{
  size_t length;
  char *text = read_file(path, &length);
  if (!text) {
    const int reason = errno;
    snprintf(message, size, "%s: can't read the mesh file: %s", path,
             reason == ENOTSUP ? "it is a device"
             : reason == EFBIG ? "it is larger than 2 GiB"
                               : strerror(reason));
    return reason == ENOMEM ? STATUS_MACHINE : STATUS_INPUT;
  }
  int status = mesh_coarse_parse(coarse, path, text, length, message, size);
  free(text);
  return status;
}

static void broadcast_arrays(mesh_coarse *c)
{
  comm_broadcast(c->vertices, (size_t)c->nvertices * (size_t)c->dim * sizeof *c->vertices, 0);
  comm_broadcast(c->zones, mesh_coarse_zone_entries(c) * sizeof *c->zones, 0);
  comm_broadcast(c->faces, mesh_coarse_face_entries(c) * sizeof *c->faces, 0);
  comm_broadcast(c->attributes, (size_t)c->nfaces * sizeof *c->attributes, 0);
}

/* The curve of a mesh that has been read, whose zones are roots; false: this rank has no memory. */
static bool broadcast_curve(mesh_coarse *c)
{
  int head[3] = {0};
  if (c->curve) head[0] = c->curve->order, head[1] = (int)c->curve->line;
  comm_broadcast(head, sizeof head, 0);
  if (head[0] == 0) return true;
  if (!c->curve) c->curve = mesh_curve_allocate(c->shape, c->dim, c->nzones, head[0], (mesh_line)head[1]);
  if (comm_worst(c->curve ? STATUS_OK : STATUS_MACHINE)) return false;
  const size_t each = (size_t)mesh_nodes_in_zone(c->shape, c->dim, head[0]);
  comm_broadcast(c->curve->nodes, (size_t)c->nzones * each * (size_t)c->dim * sizeof(double), 0);
  if (c->shape == MESH_SIMPLEX)
    comm_broadcast(c->curve->place, mesh_coarse_zone_entries(c) * (size_t)c->dim * sizeof(double), 0);
  return true;
}

static bool broadcast_seams(mesh_coarse *c)
{
  comm_broadcast(&c->nseams, sizeof c->nseams, 0);
  const size_t bytes = (size_t)c->nseams * 2 * (size_t)mesh_coarse_facet_corners(c) * sizeof *c->seams;
  if (bytes > 0 && !c->seams) c->seams = malloc(bytes);
  if (comm_worst(bytes == 0 || c->seams ? STATUS_OK : STATUS_MACHINE)) return false;
  comm_broadcast(c->seams, bytes, 0);
  return true;
}

static bool broadcast_mesh(mesh_coarse *c)
{
  broadcast_arrays(c);
  return broadcast_curve(c) && broadcast_seams(c);
}

int mesh_coarse_read(mesh_coarse **coarse, const char *path, char *message, size_t size)
{
  bool reads = comm_rank() == 0;
  mesh_coarse *c = NULL;
  int head[6] = {0};
  if (reads) {
    memset(message, 0, size);
    head[0] = read_alone(&c, path, message, size);
    if (c) head[1] = c->dim, head[2] = c->nvertices, head[3] = c->nzones, head[4] = c->nfaces, head[5] = (int)c->shape;
  }
  comm_broadcast(head, sizeof head, 0);
  if (head[0])
    comm_broadcast(message, size, 0);
  else if (!reads)
    c = mesh_coarse_allocate((mesh_shape)head[5], head[1], head[2], head[3], head[4]);
  int status = head[0];
  if (!status && comm_worst(c ? STATUS_OK : STATUS_MACHINE)) {
    snprintf(message, size, "%s: out of memory for this mesh", path);
    mesh_coarse_destroy(&c);
    status = STATUS_MACHINE;
  }
  if (!status && !broadcast_mesh(c)) {
    snprintf(message, size, "%s: out of memory for this mesh", path);
    mesh_coarse_destroy(&c);
    status = STATUS_MACHINE;
  }
  *coarse = c;
  return status;
}
