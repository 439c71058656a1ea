/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes of one rank that are images of one node of a periodic mesh.
 */
#ifndef MESH_IMAGES_H
#define MESH_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct halo_images {
  int nfirsts;      /* ids that several nodes have */
  int *first;       /* owned, [nfirsts]: the first node with the id, ascending */
  int *start;       /* owned, [nfirsts + 1]: into image */
  int *image;       /* owned, [start[nfirsts]]: the others, ascending for each */
  int nkept;        /* nodes that are no images of another */
  int *kept;        /* owned, [nkept] */
  int64_t *kept_id; /* owned, [nkept]: ids of those */
} halo_images;

/* From the ids [n] of nodes; all zero where they are distinct.  False: memory is out.  To be freed in any case. */
bool halo_images_find(halo_images *m, int n, const int64_t *id);
void halo_images_free(halo_images *m);

/* Images in all. */
static inline int halo_images_count(const halo_images *m)
{
  return m->nfirsts ? m->start[m->nfirsts] : 0;
}

/* In x [ncomp][n] adds the images to their first, in this order; gives the images what the first has. */
void halo_images_fold(const halo_images *m, int ncomp, size_t n, double *x);
void halo_images_spread(const halo_images *m, int ncomp, size_t n, double *x);
/* Gives the first the largest that it or an image of it has in x [n]. */
void halo_images_max(const halo_images *m, double *x);

#endif
