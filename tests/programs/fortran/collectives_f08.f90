! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Collectives of mpi_f08: vectors, neighbours in time (scans), nonblocking ones, types per process, without ierror.
program collectives
  use mpi_f08
  implicit none
  integer, parameter :: most = 16
  integer :: rank, ranks, i, block, root
  integer :: values(2 * most), got(2 * most), counts(most), displs(most), ones(most), places(most)
  integer(MPI_ADDRESS_KIND) :: lower, extent
  type(MPI_Datatype) :: types(most)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  root = ranks / 2
  values = [(100 * rank + i, i=1, 2 * most)]

  got = -1
  call MPI_Gather(values, 2, MPI_INTEGER, got, 2, MPI_INTEGER, root, MPI_COMM_WORLD)
  call say_integers('gather', got, 12)
  got = -1
  call MPI_Scatter(values, 2, MPI_INTEGER, got, 2, MPI_INTEGER, root, MPI_COMM_WORLD)
  call say_integers('scatter', got, 3)
  got = -1
  call MPI_Alltoall(values, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('alltoall', got, 12)

  counts = [(mod(i, 3), i=1, most)]
  displs = [(2 * (i - 1), i=1, most)]
  got = -1
  call MPI_Scatterv(values, counts, displs, MPI_INTEGER, got, counts(rank + 1), MPI_INTEGER, 0, MPI_COMM_WORLD)
  call say_integers('scatterv', got, 3)
  got = -1
  call MPI_Allgatherv(values, counts(rank + 1), MPI_INTEGER, got, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('allgatherv', got, 12)
  got = -1
  ones = 1
  call MPI_Alltoallv(values, ones, displs, MPI_INTEGER, got, ones, displs, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('alltoallv', got, 12)

  ! A type for each process: pairs for those with an even rank.
  do i = 1, ranks
    call MPI_Type_contiguous(merge(2, 1, mod(i, 2) == 1), MPI_INTEGER, types(i))
    call MPI_Type_commit(types(i))
    call MPI_Type_get_extent(types(i), lower, extent)
    if (extent /= merge(8, 4, mod(i, 2) == 1)) call say('extent is WRONG')
  end do
  places = [(8 * (i - 1), i=1, most)]
  got = -1
  block = merge(2, 1, mod(rank, 2) == 0)
  call MPI_Alltoallw(values, ones, places, types, got, [(block, i=1, most)], places, &
                     [(MPI_INTEGER, i=1, most)], MPI_COMM_WORLD)
  call say_integers('alltoallw', got, 12)
  do i = 1, ranks
    call MPI_Type_free(types(i))
  end do
  if (types(1) == MPI_DATATYPE_NULL .and. types(1) /= MPI_INTEGER) call say('types are null')

  got = -1
  call MPI_Exscan(values, got, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank > 0) call say_integers('exscan', got, 2)
  call MPI_Reduce_scatter_block(values, got, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call say_integers('reduce_scatter_block', got, 1)
  call MPI_Reduce_scatter(values, got, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call say_integers('reduce_scatter', got, counts(rank + 1))
  call MPI_Reduce_local(values, got, 2, MPI_INTEGER, MPI_MIN)

  got(1:2) = [rank, 1]
  call MPI_Iallreduce(MPI_IN_PLACE, got, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
  call MPI_Ibcast(values, 3, MPI_INTEGER, root, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call say_integers('iallreduce and ibcast', [got(1:2), values(1:4)], 6)
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  if (requests(1) == MPI_REQUEST_NULL) call say('request is null')

  ! Every second element: the compiler copies it for a blocking call.
  got = -1
  call MPI_Allgather(values(1:3:2), 2, MPI_INTEGER, got, 2, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('sections', got, 12)

  ! Large counts have the same names.
  got = -1
  call MPI_Allreduce(values, got, 3_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call say_integers('large count', got, 4)
  call say_all()
  call MPI_Finalize()
end program
