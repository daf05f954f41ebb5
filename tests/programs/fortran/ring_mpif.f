! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Old Fortran in fixed form: values go round a ring, with persistent requests and statuses of all of them.
      program ring
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20)
      integer rank, ranks, right, left, turn, i, got, ierror
      integer requests(2), statuses(MPI_STATUS_SIZE, 2)
      double precision out(n), in(n), total
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)
      call MPI_SEND_INIT(out, n, MPI_DOUBLE_PRECISION, right, 4,
     &                   MPI_COMM_WORLD, requests(1), ierror)
      call MPI_RECV_INIT(in, n, MPI_DOUBLE_PRECISION, left, 4,
     &                   MPI_COMM_WORLD, requests(2), ierror)
      do 10 i = 1, n
        out(i) = rank + 0.5d0 * i
 10   continue
      total = 0
      do 30 turn = 1, ranks
        call MPI_STARTALL(2, requests, ierror)
        call MPI_WAITALL(2, requests, statuses, ierror)
        call MPI_GET_COUNT(statuses(1, 2), MPI_DOUBLE_PRECISION,
     &                     got, ierror)
        do 20 i = 1, n
          out(i) = in(i)
          total = total + in(i)
 20     continue
 30   continue
      call MPI_REQUEST_FREE(requests(1), ierror)
      call MPI_REQUEST_FREE(requests(2), ierror)
      call say_integers('count', [got], 1)
      call say_reals('home and total', [out(1), out(n), total], 3)
      call say_all()
      call MPI_FINALIZE(ierror)
      end program
