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
  char
    part[FILE_REPLACE_PATH]; /* the file until then, beside it; "": path is a device or a pipe and is written itself */
} file_replace;

/* All return 0, or errno.  After begin comes commit or cancel; a commit that fails leaves nothing behind. */
int file_replace_begin(file_replace *f, const char *path);
int file_replace_commit(file_replace *f);
void file_replace_cancel(file_replace *f);

/* Gives a complete temporary file, beside it, its name: sync, rename, sync the folder.  Returns 0, or errno (and sets
 * it). */
int file_publish(const char *temporary, const char *path);

/* Makes the folder and those above it.  Returns whether it is there; else errno says why not. */
bool file_make_folders(const char *path);

#endif
