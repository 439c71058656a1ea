/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_MACHINE_H
#define APP_MACHINE_H

#include <stddef.h>

/* The model of this machine's processor, as the system names it. */
void machine_name(char *name, size_t size);

#endif
