/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was built; version.c is written by version.cmake at every build.
 */
#ifndef APP_VERSION_H
#define APP_VERSION_H

extern const char app_version[]; /* "0.1.0" */
extern const char app_git[];     /* the commit, with "-dirty" behind it if files differ; "unknown" outside a checkout */

#endif
