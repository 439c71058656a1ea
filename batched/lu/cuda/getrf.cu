/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/cuda/factors.cuh"
#include "batched/lu/cuda/getrf_blocked.cuh"
#include "batched/lu/cuda/getrf_warp_tc.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"
#include "batched/lu/cuda/getrf_lanes.cuh"
#include "batched/lu/cuda/getrf_shared_tc.cuh"
#include "batched/lu/cuda/getrf_panels_tc.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/lu/lu.h"

using namespace batched_cuda;
using namespace batched_cuda::lu;

static const batched_getrf_args *getrf_args(const void *args)
{
  return static_cast<const batched_getrf_args *>(args);
}

static bool fits_registers(const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  return p->a.m <= 32 && p->a.n <= 32;
}

static int in_registers(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  return with_type(p->a.type, [&](auto t) { return run_getrf_register<decltype(t)>(ctx, p); });
}

static bool fits_corner(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return a->type == BATCHED_D && a->m <= 2 * LU_CORNER && a->n <= 2 * LU_CORNER;
}

static int in_corner(batched_ctx *ctx, const void *args)
{
  return run_getrf_corner(ctx, getrf_args(args));
}

/* Do so many blocks with such matrices fit on a multiprocessor? */
static bool fits_blocks(const batched_matrix *a, int blocks)
{
  bool fits = false;
  with_type(a->type, [&](auto t) {
    fits = fits_lu_shared<decltype(t)>(a->m, a->n, a->n, blocks);
    return 0;
  });
  return fits;
}

static bool fits_shared(const void *args)
{
  return fits_blocks(&getrf_args(args)->a, 1);
}

static bool likes_shared(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return fits_blocks(a, a->type == BATCHED_D ? 2 : lu_blocks(a->type, a->m));
}

static int in_shared(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  return with_type(p->a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p->a);
    return launch_getrf_shared(ctx, a, a.n, 0, p->ipiv, a.m < a.n ? a.m : a.n, p->info);
  });
}

static bool fits_blocked(const void *args)
{
  return getrf_args(args)->a.m <= LU_MOST_ROWS;
}

static int blocked(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  return with_type(p->a.type, [&](auto t) { return run_getrf_blocked<decltype(t)>(ctx, p); });
}

/* Where halves, down to columns that a block factors with its registers, are faster than the kernel of cuda.shared:
 * times on an H100. */
static bool likes_recursive(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  if (!fits_blocked(args) || a->type == BATCHED_C) return true;
  if (a->type == BATCHED_Z) return a->m >= 48 && a->n >= 48;
  return a->type == BATCHED_S ? a->m >= 384 : a->m >= 352 && !batched_is_variable(a);
}

static int recursive(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  return with_type(p->a.type, [&](auto t) { return run_getrf_recursive<decltype(t)>(ctx, p); });
}

/* Blocks of two warps for the smallest.  Two buffers for the L of earlier columns, unless fewer blocks fit on a
 * multiprocessor for that. */
static lu_tiles_layout layout_of(const batched_matrix *a)
{
  if (a->m <= 72 && a->n <= 72) return lu_tiles_layout(a->m, a->n, LU_TILES_WARPS / 2, 1);
  const int blocks = a->m <= LU_TILES_FEW_ROWS ? LU_TILES_BLOCKS : 2;
  const lu_tiles_layout layout(a->m, a->n, LU_TILES_WARPS, 2);
  const bool fits = ((size_t)layout.bytes + 1024) * blocks <= most_shared() + 1024;
  return fits ? layout : lu_tiles_layout(a->m, a->n, LU_TILES_WARPS, 1);
}

static bool fits_tiles(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return a->type == BATCHED_D && a->m <= LU_TILES_ROWS && (size_t)layout_of(a).bytes <= most_shared();
}

static bool likes_tiles(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return fits_tiles(args) && a->m > 64 && a->n > 64;
}

static int by_tiles(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = getrf_args(args);
  const lu_tiles_layout layout = layout_of(&p->a);
  const auto kernel =
    p->a.m <= LU_TILES_FEW_ROWS ? getrf_tiles<LU_TILES_FEW_ROWS / 32> : getrf_tiles<LU_TILES_ROWS / 32>;
  return launch(ctx, kernel, p->a.count, 32 * layout.warps, (size_t)layout.bytes, layout, view<double>(p->a), p->ipiv,
                p->a.m < p->a.n ? p->a.m : p->a.n, p->info);
}

static bool fits_resident(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return a->type == BATCHED_D && a->m <= LU_RESIDENT_ORDER && a->n <= LU_RESIDENT_ORDER &&
         most_shared() >= LU_RESIDENT_ROOM;
}

/* Where two matrices on a multiprocessor, of which one waits while the other works, are slower; of smaller ones four
 * have room there.  A block takes its matrices without regard to how large they are. */
static bool likes_resident(const void *args)
{
  const batched_matrix *a = &getrf_args(args)->a;
  return fits_resident(args) && a->m > LU_TILES_FEW_ROWS && a->n > LU_TILES_FEW_ROWS && !batched_is_variable(a);
}

static int resident(batched_ctx *ctx, const void *args)
{
  return run_getrf_resident(ctx, getrf_args(args));
}

bool batched_cuda::lu::fits_cublas_getrf(const batched_getrf_args *p)
{
  return p->a.m == p->a.n && p->a.m > 0 && !batched_is_variable(&p->a) && p->a.count <= INT_MAX;
}

int batched_cuda::lu::cublas_getrf(batched_ctx *ctx, const batched_getrf_args *p)
{
  return with_type(p->a.type, [&](auto t) {
    using T = decltype(t);
    T **pointers = pointers_of<T>(ctx, view<T>(p->a));
    if (!pointers) return (int)BATCHED_NO_MEMORY;
    cublasHandle_t handle = cublas_of(ctx);
    const auto call = VENDOR_CALL(T, cublas, getrfBatched);
    const int status = !handle ? (int)BATCHED_NO_MEMORY
                               : status_of(call(handle, p->a.n, reinterpret_cast<decltype(vendor((T *)0)) *>(pointers),
                                                p->a.ld, p->ipiv, p->info, (int)p->a.count));
    batched_scratch_pop(ctx);
    return status;
  });
}

static bool fits_cublas(const void *args)
{
  return fits_cublas_getrf(getrf_args(args));
}

static int cublas(batched_ctx *ctx, const void *args)
{
  return cublas_getrf(ctx, getrf_args(args));
}

int batched_cuda::lu::getrf(batched_ctx *ctx, const batched_getrf_args *p)
{
  if (fits_registers(p)) return in_registers(ctx, p);
  if (fits_corner(p)) return in_corner(ctx, p);
  if (likes_resident(p)) return resident(ctx, p);
  if (likes_tiles(p)) return by_tiles(ctx, p);
  if (likes_recursive(p)) return recursive(ctx, p);
  return likes_shared(p) ? in_shared(ctx, p) : blocked(ctx, p);
}

const batched_variant batched_getrf_cuda[] = {
  {"cuda.lanes", fits_registers, nullptr, in_registers},
  {"cuda.warp_tc", fits_corner, nullptr, in_corner},
  {"cuda.shared_tc", fits_resident, likes_resident, resident},
  {"cuda.panels_tc", fits_tiles, likes_tiles, by_tiles},
  {"cuda.recursive", nullptr, likes_recursive, recursive},
  {"cuda.panels", fits_shared, likes_shared, in_shared},
  {"cuda.blocked", fits_blocked, nullptr, blocked},
  {"vendor.cublas", fits_cublas, never, cublas},
  BATCHED_LAST_ROW,
};
