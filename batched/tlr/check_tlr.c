/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tlr/check_tlr.h"

bool lowrank_tlr_is_here(const batched_ctx *ctx, const batched_tlr *a, const char *name)
{
  return batched_is_given(a, name, true) &&
         batched_accept(a->space == batched_get_space(ctx), "%s is in another space than the context", name);
}

bool lowrank_tlr_is_hermitian(const batched_ctx *ctx, const batched_tlr *a, const char *name)
{
  return lowrank_tlr_is_here(ctx, a, name) &&
         batched_accept(a->shape == BATCHED_TLR_HERMITIAN, "%s is not BATCHED_TLR_HERMITIAN", name);
}

bool lowrank_tlr_is_dense(const batched_ctx *ctx, const batched_matrix *x, batched_type type, int m, int n)
{
  return batched_is_valid(ctx, x, true) && batched_accept(x->count == 1, "count %lld is not 1", (long long)x->count) &&
         batched_accept(!x->array && !batched_is_variable(x), "it is no strided view of fixed size") &&
         batched_accept(x->type == type, "type %d is not that of the tiles, %d", (int)x->type, (int)type) &&
         batched_accept(x->m == m, "it has %d rows, not %d", x->m, m) &&
         batched_accept(n < 0 || x->n == n, "it has %d columns, not %d", x->n, n);
}

bool lowrank_tlr_is_like(const batched_tlr *a, const batched_tlr *other, int m, int n)
{
  return batched_accept(a->type == other->type, "type %d is not %d", (int)a->type, (int)other->type) &&
         batched_accept(a->tile == other->tile, "its tiles have order %d, not %d", a->tile, other->tile) &&
         batched_accept(m < 0 || a->m == m, "it has %d rows, not %d", a->m, m) &&
         batched_accept(n < 0 || a->n == n, "it has %d columns, not %d", a->n, n);
}

bool lowrank_tlr_is_shape(batched_tlr_shape shape, int m, int n)
{
  return batched_accept((unsigned)shape <= BATCHED_TLR_HERMITIAN,
                        "shape %d is neither BATCHED_TLR_GENERAL (0) nor BATCHED_TLR_HERMITIAN (1)", (int)shape) &&
         batched_accept(shape == BATCHED_TLR_GENERAL || m == n, "a %d x %d matrix is not Hermitian", m, n);
}

bool lowrank_tlr_is_tile(int tile)
{
  return batched_accept(tile >= 1, "tile %d < 1", tile);
}

int lowrank_tlr_check_made(const batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                           batched_tlr_shape shape)
{
  if (!ctx) return -1;
  if (!batched_is_given(a, "a", true)) return -2;
  *a = NULL;
  if (!batched_accept((unsigned)type <= BATCHED_Z, "type %d is none of BATCHED_S (0) .. BATCHED_Z (3)", (int)type))
    return -3;
  if (!batched_accept(m >= 0, "m %d < 0", m)) return -4;
  if (!batched_accept(n >= 0, "n %d < 0", n)) return -5;
  if (!lowrank_tlr_is_tile(tile)) return -6;
  return lowrank_tlr_is_shape(shape, m, n) ? 0 : -7;
}
