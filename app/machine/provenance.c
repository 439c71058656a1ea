/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/provenance.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "app/files/hdf.h"
#include "app/machine/machine.h"
#include "app/version.h"
#include "batched/batched.h"
#include "mesh/comm/comm.h"

static void add(char *text, size_t size, const char *more, size_t length)
{
  const size_t n = strlen(text);
  snprintf(text + n, size - n, "%.*s", (int)length, more);
}

void provenance_add_word(char *text, size_t size, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:@%+-";
  if (*text) add(text, size, " ", 1);
  if (*word && word[strspn(word, plain)] == '\0') {
    add(text, size, word, strlen(word));
    return;
  }
  add(text, size, "'", 1);
  for (const char *quote; (quote = strchr(word, '\'')); word = quote + 1) {
    add(text, size, word, (size_t)(quote - word));
    add(text, size, "'\\''", 4);
  }
  add(text, size, word, strlen(word));
  add(text, size, "'", 1);
}

/* The command line as the system keeps it: MPI may take words out of argv, and getopt permutes them. */
static void find_command(char *text, size_t size)
{
  char words[4096];
  FILE *from = fopen("/proc/self/cmdline", "r");
  const size_t n = from ? fread(words, 1, sizeof words - 1, from) : 0;
  if (from) fclose(from);
  words[n] = '\0';
  text[0] = '\0';
  for (size_t i = 0; i < n; i += strlen(words + i) + 1) provenance_add_word(text, size, words + i);
}

static void find_system(provenance *p)
{
  struct utsname names;
  if (uname(&names)) return;
  snprintf(p->host, sizeof p->host, "%s", names.nodename);
  snprintf(p->system, sizeof p->system, "%.60s %.100s %.60s", names.sysname, names.release, names.machine);
}

void provenance_find(provenance *p)
{
  *p = (provenance){.compiler = app_compiler, .flags = app_flags, .cuda = app_cuda};
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(p->date, sizeof p->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  find_command(p->command, sizeof p->command);
  find_system(p);
  machine_name(p->processor, sizeof p->processor);
  p->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  comm_describe(p->mpi, sizeof p->mpi);
  batched_describe_blas(p->blas, sizeof p->blas);
  hdf_describe(p->hdf5, sizeof p->hdf5);
  int64_t nodes = comm_local_rank() == 0;
  comm_sum_int64(&nodes, 1);
  p->nodes = (int)nodes;
}
