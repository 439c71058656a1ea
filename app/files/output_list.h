/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of the files of a series, directory/name.vtkhdf.series, by which ParaView finds them and their times.  For
 * output.c only; one rank's business.
 */
#ifndef APP_OUTPUT_LIST_H
#define APP_OUTPUT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTPUT_PATH = 4096 + 128, OUTPUT_NAME = 64 };

/* The file of a step. */
typedef struct output_entry {
  int64_t step;
  double time;
} output_entry;

typedef struct output_list {
  char path[OUTPUT_PATH], name[OUTPUT_NAME];
  int count, room;
  output_entry *entries; // owned, [room], the first `count` are there
} output_list;

/* Takes over the files of the steps before `resume` from the list that an earlier run left; 0: none.  A list that is
 * missing or not ours counts as empty.  False when memory is out; destroy in any case. */
bool output_list_create(output_list *l, const char *directory, const char *name, int64_t resume);
void output_list_destroy(output_list *l);

/* Adds the file of a step and writes the list.  A step that is written again, after a restart, replaces its entry.
 * False with errno set, perhaps to another reason that file_explain knows. */
bool output_list_add(output_list *l, output_entry entry);

/* The file of a step, or number `file` of those that it refers to. */
enum { OUTPUT_WHOLE = -1 };
void output_file_name(const char *series, int64_t step, int file, char *name, size_t size);

#endif
