! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Operations of the program: on a structure, and one whose order counts.
module operations
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: extreme
    real(c_double) :: smallest, largest
  end type
  type(MPI_Datatype) :: extremes
  logical, external :: on_tidings
contains
  subroutine spread(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    type(extreme), pointer :: in(:), inout(:)
    if (datatype /= extremes .and. on_tidings()) call MPI_Abort(MPI_COMM_WORLD, 9)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout%smallest = min(in%smallest, inout%smallest)
    inout%largest = max(in%largest, inout%largest)
  end subroutine

  ! Products of matrices of two rows and columns.
  subroutine multiply(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len, i
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:, :, :), inout(:, :, :)
    call c_f_pointer(invec, in, [2, 2, len])
    call c_f_pointer(inoutvec, inout, [2, 2, len])
    if (datatype == MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 9)
    do i = 1, len
      inout(:, :, i) = matmul(in(:, :, i), inout(:, :, i))
    end do
  end subroutine
end module

program own_operations
  use mpi_f08
  use operations
  implicit none
  integer :: rank, ranks, i, mine(2, 2), all(2, 2), expected(2, 2)
  logical :: commutes
  type(extreme) :: part(2), whole(2)
  type(MPI_Op) :: op
  type(MPI_Datatype) :: matrix

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, extremes)
  call MPI_Type_commit(extremes)
  call MPI_Op_create(spread, .true., op)
  part(1) = extreme(rank + 0.5d0, rank + 0.5d0)
  part(2) = extreme(-rank * 2d0, rank * 3d0)
  call MPI_Allreduce(part, whole, 2, extremes, op, MPI_COMM_WORLD)
  call say_reals('spread', [whole(1)%smallest, whole(1)%largest, whole(2)%smallest, whole(2)%largest], 4)
  call MPI_Op_commutative(op, commutes)
  if (commutes) call say('commutes')
  call MPI_Op_free(op)
  if (op == MPI_OP_NULL) call say('no operation')

  call MPI_Type_contiguous(4, MPI_INTEGER, matrix)
  call MPI_Type_commit(matrix)
  call MPI_Op_create(multiply, .false., op)
  call MPI_Op_commutative(op, commutes)
  if (.not. commutes) call say('does not commute')
  mine = reshape([1, mod(rank, 3), mod(rank + 1, 2), 1], [2, 2])
  call MPI_Scan(mine, all, 1, matrix, op, MPI_COMM_WORLD)
  expected = reshape([1, 0, 0, 1], [2, 2])
  do i = 0, rank
    expected = matmul(expected, reshape([1, mod(i, 3), mod(i + 1, 2), 1], [2, 2]))
  end do
  if (.not. any(all /= expected)) call say_integers('product', all, 4)
  call MPI_Op_free(op)
  call MPI_Type_free(matrix)
  call MPI_Type_free(extremes)
  call say_all()
  call MPI_Finalize()
end program
