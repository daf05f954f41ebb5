! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Persistent requests, and completions of some of many: indices count from one.
program requests
  use mpi_f08
  implicit none
  integer, parameter :: many = 4
  integer :: rank, ranks, next, before, i, turn, index, completed, indices(many), sent(many), got(many), seen(many)
  logical :: flag
  type(MPI_Request) :: all(2 * many), one
  type(MPI_Status) :: status, statuses(2 * many)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  do i = 1, many
    call MPI_Recv_init(got(i), 1, MPI_INTEGER, before, i, MPI_COMM_WORLD, all(i))
    call MPI_Send_init(sent(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, all(many + i))
  end do
  do turn = 1, 3
    sent = [(100 * turn + 10 * rank + i, i=1, many)]
    call MPI_Startall(2 * many, all)
    call MPI_Waitall(2 * many, all, statuses)
    call say_integers('turn', got, many)
    call MPI_F_sync_reg(got)
  end do
  call say_integers('tags', statuses(1:many)%MPI_TAG, many)
  do i = 1, 2 * many
    call MPI_Request_free(all(i))
  end do
  if (all(1) == MPI_REQUEST_NULL) call say('requests are null')

  ! Each receive by itself; the sums do not depend on their order.
  seen = 0
  do i = 1, many
    call MPI_Irecv(got(i), 1, MPI_INTEGER, before, i, MPI_COMM_WORLD, all(i))
    call MPI_Isend(10 * i, 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, all(many + i))
  end do
  do i = 1, many
    call MPI_Waitany(many, all, index, status)
    if (status%MPI_TAG /= index .or. status%MPI_SOURCE /= before) call say('WRONG status')
    seen(index) = seen(index) + got(index)
  end do
  call say_integers('any', seen, many)
  call MPI_Waitany(many, all, index, status)
  if (index == MPI_UNDEFINED) call say('no more')
  call MPI_Waitall(many, all(many + 1:), MPI_STATUSES_IGNORE)

  seen = 0
  do i = 1, many
    call MPI_Irecv(got(i), 1, MPI_INTEGER, before, i, MPI_COMM_WORLD, all(i))
    call MPI_Isend(20 * i, 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, all(many + i))
  end do
  turn = 0
  do while (turn < many)
    call MPI_Waitsome(many, all, completed, indices, statuses)
    do i = 1, completed
      seen(indices(i)) = got(indices(i)) + statuses(i)%MPI_TAG
    end do
    turn = turn + completed
  end do
  call say_integers('some', seen, many)
  call MPI_Waitall(many, all(many + 1:), MPI_STATUSES_IGNORE)
  call MPI_Testany(many, all, index, flag, MPI_STATUS_IGNORE)
  if (flag .and. index == MPI_UNDEFINED) call say('none to test')

  call MPI_Irecv(got, 1, MPI_INTEGER, before, 90, MPI_COMM_WORLD, one)
  call MPI_Test(one, flag, status)
  if (.not. flag) call say('not yet')
  call MPI_Request_get_status(one, flag, status)
  call MPI_Cancel(one)
  call MPI_Wait(one, status)
  call MPI_Test_cancelled(status, flag)
  if (flag) call say('cancelled')
  call MPI_Barrier(MPI_COMM_WORLD)
  call say_all()
  call MPI_Finalize()
end program
