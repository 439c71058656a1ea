/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lays out a divided matrix, and P where there is one, for the kernel of pcg_components.cuh, at set-up, on the host; no
 * kernels.  Rows have 1, 2, 4, ... or 32 lanes, as many for each block as make its rounds shortest; those of most lanes
 * come first.  At each step every lane takes an entry of its row whose column is in the bank of shared memory that its
 * half warp has read least from in this step.
 *   takes      what divide_rows takes, with at most 65534 columns in a block; P of the same pattern, entry by entry
 *   time       linear in the entries, times up to 16 banks; 10 bytes per entry and step of the image, 14 with P
 *   accuracy   values of A as they are, those of P rounded to single precision
 */
#include "solvers/cuda/pcg_division.cuh"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace solvers_cuda
{

/* A block's part, before it is known how much room all of them need. */
struct block_image {
  std::vector<unsigned> lane; /* [32 groups] */
  std::vector<int> start;     /* [groups + 1]: steps */
  std::vector<int> entry;     /* [32 steps]: of the division; -1: none */
};

/* The fewest lanes, a power of two, of which none has more than `each` of the entries; 32 at most. */
static int lanes_of(int entries, int each)
{
  int lanes = 1;
  while (lanes < 32 && lanes * each < entries) lanes *= 2;
  return lanes;
}

static int steps_of(int entries, int lanes)
{
  return (entries + lanes - 1) / lanes;
}

static int length_of(const division &d, int position)
{
  return d.entry_start[(size_t)position + 1] - d.entry_start[(size_t)position];
}

/* Entries per lane of block b: the number for which the rounds of its warps are shortest in all. */
static int choose_each(const division &d, int b)
{
  enum { LEAST = 4, MOST = 64, BESIDE = 12 }; // BESIDE: what a round takes besides, in entries
  int best = LEAST;
  int64_t least = INT64_MAX;
  for (int each = LEAST; each <= MOST; each++) {
    int64_t lanes = 0;
    for (int i = d.row_start[(size_t)b]; i < d.row_start[(size_t)b + 1]; i++) lanes += lanes_of(length_of(d, i), each);
    const int64_t work = (lanes + IMAGE_THREADS - 1) / IMAGE_THREADS * (each + BESIDE);
    if (work < least) least = work, best = each;
  }
  return best;
}

/* The rows of block b, numbered in the division's order, in the order of their lanes: most lanes first, so that each
 * begins at a multiple of its own. */
static std::vector<int> sort_rows(const division &d, int b, int each)
{
  const int first = d.row_start[(size_t)b], rows = d.row_start[(size_t)b + 1] - first;
  std::vector<int> order((size_t)rows);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
    const int a = length_of(d, first + i), c = length_of(d, first + j);
    const int lanes_a = lanes_of(a, each), lanes_c = lanes_of(c, each);
    return lanes_a != lanes_c ? lanes_a > lanes_c : a > c;
  });
  return order;
}

enum { BANKS = 16 }; // of 8 bytes, of shared memory: what half a warp reads at a time

/* Sorts what is left of the entries of a row by the bank of their columns. */
struct pool {
  std::vector<int> entry;                  /* bank by bank */
  int first[BANKS] = {}, left[BANKS] = {}; /* of each bank */

  /* bank(i) of the entries first_entry, ..., last_entry - 1. */
  template <class F> pool(int first_entry, int last_entry, F bank) : entry((size_t)(last_entry - first_entry))
  {
    int count[BANKS] = {};
    for (int i = first_entry; i < last_entry; i++) count[bank(i)]++;
    for (int k = 1; k < BANKS; k++) first[k] = first[k - 1] + count[k - 1];
    for (int i = first_entry; i < last_entry; i++) {
      const int k = bank(i);
      entry[(size_t)(first[k] + left[k]++)] = i;
    }
  }
  /* One from the bank of which the half warp has read least in this step; -1: none is left. */
  int take(int (&used)[BANKS])
  {
    int best = -1;
    for (int k = 0; k < BANKS; k++) {
      if (left[k] == 0) continue;
      if (best < 0 || used[k] < used[best] || (used[k] == used[best] && left[k] > left[best])) best = k;
    }
    if (best < 0) return -1;
    used[best]++;
    return entry[(size_t)(first[best] + --left[best])];
  }
};

/* The steps of a group, whose lanes have these rows of the group, -1: none. */
static void append_steps(int steps, const std::vector<int> &row_of_lane, std::vector<pool> *rows, block_image *image)
{
  for (int step = 0; step < steps; step++)
    for (int lane = 0; lane < 32; lane += BANKS) {
      int used[BANKS] = {};
      for (int l = lane; l < lane + BANKS; l++) {
        const int row = row_of_lane[(size_t)l];
        image->entry.push_back(row < 0 ? -1 : (*rows)[(size_t)row].take(used));
      }
    }
  image->start.push_back((int)(image->entry.size() / 32));
}

/* order: of block b; column: what becomes of a column's number in the block. */
template <class F>
static block_image make_block(const division &d, int b, int each, const std::vector<int> &order,
                              const unsigned char *fixed, F column)
{
  const int first = d.row_start[(size_t)b];
  block_image image;
  image.start.push_back(0);
  for (size_t next = 0; next < order.size();) {
    std::vector<int> row_of_lane;
    std::vector<pool> rows;
    int steps = 0;
    for (; next < order.size(); next++) {
      const int at = first + order[next], length = length_of(d, at), lanes = lanes_of(length, each);
      if (row_of_lane.size() + (size_t)lanes > 32) break;
      unsigned log = 0;
      while (1 << log < lanes) log++;
      steps = std::max(steps, steps_of(length, lanes));
      const unsigned bits = fixed ? fixed[d.row[(size_t)at]] & 15u : 0u;
      image.lane.insert(image.lane.end(), (size_t)lanes, image_lane((unsigned)next, log, bits));
      row_of_lane.insert(row_of_lane.end(), (size_t)lanes, (int)rows.size());
      rows.emplace_back(d.entry_start[(size_t)at], d.entry_start[(size_t)at + 1],
                        [&](int j) { return column(d.column[(size_t)j]) % BANKS; });
    }
    image.lane.resize((image.lane.size() + 31) / 32 * 32, image_lane(IMAGE_NO_ROW, 0, 0));
    row_of_lane.resize(32, -1);
    append_steps(steps, row_of_lane, &rows, &image);
  }
  return image;
}

static image_layout lay_out(const std::vector<block_image> &blocks, bool inverse)
{
  size_t steps = 0, lanes = 0;
  for (const block_image &b : blocks) {
    steps = std::max(steps, (size_t)b.start.back());
    lanes = std::max(lanes, b.lane.size());
  }
  image_layout l = {};
  l.inverse = sizeof(double) * 32 * steps;
  l.column = l.inverse + (inverse ? sizeof(float) * 32 * steps : 0);
  l.lane = l.column + sizeof(uint16_t) * 32 * steps;
  l.start = l.lane + sizeof(unsigned) * lanes;
  l.bytes = (l.start + sizeof(int) * (lanes / 32 + 1) + 15) / 16 * 16;
  return l;
}

template <class T> static void put(unsigned char *image, size_t offset, size_t i, T value)
{
  memcpy(image + offset + i * sizeof value, &value, sizeof value);
}

template <class F>
static void write_block(const division &d, const block_image &b, const image_layout &l, const solver_csr *inverse,
                        F column, unsigned char *image)
{
  for (size_t i = 0; i < b.entry.size(); i++) {
    if (b.entry[i] < 0) continue; // zeros
    const size_t j = (size_t)b.entry[i];
    put(image, 0, i, d.value[j]);
    if (inverse) put(image, l.inverse, i, (float)inverse->value[d.entry[j]]);
    put(image, l.column, i, (uint16_t)column(d.column[j]));
  }
  for (size_t i = 0; i < b.lane.size(); i++) put(image, l.lane, i, b.lane[i]);
  for (size_t i = 0; i < b.start.size(); i++) put(image, l.start, i, b.start[i]);
}

matrix_image make_image(const solver_csr *a, const solver_csr *inverse, const unsigned char *fixed, int blocks)
{
  const division d = divide_rows(a, blocks);
  if (d.most_columns >= (int)IMAGE_NO_ROW) return {};
  matrix_image m = {};
  m.blocks = blocks, m.most_rows = d.most_rows, m.most_columns = d.most_columns;
  m.row_start = d.row_start, m.halo_start = d.halo_start;
  m.row.resize(d.row.size());
  std::vector<int> place(d.row.size()); // the row's number in its block, by the division's position
  std::vector<int> position((size_t)a->ncols);
  std::vector<block_image> parts;
  std::iota(position.begin(), position.end(), 0);
  for (int b = 0; b < blocks; b++) {
    const int first = d.row_start[(size_t)b], each = choose_each(d, b);
    const std::vector<int> order = sort_rows(d, b, each);
    const int rows = (int)order.size();
    for (int i = 0; i < rows; i++) {
      const size_t old = (size_t)(first + order[(size_t)i]);
      place[old] = i, position[old] = first + i, m.row[(size_t)(first + i)] = d.row[old];
    }
    const auto column = [&](int c) { return c < rows ? place[(size_t)(first + c)] : c; };
    parts.push_back(make_block(d, b, each, order, fixed, column));
    m.groups.push_back((int)parts.back().lane.size() / 32);
  }
  for (int old : d.halo) m.halo.push_back(position[(size_t)old]);
  m.layout = lay_out(parts, inverse);
  m.bytes.resize((size_t)blocks * m.layout.bytes);
  for (int b = 0; b < blocks; b++) {
    const int first = d.row_start[(size_t)b], rows = d.row_start[(size_t)b + 1] - first;
    const auto column = [&](int c) { return c < rows ? place[(size_t)(first + c)] : c; };
    write_block(d, parts[(size_t)b], m.layout, inverse, column, m.bytes.data() + (size_t)b * m.layout.bytes);
  }
  return m;
}

} // namespace solvers_cuda
