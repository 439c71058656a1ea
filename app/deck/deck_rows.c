/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What rows need that can't do every run, in words; and whether a deck says that it is not there.
 */
#include <string.h>

#include "app/deck/deck_schema.h"

/* What the deck, or its mesh, lacks. */
typedef bool lacks(const deck *d, bool simplices);

typedef struct limit {
  const char *key, *idea; /* of the row, whatever its backend */
  const char *needs;
  lacks *lacks; /* NULL: no deck tells */
} limit;

static bool has_simplices(const deck *d, bool simplices)
{
  (void)d;
  return simplices;
}

/* The part of a row's name behind its backend. */
static const char *idea_of(const char *variant)
{
  const char *dot = strchr(variant, '.');
  return dot ? dot + 1 : variant;
}

static bool has_squares(const deck *d, bool simplices)
{
  (void)simplices;
  return strcmp(idea_of(deck_variant(d, "corner_force")), "batched") == 0;
}

static const char quads[] = "quads or hexes";

static const limit limits[] = {
  {"corner_force", "sumfact", quads, has_simplices},
  {"corner_force", "fused", quads, has_simplices},
  {"corner_force", "dense", "tables of the reference zone that a GPU has room for", NULL},
  {"velocity_mass", "sumfact", quads, has_simplices},
  {"velocity_mass", "tensor", "one rank, and a box of a density that is a product of functions of x, y and z",
   has_simplices},
  {"energy_mass", "pcg", quads, has_simplices},
  {"energy_mass", "spectral", quads, has_simplices},
  {"energies", "sumfact", quads, has_simplices},
  {"source", "sumfact", quads, has_simplices},
  {"pcg", "resident", "a small assembled matrix on GPUs of one machine", NULL},
  {"pcg", "peers",
   "several GPUs of one machine, kernels.velocity_mass=cuda.sumfact, and solvers.velocity.preconditioner=jacobi", NULL},
  {"spmv", "rows", "at most 3 vectors", NULL},
  {"gesvd", "composed_qr", "matrices that are not square, and those of kernels.corner_force=batched are", has_squares},
};

static const limit *find_limit(const char *key, const char *variant)
{
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (strcmp(limits[i].key, key) == 0 && strcmp(limits[i].idea, idea_of(variant)) == 0) return &limits[i];
  return NULL;
}

const char *deck_row_needs(const char *key, const char *variant)
{
  const limit *l = find_limit(key, variant);
  return l ? l->needs : NULL;
}

const char *deck_unfit_kernel(const deck *d, bool simplices)
{
  const char *keys[DECK_MAX_KERNELS];
  const int n = deck_kernel_keys(keys);
  for (int i = 0; i < n; i++) {
    const limit *l = find_limit(keys[i], d->kernels.variant[i]);
    if (l && l->lacks && l->lacks(d, simplices)) return keys[i];
  }
  return NULL;
}

/* Those that can't do every run, with what they need; all where there are none. */
void deck_add_variants(const deck *d, char *text, size_t size)
{
  const char *keys[DECK_MAX_KERNELS], *separator = ": ";
  const int n = deck_kernel_keys(keys);
  bool limited = false;
  for (int i = 0; i < n; i++) limited = limited || deck_row_needs(keys[i], d->kernels.variant[i]);
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(text);
    const char *variant = d->kernels.variant[i], *needs = deck_row_needs(keys[i], variant);
    if (strcmp(variant, "auto") == 0 || (limited && !needs)) continue;
    snprintf(text + used, size - used, "%skernels.%s=%s%s%s", separator, keys[i], variant, needs ? " needs " : "",
             needs ? needs : "");
    separator = limited ? "; " : ", ";
  }
}
