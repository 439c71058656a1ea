/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What Shocklet's files need of HDF5.  A file is made, filled and read through an hdf_file: after the first failure
 * nothing more is tried, and `reason` says what it was.  Nothing in a file tells when it was written, so that the same
 * run writes the same bytes.
 */
#ifndef APP_HDF_H
#define APP_HDF_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hdf_file {
  hid_t file;
  const char *path; // borrowed until hdf_close
  bool good;
  bool told;    // the reason is the system's own sentence
  char *reason; // borrowed, [size]
  size_t size;
  H5E_auto2_t report; // what HDF5 did with errors before
  void *report_data;
} hdf_file;

/* HDF_CREATE: there must be no such file.  HDF_SHARE: other ranks have the file open, too.  Each puts rows into
 * datasets that are there, and nothing is collective, so that a rank may fail alone; but the error may not say why. */
typedef enum hdf_mode { HDF_CREATE, HDF_CHANGE, HDF_SHARE, HDF_READ } hdf_mode;

/* Can HDF5 share files, and the property list that opens one, to be closed (negative if there is none). hdf_parallel.c,
 * or hdf_serial.c where the library was built without MPI. */
bool hdf_shares(void);
hid_t hdf_share_access(void);

/* "1.10.8, serial", or "parallel" */
void hdf_describe(char *text, size_t size);

/* Between open and close the errors of HDF5 go to reason[size].  Close in any case; it returns whether all went
 * well. */
bool hdf_open(hdf_file *f, const char *path, hdf_mode mode, char *reason, size_t size);
bool hdf_close(hdf_file *f);

void hdf_make_group(hdf_file *f, const char *path);
/* A dataset of shape [rows] (columns = 0) or [rows][columns]. */
void hdf_make_dataset(hdf_file *f, const char *path, hid_t type, int64_t rows, int columns);
/* The same, but its rows are those of datasets of this path in other files of the folder, one after the other. */
typedef struct hdf_source {
  const char *file; // borrowed
  int64_t rows;
} hdf_source;
void hdf_make_virtual(hdf_file *f, const char *path, hid_t type, int columns, int n, const hdf_source *sources);

/* The rows [first, first + rows) of such a dataset. */
void hdf_put_rows(hdf_file *f, const char *path, hid_t type, int64_t first, int64_t rows, int columns,
                  const void *data);
/* The same, of a dataset that has to have `all` rows. */
void hdf_get_rows(hdf_file *f, const char *path, hid_t type, int64_t all, int64_t first, int64_t rows, int columns,
                  void *data);
/* Rows of the dataset; 0 if there is none. */
int64_t hdf_rows(hdf_file *f, const char *path);

/* A string of the text's length, as an attribute of a group or (group NULL) as a dataset. */
void hdf_put_text(hdf_file *f, const char *group, const char *name, const char *text);
/* A dataset of that kind; to be freed.  NULL if there is none. */
char *hdf_get_text(hdf_file *f, const char *path);

/* Integers as an attribute of a group. */
void hdf_put_integers(hdf_file *f, const char *group, const char *name, int n, const int64_t *values);

#endif
