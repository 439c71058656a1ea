/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of this machine.  Linux gives out more than there is, and kills who uses it; a limit makes an allocation
 * fail instead, and a run that is too large ends with a sentence.
 */
#ifndef APP_MEMORY_H
#define APP_MEMORY_H

#include <stddef.h>

/* Bytes that processes here can still get: what the machine has available, swap included, or its control groups allow.
 * INFINITY where the system does not say.  root is "", or a folder that stands for the root of the file system. */
double memory_left(const char *root);

/* From here on this process gets so many bytes more, and then its allocations fail.  Never raises a limit. */
void memory_limit(double bytes);

/* The bytes of data that the limit allows this process in all; INFINITY: there is none. */
double memory_allowed(void);

/* Behind a sentence on a lack of memory: what a rank can have here, where there is a limit. */
void memory_add_limit(char *message, size_t size);

/* Writes the sentence of a set-up for which there is too little; returns STATUS_MACHINE. */
int memory_refuse_setup(char *message, size_t size);

/* Lets the stack of the main thread grow to so many bytes, or as far as the user may let it; the bytes that it can
 * have. */
double memory_raise_stack(double bytes);

#endif
