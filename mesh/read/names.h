/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of boundary attributes: wall_x, wall_y, wall_z and free, as a file gives them to its own numbers.
 */
#ifndef MESH_NAMES_H
#define MESH_NAMES_H

#include "mesh/read/scan.h"

typedef struct mesh_name {
  int number, attribute; /* of the file, and what its name makes of it */
} mesh_name;

typedef struct mesh_names {
  int n, room;
  mesh_name *items; /* owned; sorted by mesh_names_sort */
} mesh_names;

/* True for one of the four names, with the attribute that it means: c+1 for the wall of axis c, MESH_FREE. */
bool mesh_name_known(scan_word name, int *attribute);

bool mesh_names_add(mesh_names *names, scan *s, int number, int attribute);

/* False where one number has two names: a face is in one. */
bool mesh_names_sort(mesh_names *names, scan *s, size_t at);

/* The attribute of a number: that of its name, else the number itself. */
int mesh_names_find(const mesh_names *names, int number);

void mesh_names_destroy(mesh_names *names);

/* The next word, which is in quotation marks and may hold blanks; without the marks. */
bool mesh_name_read(scan *s, scan_word *name);

#endif
