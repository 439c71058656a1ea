/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that the variants that a deck asks for exist, and in one backend.
 */
#include <string.h>

#include "app/deck/deck_schema.h"
#include "app/deck/operations.h"

static const char *const backend_names[] = {[BATCHED_HOST] = "host", [BATCHED_CUDA] = "cuda"};

/* Tests whether all operations with this key have the variant in this space. */
static bool has_variant(const char *key, batched_space space, const char *variant)
{
  const batched_op *op;
  bool any = false;
  for (int i = 0; (op = app_operation(i)); i++) {
    if (strcmp(op->key, key) != 0) continue;
    if (!batched_find_variant(op, space, variant)) return false;
    any = true;
  }
  return any;
}

/* Adds the names that a key may take in a space to a list in text. */
static void add_names(const char *key, batched_space space, char *text, size_t size)
{
  const batched_op *op = app_operation(0);
  for (int i = 1; op && strcmp(op->key, key) != 0; i++) op = app_operation(i);
  for (const batched_variant *v = op ? op->variants[space] : NULL; v && v->name; v++) {
    size_t n = strlen(text);
    if (has_variant(key, space, v->name)) snprintf(text + n, size - n, ", %s", v->name);
  }
}

void deck_variant_names(const char *kernel, const bool *wanted, char *text, size_t size)
{
  snprintf(text, size, "auto");
  for (int space = 0; space < 2; space++)
    if (!wanted || wanted[space]) add_names(kernel, (batched_space)space, text, size);
}

static int no_such_variant(deck_reader *r, int index, const char *key, const char *variant, const bool *wanted)
{
  char names[1024];
  deck_variant_names(key, wanted, names, sizeof names);
  bool built = false;
  const batched_op *op;
  for (int i = 0; (op = app_operation(i)); i++) {
    const batched_variant *v = op->variants[BATCHED_CUDA];
    built = built || (v && v->name);
  }
  const char *why = "is no variant of it";
  for (int space = 0; space < 2; space++)
    if (!wanted[space] && has_variant(key, (batched_space)space, variant))
      why = space == BATCHED_HOST ? "runs on the host, but kernels.backend is cuda"
                                  : "runs on cuda, but kernels.backend is host";
  if (!built && strncmp(variant, "cuda.", 5) == 0) why = "is not built here: this is a build without CUDA";
  return deck_fail(r, &r->origin[index], r->schema.key[index].name, "%s %s; allowed: %s", deck_clip(variant).text, why,
                   names);
}

/* The backend that all variants named so far leave possible. */
static int resolve_kernel(deck_reader *r, int index, bool wanted[2], int *decided_by)
{
  const char *key = strchr(r->schema.key[index].name, '.') + 1;
  const char *variant = (const char *)r->d + r->schema.key[index].offset;
  if (strcmp(variant, "auto") == 0) return 0;
  bool has[2];
  for (int space = 0; space < 2; space++) has[space] = has_variant(key, (batched_space)space, variant);
  if (!(has[0] && wanted[0]) && !(has[1] && wanted[1])) {
    if (*decided_by >= 0 && (has[0] || has[1]))
      return deck_fail(r, &r->origin[index], r->schema.key[index].name,
                       "%s runs on %s, but what %s asks for does not; all kernels run in one backend",
                       deck_clip(variant).text, backend_names[has[1]], r->schema.key[*decided_by].name);
    return no_such_variant(r, index, key, variant, wanted);
  }
  for (int space = 0; space < 2; space++) {
    if (wanted[space] && !has[space]) *decided_by = index;
    wanted[space] = wanted[space] && has[space];
  }
  return 0;
}

/* A row that is known not to do what the deck asks for. */
static int check_rows(deck_reader *r)
{
  char name[64];
  const char *key = deck_unfit_kernel(r->d, deck_parts(r->d) > 1);
  if (!key) return 0;
  snprintf(name, sizeof name, "kernels.%s", key);
  const char *variant = deck_variant(r->d, key);
  return deck_fail(r, deck_origin_of(r, name), name, "%s can't do this shape: it needs %s", variant,
                   deck_row_needs(key, variant));
}

int deck_resolve_kernels(deck_reader *r)
{
  char *backend = r->d->kernels.backend;
  bool any = strcmp(backend, "auto") == 0;
  bool wanted[2] = {any || strcmp(backend, "host") == 0, any || strcmp(backend, "cuda") == 0};
  int decided_by = -1;
  for (int i = 0; i < r->schema.n; i++) {
    if (r->schema.key[i].type != DECK_VARIANT) continue;
    int wrong = resolve_kernel(r, i, wanted, &decided_by);
    if (wrong) return wrong;
  }
  if (any && decided_by >= 0) strcpy(backend, backend_names[wanted[BATCHED_CUDA] ? BATCHED_CUDA : BATCHED_HOST]);
  return check_rows(r);
}
