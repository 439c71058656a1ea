/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the rows of a sparse matrix among the blocks of row cuda.resident of pcg, at set-up, on the host; no kernels.
 * Each block of threads takes rows in the order of a breadth-first search through the matrix's graph, begun beside the
 * block before, until it has its part of all entries and rows: so its rows hang together, and its halo is small.
 *   takes      at most 2^31 - 1 entries, at least as many columns as rows, whose positions are their numbers from nrows
 *              on, and any number of blocks; a block may be left without rows
 *   time       linear in the entries; the result has 20 bytes per entry
 *   result     is the same for the same matrix and number of blocks, whatever the values
 */
#include "solvers/cuda/pcg_division.cuh"

#include <algorithm>
#include <numeric>

namespace solvers_cuda
{

/* Rows are taken one after another: first the neighbours of those that the block has, in the order in which they were
 * met.  A block begins beside the one before. */
struct growth {
  const solver_csr *a;
  std::vector<int> queue, rim; /* rim: what the block before had met, but not taken */
  size_t head = 0, rim_head = 0;
  int next = 0; /* rows below are taken */
  std::vector<bool> taken;
  std::vector<int> met; /* [ncols]: the last block that has met the row */

  explicit growth(const solver_csr *matrix)
      : a(matrix), taken((size_t)matrix->ncols, true), met((size_t)matrix->ncols, -1)
  {
    std::fill(taken.begin(), taken.begin() + matrix->nrows, false);
  }

  void begin_block()
  {
    rim.assign(queue.begin() + (std::ptrdiff_t)head, queue.end());
    queue.clear();
    head = rim_head = 0;
  }

  static int first_left(const std::vector<int> &list, size_t *at, const std::vector<bool> &taken)
  {
    while (*at < list.size() && taken[(size_t)list[*at]]) ++*at;
    return *at < list.size() ? list[*at] : -1;
  }

  int take(int block)
  {
    int row = first_left(queue, &head, taken);
    if (row < 0) row = first_left(rim, &rim_head, taken);
    if (row < 0) {
      while (taken[(size_t)next]) next++;
      row = next;
    }
    taken[(size_t)row] = true;
    for (int64_t j = a->start[row]; j < a->start[row + 1]; j++) {
      const int column = a->column[j];
      if (taken[(size_t)column] || met[(size_t)column] == block) continue;
      met[(size_t)column] = block;
      queue.push_back(column);
    }
    return row;
  }
};

/* Blocks have as many entries each as the rows allow. */
static void divide(const solver_csr *a, division *d)
{
  const int64_t total = a->start[a->nrows] + a->nrows; // a row is some work, too
  int64_t done = 0;
  growth g(a);
  d->row_start.push_back(0);
  for (int b = 0; b < d->blocks; b++) {
    g.begin_block();
    const int64_t until = total * (b + 1) / d->blocks;
    while ((int)d->row.size() < a->nrows && done < until) {
      const int row = g.take(b);
      d->row.push_back(row);
      done += a->start[row + 1] - a->start[row] + 1;
    }
    d->row_start.push_back((int)d->row.size());
  }
}

/* Appends a row's entries such that those that lanes read together have different columns modulo BANKS, as far as they
 * go: the first of each residue, then the second ones, ...  In shared memory 16 neighbouring numbers of 8 bytes are in
 * different banks. */
static void append_row(const solver_csr *a, int row, const std::vector<int> &position, const std::vector<int> &local,
                       division *d)
{
  enum { BANKS = 16 };
  const int64_t first = a->start[row], last = a->start[row + 1];
  std::vector<int64_t> of_residue[BANKS];
  for (int64_t j = first; j < last; j++) of_residue[local[(size_t)position[(size_t)a->column[j]]] % BANKS].push_back(j);
  for (size_t k = 0, left = (size_t)(last - first); left > 0; k++)
    for (const std::vector<int64_t> &entries : of_residue) {
      if (k >= entries.size()) continue;
      d->column.push_back(local[(size_t)position[(size_t)a->column[entries[k]]]]);
      d->value.push_back(a->value[entries[k]]);
      d->entry.push_back(entries[k]);
      left--;
    }
  d->entry_start.push_back((int)d->column.size());
}

/* The columns of block b: own rows, then the halo.  By position: met [ncols], the last block that met the column, and
 * local [ncols], its number there. */
static void number_columns(const solver_csr *a, const std::vector<int> &position, int b, std::vector<int> *met,
                           std::vector<int> *local, division *d)
{
  const int first = d->row_start[(size_t)b], last = d->row_start[(size_t)b + 1];
  const size_t begin = d->halo.size();
  for (int i = first; i < last; i++) {
    const int row = d->row[(size_t)i];
    for (int64_t j = a->start[row]; j < a->start[row + 1]; j++) {
      const int at = position[(size_t)a->column[j]];
      if ((at >= first && at < last) || (*met)[(size_t)at] == b) continue;
      (*met)[(size_t)at] = b;
      d->halo.push_back(at);
    }
  }
  std::sort(d->halo.begin() + (std::ptrdiff_t)begin, d->halo.end());
  d->halo_start.push_back((int)d->halo.size());
  for (int i = first; i < last; i++) (*local)[(size_t)i] = i - first;
  for (size_t i = begin; i < d->halo.size(); i++) (*local)[(size_t)d->halo[i]] = last - first + (int)(i - begin);
  for (int i = first; i < last; i++) append_row(a, d->row[(size_t)i], position, *local, d);
  const int entries = d->entry_start[(size_t)last] - d->entry_start[(size_t)first];
  d->most_rows = std::max(d->most_rows, last - first);
  d->most_columns = std::max(d->most_columns, last - first + (int)(d->halo.size() - begin));
  d->most_entries = std::max(d->most_entries, entries);
}

division divide_rows(const solver_csr *a, int blocks)
{
  division d = {};
  d.blocks = blocks;
  divide(a, &d);
  std::vector<int> position((size_t)a->ncols), met((size_t)a->ncols, -1), local((size_t)a->ncols);
  d.column.reserve((size_t)a->start[a->nrows]);
  d.value.reserve((size_t)a->start[a->nrows]);
  d.entry.reserve((size_t)a->start[a->nrows]);
  std::iota(position.begin(), position.end(), 0);
  for (int i = 0; i < a->nrows; i++) position[(size_t)d.row[(size_t)i]] = i;
  d.halo_start.push_back(0);
  d.entry_start.push_back(0);
  for (int b = 0; b < blocks; b++) number_columns(a, position, b, &met, &local, &d);
  return d;
}

} // namespace solvers_cuda
