/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was built, and how; version.c is written by version.cmake at every build, build.c at configuration.
 */
#ifndef APP_VERSION_H
#define APP_VERSION_H

extern const char app_version[]; /* "0.1.0" */
extern const char app_git[];     /* the commit, with "-dirty" behind it if files differ; "unknown" outside a checkout */
extern const char app_compiler[]; /* "GNU 12.2.0" */
extern const char app_flags[];    /* of C files */
extern const char app_cuda[];     /* version of nvcc; "": there are no kernels for GPUs */

#endif
