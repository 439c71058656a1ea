/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which BLAS and LAPACK the rows `vendor.*` of the host call: known when the program runs, as a system may put another
 * one in the place of that which was linked.
 */
#ifndef BATCHED_HOST_VENDOR_LIBRARY_H
#define BATCHED_HOST_VENDOR_LIBRARY_H

#include "batched/batched.h" /* batched_describe_blas */

/* True for netlib's reference BLAS, which is tuned for no machine, and for OpenBLAS with kernels for a processor
 * without AVX, which it takes on one newer than itself.  Rows then replace it that are slower than a tuned vendor's. */
bool batched_vendor_is_untuned(void);

/* True for such an OpenBLAS, whose rows are still faster for single matrices; those of a reference BLAS are not. */
bool batched_vendor_is_for_older_processors(void);

/* True for OpenBLAS with kernels for a processor before SSE4.2, and an order above 64.  Its trtri of lower triangles
 * (0.3.21) hands trsm a block that is not aligned to 16 bytes, which ends the program at some orders from 135 on; up to
 * 64 it does not call trsm. */
bool batched_vendor_fails_in_trtri(int order);

/* From now on OpenBLAS works on the calling thread alone, as the context does, unless the environment names a number of
 * threads (OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS, OMP_NUM_THREADS).  Of the whole process: for a program to decide. */
void batched_vendor_use_one_thread(void);

#endif
