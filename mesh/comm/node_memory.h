/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A board: memory of one machine that all ranks of a run see, where each leaves what others read, without messages.
 */
#ifndef MESH_BOARD_H
#define MESH_BOARD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rank r's piece is at base + r * piece. */
typedef struct board {
  char *base;   /* owned; NULL: there is none */
  size_t piece; /* bytes of a piece: a multiple of BOARD_PAGE */
  size_t bytes; /* of all */
} board;

enum { BOARD_PAGE = 4096 };

/* Collective; room for `bytes` bytes of this rank, zeros.  No board, on any rank, where the ranks don't share a
 * machine's memory. */
void board_create(board *b, size_t bytes);
/* Not collective: others keep theirs. */
void board_destroy(board *b);

#ifdef __cplusplus
}
#endif

#endif
