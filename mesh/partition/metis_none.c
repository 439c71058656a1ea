/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In place of metis.c where METIS is not installed.
 */
#include "mesh/partition/partition.h"

int mesh_partition_metis(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank)
{
  (void)share, (void)c, (void)subdivision, (void)nranks, (void)rank;
  return -1;
}
