/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's plug-ins stay loaded to the end.  First, so that a leak checker can tell their leaks from ours by the library's
 * name (lsan.supp).  Second, Open MPI 4.1 unloads its PMIx client while a late callback of it may still run; in
 * programs that end as soon as they began, on a busy machine, about one in 500 dies of that.
 */
int dlclose(void *library);

int dlclose(void *library)
{
  (void)library;
  return 0;
}
