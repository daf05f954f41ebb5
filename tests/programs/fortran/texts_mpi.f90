! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Character arguments: names, infos, versions; blanks behind texts that come and go.
program texts
  use mpi
  implicit none
  integer :: rank, ierror, length, info, copy, keys, i, version, subversion, type
  logical :: flag
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_INFO_KEY) :: key
  character(len=12) :: value
  character(len=5) :: short

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Get_processor_name(host, length, ierror)
  if (length > 0 .and. len_trim(host) == length) call say('processor name')
  call MPI_Get_library_version(library, length, ierror)
  if (length > 0 .and. library(length + 1:length + 1) == ' ') call say('library version')
  call MPI_Get_version(version, subversion, ierror)
  if (version >= MPI_VERSION) call say('version')
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
  call say(trim(name) // '.')

  call MPI_Info_create(info, ierror)
  call MPI_Info_set(info, 'colour ', '  light blue  ', ierror)
  call MPI_Info_set(info, ' size', 'large', ierror)
  call MPI_Info_get_nkeys(info, keys, ierror)
  do i = 0, keys - 1
    call MPI_Info_get_nthkey(info, i, key, ierror)
    call MPI_Info_get_valuelen(info, key, length, flag, ierror)
    call say_integers('key ' // trim(key), [length], 1)
  end do
  value = '************'
  call MPI_Info_get(info, 'colour', len(value), value, flag, ierror)
  if (flag) call say('"' // value // '"')
  value = 'unchanged'
  call MPI_Info_get(info, 'weight', len(value), value, flag, ierror)
  if (.not. flag) call say(value)
  length = len(short)
  call MPI_Info_get_string(info, 'colour', length, short, flag, ierror)
  if (flag) call say('"' // short // '"')
  call say_integers('length', [length], 1)
  length = 0
  call MPI_Info_get_string(info, 'size', length, short, flag, ierror)
  call say_integers('length', [length], 1)
  call MPI_Info_dup(info, copy, ierror)
  call MPI_Info_delete(info, 'size', ierror)
  call MPI_Info_get_nkeys(info, keys, ierror)
  call MPI_Info_get_nkeys(copy, i, ierror)
  call say_integers('keys', [keys, i], 2)
  call MPI_Info_free(info, ierror)
  call MPI_Info_free(copy, ierror)
  if (info == MPI_INFO_NULL) call say('info is null')

  call MPI_Type_contiguous(2, MPI_REAL, type, ierror)
  call MPI_Type_set_name(type, 'two reals', ierror)
  call MPI_Type_get_name(type, name, length, ierror)
  call say_integers('"' // trim(name) // '"', [length], 1)
  call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length, ierror)
  call say(trim(name))
  call MPI_Type_free(type, ierror)
  call say_all()
  call MPI_Finalize(ierror)
end program
