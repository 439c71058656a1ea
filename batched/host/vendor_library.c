/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which BLAS and LAPACK the vendor rows call, and whether it knows this processor.
 */
#define _GNU_SOURCE
#include "batched/host/vendor_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the libraries of this process, or of one that they need; NULL: there is none of that name. */
static void *find(const char *name)
{
  return dlsym(RTLD_DEFAULT, name);
}

/* The file that a function comes from, without its folder and what follows ".so": "libblas"; "" where it can't be told,
 * as in a program without shared libraries. */
static void file_of(const char *function, char *name, size_t size)
{
  Dl_info info;
  void *at = find(function);
  name[0] = '\0';
  if (!at || !dladdr(at, &info) || !info.dli_fname) return;
  const char *slash = strrchr(info.dli_fname, '/'), *base = slash ? slash + 1 : info.dli_fname;
  const char *end = strstr(base, ".so");
  if (end) snprintf(name, size, "%.*s", (int)(end - base), base);
}

/* The processor that OpenBLAS has chosen its kernels for; NULL: it does not say. */
static const char *openblas_core(void)
{
  char *(*core)(void);
  *(void **)&core = find("openblas_get_corename");
  return core ? core() : NULL;
}

/* A processor newer than the library gets the kernels of the oldest one, without AVX.  Which one to ask for; NULL: its
 * kernels are made for this one, or for something like it. */
static const char *better_openblas_core(void)
{
#if defined(__x86_64__)
  const char *core = openblas_core();
  if (core && (strcmp(core, "Prescott") == 0 || strcmp(core, "Generic") == 0))
    return __builtin_cpu_supports("avx512vl") ? "SkylakeX" : __builtin_cpu_supports("avx2") ? "Haswell" : NULL;
#endif
  return NULL;
}

/* "OpenBLAS 0.3.21 DYNAMIC_ARCH ..." -> "OpenBLAS 0.3.21 (Zen)" */
static bool describe_openblas(char *text, size_t size)
{
  char *(*config)(void);
  const char *core = openblas_core(), *better = better_openblas_core();
  *(void **)&config = find("openblas_get_config");
  if (!config) return false;
  const char *all = config();
  const size_t name = strcspn(all, " "), words = name + (all[name] ? 1 + strcspn(all + name + 1, " ") : 0);
  snprintf(text, size, "%.*s", (int)words, all);
  size_t n = strlen(text);
  if (core) snprintf(text + n, size - n, " (%s)", core);
  n = strlen(text);
  if (better) snprintf(text + n, size - n, ", which is slow here without OPENBLAS_CORETYPE=%s", better);
  return true;
}

static bool describe_mkl(char *text, size_t size)
{
  void (*version)(char *, int);
  *(void **)&version = find("MKL_Get_Version_String");
  if (!version) return false;
  version(text, (int)size);
  text[strcspn(text, "\n")] = '\0';
  return true;
}

static bool describe_blis(char *text, size_t size)
{
  const char *(*version)(void);
  *(void **)&version = find("bli_info_get_version_str");
  if (!version) return false;
  snprintf(text, size, "BLIS %s", version());
  return true;
}

/* Files of the reference BLAS, its C interface, and GSL's, which is as slow.  Other libraries that use these names have
 * been asked for theirs before. */
static bool is_reference_file(const char *name)
{
  static const char *const names[] = {"libblas", "libcblas", "libgslcblas", "librefblas"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

bool batched_vendor_is_for_older_processors(void)
{
  return better_openblas_core() != NULL;
}

bool batched_vendor_is_untuned(void)
{
  static const char *const tuned[] = {"openblas_get_config", "MKL_Get_Version_String", "bli_info_get_version_str",
                                      "ATL_buildinfo"};
  char name[64];
  if (better_openblas_core()) return true;
  for (size_t i = 0; i < sizeof tuned / sizeof *tuned; i++)
    if (find(tuned[i])) return false;
  file_of("cblas_dgemm", name, sizeof name);
  return is_reference_file(name);
}

bool batched_vendor_fails_in_trtri(int order)
{
  static const char *const old[] = {"Katmai",  "Coppermine", "Northwood",  "Prescott", "Banias",
                                    "Core2",   "Penryn",     "Dunnington", "Atom",     "Athlon",
                                    "Opteron", "Nano",       "Bobcat",     "Barcelona"};
  const char *core = order > 64 ? openblas_core() : NULL;
  for (size_t i = 0; core && i < sizeof old / sizeof *old; i++)
    if (strncmp(core, old[i], strlen(old[i])) == 0) return true; /* Opteron_SSE3, too */
  return false;
}

void batched_vendor_use_one_thread(void)
{
  static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"};
  void (*set)(int);
  *(void **)&set = find("openblas_set_num_threads");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i])) return;
  if (set) set(1);
}

const char *batched_describe_blas(char *text, size_t size)
{
  char name[64];
  if (describe_openblas(text, size) || describe_mkl(text, size) || describe_blis(text, size)) return text;
  file_of("cblas_dgemm", name, sizeof name);
  if (find("ATL_buildinfo"))
    snprintf(text, size, "ATLAS");
  else if (is_reference_file(name))
    snprintf(text, size, "netlib's reference BLAS (%s), which is slow", name);
  else
    snprintf(text, size, "%s", name[0] ? name : BATCHED_CBLAS_NAME);
  return text;
}
