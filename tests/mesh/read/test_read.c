/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every form of file gives the mesh that was written, on every rank; and no bytes whatever do harm.
 * ranks: 1 3
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "tests/mesh/read/writers.h"

static void assert_same_mesh(const mesh_coarse *a, const mesh_coarse *b)
{
  assert_int_equal(a->dim, b->dim);
  assert_int_equal(a->nvertices, b->nvertices);
  assert_int_equal(a->nzones, b->nzones);
  assert_int_equal(a->nfaces, b->nfaces);
  assert_memory_equal(a->vertices, b->vertices, sizeof *a->vertices * (size_t)(a->nvertices * a->dim));
  assert_memory_equal(a->zones, b->zones, sizeof *a->zones * (size_t)(a->nzones << a->dim));
  assert_memory_equal(a->faces, b->faces, sizeof *a->faces * (size_t)(a->nfaces << (a->dim - 1)));
  assert_memory_equal(a->attributes, b->attributes, sizeof *a->attributes * (size_t)a->nfaces);
}

static mesh_coarse *sample(int i)
{
  switch (i) {
  case 0: return sample_grid(1, (int[]){4}, 0.2, 3, false);
  case 1: return sample_grid(2, (int[]){3, 2}, 0.2, 4, false);
  case 2: return sample_grid(3, (int[]){2, 3, 2}, 0.15, 5, false);
  case 3: return sample_star(2, 5, 6);
  case 4: return sample_star(3, 3, 7);
  default: return NULL;
  }
}

static void every_form(void **state)
{
  (void)state;
  mesh_coarse *c, *read;
  for (int i = 0; (c = sample(i)); i++) {
    for (file_form form = 0; form < FILE_FORMS; form++) {
      if (form == NETGEN_QUADS && c->dim != 2) continue;
      size_t length;
      char message[500] = "", *text = write_mesh(c, form, &length);
      int status = mesh_coarse_parse(&read, "sample", text, length, message, sizeof message);
      assert_string_equal(message, "");
      assert_int_equal(status, 0);
      assert_same_mesh(c, read);
      mesh_coarse_destroy(&read);
      free(text);
    }
    mesh_coarse_destroy(&c);
  }
}

static void from_a_file(void **state)
{
  (void)state;
  char name[64], message[500] = "";
  int pid = (int)getpid();
  comm_broadcast(&pid, sizeof pid, 0);
  snprintf(name, sizeof name, "mesh-%d.tmp", pid);
  mesh_coarse *c = sample(2), *read;
  if (comm_rank() == 0) {
    size_t length;
    char *text = write_mesh(c, GMSH_4_BINARY, &length);
    FILE *f = fopen(name, "wb");
    assert_int_equal(fwrite(text, 1, length, f), length);
    fclose(f);
    free(text);
  }
  assert_int_equal(mesh_coarse_read(&read, name, message, sizeof message), 0);
  assert_same_mesh(c, read);
  mesh_coarse_destroy(&read);
  mesh_coarse_destroy(&c);
  comm_barrier();
  if (comm_rank() == 0) remove(name);
  comm_barrier();
  assert_int_equal(mesh_coarse_read(&read, name, message, sizeof message), 2);
  assert_null(read);
  assert_non_null(strstr(message, name));
  assert_non_null(strstr(message, "can't read the mesh file: No such file"));
  assert_int_equal(mesh_coarse_read(&read, ".", message, sizeof message), 2);
  assert_non_null(strstr(message, "can't read the mesh file"));
}

/* A device is no mesh, and of what does not begin as one no more than the beginning is read: a pipe may have no end. */
static void what_never_ends(void **state)
{
  (void)state;
  static const char *const devices[] = {"/dev/zero", "/dev/urandom", "/dev/null"};
  char name[64], message[500] = "";
  mesh_coarse *read;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(mesh_coarse_read(&read, devices[i], message, sizeof message), 2);
    assert_non_null(strstr(message, "can't read the mesh file: it is a device"));
  }
  FILE *pipe = popen("yes 'no mesh' 2>&1", "r");
  assert_non_null(pipe);
  snprintf(name, sizeof name, "/dev/fd/%d", fileno(pipe));
  assert_int_equal(mesh_coarse_read(&read, name, message, sizeof message), 2);
  assert_non_null(strstr(message, ":1: 'no' does not begin a mesh"));
  pclose(pipe);
}

/* The two files of inputs/meshes are one mesh: the unit square, with attribute 1 at the x ends and 2 at the y ends. */
static void sample_inputs(void **state)
{
  (void)state;
  const char *source = getenv("SHOCKLET_SOURCE"); // ctest sets it
  if (!source) skip();
  mesh_coarse *c[2];
  for (int i = 0; i < 2; i++) {
    char name[1000], message[500] = "";
    snprintf(name, sizeof name, "%s/inputs/meshes/square-quads.%s", source, i ? "msh" : "mesh");
    mesh_coarse_read(&c[i], name, message, sizeof message);
    assert_string_equal(message, "");
  }
  assert_same_mesh(c[0], c[1]);
  for (int f = 0; f < c[0]->nfaces; f++) {
    int axis = c[0]->attributes[f] - 1;
    assert_in_range(axis, 0, 1);
    for (int i = 0; i < 2; i++) {
      double x = c[0]->vertices[2 * c[0]->faces[2 * f + i] + axis];
      assert_true(x == 0 || x == 1);
    }
  }
  mesh_coarse_destroy(&c[0]);
  mesh_coarse_destroy(&c[1]);
}

static void vertices_without_zones_go(void **state)
{
  (void)state;
  const char text[] =
    "MFEM mesh v1.0\ndimension\n1\nelements\n1\n1 1 3 1\nboundary\n1\n2 0 1\nvertices\n4\n1\n9 2 9 1\n";
  char message[500];
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_parse(&c, "sample", text, strlen(text), message, sizeof message), 0);
  assert_int_equal(c->nvertices, 2);
  assert_true(c->vertices[0] == 2 && c->vertices[1] == 1);
  assert_true(c->zones[0] == 1 && c->zones[1] == 0 && c->faces[0] == 0);
  mesh_coarse_destroy(&c);
}

/* Whatever was read must be a mesh: what follows relies on it. */
static void assert_sound(const mesh_coarse *c)
{
  for (int i = 0; i < c->nzones << c->dim; i++) assert_in_range(c->zones[i], 0, c->nvertices - 1);
  for (int i = 0; i < c->nfaces << (c->dim - 1); i++) assert_in_range(c->faces[i], 0, c->nvertices - 1);
  for (int i = 0; i < c->nvertices * c->dim; i++) assert_true(isfinite(c->vertices[i]));
  mesh_entities *t = mesh_entities_create(c);
  assert_non_null(t);
  mesh_entities_destroy(t);
}

/* Parses a copy of just this size, so that a sanitizer sees a byte read too many. */
static int parse_exactly(const char *text, size_t length)
{
  char message[200] = "";
  char *copy = malloc(length ? length : 1);
  memcpy(copy, text, length);
  mesh_coarse *c;
  int status = mesh_coarse_parse(&c, "sample", copy, length, message, sizeof message);
  free(copy);
  if (status == 0) {
    assert_sound(c);
    mesh_coarse_destroy(&c);
  } else {
    assert_int_equal(status, 2);
    assert_null(c);
    assert_int_equal(strncmp(message, "sample:", 7), 0);
    assert_null(strchr(message, '\n'));
  }
  return status;
}

static void truncated_files(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    mesh_coarse *c = sample(i);
    for (file_form form = 0; form < FILE_FORMS; form++) {
      if (form == NETGEN_QUADS && c->dim != 2) continue;
      size_t length, last;
      char *text = write_mesh(c, form, &length);
      last = length - 1;
      while (last > 0 && (text[last - 1] > ' ' || text[last - 1] < 0) && text[last - 1] != '$') last--;
      for (size_t n = 0; n < last; n += i == 2 ? 5 : 1) assert_int_equal(parse_exactly(text, n), 2);
      free(text);
    }
    mesh_coarse_destroy(&c);
  }
}

/* Changes a few bytes, cuts pieces out, repeats pieces, or puts extreme numbers in. */
static size_t mutate(char *text, size_t length, size_t room, uint64_t *state)
{
  static const char *const words[] = {"-1",   "0",  "2147483648", "99999999999999999999", "1e400", "nan",
                                      "$End", "\n", "\0\377"};
  int changes = 1 + (int)(sample_random(state) % 3);
  for (int i = 0; i < changes && length > 0; i++) {
    size_t at = sample_random(state) % length, n = 1 + sample_random(state) % 20;
    if (n > length - at) n = length - at;
    switch (sample_random(state) % 5) {
    case 0: text[at] = (char)sample_random(state); break;
    case 1: text[at] ^= (char)(1 << sample_random(state) % 8); break;
    case 2:
      memmove(text + at, text + at + n, length - at - n);
      length -= n;
      break;
    case 3:
      if (length + n > room) break;
      memmove(text + at + n, text + at, length - at);
      length += n;
      break;
    default: {
      const char *word = words[sample_random(state) % 9];
      size_t m = *word ? strlen(word) : 2;
      for (size_t j = 0; j < m && at + j < length; j++) text[at + j] = word[j];
    }
    }
  }
  return length;
}

static void mutated_files(void **state)
{
  (void)state;
  uint64_t seed = 12345u + (uint64_t)comm_rank();
  int refused = 0, total = 0;
  for (int i = 0; i < 4; i++) {
    mesh_coarse *c = sample(i);
    for (file_form form = 0; form < FILE_FORMS; form++) {
      if (form == NETGEN_QUADS && c->dim != 2) continue;
      size_t length;
      char *text = write_mesh(c, form, &length), *copy = malloc(length + 100);
      for (int n = 0; n < 300; n++, total++) {
        memcpy(copy, text, length);
        refused += parse_exactly(copy, mutate(copy, length, length + 100, &seed)) != 0;
      }
      free(copy);
      free(text);
    }
    mesh_coarse_destroy(&c);
  }
  assert_in_range(refused, total / 2, total - 1); // some changes do no harm
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_form),
    cmocka_unit_test(from_a_file),
    cmocka_unit_test(what_never_ends),
    cmocka_unit_test(sample_inputs),
    cmocka_unit_test(vertices_without_zones_go),
    cmocka_unit_test(truncated_files),
    cmocka_unit_test(mutated_files),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
