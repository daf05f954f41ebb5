! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! A tool in Fortran: its own MPI_Send and MPI_Barrier stand before the library's.
module tool
  implicit none
  integer :: sends = 0, barriers = 0
end module

program profiling
  use mpi
  use tool
  implicit none
  integer :: rank, ranks, ierror, got, request, status(MPI_STATUS_SIZE)
  integer(MPI_ADDRESS_KIND) :: base
  call PMPI_Init(ierror)
  call PMPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  request = MPI_REQUEST_NULL
  if (rank == ranks - 1) call MPI_Irecv(got, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, ierror)
  if (rank == 0) call MPI_Send(41, 1, MPI_INTEGER, ranks - 1, 0, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, status, ierror)
  if (rank == ranks - 1) call say_integers('got', [got], 1)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call say_integers('counted', [sends, barriers], 2)
  base = 1000
  call say_integers('addresses', [int(MPI_Aint_add(base, 24_MPI_ADDRESS_KIND)), &
                                  int(PMPI_Aint_diff(base, 24_MPI_ADDRESS_KIND))], 2)
  call say_all()
  call MPI_Finalize(ierror)
end program

subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
  use tool
  implicit none
  integer :: buf(*), count, datatype, dest, tag, comm, ierror
  sends = sends + 1
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_Barrier(comm, ierror)
  use tool
  implicit none
  integer :: comm, ierror
  barriers = barriers + 1
  call PMPI_Barrier(comm, ierror)
end subroutine
