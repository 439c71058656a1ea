/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for the driver's library: one GPU, which takes 2500 mJ between one question and the next.
 */
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);

static unsigned long long energy = 1000000;

int nvmlInit_v2(void)
{
  return 0;
}

int nvmlShutdown(void)
{
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
  *device = &energy;
  return strcmp(bus_id, "0000:41:00.0") == 0 ? 0 : 6; /* not found */
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
  *millijoules = energy += 2500;
  return device == &energy ? 0 : 2; /* invalid argument */
}
