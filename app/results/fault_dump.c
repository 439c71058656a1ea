/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run that fails leaves behind: the last good state, to look at and to go on from.
 */
#include <inttypes.h>
#include <stdio.h>

#include "app/checkpoint/checkpoint.h"
#include "app/results/fault.h"
#include "app/results/fields.h"

static int dump_fields(hydro *h, const output_run *run, char *message, size_t size)
{
  output_series *series = NULL;
  int status = output_create(&series, h->deck->output.directory, "fault", run, 0, message, size);
  if (!status) status = fields_write(h, series, message, size);
  output_destroy(&series);
  return status;
}

int fault_dump(hydro *h, const output_run *run, char *message, size_t size)
{
  char path[CHECKPOINT_PATH];
  snprintf(path, sizeof path, "%s/fault_%06" PRId64 ".h5", h->deck->output.directory, h->steps);
  int status = checkpoint_save(h, run, path, message, size);
  if (!status) status = dump_fields(h, run, message, size);
  if (!status)
    snprintf(message, size, "the state before it is in %s, for --restart, and in the .vtkhdf beside it", path);
  return status;
}
