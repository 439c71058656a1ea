/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/machine.h"

#include <stdio.h>
#include <string.h>

void machine_name(char *name, size_t size)
{
  snprintf(name, size, "unknown processor");
  FILE *info = fopen("/proc/cpuinfo", "r");
  if (!info) return;
  char line[512];
  while (fgets(line, sizeof line, info)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
    name[strcspn(name, "\n")] = '\0';
    break;
  }
  fclose(info);
}
