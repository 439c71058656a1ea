/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles as CSV.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"
#include "app/files/output.h"
#include "app/files/output_list.h"
#include "app/machine/collective_status.h"
#include "mesh/comm/comm.h"

static bool write_rows(const char *path, const char *name, int64_t n, const double *r, const double *density,
                       const double *exact)
{
  FILE *to = comm_rank() == 0 ? file_create(path) : file_append(path);
  if (!to) return false;
  if (comm_rank() == 0) fprintf(to, "%s,density%s\n", name, exact ? ",exact" : "");
  for (int64_t i = 0; i < n; ++i)
    if (exact)
      fprintf(to, "%.17g,%.17g,%.17g\n", r[i], density[i], exact[i]);
    else
      fprintf(to, "%.17g,%.17g\n", r[i], density[i]);
  const bool written = !ferror(to);
  return fclose(to) == 0 && written;
}

int output_profile(const char *path, const char *name, int64_t n, const double *r, const double *density,
                   const double *exact, char *message, size_t size)
{
  char temporary[OUTPUT_PATH + 32], tag[FILE_TAG];
  if (comm_rank() == 0) file_draw_tag(tag);
  comm_broadcast(tag, sizeof tag, 0);
  file_temporary(temporary, sizeof temporary, path, tag);
  comm_turn_begin(comm_size());
  bool good = write_rows(temporary, name, n, r, density, exact);
  int error = errno;
  comm_turn_end(comm_size());
  snprintf(message, size, "cannot write the profile '%s': %s", path, file_explain(error));
  int status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  if (!status && comm_rank() == 0) {
    good = file_publish(temporary, path) == 0;
    snprintf(message, size, "cannot write the profile '%s': %s", path, file_explain(errno));
  }
  if (!status) status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  if (status && comm_rank() == 0) unlink(temporary);
  return status;
}
