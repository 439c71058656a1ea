/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "batched/check.h"
#include "batched/context.h"

const char *batched_strerror(int status)
{
  static const char *const bad_argument[] = {
    "an argument is wrong",       "the 1st argument is wrong",  "the 2nd argument is wrong",
    "the 3rd argument is wrong",  "the 4th argument is wrong",  "the 5th argument is wrong",
    "the 6th argument is wrong",  "the 7th argument is wrong",  "the 8th argument is wrong",
    "the 9th argument is wrong",  "the 10th argument is wrong", "the 11th argument is wrong",
    "the 12th argument is wrong", "the 13th argument is wrong", "the 14th argument is wrong",
  };
  int last = (int)(sizeof bad_argument / sizeof *bad_argument) - 1;
  if (status < 0) return bad_argument[status >= -last ? -status : 0];
  switch (status) {
  case BATCHED_SUCCESS: return "success";
  case BATCHED_NO_MEMORY: return "out of memory";
  case BATCHED_NO_VARIANT: return "no such variant in this backend";
  case BATCHED_DOES_NOT_FIT: return "the chosen variant can't do this shape";
  case BATCHED_NO_DEVICE: return "no CUDA device, no driver, or CUDA was not built";
  case BATCHED_DEVICE_FAILED: return "a CUDA call failed";
  case BATCHED_NO_KERNELS: return "this library was not built for the GPU's architecture";
  default: return "unknown status";
  }
}

/* The unit that makes a number of bytes readable. */
static const char *unit_of(size_t bytes, double *scale)
{
  static const char *const units[] = {"bytes", "kB", "MB", "GB"};
  int i = 0;
  for (*scale = 1; i < 3 && (double)bytes >= 999.5 / *scale; i++) *scale *= 1e-3;
  return units[i];
}

/* "12.3 GB were asked for, 4.5 of 79.2 GB are free" */
static void explain_memory(const batched_ctx *ctx, char *text, size_t size)
{
  double scale;
  const char *unit = unit_of(ctx->refused, &scale);
  const bool device = ctx->space == BATCHED_CUDA;
  const int used = snprintf(text, size, "out of %smemory: %.3g %s were asked for", device ? "GPU " : "",
                            scale * (double)ctx->refused, unit);
  size_t free = 0, all = 0;
  if (device) batched_cuda_memory(&free, &all);
  if (all > 0 && used > 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, ", %.3g of %.3g GB are free", 1e-9 * (double)free, 1e-9 * (double)all);
}

const char *batched_explain(const batched_ctx *ctx, int status, char *text, size_t size)
{
  const char *sentence = batched_strerror(status);
  const char *failure = status == BATCHED_DEVICE_FAILED ? batched_cuda_failure() : "";
  if (status < 0 || status == BATCHED_DOES_NOT_FIT) failure = batched_refusal();
  if (status == -1) failure = "the context is NULL";
  if (status == BATCHED_NO_DEVICE) batched_cuda_count(&sentence);
  const bool refused = status == BATCHED_NO_MEMORY && ctx && ctx->refused > 0;
  if (refused && ctx->refused_in_capture)
    snprintf(text, size, "workspace has to be there before a CUDA graph is captured: make the same call once before");
  else if (refused)
    explain_memory(ctx, text, size);
  else
    snprintf(text, size, "%s%s%s", sentence, *failure ? ": " : "", failure);
  return text;
}
