/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In place of hdf_parallel.c where HDF5 was built without MPI: one rank at a time has a file open.
 */
#include "app/files/hdf.h"

bool hdf_shares(void)
{
  return false;
}

hid_t hdf_share_access(void)
{
  return -1;
}
