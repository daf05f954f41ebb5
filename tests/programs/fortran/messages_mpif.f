C     Copyright Tidings contributors.
C     SPDX-License-Identifier: Apache-2.0
C
C     Messages in the Fortran of 1977: sends and receives of all modes,
C     probes, statuses, and choice arguments of many types.
      PROGRAM MESSAG
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, NEXT, BEFORE, IERR, I, N
      INTEGER STATUS(MPI_STATUS_SIZE)
      INTEGER STATS(MPI_STATUS_SIZE,4), REQS(4)
      INTEGER NUMBRS(8), GOT(8)
      DOUBLE PRECISION REALS(5), MORE(5)
      REAL SINGLE(3)
      LOGICAL FLAG, FLAGS(2)
      CHARACTER*12 WORD
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      NEXT = MOD(RANK + 1, RANKS)
      BEFORE = MOD(RANK + RANKS - 1, RANKS)
      DO 10 I = 1, 8
        NUMBRS(I) = 100 * RANK + I
        GOT(I) = -1
   10 CONTINUE
      DO 20 I = 1, 5
        REALS(I) = RANK + I / 8.0D0
   20 CONTINUE
      CALL MPI_SENDRECV(NUMBRS, 8, MPI_INTEGER, NEXT, 1, GOT, 8,
     &                  MPI_INTEGER, BEFORE, 1, MPI_COMM_WORLD, STATUS,
     &                  IERR)
      CALL SAY_INTEGERS('sendrecv', GOT, 8)
      CALL MPI_GET_COUNT(STATUS, MPI_INTEGER, N, IERR)
      CALL SAY_INTEGERS('status', (/ STATUS(MPI_SOURCE),
     &                  STATUS(MPI_TAG), N /), 3)
      CALL MPI_ISEND(REALS, 5, MPI_DOUBLE_PRECISION, NEXT, 7,
     &               MPI_COMM_WORLD, REQS(1), IERR)
      CALL MPI_PROBE(BEFORE, MPI_ANY_TAG, MPI_COMM_WORLD,
     &               STATUS, IERR)
      CALL MPI_GET_COUNT(STATUS, MPI_DOUBLE_PRECISION, N, IERR)
      CALL SAY_INTEGERS('probe', (/ STATUS(MPI_SOURCE),
     &                  STATUS(MPI_TAG), N /), 3)
      CALL MPI_RECV(MORE, 5, MPI_DOUBLE_PRECISION, BEFORE, 7,
     &              MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
      CALL SAY_REALS('recv', MORE, 5)
      CALL MPI_WAIT(REQS(1), STATUS, IERR)
      IF (REQS(1) .EQ. MPI_REQUEST_NULL) CALL SAY('request is null')
C     Texts and logicals both ways, with all statuses.
      WORD = 'nobody'
      FLAGS(1) = .FALSE.
      FLAGS(2) = .FALSE.
      CALL MPI_IRECV(WORD, 12, MPI_CHARACTER, BEFORE, 2,
     &               MPI_COMM_WORLD, REQS(1), IERR)
      CALL MPI_IRECV(FLAGS, 2, MPI_LOGICAL, BEFORE, 3,
     &               MPI_COMM_WORLD, REQS(2), IERR)
      CALL MPI_ISEND('hello, world', 12, MPI_CHARACTER, NEXT, 2,
     &               MPI_COMM_WORLD, REQS(3), IERR)
      CALL MPI_ISSEND((/ .TRUE., MOD(RANK, 2) .EQ. 0 /), 2,
     &                MPI_LOGICAL, NEXT, 3, MPI_COMM_WORLD, REQS(4),
     &                IERR)
      CALL MPI_WAITALL(4, REQS, STATS, IERR)
      CALL SAY('text ' // WORD)
      CALL MPI_GET_COUNT(STATS(1,1), MPI_CHARACTER, N, IERR)
      CALL SAY_INTEGERS('statuses', (/ STATS(MPI_SOURCE,1),
     &     STATS(MPI_TAG,1), N, STATS(MPI_SOURCE,2),
     &     STATS(MPI_TAG,2) /), 5)
      IF (FLAGS(1)) CALL SAY('first flag')
      IF (FLAGS(2)) CALL SAY('second flag')
C     Nothing from nobody.
      CALL MPI_IPROBE(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, FLAG, STATUS,
     &                IERR)
      IF (.NOT. FLAG) CALL SAY('nothing is waiting')
      SINGLE(1) = 2.5
      CALL MPI_RECV(SINGLE, 3, MPI_REAL, MPI_PROC_NULL, 1,
     &              MPI_COMM_WORLD, STATUS, IERR)
      CALL MPI_GET_COUNT(STATUS, MPI_REAL, N, IERR)
      IF (STATUS(MPI_SOURCE) .EQ. MPI_PROC_NULL .AND. N .EQ. 0)
     &  CALL SAY('nothing from nobody')
      CALL MPI_SENDRECV_REPLACE(REALS, 5, MPI_DOUBLE_PRECISION, NEXT, 4,
     &     BEFORE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
      CALL SAY_REALS('replaced', REALS, 5)
      IF (MPI_WTIME() .LT. 0 .OR. MPI_WTICK() .LE. 0) CALL SAY('clock')
      CALL SAY_ALL()
      CALL MPI_FINALIZE(IERR)
      END
