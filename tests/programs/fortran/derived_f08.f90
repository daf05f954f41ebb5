! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Derived datatypes: columns and blocks of arrays, structures, what types are made of, packing.
program derived
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: particle
    integer(c_int) :: number
    real(c_double) :: place(3)
    character(c_char) :: kind(4)
  end type
  integer, parameter :: n = 6
  integer :: rank, ranks, next, before, i, j, got, size, position, integers(8), counted(4)
  integer(MPI_ADDRESS_KIND) :: places(3), lower, extent, addresses(4)
  integer :: matrix(n, n), received(n, n)
  type(particle) :: mine(2), theirs(2)
  type(MPI_Datatype) :: row, block, record, sized, parts(4), copied
  type(MPI_Status) :: status
  character(len=64) :: packed
  integer(MPI_COUNT_KIND) :: many

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  matrix = reshape([((1000 * rank + 10 * i + j, i=1, n), j=1, n)], [n, n])

  ! A row of a matrix, and a block within it.
  call MPI_Type_vector(n, 1, n, MPI_INTEGER, row)
  call MPI_Type_commit(row)
  received = -1
  call MPI_Sendrecv(matrix(2, 1), 1, row, next, 0, received(3, 1), 1, row, before, 0, MPI_COMM_WORLD, status)
  call say_integers('row', received(3, :), n)
  call MPI_Get_count(status, row, got)
  call MPI_Get_elements(status, row, size)
  call say_integers('count and elements', [got, size], 2)
  call MPI_Get_count(status, MPI_INTEGER, many)
  call say_integers('large count', [int(many)], 1)
  call MPI_Type_create_subarray(2, [n, n], [2, 3], [1, 2], MPI_ORDER_FORTRAN, MPI_INTEGER, block)
  call MPI_Type_commit(block)
  received = -1
  call MPI_Sendrecv(matrix, 1, block, next, 0, received, 1, block, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call say_integers('block', [received(2:3, 3:5), count(received /= -1)], 7)

  ! A structure, sized as in an array of them.
  call MPI_Get_address(mine(1)%number, places(1))
  call MPI_Get_address(mine(1)%place, places(2))
  call MPI_Get_address(mine(1)%kind, places(3))
  places = places - places(1)
  call MPI_Type_create_struct(3, [1, 3, 4], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_CHARACTER], record)
  call MPI_Type_create_resized(record, 0_MPI_ADDRESS_KIND, c_sizeof(mine(1)), sized)
  call MPI_Type_commit(sized)
  call MPI_Type_get_extent(sized, lower, extent)
  call MPI_Type_size(sized, size)
  call say_integers('structure', [int(lower), int(extent), size], 3)
  do i = 1, 2
    mine(i) = particle(10 * rank + i, [1d0, 2d0, 3d0] * i + rank, ['a', 'b', 'c', char(ichar('d') + i)])
  end do
  call MPI_Sendrecv(mine, 2, sized, next, 5, theirs, 2, sized, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call say_integers('numbers', theirs%number, 2)
  call say_reals('places', theirs(2)%place, 3)
  call say('kinds ' // theirs(1)%kind(4) // theirs(2)%kind(4))
  call MPI_Type_get_envelope(record, integers(1), integers(2), integers(3), integers(4))
  if (integers(4) == MPI_COMBINER_STRUCT) call say_integers('envelope', integers, 3)
  call MPI_Type_get_contents(record, 4, 3, 3, counted, addresses, parts)
  call say_integers('contents', [counted, int(addresses(1:3))], 7)
  if (parts(1) == MPI_INTEGER .and. parts(3) == MPI_CHARACTER) call say('parts')
  call MPI_Type_dup(sized, copied)
  if (copied /= sized .and. copied /= MPI_DATATYPE_NULL) call say('a copy')
  call MPI_Type_free(copied)

  ! Packing.
  position = 0
  call MPI_Pack([rank, 2, 3], 3, MPI_INTEGER, packed, len(packed), position, MPI_COMM_WORLD)
  call MPI_Pack('texts', 5, MPI_CHARACTER, packed, len(packed), position, MPI_COMM_WORLD)
  call MPI_Pack(0.25d0, 1, MPI_DOUBLE_PRECISION, packed, len(packed), position, MPI_COMM_WORLD)
  call say_integers('packed', [position], 1)
  position = 0
  call MPI_Unpack(packed, len(packed), position, integers, 3, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('unpacked', [integers(1:3), position], 4)
  places = 0
  call MPI_Pack_external('external32', [1, 2, 3], 3, MPI_INTEGER, packed, int(len(packed), MPI_ADDRESS_KIND), places(1))
  call say_integers('external', [int(places(1)), iachar(packed(4:4)), iachar(packed(12:12))], 3)
  call MPI_Type_free(row)
  call MPI_Type_free(block)
  call MPI_Type_free(record)
  call MPI_Type_free(sized)
  call say_all()
  call MPI_Finalize()
end program
