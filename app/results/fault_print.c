/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was found about a failed step, as a sentence and for the report.
 */
#include <stdio.h>

#include "app/files/json.h"
#include "app/results/fault.h"

static const char *const words[] = {[FAULT_NONE] = "no zone is to be blamed",
                                    [FAULT_SQUEEZED] = "lost most of its volume",
                                    [FAULT_INVERTED] = "is inverted",
                                    [FAULT_NAN] = "has a value that is not a number"};

void fault_print(const fault *f, char *text, size_t size)
{
  int n = snprintf(text, size, "step %lld from t = %.9g failed after %d cut%s to dt = %.3g: ", (long long)f->step,
                   f->time, f->cuts, f->cuts == 1 ? "" : "s", f->dt);
  if (n < 0 || (size_t)n >= size) return;
  if (f->kind == FAULT_NONE) {
    snprintf(text + n, size - (size_t)n, "%s", words[f->kind]);
    return;
  }
  char place[128] = "";
  for (int c = 0, m = 0; c < f->dim; c++)
    m += snprintf(place + m, sizeof place - (size_t)m, "%s%.6g", c ? ", " : "", f->position[c]);
  snprintf(
    text + n, size - (size_t)n,
    "zone %lld at (%s) %s in stage %d (smallest Jacobian %.3g); before the step it had density %.6g to %.6g, energy "
    "%.6g to %.6g, speed up to %.6g",
    (long long)f->zone, place, words[f->kind], f->stage, f->jacobian, f->density[0], f->density[1], f->energy[0],
    f->energy[1], f->speed);
}

static void write_numbers(json *j, const char *key, int n, const double *values)
{
  json_array(j, key);
  for (int i = 0; i < n; i++) json_number(j, NULL, values[i]);
  json_close(j);
}

void fault_write_json(const fault *f, json *j, const char *key)
{
  static const char *const kinds[] = {[FAULT_NONE] = "unknown",
                                      [FAULT_SQUEEZED] = "squeezed",
                                      [FAULT_INVERTED] = "inverted",
                                      [FAULT_NAN] = "not a number"};
  json_object(j, key);
  json_string(j, "kind", kinds[f->kind]);
  json_integer(j, "step", f->step);
  json_number(j, "time", f->time);
  json_number(j, "dt", f->dt);
  json_integer(j, "cuts", f->cuts);
  json_integer(j, "stage", f->stage);
  json_integer(j, "zone", f->kind == FAULT_NONE ? -1 : f->zone);
  write_numbers(j, "position", f->dim, f->position);
  json_number(j, "jacobian", f->jacobian);
  write_numbers(j, "density", 2, f->density);
  write_numbers(j, "energy", 2, f->energy);
  json_number(j, "speed", f->speed);
  json_close(j);
}
