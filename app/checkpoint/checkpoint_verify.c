/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be known of a checkpoint without its mesh.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/checkpoint/checkpoint_part.h"
#include "app/files/checksum.h"
#include "app/files/hdf.h"

static const char *const verdicts[] = {"", "can't be read", "is not a checkpoint, or its end is missing",
                                       "is damaged: its checksum is wrong"};

/* A checkpoint that is looked at, and where the sentence goes. */
typedef struct inspection {
  hdf_file f;
  const char *path;
  char *message;
  size_t size;
} inspection;

static bool refuse(inspection *a, const char *sentence)
{
  snprintf(a->message, a->size, "%s: %s", a->path, sentence);
  return false;
}

/* The reason that the reader gave, or else the sentence. */
static bool refuse_reading(inspection *a, const char *sentence)
{
  return refuse(a, a->f.reason[0] ? a->f.reason : sentence);
}

static bool has_format(inspection *a)
{
  int64_t format = 0;
  hdf_get_rows(&a->f, "/run/format_version", H5T_NATIVE_INT64, 1, 0, 1, 0, &format);
  if (!a->f.good) return refuse(a, "is not a checkpoint of Shocklet");
  if (format == CHECKPOINT_FORMAT) return true;
  snprintf(a->message, a->size, "%s: is a checkpoint of format %" PRId64 "; this version reads format %d", a->path,
           format, CHECKPOINT_FORMAT);
  return false;
}

/* Tests whether a run can have come to these numbers, and can go on counting from them. */
static bool are_counts(const int64_t counters[CHECKPOINT_COUNTERS])
{
  for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
    if (counters[i] < 0 || counters[i] > INT64_C(1) << 60) return false;
  return true;
}

/* A file that took the name of another one is no more trusted than a damaged one. */
static bool has_counters(inspection *a, checkpoint_origin *o)
{
  int64_t counters[CHECKPOINT_COUNTERS] = {0};
  const int64_t named = checkpoint_step_of(a->path);
  hdf_get_rows(&a->f, "/run/counters", H5T_NATIVE_INT64, CHECKPOINT_COUNTERS, 0, CHECKPOINT_COUNTERS, 0, counters);
  if (!a->f.good) return refuse_reading(a, "has no counters");
  if (!are_counts(counters)) return refuse(a, "/run/counters holds numbers that no run comes to");
  o->step = counters[0];
  if (named < 0 || counters[0] == named) return true;
  snprintf(a->message, a->size, "%s: is a checkpoint of step %" PRId64 " under the name of another one", a->path,
           counters[0]);
  return false;
}

static bool has_clock(inspection *a, checkpoint_origin *o)
{
  double clock[CHECKPOINT_CLOCK] = {0};
  hdf_get_rows(&a->f, "/run/clock", H5T_NATIVE_DOUBLE, CHECKPOINT_CLOCK, 0, CHECKPOINT_CLOCK, 0, clock);
  if (!a->f.good) return refuse_reading(a, "has no clock");
  o->time = clock[0];
  bool good = clock[0] >= 0.0 && clock[1] >= 0.0 && clock[4] >= 0.0;
  for (int i = 0; i < CHECKPOINT_CLOCK; i++) good = good && isfinite(clock[i]);
  if (good) return true;
  return refuse(a, "/run/clock holds times that no run comes to");
}

/* Tests whether the parts belong together, and to these numbers of rows of nodes and zones. */
static bool judge_parts(inspection *a, const int64_t *part, int64_t ranks, int64_t step, const int64_t rows[2])
{
  int64_t left[2] = {rows[0], rows[1]};
  for (int64_t r = 0; r < ranks; r++, part += CHECKPOINT_COLUMNS) {
    if (part[CHECKPOINT_STEP] != step || (r > 0 && part[CHECKPOINT_RUN] != part[CHECKPOINT_RUN - CHECKPOINT_COLUMNS])) {
      snprintf(a->message, a->size, "%s: its parts are of different runs or steps: rank %" PRId64 " wrote another one",
               a->path, r);
      return false;
    }
    for (int i = 0; i < 2; i++) {
      if (part[i] < 0 || part[i] > left[i]) return refuse(a, "/run/parts holds numbers that no run comes to");
      left[i] -= part[i];
    }
  }
  return left[0] == 0 && left[1] == 0 ? true : refuse(a, "parts of some ranks are missing");
}

static bool has_parts(inspection *a, int64_t step)
{
  const int64_t ranks = hdf_rows(&a->f, "/run/parts");
  const int64_t rows[2] = {hdf_rows(&a->f, "/nodes/id"), hdf_rows(&a->f, "/zones/id")};
  int64_t *part = ranks > 0 && ranks < INT32_MAX ? malloc(sizeof *part * CHECKPOINT_COLUMNS * (size_t)ranks) : NULL;
  if (part) hdf_get_rows(&a->f, "/run/parts", H5T_NATIVE_INT64, ranks, 0, ranks, CHECKPOINT_COLUMNS, part);
  const bool good = part && a->f.good && judge_parts(a, part, ranks, step, rows);
  if (!part || !a->f.good) refuse_reading(a, "has no parts");
  free(part);
  return good;
}

static bool has_mesh(inspection *a, checkpoint_origin *o)
{
  int64_t sum = 0;
  hdf_get_rows(&a->f, "/run/mesh", H5T_NATIVE_INT64, 1, 0, 1, 0, &sum);
  o->mesh = (uint64_t)sum;
  return a->f.good || refuse_reading(a, "has no checksum of its mesh");
}

static bool has_texts(inspection *a, checkpoint_origin *o)
{
  o->deck = hdf_get_text(&a->f, "/run/deck");
  o->version = hdf_get_text(&a->f, "/run/version");
  o->git = hdf_get_text(&a->f, "/run/git");
  return o->deck && o->version && o->git ? true : refuse_reading(a, "has no deck");
}

void checkpoint_origin_destroy(checkpoint_origin *o)
{
  free(o->deck);
  free(o->version);
  free(o->git);
  *o = (checkpoint_origin){0};
}

bool checkpoint_verify(const char *path, checkpoint_origin *origin, char *message, size_t size)
{
  char reason[CHECKPOINT_MESSAGE / 2];
  inspection a = {.path = path, .message = message, .size = size};
  *origin = (checkpoint_origin){0};
  const checksum_verdict verdict = checksum_verify(path);
  if (verdict != CHECKSUM_GOOD) {
    snprintf(message, size, "%s: %s%s%s", path, verdicts[verdict], verdict == CHECKSUM_UNREADABLE ? ": " : "",
             verdict == CHECKSUM_UNREADABLE ? strerror(errno) : "");
    return false;
  }
  bool good = hdf_open(&a.f, path, HDF_READ, reason, sizeof reason);
  if (!good) refuse(&a, "is not a checkpoint of Shocklet");
  good = good && has_format(&a) && has_counters(&a, origin) && has_clock(&a, origin) && has_parts(&a, origin->step) &&
         has_mesh(&a, origin) && has_texts(&a, origin);
  hdf_close(&a.f);
  return good;
}
