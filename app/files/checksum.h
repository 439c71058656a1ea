/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A seal at the end of a file: its length and a checksum, CRC-64/XZ (ECMA-182, reflected).  HDF5 does not look behind
 * its own end, so a sealed file stays an HDF5 file; HDF5 itself would read most damaged files without a word.
 */
#ifndef APP_CHECKSUM_H
#define APP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of more bytes after those whose checksum is `crc`, 0 before the first. */
uint64_t checksum_add(uint64_t crc, const void *data, size_t bytes);

/* Appends the seal.  Returns 0, or errno. */
int checksum_seal(const char *path);

typedef enum checksum_verdict {
  CHECKSUM_GOOD,
  CHECKSUM_UNREADABLE, /* errno says why */
  CHECKSUM_NO_SEAL,    /* another kind of file, or its end is missing */
  CHECKSUM_DAMAGED
} checksum_verdict;

checksum_verdict checksum_verify(const char *path);

#endif
