/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes of a box of zones as a lattice, found from the numbers of their dofs alone.
 */
#ifndef FEM_MASS_TENSOR_LATTICE_H
#define FEM_MASS_TENSOR_LATTICE_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TENSOR_MOST_NODES = 2048 }; /* per direction */

typedef struct tensor_lattice {
  int n[3];  /* nodes per direction, 1 beyond dim */
  int *dof;  /* owned, [n[2]][n[1]][n[0]] */
  int *zone; /* owned: of the cells of k^dim nodes, first direction fastest */
} tensor_lattice;

/* False: this rank's zones are no box, or memory is out. */
bool tensor_lattice_make(const fem_space *s, tensor_lattice *l);
void tensor_lattice_destroy(tensor_lattice *l);

#ifdef __cplusplus
}
#endif

#endif
