/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/checksum.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/file_new.h"

enum { SLICES = 8, CHUNK = 1 << 20 };

/* The seal: mark, bytes before it, their checksum; little-endian. */
enum { SEAL = 24 };
static const char mark[8] = "SHOCKSUM";

/* Eight bytes at a time: table[s][b] is what byte b contributes s bytes later. */
static void fill_table(uint64_t table[SLICES][256])
{
  for (unsigned b = 0; b < 256; b++) {
    uint64_t crc = b;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xc96c5795d7870f42u : 0);
    table[0][b] = crc;
  }
  for (unsigned b = 0; b < 256; b++)
    for (int s = 1; s < SLICES; s++) table[s][b] = table[s - 1][b] >> 8 ^ table[0][table[s - 1][b] & 0xff];
}

uint64_t checksum_add(uint64_t crc, const void *data, size_t bytes)
{
  static uint64_t table[SLICES][256];
  if (!table[0][1]) fill_table(table);
  const unsigned char *p = data;
  crc = ~crc;
  for (; bytes >= SLICES; bytes -= SLICES, p += SLICES) {
    uint64_t next = 0;
    for (int s = 0; s < SLICES; s++) next ^= table[SLICES - 1 - s][p[s] ^ (crc >> 8 * s & 0xff)];
    crc = next;
  }
  for (; bytes > 0; bytes--, p++) crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
  return ~crc;
}

static void put_number(unsigned char *to, uint64_t x)
{
  for (int i = 0; i < 8; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t get_number(const unsigned char *from)
{
  uint64_t x = 0;
  for (int i = 0; i < 8; i++) x |= (uint64_t)from[i] << 8 * i;
  return x;
}

/* The checksum of the next `bytes` bytes of a file; *read: how many of them could be read, 0 if memory is out. */
static uint64_t crc_of(FILE *from, uint64_t bytes, uint64_t *read)
{
  unsigned char *chunk = malloc(CHUNK);
  uint64_t crc = 0;
  *read = 0;
  if (!chunk) return 0;
  while (*read < bytes) {
    const size_t want = bytes - *read < CHUNK ? (size_t)(bytes - *read) : CHUNK;
    const size_t got = fread(chunk, 1, want, from);
    crc = checksum_add(crc, chunk, got);
    *read += got;
    if (got < want) break;
  }
  free(chunk);
  return crc;
}

int checksum_seal(const char *path)
{
  unsigned char seal[SEAL];
  uint64_t bytes;
  errno = 0;
  if (file_look(path)) return file_look(path);
  FILE *file = fopen(path, "r+b");
  if (!file) return errno;
  const uint64_t crc = crc_of(file, UINT64_MAX, &bytes); // to the end
  memcpy(seal, mark, sizeof mark);
  put_number(seal + 8, bytes);
  put_number(seal + 16, crc);
  /* between reading and writing a stream has to be positioned; what was not read to its end is not sealed */
  const bool read = !ferror(file) && fseeko(file, 0, SEEK_END) == 0 && (uint64_t)ftello(file) == bytes;
  const bool good = read && fwrite(seal, 1, SEAL, file) == SEAL;
  const int reason = good ? 0 : errno ? errno : EIO;
  if (fclose(file) && !reason) return errno ? errno : EIO;
  return reason;
}

static checksum_verdict verify(FILE *file)
{
  unsigned char seal[SEAL];
  uint64_t read;
  if (fseeko(file, -SEAL, SEEK_END)) return CHECKSUM_NO_SEAL; // shorter than a seal
  const uint64_t bytes = (uint64_t)ftello(file);
  if (fread(seal, 1, SEAL, file) != SEAL) return ferror(file) ? CHECKSUM_UNREADABLE : CHECKSUM_NO_SEAL; // /dev/null
  if (memcmp(seal, mark, sizeof mark) != 0 || get_number(seal + 8) != bytes) return CHECKSUM_NO_SEAL;
  if (fseeko(file, 0, SEEK_SET)) return CHECKSUM_UNREADABLE;
  const uint64_t crc = crc_of(file, bytes, &read);
  if (read != bytes) return CHECKSUM_UNREADABLE;
  return crc == get_number(seal + 16) ? CHECKSUM_GOOD : CHECKSUM_DAMAGED;
}

checksum_verdict checksum_verify(const char *path)
{
  FILE *file = file_open(path, true);
  if (!file) return errno >= FILE_IS_LINK ? CHECKSUM_NO_SEAL : CHECKSUM_UNREADABLE; // a device or a pipe
  const checksum_verdict verdict = verify(file);
  const int reason = errno;
  fclose(file);
  errno = reason;
  return verdict;
}
