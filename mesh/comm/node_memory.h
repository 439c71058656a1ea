/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory of a node, for ranks that are all on it: each writes its piece, and reads those of others.
 */
#ifndef MESH_NODE_MEMORY_H
#define MESH_NODE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rank r's piece is at base + r * piece. */
typedef struct node_memory {
  char *base;   /* owned; NULL: there is none */
  size_t piece; /* bytes of a piece: a multiple of NODE_MEMORY_PAGE */
  size_t bytes; /* of all */
} node_memory;

enum { NODE_MEMORY_PAGE = 4096 };

/* Collective; room for `bytes` bytes of this rank, zeros.  base is NULL, on all ranks, where the ranks don't share a
 * machine's memory. */
void node_memory_create(node_memory *b, size_t bytes);
/* Not collective: others keep theirs. */
void node_memory_destroy(node_memory *b);

#ifdef __cplusplus
}
#endif

#endif
