/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where, when and of what a run is made, for its report.
 */
#ifndef APP_PROVENANCE_H
#define APP_PROVENANCE_H

#include <stddef.h>

typedef struct provenance {
  char date[32];       /* of the start, UTC: "2026-11-24T22:57:06Z" */
  char command[4096];  /* the words of the program, as a shell takes them; without those of mpiexec */
  char host[256];      /* of the first rank */
  int nodes;           /* machines that ranks are on */
  char system[256];    /* "Linux 6.1.0 x86_64" */
  char processor[128]; /* model name */
  int cores;           /* logical ones of this machine */
  char mpi[256], blas[128], hdf5[64];
  const char *compiler, *flags, *cuda; /* of this build; cuda: "" where it was left out */
} provenance;

/* Now, and here.  Collective. */
void provenance_find(provenance *p);

/* Appends a word to text[size] as a shell takes it, after a blank unless it is the first. */
void provenance_add_word(char *text, size_t size, const char *word);

#endif
