/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_CORE_WAIT_H
#define APP_CORE_WAIT_H

/* Seconds since this thread began in which it could have run and had no core, as others used them (Linux's schedstat);
 * -1 where the system does not tell. */
double core_wait_seconds(void);

#endif
