/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/read/names.h"

/* By attribute: MESH_FREE is 0. */
static const char *const known[] = {"free", "wall_x", "wall_y", "wall_z"};

bool mesh_name_known(scan_word name, int *attribute)
{
  for (*attribute = MESH_FREE; *attribute < 4; ++*attribute)
    if (scan_is(name, known[*attribute])) return true;
  return false;
}

bool mesh_names_add(mesh_names *names, scan *s, int number, int attribute)
{
  if (names->n == names->room) {
    const int room = 2 * names->room + 8;
    mesh_name *more = realloc(names->items, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(s);
    names->items = more;
    names->room = room;
  }
  names->items[names->n++] = (mesh_name){.number = number, .attribute = attribute};
  return true;
}

static int compare(const void *a, const void *b)
{
  const mesh_name *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

bool mesh_names_sort(mesh_names *names, scan *s, size_t at)
{
  if (names->n) qsort(names->items, (size_t)names->n, sizeof *names->items, compare);
  for (int i = 1; i < names->n; i++) {
    const mesh_name *a = &names->items[i - 1], *b = &names->items[i];
    if (a->number == b->number && a->attribute != b->attribute)
      return scan_fail(s, at, "boundary faces of number %d are in %s and in %s; they may be in one of them", a->number,
                       known[a->attribute], known[b->attribute]);
  }
  return true;
}

int mesh_names_find(const mesh_names *names, int number)
{
  const mesh_name key = {.number = number};
  const mesh_name *found = names->n ? bsearch(&key, names->items, (size_t)names->n, sizeof key, compare) : NULL;
  return found ? found->attribute : number;
}

void mesh_names_destroy(mesh_names *names)
{
  free(names->items);
  *names = (mesh_names){0};
}

bool mesh_name_read(scan *s, scan_word *name)
{
  if (!scan_next(s, "a name in quotation marks", name)) return false;
  if (name->text[0] != '"')
    return scan_fail(s, name->at, "'%s' stands where a name in quotation marks should be", scan_quoted(*name).text);
  const char *begin = s->text + name->at + 1;
  const char *end = memchr(begin, '"', s->length - name->at - 1);
  if (!end) return scan_fail(s, name->at, "this name has no quotation mark at its end");
  *name = (scan_word){.text = begin, .length = (size_t)(end - begin), .at = name->at};
  s->at = (size_t)(end - s->text) + 1;
  return true;
}
