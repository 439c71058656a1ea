/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of all variants.
 */
#include "app/deck/variants.h"

#include "app/deck/operations.h"

static const char row[] = "%-16s %-16s %-24s %-6s %-7s %s\n";

/* Describes `auto` as far as it does not depend on the arguments of a call. */
static const char *automatic(const batched_variant *table, const batched_variant *v, bool *decided)
{
  if (*decided) return "only if asked for";
  bool alone = !table[1].name;
  bool always = !v->fits && (!v->likes || alone);
  *decided = always;
  return always ? "yes" : v->likes ? "where it pays" : "where it fits";
}

static void print_table(FILE *to, const batched_op *op, batched_space space, bool usable)
{
  const batched_variant *v = op->variants[space];
  bool decided = false;
  if (space == BATCHED_CUDA && !(v && v->name)) fprintf(to, row, op->name, op->key, "cuda.*", "no", "no", "");
  for (; v && v->name; v++)
    fprintf(to, row, op->name, op->key, v->name, "yes", usable ? "yes" : "no",
            usable ? automatic(op->variants[space], v, &decided) : "");
}

void variants_print(FILE *to, batched_ctx *host, batched_ctx *cuda)
{
  const batched_op *op;
  fprintf(to, row, "operation", "kernels.<key>", "variant", "built", "usable", "auto takes it");
  for (int i = 0; (op = app_operation(i)); i++) {
    print_table(to, op, BATCHED_HOST, host != NULL);
    print_table(to, op, BATCHED_CUDA, cuda != NULL);
  }
  fputs(
    "\nauto takes the first row, from the top, that fits a call and pays there.  A name may lack its first part:\n"
    "kernels.corner_force=ref is the ref of either backend, kernels.gemm=vendor the first row of a vendor.\n"
    "Row cuda.X of operation O is in cuda/O_X.cuh (.cu), or cuda/X.cuh, of its folder (docs/architecture.md); rows\n"
    "of the host likewise.  docs/kernels.md says what each one does, and how to write another.\n",
    to);
  char blas[128];
  fprintf(to, "\nvendor.blas and vendor.lapacke of the host: %s\n", batched_describe_blas(blas, sizeof blas));
}
