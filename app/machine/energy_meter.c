/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energy counters of processors and GPUs.
 */
#include "app/machine/energy_meter.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/variant.h" /* batched_seconds */

enum { MAX_PACKAGES = 32 };
static const double sample_every = 1.0; /* s; the counters take far longer to come round */

typedef struct package {
  char file[512];
  uint64_t range, last; /* microjoules; the counter comes round after `range` */
  double joules;
} package;

/* The few calls of NVML that are needed (nvml.h is not): 0 is success everywhere. */
typedef struct nvml_library {
  void *handle, *device;
  int (*shut_down)(void);
  int (*total_energy)(void *device, unsigned long long *millijoules);
} nvml_library;

struct energy_meter {
  int npackages;
  package packages[MAX_PACKAGES];
  bool lost; /* a counter that was there can't be read any more */
  double sampled;
  nvml_library nvml;
  unsigned long long gpu_start;
};

/* ------------------------------------------------------------------ powercap */

static bool read_counter(const char *path, uint64_t *value)
{
  FILE *file = fopen(path, "r");
  if (!file) return false; /* root's alone since Linux 5.10 */
  bool fine = fscanf(file, "%" SCNu64, value) == 1;
  fclose(file);
  return fine;
}

/* Packages contain cores and memory controller; "psys" and other zones would be counted twice. */
static bool is_package(const char *root, const char *zone)
{
  char path[512], name[16] = "";
  const char *colon = strchr(zone, ':');
  if (strncmp(zone, "intel-rapl:", 11) != 0 || strchr(colon + 1, ':')) return false;
  if (snprintf(path, sizeof path, "%s/%s/name", root, zone) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return read && strncmp(name, "package", 7) == 0;
}

static void add_package(energy_meter *m, const char *root, const char *zone)
{
  package *p = &m->packages[m->npackages];
  char range[512];
  int n = snprintf(range, sizeof range, "%s/%s/max_energy_range_uj", root, zone);
  int k = snprintf(p->file, sizeof p->file, "%s/%s/energy_uj", root, zone);
  if (n >= (int)sizeof range || k >= (int)sizeof p->file) return;
  if (!read_counter(range, &p->range)) p->range = 0;
  m->npackages++;
  m->lost = m->lost || !read_counter(p->file, &p->last); /* all packages or none */
}

static void find_packages(energy_meter *m, const char *root)
{
  DIR *folder = opendir(root);
  if (!folder) return;
  for (struct dirent *d; (d = readdir(folder)) && m->npackages < MAX_PACKAGES;)
    if (is_package(root, d->d_name)) add_package(m, root, d->d_name);
  closedir(folder);
}

static void sample(energy_meter *m)
{
  for (int i = 0; i < m->npackages && !m->lost; i++) {
    package *p = &m->packages[i];
    uint64_t now;
    if (!read_counter(p->file, &now)) {
      m->lost = true;
      return;
    }
    uint64_t step = now >= p->last ? now - p->last : p->range - p->last + now;
    if (now < p->last && p->range < p->last) step = now; /* came round, but where is unknown */
    p->joules += 1e-6 * (double)step;
    p->last = now;
  }
  m->sampled = batched_seconds();
}

/* ------------------------------------------------------------------ NVML */

/* dlsym's object pointer as a function pointer. */
static bool find_symbol(void *handle, const char *name, void *function)
{
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool open_nvml(nvml_library *l, const char *path, const char *bus_id)
{
  int (*init)(void);
  int (*find)(const char *bus_id, void **device);
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) return false;
  if (!find_symbol(l->handle, "nvmlInit_v2", &init) || !find_symbol(l->handle, "nvmlShutdown", &l->shut_down) ||
      !find_symbol(l->handle, "nvmlDeviceGetHandleByPciBusId_v2", &find) ||
      !find_symbol(l->handle, "nvmlDeviceGetTotalEnergyConsumption", &l->total_energy) || init() != 0) {
    l->shut_down = NULL;
    return false;
  }
  unsigned long long energy;
  return find(bus_id, &l->device) == 0 && l->total_energy(l->device, &energy) == 0;
}

static void close_nvml(nvml_library *l)
{
  if (l->shut_down) l->shut_down();
  if (l->handle) dlclose(l->handle);
  memset(l, 0, sizeof *l);
}

/* ------------------------------------------------------------------ the meter */

energy_meter *energy_meter_create(const energy_meter_source *source)
{
  energy_meter *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  find_packages(m, source->powercap ? source->powercap : "/sys/class/powercap");
  const char *library = source->nvml ? source->nvml : "libnvidia-ml.so.1";
  if (source->gpu_bus_id && !open_nvml(&m->nvml, library, source->gpu_bus_id)) close_nvml(&m->nvml);
  energy_meter_start(m);
  return m;
}

void energy_meter_destroy(energy_meter **m)
{
  if (*m) close_nvml(&(*m)->nvml);
  free(*m);
  *m = NULL;
}

void energy_meter_start(energy_meter *m)
{
  if (!m) return;
  sample(m);
  for (int i = 0; i < m->npackages; i++) m->packages[i].joules = 0;
  if (m->nvml.device && m->nvml.total_energy(m->nvml.device, &m->gpu_start) != 0) close_nvml(&m->nvml);
}

void energy_meter_sample(energy_meter *m)
{
  if (m && batched_seconds() - m->sampled >= sample_every) sample(m);
}

double energy_meter_cpu_joules(energy_meter *m)
{
  if (!m || m->npackages == 0) return -1;
  sample(m);
  double sum = 0;
  for (int i = 0; i < m->npackages; i++) sum += m->packages[i].joules;
  return m->lost ? -1 : sum;
}

double energy_meter_gpu_joules(energy_meter *m)
{
  unsigned long long now;
  if (!m || !m->nvml.device || m->nvml.total_energy(m->nvml.device, &now) != 0 || now < m->gpu_start) return -1;
  return 1e-3 * (double)(now - m->gpu_start);
}
