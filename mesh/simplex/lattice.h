/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lattice of order k on a simplex of dimension e.  A node has barycentric indices m_0, ..., m_e of sum k; nodes are
 * counted by m_1, ..., m_e, of which m_1 is the fastest.
 */
#ifndef MESH_SIMPLEX_LATTICE_H
#define MESH_SIMPLEX_LATTICE_H

#include <stdbool.h>

/* Number of nodes: binomial(k + e, e). */
static inline int simplex_nodes(int e, int k)
{
  int n = 1;
  for (int i = 1; i <= e; i++) n = n * (k + i) / i;
  return n;
}

/* The number of the node m. */
static inline int simplex_place(int e, int k, const int *m)
{
  int place = 0;
  for (int d = e; d > 0; d--) { // the nodes with a lower m_d, among those with the same m_(d+1), ...
    place += simplex_nodes(d, k) - simplex_nodes(d, k - m[d]);
    k -= m[d];
  }
  return place;
}

/* From m to the next node; false after the last, where m is the first again: (k, 0, ..., 0). */
static inline bool simplex_next(int e, int *m)
{
  for (int d = 1; d <= e; d++) {
    if (m[0] > 0) {
      m[0]--, m[d]++;
      return true;
    }
    m[0] = m[d], m[d] = 0;
  }
  return false;
}

#endif
