C     Copyright Tidings contributors.
C     SPDX-License-Identifier: Apache-2.0
C
C     Collectives with mpif.h: results in place, and data by absolute
C     addresses.
      PROGRAM COLLEC
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MOST
      PARAMETER (MOST = 32)
      INTEGER RANK, RANKS, IERR, I, TYPE
      INTEGER DATA(MOST), ALL(MOST), COUNTS(MOST), DISPLS(MOST)
      INTEGER(KIND=MPI_ADDRESS_KIND) WHERE
      DOUBLE PRECISION SUMS(3)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      DO 10 I = 1, MOST
        DATA(I) = RANK * MOST + I
        ALL(I) = 0
   10 CONTINUE
      CALL MPI_BCAST(DATA, 4, MPI_INTEGER, RANKS - 1, MPI_COMM_WORLD,
     &               IERR)
      CALL SAY_INTEGERS('bcast', DATA, 5)
      SUMS(1) = RANK
      SUMS(2) = RANK * RANK
      SUMS(3) = 1
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, SUMS, 3, MPI_DOUBLE_PRECISION,
     &                   MPI_SUM, MPI_COMM_WORLD, IERR)
      CALL SAY_REALS('allreduce in place', SUMS, 3)
      ALL(RANK + 1) = 7 * RANK
      CALL MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ALL, 1,
     &                   MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL SAY_INTEGERS('allgather in place', ALL, MIN(RANKS, 12))
      DO 20 I = 1, RANKS
        COUNTS(I) = MOD(I, 3)
        DISPLS(I) = 2 * (I - 1)
   20 CONTINUE
      DO 30 I = 1, MOST
        ALL(I) = -1
   30 CONTINUE
      CALL MPI_GATHERV(DATA(5), COUNTS(RANK + 1), MPI_INTEGER, ALL,
     &                 COUNTS, DISPLS, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &                 IERR)
      CALL SAY_INTEGERS('gatherv', ALL, 12)
      CALL MPI_SCAN(RANK, I, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD,
     &              IERR)
      CALL SAY_INTEGERS('scan', I, 1)
      IF (RANK .EQ. 0) THEN
        CALL MPI_REDUCE(MPI_IN_PLACE, SUMS, 3, MPI_DOUBLE_PRECISION,
     &                  MPI_MAX, 0, MPI_COMM_WORLD, IERR)
      ELSE
        SUMS(1) = 1000 + RANK
        CALL MPI_REDUCE(SUMS, SUMS, 3, MPI_DOUBLE_PRECISION, MPI_MAX,
     &                  0, MPI_COMM_WORLD, IERR)
      END IF
      CALL SAY_REALS('reduce', SUMS, 3)
C     The place of an array, and MPI_BOTTOM before it.
      CALL MPI_GET_ADDRESS(DATA(3), WHERE, IERR)
      CALL MPI_TYPE_CREATE_HINDEXED(1, 2, WHERE, MPI_INTEGER, TYPE,
     &                              IERR)
      CALL MPI_TYPE_COMMIT(TYPE, IERR)
      DATA(3) = 10 + RANK
      DATA(4) = 20 + RANK
      CALL MPI_BCAST(MPI_BOTTOM, 1, TYPE, 0, MPI_COMM_WORLD, IERR)
      CALL SAY_INTEGERS('by address', DATA, 4)
      CALL MPI_TYPE_FREE(TYPE, IERR)
      IF (TYPE .EQ. MPI_DATATYPE_NULL) CALL SAY('type is null')
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      CALL SAY_ALL()
      CALL MPI_FINALIZE(IERR)
      END
