/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Undoes the macros of lanes.h, at the end of a body.
 */
#undef VEC
#undef MASK
#undef W
#undef ELEM
#undef RE
#undef TILE
