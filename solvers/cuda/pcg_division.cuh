/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a sparse matrix divided among blocks of threads, each with rows that hang together, so that few columns
 * of a block belong to others; and, before that, among ranks: pcg_whole.cu.
 */
#ifndef SOLVERS_CUDA_PCG_DIVISION_CUH
#define SOLVERS_CUDA_PCG_DIVISION_CUH

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "batched/cuda/scalar.cuh"
#include "solvers/solvers.h"

/* A row of this rank that a rank needs as its foreign column. */
struct solver_sent_row {
  int row, rank, foreign;
};

/* Columns are this rank's own rows, the entries that it shares with their owners, both numbered as its vectors, and
 * then those that only other ranks have.  All that are not its own are foreign. */
struct solver_whole_rows {
  solver_csr *matrix;                         /* owned; [nowned] rows, on the host */
  int nowned, nlocal;                         /* nlocal: of a vector on this rank */
  std::vector<std::pair<int, int>> foreign;   /* their owner, and their number there */
  std::map<std::pair<int, int>, int> columns; /* their columns */
  std::vector<solver_sent_row> sent;          /* ascending by row */
  int most_foreign;                           /* of any rank */
};

namespace solvers_cuda
{

/* All collective: pcg_whole.cu.  part: this rank's part, [n] rows, of which the first nowned are its own; owner, number
 * [n]: whose row it is, and which of the owner's.  *whole is NULL, on all ranks, where some foreign entry of a rank's
 * vectors is no column of the rank.  Returns a batched_status, not 0 on all ranks or on none. */
int whole_rows_create(const solver_csr *part, int nowned, const double *owner, const double *number,
                      solver_whole_rows **whole);
void whole_rows_destroy(solver_whole_rows **whole);

/* Another matrix with a part of the same pattern; its columns are those of `whole`. */
int whole_rows_complete(const solver_csr *part, const solver_whole_rows &whole, solver_csr **matrix);

/* A position is a row's place in the order of the blocks; columns that are no rows have their numbers, from nrows on.
 * In a block its own rows are columns 0, 1, ...; then come its halo's. */
struct division {
  int blocks;
  int most_rows, most_columns, most_entries; /* of a block */
  std::vector<int> row_start;                /* [blocks + 1]: positions */
  std::vector<int> row;                      /* [nrows]: which stands at the position */
  std::vector<int> halo_start, halo;         /* [blocks + 1], [halo_start[blocks]]: positions, ascending in a block */
  std::vector<int> entry_start;              /* [n + 1], by position */
  std::vector<int> column;                   /* [entries]: column of the block */
  std::vector<double> value;                 /* [entries] */
  std::vector<int64_t> entry;                /* [entries]: which of the matrix it is */
};

/* Throws std::bad_alloc. */
division divide_rows(const solver_csr *a, int blocks);

/* For pcg_components.cuh: what a block of threads needs of the matrix lies in one piece, an image, as it is to be in
 * shared memory.  A row has 1, 2, 4, ... or 32 lanes of a warp, such that all lanes have about as many entries; the
 * rows of 32 lanes are a group, whose entries lie step by step, one of each lane beside the other, padded with
 * zeros. */
enum { IMAGE_THREADS = 512, IMAGE_WARPS = IMAGE_THREADS / 32 };

/* A lane: its row in the block, the logarithm of its row's lanes, the row's bits of fixed components, and IMAGE_SENT
 * beside those where other ranks need the row, too. */
enum : unsigned { IMAGE_NO_ROW = 0xffff, IMAGE_SENT = 1 << 3 };
DEVICE unsigned image_lane(unsigned row, unsigned log_lanes, unsigned fixed)
{
  return row | log_lanes << 16 | fixed << 24;
}
DEVICE int image_row(unsigned lane)
{
  return (int)(lane & 0xffff);
}
DEVICE int image_lanes(unsigned lane)
{
  return 1 << (lane >> 16 & 0xff);
}
DEVICE unsigned image_fixed(unsigned lane)
{
  return lane >> 24;
}

/* Offsets of the parts of an image, in bytes, the same in all images: entries [32 steps] of A, double, from 0 on; those
 * of P in single precision; columns, 16 bits; lanes [32 groups]; first steps of the groups [groups + 1]. */
struct image_layout {
  size_t inverse, column, lane, start, bytes; /* bytes: a multiple of 16 */
};

/* Positions, rows and halos are those of a division, but that a block's rows are in the order of its
 * lanes. */
struct matrix_image {
  int blocks, most_rows, most_columns;
  image_layout layout;
  std::vector<int> row_start, row, halo_start, halo;
  std::vector<int> groups;          /* [blocks] */
  std::vector<unsigned char> bytes; /* [blocks][layout.bytes] */
};

/* The same in the memory of a GPU. */
struct image_view {
  int blocks, most_rows, most_columns;
  image_layout layout;
  int *row_start, *row, *halo_start, *halo, *groups;
  unsigned char *bytes;
};

/* Makes the image of A, and of P, which has the same pattern; inverse: P, or NULL.  fixed: NULL, or [n], bits of
 * components and IMAGE_SENT.  Throws std::bad_alloc; blocks is 0 where a block has too many columns. */
matrix_image make_image(const solver_csr *a, const solver_csr *inverse, const unsigned char *fixed, int blocks);

} // namespace solvers_cuda

#endif
