/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that ranks share, where HDF5 was built with MPI, whose mpi.h comes with hdf5.h.  Each rank opens the file for
 * itself, by MPI-IO, since in a collective call the others would wait for a rank that failed.  What it changes are rows
 * of its own only, and the file's first bytes, which each writes as they are.
 */
#include "app/files/hdf.h"

#include <stdlib.h>

/* Before main, thus before MPI starts: HDF5 that finds MPI running has MPI_Finalize close its files, also one that it
 * could not write, and crashes on that.  See hdf_open.  Open MPI is told to keep pointers that ranks share, which
 * nobody uses, anywhere but in a semaphore named after the file: when a run dies while it opens one, others with that
 * name wait for it for ever. */
__attribute__((constructor)) static void start_before_mpi(void)
{
  setenv("OMPI_MCA_sharedfp", "^sm", 0);
  H5dont_atexit();
  H5open();
}

bool hdf_shares(void)
{
  return true;
}

hid_t hdf_share_access(void)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0 || H5Pset_fapl_mpio(access, MPI_COMM_SELF, MPI_INFO_NULL) >= 0) return access;
  H5Pclose(access);
  return -1;
}
