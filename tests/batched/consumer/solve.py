# SPDX-License-Identifier: BSD-3-Clause
#
# solve.py LIBRARY: a program outside of this tree, in Python: factors and solves two systems on the host, by the shared
# library (BUILD_SHARED_LIBS=ON).
import ctypes
import sys
from ctypes import c_double, c_int, c_int64, c_void_p


class Matrix(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("array", c_void_p), ("type", c_int), ("m", c_int), ("n", c_int), ("ld", c_int),
                ("stride", c_int64), ("count", c_int64), ("ms", c_void_p), ("ns", c_void_p), ("lds", c_void_p)]


batched = ctypes.CDLL(sys.argv[1])
batched.batched_posv.argtypes = [c_void_p, c_int, Matrix, Matrix, c_void_p]
a, b = (c_double * 8)(4, 2, 2, 10, 9, 3, 3, 5), (c_double * 4)(8, 22, 12, 8)
ctx, info = c_void_p(), (c_int * 2)()
LOWER, D = 0, 1
if batched.batched_create(ctypes.byref(ctx), 0):
    sys.exit("no context")
status = batched.batched_posv(ctx, LOWER, Matrix(ctypes.addressof(a), None, D, 2, 2, 2, 4, 2),
                              Matrix(ctypes.addressof(b), None, D, 2, 1, 2, 2, 2), info)
batched.batched_destroy(ctypes.byref(ctx))
print(status, *[round(x) for x in b])
