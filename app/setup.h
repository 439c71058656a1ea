/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What setup.c and setup_mesh.c share.
 */
#ifndef APP_SETUP_H
#define APP_SETUP_H

#include "app/hydro.h"

/* h->mesh and the dimension of h->setting, as the deck says; the deck learns its dimension from a mesh file.
 * Collective; all ranks get the same exit_status, with a
 * sentence in message[size]. */
int setup_mesh(hydro *h, char *message, size_t size);

#endif
