/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a report may be written: a new file, an older report, a device or a pipe; nothing else is overwritten.
 */
#ifndef APP_REPORT_PATH_H
#define APP_REPORT_PATH_H

#include <stddef.h>

#include "app/files/file_replace.h"

/* Checks before a run that writes its files to `directory` that a report can be written there after it.  Returns
 * STATUS_OK, STATUS_INPUT (something else is there, or the name is one of the run's own), or STATUS_MACHINE, with a
 * sentence in message; leaves nothing behind, but makes `directory` where the report is to be in it. */
int report_check(const char *path, const char *directory, char *message, size_t size);

/* Begins to write it.  Returns as above.  Waits a while for somebody to read a pipe. */
int report_begin(file_replace *f, const char *path, char *message, size_t size);

#endif
