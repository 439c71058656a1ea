/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens files without following what somebody planted under their names: a link, a device, a pipe, a folder.  New files
 * are made under a temporary name that ends with a random tag, ".0123456789abcdef.part", so that no two processes share
 * one.
 */
#ifndef APP_FILE_NEW_H
#define APP_FILE_NEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FILE_TAG = 17 };

/* Draws a tag at random. */
void file_draw_tag(char tag[FILE_TAG]);

/* The temporary name of `path` with this tag.  Returns 0, or ENAMETOOLONG. */
int file_temporary(char *name, size_t size, const char *path, const char *tag);

/* True for such a name, and for those of version 0.1: NAME.h5.tmp, NAME.csv.PID.part and the like. */
bool file_is_temporary(const char *name);

/* Reasons beyond those of errno: what stands under a name is no regular file. */
enum { FILE_IS_LINK = 10001, FILE_IS_DEVICE, FILE_IS_PIPE, FILE_IS_SOCKET };

/* Words for errno, or for one of these. */
const char *file_explain(int reason);

/* 0: a regular file, or none, has this name; else the reason: EISDIR, or one of the above.  Links are not followed. */
int file_look(const char *path);

/* Makes a file that was not there.  NULL with errno set. */
FILE *file_create(const char *path);

/* Opens a regular file that is there, to read it (links are followed where `follow`), or to add to it.  NULL with errno
 * set, also to one of the above; never waits, as for the other end of a pipe. */
FILE *file_open(const char *path, bool follow);
FILE *file_append(const char *path);

#endif
