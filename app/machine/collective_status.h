/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_COLLECTIVE_STATUS_H
#define APP_COLLECTIVE_STATUS_H

#include <stddef.h>

/* Collective: the worst status of all ranks, and in message[size] of each the sentence of the lowest rank that has it.
 * All ranks pass the same size. */
int collective_status(int status, char *message, size_t size);

#endif
