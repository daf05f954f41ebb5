! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! A file of all processes: places, views, collective and nonblocking accesses. Its name is the first argument.
module representation
  use mpi_f08
  implicit none
contains
  subroutine extent_of(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state, lower
    integer :: ierror
    call MPI_Type_get_extent(datatype, lower, extent, ierror)
    extent = extent + extra_state
  end subroutine
end module

program files
  use mpi_f08
  use representation
  implicit none
  integer :: rank, ranks, i, n, values(4), got(4), class, ierror
  integer(MPI_OFFSET_KIND) :: place, bytes, disp
  character(len=200) :: name
  character(len=MPI_MAX_DATAREP_STRING) :: way
  type(MPI_File) :: file
  type(MPI_Datatype) :: slots, etype, filetype
  type(MPI_Request) :: request
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, name)
  call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file)
  values = [(100 * rank + i, i=1, 4)]
  place = 16 * rank
  call MPI_File_write_at(file, place, values, 4, MPI_INTEGER, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call MPI_File_sync(file)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_get_size(file, bytes)
  call say_integers('written', [n, int(bytes)], 2)

  ! Each process sees its own column of integers.
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, int(4 * ranks, MPI_ADDRESS_KIND), slots)
  call MPI_Type_commit(slots)
  disp = 4 * rank
  call MPI_File_set_view(file, disp, MPI_INTEGER, slots, 'native', MPI_INFO_NULL)
  call MPI_File_get_view(file, place, etype, filetype, way)
  if (etype == MPI_INTEGER .and. place == disp) call say('view ' // trim(way))
  call MPI_File_read_all(file, got, 4, MPI_INTEGER, status)
  call say_integers('column', got, 4)
  call MPI_File_seek(file, 1_MPI_OFFSET_KIND, MPI_SEEK_SET)
  call MPI_File_iwrite(file, -values, 2, MPI_INTEGER, request)
  call MPI_Wait(request, status)
  call MPI_File_get_position(file, place)
  call say_integers('position', [int(place)], 1)
  call MPI_File_sync(file)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_read_at_all(file, 0_MPI_OFFSET_KIND, got, 4, MPI_INTEGER, status)
  call say_integers('column', got, 4)
  call MPI_File_close(file)
  if (file == MPI_FILE_NULL) call say('file is null')
  call MPI_Type_free(slots)

  call MPI_File_open(MPI_COMM_SELF, trim(name) // '.not', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierror)
  call MPI_Error_class(ierror, class)
  if (class == MPI_ERR_NO_SUCH_FILE) call say('no such file')
  call MPI_Register_datarep('as it is  ', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, &
                            0_MPI_ADDRESS_KIND, ierror)
  if (ierror == MPI_SUCCESS) call say('registered')
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL)
  call say_all()
  call MPI_Finalize()
end program
