/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that are there as a whole or not at all.
 */
#ifndef APP_FILE_REPLACE_H
#define APP_FILE_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

enum { FILE_REPLACE_PATH = 4096 + 64 };

typedef struct file_replace {
  FILE *file;                   /* write here */
  char path[FILE_REPLACE_PATH]; /* the file to be */
  char part[FILE_REPLACE_PATH]; /* the file until then, beside it; "": path is a device or a pipe, written itself */
} file_replace;

/* All return 0, errno, or another reason that file_explain knows.  After begin comes commit or cancel; a commit that
 * fails leaves nothing behind. */

/* For a file of a run: where `path` is there, it has to be a regular file. */
int file_replace_begin(file_replace *f, const char *path);
/* For a file that somebody named: of a link the target is replaced; devices and pipes are written to. */
int file_replace_begin_named(file_replace *f, const char *path);
int file_replace_commit(file_replace *f);
/* The same, but f->file stays open for what is to be added to the file, and is the caller's. */
int file_replace_commit_open(file_replace *f);
void file_replace_cancel(file_replace *f);

/* Gives a complete temporary file, beside it, its name, which a regular file may have: sync, rename, sync the folder.
 * Returns 0, or a reason as above (and sets errno to it). */
int file_publish(const char *temporary, const char *path);

/* Makes the folder and those above it.  Returns whether it is there; else errno says why not. */
bool file_make_folders(const char *path);

#endif
