/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory of a node, for ranks that are all on it: each writes its piece, and reads those of others.
 */
#ifndef MESH_NODE_MEMORY_H
#define MESH_NODE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

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

/* A piece may begin with a number, which its rank raises when the others may read what it has written behind
 * NODE_MEMORY_LINE bytes, and which they wait for.  Not collective. */
enum { NODE_MEMORY_LINE = 64 };
void node_memory_raise(const node_memory *b, int rank, uint64_t number);
void node_memory_await(const node_memory *b, int rank, uint64_t least);
double *node_memory_room(const node_memory *b, int rank);

#ifdef __cplusplus
}
#endif

#endif
