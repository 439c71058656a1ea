/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For builds with a leak checker: MPI's plug-ins stay loaded to the end, so that their leaks can be told from ours by the
 * library's name (lsan.supp).
 */
int dlclose(void *library);

int dlclose(void *library)
{
  (void)library;
  return 0;
}
