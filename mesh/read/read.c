/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read/draft.h"

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

/* The whole file in *text (owned by the caller); NULL with errno set. */
static char *read_file(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t room = 1 << 16;
  char *text = malloc(room);
  *length = 0;
  while (text) {
    *length += fread(text + *length, 1, room - *length, file);
    if (*length < room) break;
    char *more = realloc(text, room *= 2);
    if (!more) free(text);
    text = more;
  }
  const int error = errno;
  if (text && ferror(file)) {
    free(text);
    text = NULL;
  }
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
    snprintf(message, size, "%s: can't read the mesh file: %s", path, strerror(reason));
    return reason == ENOMEM ? STATUS_MACHINE : STATUS_INPUT;
  }
  int status = mesh_coarse_parse(coarse, path, text, length, message, size);
  free(text);
  return status;
}

static void broadcast_arrays(mesh_coarse *c)
{
  comm_broadcast(c->vertices, (size_t)c->nvertices * (size_t)c->dim * sizeof *c->vertices, 0);
  comm_broadcast(c->zones, ((size_t)c->nzones << c->dim) * sizeof *c->zones, 0);
  comm_broadcast(c->faces, ((size_t)c->nfaces << (c->dim - 1)) * sizeof *c->faces, 0);
  comm_broadcast(c->attributes, (size_t)c->nfaces * sizeof *c->attributes, 0);
}

int mesh_coarse_read(mesh_coarse **coarse, const char *path, char *message, size_t size)
{
  bool reads = comm_rank() == 0;
  mesh_coarse *c = NULL;
  int head[5] = {0};
  if (reads) {
    memset(message, 0, size);
    head[0] = read_alone(&c, path, message, size);
    if (c) head[1] = c->dim, head[2] = c->nvertices, head[3] = c->nzones, head[4] = c->nfaces;
  }
  comm_broadcast(head, sizeof head, 0);
  if (head[0])
    comm_broadcast(message, size, 0);
  else if (!reads)
    c = mesh_coarse_allocate(head[1], head[2], head[3], head[4]);
  int status = head[0];
  if (!status && comm_worst(c ? STATUS_OK : STATUS_MACHINE)) {
    snprintf(message, size, "%s: out of memory for this mesh", path);
    mesh_coarse_destroy(&c);
    status = STATUS_MACHINE;
  }
  if (!status) broadcast_arrays(c);
  *coarse = c;
  return status;
}
