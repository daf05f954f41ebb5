! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Grids and graphs of processes, and exchanges with neighbours.
program topologies
  use mpi_f08
  implicit none
  integer :: rank, ranks, dims(2), coords(2), got(2), back, source, dest, i, n, status, sizes(2), outs, ins
  integer :: around(4), weights(1), sources(2), destinations(2), in_weights(2), out_weights(2)
  integer(MPI_ADDRESS_KIND), parameter :: four = 4
  logical :: periods(2), wraps(2), weighted
  type(MPI_Comm) :: grid, rows, ring, graph

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  call say_integers('dims', dims, 2)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid)
  call MPI_Cart_get(grid, 2, sizes, wraps, coords)
  if (wraps(1) .and. .not. wraps(2)) call say('first one wraps')
  call MPI_Cart_coords(grid, rank, 2, got)
  call MPI_Cart_rank(grid, got, back)
  call say_integers('coords', [got, back], 3)
  call MPI_Cart_shift(grid, 0, 1, source, dest)
  call say_integers('shift', [source, dest], 2)
  call MPI_Cart_shift(grid, 1, 1, source, dest)
  if (coords(2) == 0 .neqv. source == MPI_PROC_NULL) call say('WRONG end')
  around = -1
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, around, 1, MPI_INTEGER, grid)
  call say_integers('around', around, 4)
  around = -1
  call MPI_Neighbor_alltoallw([(10 * i + rank, i=0, 3)], [1, 1, 1, 1], [(i * four, i=0, 3)], [(MPI_INTEGER, i=0, 3)], &
                              around, [1, 1, 1, 1], [(i * four, i=0, 3)], [(MPI_INTEGER, i=0, 3)], grid)
  call say_integers('each around', around, 4)
  call MPI_Cart_sub(grid, [.false., .true.], rows)
  call MPI_Allreduce(rank, n, 1, MPI_INTEGER, MPI_SUM, rows)
  call say_integers('sum of the row', [n], 1)
  call MPI_Topo_test(grid, status)
  if (status == MPI_CART) call say('a grid')
  call MPI_Comm_free(rows)
  call MPI_Comm_free(grid)

  ! A ring as a graph of all, and as one that each process has its part of.
  call MPI_Graph_create(MPI_COMM_WORLD, ranks, [(i, i=1, ranks)], [(mod(i, ranks), i=1, ranks)], .false., graph)
  call MPI_Graph_neighbors_count(graph, rank, n)
  call MPI_Graph_neighbors(graph, rank, 1, around)
  call say_integers('in the graph', [n, around(1)], 2)
  call MPI_Comm_free(graph)
  source = mod(rank + ranks - 1, ranks)
  dest = mod(rank + 1, ranks)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [source], MPI_UNWEIGHTED, 1, [dest], MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., ring)
  call MPI_Dist_graph_neighbors_count(ring, ins, outs, weighted)
  call say_integers('ring', [ins, outs, merge(1, 0, weighted)], 3)
  call MPI_Neighbor_alltoall([10 * rank], 1, MPI_INTEGER, around, 1, MPI_INTEGER, ring)
  call say_integers('from the one before', around, 1)
  call MPI_Neighbor_alltoallw([rank, -rank], [1], [4_MPI_ADDRESS_KIND], [MPI_INTEGER], around, [1], &
                              [0_MPI_ADDRESS_KIND], [MPI_INTEGER], ring)
  call say_integers('with a type', around, 1)
  call MPI_Comm_free(ring)
  weights = 3 + rank
  call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [dest], weights, MPI_INFO_NULL, .false., ring)
  call MPI_Dist_graph_neighbors(ring, 1, sources, in_weights, 1, destinations, out_weights)
  call say_integers('weights', [sources(1), in_weights(1), destinations(1), out_weights(1)], 4)
  periods = .true.
  call MPI_Cart_map(ring, 1, [ranks], periods(1:1), n)
  if (n >= 0) call say('mapped')
  call MPI_Comm_free(ring)
  call say_all()
  call MPI_Finalize()
end program
