! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Subroutines that MPI-3.0 removed: datatypes with marks of bounds,
! addresses that are default integers, error handlers.
      program removed
      implicit none
      include 'mpif.h'
      integer ierror, rank, ranks, pair, row, spread, handler, lb, ub
      integer extent, size, here, there, i, other
      integer lengths(4), places(4), types(4)
      integer status(MPI_STATUS_SIZE)
      integer numbers(12), got(12)
      call MPI_Init(ierror)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

      call MPI_Address(numbers(1), here, ierror)
      call MPI_Address(numbers(4), there, ierror)
      call say_integers('between elements', [there - here], 1)

! Two integers with room for a third in front and for a fourth behind.
      types = [MPI_LB, MPI_INTEGER, MPI_INTEGER, MPI_UB]
      lengths = 1
      places = [-4, 0, 4, 12]
      call MPI_Type_struct(4, lengths, places, types, pair, ierror)
      call MPI_Type_commit(pair, ierror)
      call MPI_Type_extent(pair, extent, ierror)
      call MPI_Type_lb(pair, lb, ierror)
      call MPI_Type_ub(pair, ub, ierror)
      call MPI_Type_size(pair, size, ierror)
      call say_integers('pair', [extent, lb, ub, size], 4)

      call MPI_Type_hvector(3, 1, 8, MPI_INTEGER, row, ierror)
      call MPI_Type_commit(row, ierror)
      call MPI_Type_extent(row, extent, ierror)
      call say_integers('row', [extent], 1)
      lengths(1:2) = [2, 1]
      places(1:2) = [0, 16]
      call MPI_Type_hindexed(2, lengths, places, MPI_INTEGER, spread,   &
     &                       ierror)
      call MPI_Type_commit(spread, ierror)
      call MPI_Type_ub(spread, ub, ierror)
      call say_integers('spread', [ub], 1)

      numbers = [(100 * rank + i, i = 1, 12)]
      other = mod(rank + 1, ranks)
      got = 0
      call MPI_Sendrecv(numbers(2), 2, pair, other, 1, got, 2, spread,  &
     &    mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, status,      &
     &    ierror)
      call say_integers('got', got, 12)
      call MPI_Sendrecv(numbers, 1, row, other, 2, got, 3, MPI_INTEGER, &
     &    mod(rank + ranks - 1, ranks), 2, MPI_COMM_WORLD, status,      &
     &    ierror)
      call say_integers('row', got(1:3), 3)

      call MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
      call MPI_Errhandler_get(MPI_COMM_WORLD, handler, ierror)
      if (handler .ne. MPI_ERRORS_RETURN) call say('WRONG handler')
      call MPI_Send(rank, 1, MPI_INTEGER, ranks, 1, MPI_COMM_WORLD,     &
     &              ierror)
      if (ierror .eq. MPI_SUCCESS) call say('WRONG: no error')
      call MPI_Type_free(pair, ierror)
      call MPI_Type_free(row, ierror)
      call MPI_Type_free(spread, ierror)
      call say_all()
      call MPI_Finalize(ierror)
      end
