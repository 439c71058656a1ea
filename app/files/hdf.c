/* SPDX-License-Identifier: BSD-3-Clause */
#define H5_USE_110_API // what later versions of HDF5 are to understand, too
#include "app/files/hdf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_TEXT = 1 << 24 };

/* Called by HDF5 for every error on its stack, innermost first. */
static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *data)
{
  (void)n;
  hdf_file *f = data;
  if (f->reason[0] || !error->desc) return 0;
  const char *system = strstr(error->desc, "error message = '");
  if (system) {
    system += strlen("error message = '");
    snprintf(f->reason, f->size, "%.*s", (int)strcspn(system, "'"), system);
    f->told = true;
  } else {
    snprintf(f->reason, f->size, "%s", error->desc);
  }
  return 0;
}

static herr_t on_error(hid_t stack, void *data)
{
  return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_reason, data);
}

/* Notes whether a call of HDF5 worked: its result is negative if not. */
static bool worked(hdf_file *f, int64_t result)
{
  if (result < 0) f->good = false;
  return result >= 0;
}

static void refuse(hdf_file *f, const char *path, const char *sentence)
{
  if (f->good) snprintf(f->reason, f->size, "%s %s", path, sentence);
  f->good = false;
}

static hid_t open_file(const char *path, hdf_mode mode)
{
  if (mode == HDF_CREATE) return H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  if (mode == HDF_READ) return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t access = mode == HDF_SHARE ? hdf_share_access() : H5P_DEFAULT;
  const hid_t file = access >= 0 ? H5Fopen(path, H5F_ACC_RDWR, access) : -1;
  if (access > 0) H5Pclose(access);
  return file;
}

bool hdf_open(hdf_file *f, const char *path, hdf_mode mode, char *reason, size_t size)
{
  *f = (hdf_file){.path = path, .good = true, .reason = reason, .size = size};
  H5dont_atexit(); // at exit HDF5 1.10 would close again, and crash on, a file that it could not write
  reason[0] = '\0';
  H5Eget_auto2(H5E_DEFAULT, &f->report, &f->report_data);
  H5Eset_auto2(H5E_DEFAULT, on_error, f);
  f->file = open_file(path, mode);
  return worked(f, f->file);
}

bool hdf_close(hdf_file *f)
{
  if (f->file >= 0) worked(f, H5Fclose(f->file));
  f->file = -1;
  H5Eset_auto2(H5E_DEFAULT, f->report, f->report_data);
  if (!f->good && !f->told && access(f->path, F_OK) && errno == ENOENT)
    snprintf(f->reason, f->size, "it was removed or replaced while the run had it open");
  return f->good;
}

void hdf_make_group(hdf_file *f, const char *path)
{
  if (!f->good) return;
  const hid_t group = H5Gcreate2(f->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (worked(f, group)) worked(f, H5Gclose(group));
}

void hdf_make_dataset(hdf_file *f, const char *path, hid_t type, int64_t rows, int columns)
{
  if (!f->good) return;
  const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
  const hid_t space = H5Screate_simple(columns ? 2 : 1, shape, NULL);
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  // its place in the file is taken now: ranks that share the file could not agree on one later
  if (worked(f, space) && worked(f, plan) && worked(f, H5Pset_obj_track_times(plan, false)) &&
      worked(f, H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER)) &&
      worked(f, H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY))) {
    const hid_t set = H5Dcreate2(f->file, path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (worked(f, set)) worked(f, H5Dclose(set));
  }
  if (plan >= 0) worked(f, H5Pclose(plan));
  if (space >= 0) worked(f, H5Sclose(space));
}

/* Rows [first, first + source->rows) of a virtual dataset of this space are those of the source. */
static void map_rows(hdf_file *f, hid_t plan, hid_t space, const char *path, hsize_t first, int columns,
                     const hdf_source *source)
{
  const hsize_t start[2] = {first, 0}, shape[2] = {(hsize_t)source->rows, (hsize_t)columns};
  const hid_t there = H5Screate_simple(columns ? 2 : 1, shape, NULL);
  if (!worked(f, there)) return;
  if (worked(f, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL)))
    worked(f, H5Pset_virtual(plan, space, source->file, path, there));
  worked(f, H5Sclose(there));
}

void hdf_make_virtual(hdf_file *f, const char *path, hid_t type, int columns, int n, const hdf_source *sources)
{
  if (!f->good) return;
  hsize_t shape[2] = {0, (hsize_t)columns}, first = 0;
  for (int i = 0; i < n; i++) shape[0] += (hsize_t)sources[i].rows;
  const hid_t space = H5Screate_simple(columns ? 2 : 1, shape, NULL), plan = H5Pcreate(H5P_DATASET_CREATE);
  if (worked(f, space) && worked(f, plan) && worked(f, H5Pset_obj_track_times(plan, false))) {
    for (int i = 0; i < n; first += (hsize_t)sources[i++].rows)
      if (sources[i].rows > 0) map_rows(f, plan, space, path, first, columns, &sources[i]);
    if (f->good) worked(f, H5Sselect_all(space));
    const hid_t set = f->good ? H5Dcreate2(f->file, path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT) : -1;
    if (worked(f, set)) worked(f, H5Dclose(set));
  }
  if (plan >= 0) worked(f, H5Pclose(plan));
  if (space >= 0) worked(f, H5Sclose(space));
}

/* Tests whether every part of this path is in the file itself: HDF5 would follow a link to another file. */
static bool is_at_home(hdf_file *f, const char *path)
{
  char part[256];
  H5L_info_t about;
  for (const char *end = path; *end;) {
    end += 1 + strcspn(end + 1, "/");
    snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    if (!worked(f, H5Lget_info(f->file, part, &about, H5P_DEFAULT))) return false;
    if (about.type == H5L_TYPE_HARD) continue;
    refuse(f, path, "is a link to somewhere else");
    return false;
  }
  return true;
}

/* A dataset that keeps its description to itself, as all of ours do.  Where a damaged file says that parts of it stand
 * elsewhere, HDF5 1.10 looks there without asking whether there is such a place. */
static hid_t open_dataset(hdf_file *f, const char *path)
{
  H5O_info_t about;
  if (!is_at_home(f, path)) return -1;
  if (!worked(f, H5Oget_info_by_name2(f->file, path, &about, H5O_INFO_HDR, H5P_DEFAULT))) return -1;
  if (about.hdr.mesg.shared) refuse(f, path, "refers to other parts of the file");
  const hid_t set = f->good ? H5Dopen2(f->file, path, H5P_DEFAULT) : -1;
  worked(f, set);
  return set;
}

/* Tests whether its values are contiguous in this file: those of a compressed dataset may be of any number, and those
 * of a virtual one anywhere. */
static bool is_plain(hdf_file *f, hid_t set)
{
  const hid_t plan = H5Dget_create_plist(set), type = H5Dget_type(set), space = H5Dget_space(set);
  bool plain = worked(f, plan) && worked(f, type) && worked(f, space) && H5Pget_layout(plan) == H5D_CONTIGUOUS &&
               H5Pget_nfilters(plan) == 0 && H5Pget_external_count(plan) == 0;
  if (plain) {
    hsize_t length = 0;
    const hsize_t stored = H5Dget_storage_size(set);
    const hssize_t values = H5Sget_simple_extent_npoints(space);
    const size_t bytes = H5Tget_size(type);
    plain = worked(f, H5Fget_filesize(f->file, &length)) && values >= 0 && bytes > 0 && stored <= length &&
            (hsize_t)values == stored / bytes && stored % bytes == 0;
  }
  if (plan >= 0) H5Pclose(plan);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return plain;
}

/* Tests whether the dataset's space has this shape; all < 0: any number of rows. */
static bool has_shape(hid_t space, int64_t all, int columns)
{
  hsize_t shape[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space) != (columns ? 2 : 1)) return false;
  H5Sget_simple_extent_dims(space, shape, NULL);
  return (all < 0 || shape[0] == (hsize_t)all) && (!columns || shape[1] == (hsize_t)columns);
}

/* Tests for integers or reals of at most 8 bytes: HDF5 would convert other types, with buffers of a size that the file
 * says. */
static bool holds_numbers(hid_t set)
{
  const hid_t type = H5Dget_type(set);
  const H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const bool numbers = (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Tget_size(type) <= 8;
  if (type >= 0) H5Tclose(type);
  return numbers;
}

typedef struct rows {
  const char *path;
  hid_t type;
  int64_t all, first, count; // all: rows that the dataset must have, -1: any
  int columns;
} rows;

/* Moves rows from `put` to the file, or from the file to `get`. */
static void move_rows(hdf_file *f, const rows *r, const void *put, void *get)
{
  if (!f->good || (put && r->count == 0)) return;
  const hsize_t start[2] = {(hsize_t)r->first, 0}, count[2] = {(hsize_t)r->count, (hsize_t)r->columns};
  const hid_t set = open_dataset(f, r->path);
  if (set < 0) return;
  const hid_t there = H5Dget_space(set), here = H5Screate_simple(r->columns ? 2 : 1, count, NULL);
  if (worked(f, there) && worked(f, here)) {
    if (!has_shape(there, r->all, r->columns))
      refuse(f, r->path, "has another shape than expected");
    else if (get && !holds_numbers(set))
      refuse(f, r->path, "holds no numbers");
    else if (get && !is_plain(f, set))
      refuse(f, r->path, "is not stored as a run stores it");
    else if (r->count && worked(f, H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL)))
      worked(f, put ? H5Dwrite(set, r->type, here, there, H5P_DEFAULT, put)
                    : H5Dread(set, r->type, here, there, H5P_DEFAULT, get));
  }
  if (here >= 0) worked(f, H5Sclose(here));
  if (there >= 0) worked(f, H5Sclose(there));
  worked(f, H5Dclose(set));
}

void hdf_put_rows(hdf_file *f, const char *path, hid_t type, int64_t first, int64_t count, int columns,
                  const void *data)
{
  move_rows(f, &(rows){path, type, -1, first, count, columns}, data, NULL);
}

void hdf_get_rows(hdf_file *f, const char *path, hid_t type, int64_t all, int64_t first, int64_t count, int columns,
                  void *data)
{
  move_rows(f, &(rows){path, type, all, first, count, columns}, NULL, data);
}

int64_t hdf_rows(hdf_file *f, const char *path)
{
  hsize_t shape[H5S_MAX_RANK] = {0};
  if (!f->good) return 0;
  const hid_t set = open_dataset(f, path);
  if (set < 0) return 0;
  const hid_t space = H5Dget_space(set);
  if (!is_plain(f, set)) refuse(f, path, "is not stored as a run stores it");
  if (worked(f, space) && f->good) {
    if (H5Sget_simple_extent_ndims(space) > 0) H5Sget_simple_extent_dims(space, shape, NULL);
  }
  if (space >= 0) worked(f, H5Sclose(space));
  worked(f, H5Dclose(set));
  return (int64_t)shape[0];
}

void hdf_put_text(hdf_file *f, const char *group, const char *name, const char *text)
{
  if (!f->good) return;
  const size_t length = strlen(text);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  if (worked(f, type) && worked(f, space) && worked(f, H5Tset_size(type, length ? length : 1)) &&
      worked(f, H5Tset_strpad(type, H5T_STR_NULLPAD)) && worked(f, H5Tset_cset(type, H5T_CSET_ASCII))) {
    if (group) {
      const hid_t at = H5Acreate_by_name(f->file, group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (worked(f, at)) worked(f, H5Awrite(at, type, text)), worked(f, H5Aclose(at));
    } else {
      const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
      worked(f, H5Pset_obj_track_times(plan, false));
      const hid_t set = H5Dcreate2(f->file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
      if (worked(f, set)) worked(f, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)), worked(f, H5Dclose(set));
      worked(f, H5Pclose(plan));
    }
  }
  if (type >= 0) worked(f, H5Tclose(type));
  if (space >= 0) worked(f, H5Sclose(space));
}

static bool is_one(hid_t set)
{
  const hid_t space = H5Dget_space(set);
  const bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  if (space >= 0) H5Sclose(space);
  return one;
}

/* The text of an open dataset, if it is one string of fixed length. */
static char *text_of(hdf_file *f, hid_t set, hid_t type)
{
  const size_t length = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
  if (length == 0 || length > LONGEST_TEXT || !is_one(set) || !is_plain(f, set)) return NULL;
  char *text = calloc(length + 1, 1);
  if (text && worked(f, H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text))) return text;
  free(text);
  return NULL;
}

char *hdf_get_text(hdf_file *f, const char *path)
{
  if (!f->good) return NULL;
  char *text = NULL;
  const hid_t set = open_dataset(f, path);
  if (set < 0) return NULL;
  const hid_t type = H5Dget_type(set);
  if (worked(f, type)) {
    text = text_of(f, set, type);
    worked(f, H5Tclose(type));
  }
  worked(f, H5Dclose(set));
  if (!text) refuse(f, path, "is not a text");
  return text;
}

void hdf_put_integers(hdf_file *f, const char *group, const char *name, int n, const int64_t *values)
{
  if (!f->good) return;
  const hsize_t shape = (hsize_t)n;
  const hid_t space = H5Screate_simple(1, &shape, NULL);
  if (!worked(f, space)) return;
  const hid_t at = H5Acreate_by_name(f->file, group, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (worked(f, at)) worked(f, H5Awrite(at, H5T_NATIVE_INT64, values)), worked(f, H5Aclose(at));
  worked(f, H5Sclose(space));
}

void hdf_describe(char *text, size_t size)
{
  unsigned major = 0, minor = 0, release = 0;
  H5dont_atexit(); // as in hdf_open: the first call decides
  H5get_libversion(&major, &minor, &release);
  snprintf(text, size, "%u.%u.%u, %s", major, minor, release, hdf_shares() ? "parallel" : "serial");
}
