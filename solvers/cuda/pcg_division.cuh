/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a sparse matrix divided among blocks of threads, each with rows that hang together, so that few columns
 * of a block belong to others.
 */
#ifndef SOLVERS_CUDA_PCG_DIVISION_CUH
#define SOLVERS_CUDA_PCG_DIVISION_CUH

#include <vector>

#include "solvers/solvers.h"

namespace solvers_cuda
{

/* A position is a row's place in the order of the blocks.  In a block its own rows are columns 0, 1, ...; then come its
 * halo's. */
struct division {
  int blocks;
  int most_rows, most_columns, most_entries; /* of a block */
  std::vector<int> row_start;                /* [blocks + 1]: positions */
  std::vector<int> row;                      /* [n]: which stands at the position */
  std::vector<int> halo_start, halo;         /* [blocks + 1], [halo_start[blocks]]: positions, ascending in a block */
  std::vector<int> entry_start;              /* [n + 1], by position */
  std::vector<int> column;                   /* [entries]: column of the block */
  std::vector<double> value;                 /* [entries] */
  std::vector<int64_t> entry;                /* [entries]: which of the matrix it is */
};

/* Throws std::bad_alloc. */
division divide_rows(const solver_csr *a, int blocks);

} // namespace solvers_cuda

#endif
