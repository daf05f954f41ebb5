! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! What the programs share: lines of all ranks, which rank 0 prints in the order of the ranks.
module said
  implicit none
  integer, parameter :: width = 100
  character(len=width) :: lines(400)
  integer :: count = 0
end module

! Add a line to this rank's text.
subroutine say(line)
  use said
  implicit none
  character(len=*), intent(in) :: line
  count = count + 1
  lines(count) = line
end subroutine

! Add a line with integers.
subroutine say_integers(what, values, n)
  implicit none
  character(len=*), intent(in) :: what
  integer, intent(in) :: n
  integer, intent(in) :: values(n)
  character(len=100) :: line
  write (line, '(a, 12(1x, i0))') what, values
  call say(line)
end subroutine

! Add a line with real numbers.
subroutine say_reals(what, values, n)
  implicit none
  character(len=*), intent(in) :: what
  integer, intent(in) :: n
  double precision, intent(in) :: values(n)
  character(len=100) :: line
  write (line, '(a, 8(1x, f0.4))') what, values
  call say(line)
end subroutine

! All ranks call this once, at the end.
subroutine say_all()
  use said
  use mpi
  implicit none
  integer :: rank, ranks, other, i, n, ierror, status(MPI_STATUS_SIZE)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (rank /= 0) then
    call MPI_Send(count, 1, MPI_INTEGER, 0, 31998, MPI_COMM_WORLD, ierror)
    call MPI_Send(lines, count * width, MPI_CHARACTER, 0, 31999, MPI_COMM_WORLD, ierror)
    return
  end if
  do other = 0, ranks - 1
    n = count
    if (other > 0) then
      call MPI_Recv(n, 1, MPI_INTEGER, other, 31998, MPI_COMM_WORLD, status, ierror)
      call MPI_Recv(lines, n * width, MPI_CHARACTER, other, 31999, MPI_COMM_WORLD, status, ierror)
    end if
    do i = 1, n
      write (*, '(a, i0, a, a)') 'rank ', other, ': ', trim(lines(i))
    end do
  end do
end subroutine

! Whether the library is the one that is tested: MPICH has other handles and codes in callbacks than elsewhere.
logical function on_tidings()
  use mpi
  implicit none
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  integer :: length, ierror
  call MPI_Get_library_version(version, length, ierror)
  on_tidings = index(version(1:length), 'Tidings') > 0
end function
