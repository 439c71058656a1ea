! SPDX-License-Identifier: BSD-3-Clause
!
! A program outside of this tree, in Fortran: factors and solves two systems on the host.
module batched
  use iso_c_binding
  enum, bind(c) ! batched_type
    enumerator :: batched_s, batched_d, batched_c, batched_z
  end enum
  type, bind(c) :: batched_matrix
    type(c_ptr) :: data, array = c_null_ptr
    integer(c_int) :: type, m, n, ld
    integer(c_int64_t) :: stride, count
    type(c_ptr) :: ms = c_null_ptr, ns = c_null_ptr, lds = c_null_ptr
  end type
  interface
    integer(c_int) function batched_create(ctx, space) bind(c)
      import
      type(c_ptr) :: ctx
      integer(c_int), value :: space
    end function
    integer(c_int) function batched_posv(ctx, uplo, a, b, info) bind(c)
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: uplo
      type(batched_matrix), value :: a, b
      integer(c_int) :: info(*)
    end function
    subroutine batched_destroy(ctx) bind(c)
      import
      type(c_ptr) :: ctx
    end subroutine
  end interface
end module

program solve
  use batched
  real(c_double), target :: a(2, 2, 2) = reshape([4, 2, 2, 10, 9, 3, 3, 5], [2, 2, 2]), b(2, 2) = reshape([8, 22, 12, 8], [2, 2])
  type(c_ptr) :: ctx
  integer(c_int) :: info(2)
  if (batched_create(ctx, 0) /= 0) stop 1
  if (batched_posv(ctx, 0, batched_matrix(data=c_loc(a), type=batched_d, m=2, n=2, ld=2, stride=4_8, count=2_8), &
                   batched_matrix(data=c_loc(b), type=batched_d, m=2, n=1, ld=2, stride=2_8, count=2_8), info) /= 0) stop 1
  call batched_destroy(ctx)
  print '(4(i0, :, " "))', nint(b)
end program
