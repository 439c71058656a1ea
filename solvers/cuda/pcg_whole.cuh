/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whole rows of a matrix that is the sum of those of several ranks, for row cuda.resident of pcg: contract in
 * pcg_whole.cu.
 */
#ifndef SOLVERS_CUDA_PCG_WHOLE_CUH
#define SOLVERS_CUDA_PCG_WHOLE_CUH

#include <map>
#include <utility>
#include <vector>

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

/* All collective.  part: this rank's part, [n] rows, of which the first nowned are its own; owner, number [n]: whose row
 * it is, and which of the owner's.  *whole is NULL, on all ranks, where some foreign entry of a rank's vectors is no
 * column of the rank.  Returns a batched_status, not 0 on all ranks or on none. */
int whole_rows_create(const solver_csr *part, int nowned, const double *owner, const double *number,
                      solver_whole_rows **whole);
void whole_rows_destroy(solver_whole_rows **whole);

/* Another matrix with a part of the same pattern; its columns are those of `whole`. */
int whole_rows_complete(const solver_csr *part, const solver_whole_rows &whole, solver_csr **matrix);

} // namespace solvers_cuda

#endif
