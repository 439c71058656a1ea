/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched.h"

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
  default: return "unknown status";
  }
}
