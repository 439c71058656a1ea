/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes the rows that a rank owns of a matrix that is the sum of the ranks' matrices, at set-up, on the host; no
 * kernels.  A rank sends what it has of rows of others to their owners, column by column as (owner, number there).  Who
 * gets a column that it does not know numbers it behind its own, by owner and number; in the end each rank tells the
 * owners of its foreign columns that it needs them.
 *   takes      parts of a symmetric pattern, each entry shared by any number of ranks
 *   messages   32 bytes for each entry of a row that another rank owns, 16 for each foreign column
 *   accuracy   entries are added in the order of ranks, this one first: the same bits in every run
 */
#include "solvers/cuda/pcg_division.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>

#include "mesh/comm/comm.h"
#include "mesh/comm/mail.h"

namespace solvers_cuda
{

using place_of_row = std::pair<int, int>; // owner, number there
using row_entry = std::pair<int, double>; // column, value

enum { ROW, OWNER, NUMBER, VALUE, WIDTH };

static place_of_row place_of(const solver_whole_rows &w, int column)
{
  return column < w.nowned ? place_of_row(comm_rank(), column) : w.foreign[(size_t)(column - w.nowned)];
}

/* Sends items, which fill(to, items) lists; may throw std::bad_alloc there. */
template <class F> static int exchange(int width, mail *in, F fill)
{
  mail out = {};
  bool ok = false;
  try {
    std::vector<int> to;
    std::vector<int64_t> items;
    fill(&to, &items);
    ok = mail_create(&out, width, (int64_t)to.size(), to.data(), items.data());
  } catch (const std::bad_alloc &) { // as if mail_create had had no memory
  }
  *in = {};
  const bool failed = comm_worst(!ok) || mail_exchange(&out, in);
  mail_free(&out);
  return failed ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
}

static int exchange_parts(const solver_csr *part, const solver_whole_rows &w, mail *in)
{
  return exchange(WIDTH, in, [&](std::vector<int> *to, std::vector<int64_t> *items) {
    for (int i = w.nowned; i < part->nrows; i++) {
      const place_of_row row = place_of(w, i);
      for (int64_t j = part->start[i]; j < part->start[i + 1]; j++) {
        const place_of_row column = place_of(w, part->column[j]);
        int64_t bits;
        memcpy(&bits, &part->value[j], sizeof bits);
        to->push_back(row.first);
        items->insert(items->end(), {row.second, column.first, column.second, bits});
      }
    }
  });
}

static void number_columns(const mail &in, solver_whole_rows *w)
{
  std::set<place_of_row> met;
  for (int64_t i = 0; i < mail_total(&in); i++) {
    const int64_t *item = in.items + i * WIDTH;
    const place_of_row column((int)item[OWNER], (int)item[NUMBER]);
    if (column.first != comm_rank() && !w->columns.count(column)) met.insert(column);
  }
  for (const place_of_row &column : met) {
    w->columns[column] = w->nowned + (int)w->foreign.size();
    w->foreign.push_back(column);
  }
}

template <class T> static T *copy_of(const std::vector<T> &v)
{
  T *p = static_cast<T *>(malloc(sizeof(T) * (v.size() + 1)));
  if (p && !v.empty()) memcpy(p, v.data(), sizeof(T) * v.size());
  return p;
}

static solver_csr *make_matrix(int ncols, const std::vector<std::vector<row_entry>> &rows)
{
  std::vector<int64_t> start(1, 0);
  std::vector<int> column;
  std::vector<double> value;
  for (const std::vector<row_entry> &row : rows) {
    for (const row_entry &e : row) column.push_back(e.first), value.push_back(e.second);
    start.push_back((int64_t)column.size());
  }
  solver_csr *a = static_cast<solver_csr *>(calloc(1, sizeof *a));
  if (!a) return nullptr;
  a->nrows = (int)rows.size(), a->ncols = ncols;
  a->start = copy_of(start), a->column = copy_of(column), a->value = copy_of(value);
  if (!a->start || !a->column || !a->value) solver_csr_destroy(&a);
  return a;
}

/* Entries of one column become one. */
static void add_up(std::vector<row_entry> *row)
{
  std::stable_sort(row->begin(), row->end(), [](const row_entry &a, const row_entry &b) { return a.first < b.first; });
  size_t n = 0;
  for (const row_entry &e : *row) {
    if (n > 0 && (*row)[n - 1].first == e.first)
      (*row)[n - 1].second += e.second;
    else
      (*row)[n++] = e;
  }
  row->resize(n);
}

static solver_csr *add_parts(const solver_csr *part, const mail &in, const solver_whole_rows &w)
{
  std::vector<std::vector<row_entry>> rows((size_t)w.nowned);
  for (int i = 0; i < w.nowned; i++)
    for (int64_t j = part->start[i]; j < part->start[i + 1]; j++)
      rows[(size_t)i].emplace_back(part->column[j], part->value[j]);
  for (int64_t i = 0; i < mail_total(&in); i++) {
    const int64_t *item = in.items + i * WIDTH;
    const place_of_row column((int)item[OWNER], (int)item[NUMBER]);
    double value;
    memcpy(&value, &item[VALUE], sizeof value);
    rows[(size_t)item[ROW]].emplace_back(column.first == comm_rank() ? column.second : w.columns.at(column), value);
  }
  for (std::vector<row_entry> &row : rows) add_up(&row);
  return make_matrix(w.nowned + (int)w.foreign.size(), rows);
}

/* number(in) knows the columns that come then. */
template <class F>
static int complete(const solver_csr *part, const solver_whole_rows &whole, F number, solver_csr **matrix)
{
  mail in;
  *matrix = nullptr;
  const int status = exchange_parts(part, whole, &in);
  if (status) return status;
  try {
    number(in);
    *matrix = add_parts(part, in, whole);
  } catch (const std::bad_alloc &) { // *matrix says it
  }
  mail_free(&in);
  return comm_worst(!*matrix) ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
}

int whole_rows_complete(const solver_csr *part, const solver_whole_rows &whole, solver_csr **matrix)
{
  return complete(
    part, whole, [](const mail &) {}, matrix);
}

/* Finds out which rows this rank has to send, and to whom. */
static int exchange_needs(solver_whole_rows *w)
{
  mail in;
  const int status = exchange(2, &in, [w](std::vector<int> *to, std::vector<int64_t> *items) {
    for (size_t f = 0; f < w->foreign.size(); f++) {
      to->push_back(w->foreign[f].first);
      items->insert(items->end(), {w->foreign[f].second, (int64_t)f});
    }
  });
  if (status) return status;
  bool ok = true;
  try {
    for (int r = 0; r < in.nranks; r++)
      for (int64_t i = in.first[r]; i < in.first[r + 1]; i++)
        w->sent.push_back({(int)in.items[2 * i], in.rank[r], (int)in.items[2 * i + 1]});
    std::stable_sort(w->sent.begin(), w->sent.end(),
                     [](const solver_sent_row &a, const solver_sent_row &b) { return a.row < b.row; });
  } catch (const std::bad_alloc &) {
    ok = false;
  }
  mail_free(&in);
  double most = (double)w->foreign.size();
  comm_max(&most, 1);
  w->most_foreign = (int)most;
  return comm_worst(!ok) ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
}

/* True where every entry of this rank's vectors is a row or a column. */
static bool is_covered(const solver_whole_rows &w)
{
  const solver_csr *a = w.matrix;
  std::vector<bool> met((size_t)a->ncols, false);
  for (int64_t j = 0; j < a->start[a->nrows]; j++) met[(size_t)a->column[j]] = true;
  return std::find(met.begin() + w.nowned, met.begin() + w.nlocal, false) == met.begin() + w.nlocal;
}

int whole_rows_create(const solver_csr *part, int nowned, const double *owner, const double *number,
                      solver_whole_rows **whole)
{
  *whole = new (std::nothrow) solver_whole_rows{};
  solver_whole_rows *w = *whole;
  bool ok = w;
  try {
    for (int i = nowned; i < part->nrows && w; i++) {
      w->foreign.emplace_back((int)owner[i], (int)number[i]);
      w->columns[w->foreign.back()] = i;
    }
  } catch (const std::bad_alloc &) {
    ok = false;
  }
  int status = comm_worst(!ok) ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
  if (!status) w->nowned = nowned, w->nlocal = part->nrows;
  if (!status)
    status = complete(
      part, *w, [w](const mail &in) { number_columns(in, w); }, &w->matrix);
  if (!status) status = exchange_needs(w);
  bool covered = false;
  try {
    covered = !status && is_covered(*w);
  } catch (const std::bad_alloc &) { // then the solve goes another way
  }
  if (comm_worst(!covered)) whole_rows_destroy(whole);
  return status;
}

void whole_rows_destroy(solver_whole_rows **whole)
{
  if (!*whole) return;
  solver_csr_destroy(&(*whole)->matrix);
  delete *whole;
  *whole = nullptr;
}

} // namespace solvers_cuda
