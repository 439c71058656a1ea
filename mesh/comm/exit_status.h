/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exit statuses of the program, which also are what functions of mesh, fem and app return where they fail.  They are
 * ordered: of several ranks' statuses the highest counts, see comm_worst.
 */
#ifndef MESH_EXIT_STATUS_H
#define MESH_EXIT_STATUS_H

enum exit_status {
  STATUS_OK = 0,     /* done, or stopped on request */
  STATUS_RUN = 1,    /* the state allows no step, or the energy balance is lost */
  STATUS_INPUT = 2,  /* the command line, the deck or a file that it names is wrong */
  STATUS_MACHINE = 3 /* out of memory, a file can't be written, no GPU */
};

#endif
