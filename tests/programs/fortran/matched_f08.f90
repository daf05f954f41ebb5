! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Matched probes, buffered sends with the buffer back, generalized requests.
module generalized
  use mpi_f08
  implicit none
  integer :: calls(3) = 0
contains
  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    calls(1) = calls(1) + int(extra_state)
    call MPI_Status_set_elements(status, MPI_INTEGER, 5)
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 3
    status%MPI_TAG = 4
    ierror = MPI_SUCCESS
  end subroutine

  subroutine release(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    calls(2) = calls(2) + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) calls(3) = calls(3) + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program matched
  use mpi_f08
  use generalized
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, next, before, n, got(3), size, old(MPI_STATUS_SIZE)
  integer, target :: room(500)
  logical :: flag
  type(c_ptr) :: place
  type(MPI_Message) :: message
  type(MPI_Request) :: request
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  call MPI_Buffer_attach(room, 2000)
  call MPI_Bsend([rank, 8, 9], 3, MPI_INTEGER, next, 6, MPI_COMM_WORLD)
  call MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, message, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call say_integers('probed', [status%MPI_SOURCE, n], 2)
  call MPI_Mrecv(got, n, MPI_INTEGER, message, status)
  if (message == MPI_MESSAGE_NULL) call say_integers('received', got, 3)
  call MPI_Buffer_detach(place, size)
  if (c_associated(place, c_loc(room))) call say_integers('buffer back', [size], 1)
  call MPI_Improbe(MPI_ANY_SOURCE, 66, MPI_COMM_WORLD, flag, message, status)
  if (.not. flag) call say('nothing to match')

  call MPI_Grequest_start(query, release, cancel, 40_MPI_ADDRESS_KIND, request)
  call MPI_Test(request, flag, status)
  if (.not. flag) call say('under way')
  call MPI_Cancel(request)
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call say_integers('generalized', [calls, n], 4)
  if (status%MPI_SOURCE == 3 .and. status%MPI_TAG == 4) call say('with a status')
  call MPI_Status_f082f(status, old)
  call say_integers('as integers', [old(MPI_SOURCE), old(MPI_TAG)], 2)
  old(MPI_TAG) = 8
  call MPI_Status_f2f08(old, status)
  call say_integers('and back', [status%MPI_TAG], 1)
  call say_all()
  call MPI_Finalize()
end program
