! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Errors that are returned, handlers of the program, and errors that it adds.
module handlers
  implicit none
  integer :: handled = 0, class_of_last = 0
contains
  subroutine handle(comm, code)
    use mpi
    integer :: comm, code, ierror
    handled = handled + 1
    if (comm == MPI_COMM_SELF) handled = handled + 100
    call MPI_Error_class(code, class_of_last, ierror)
  end subroutine
end module

program errors
  use mpi
  use handlers
  implicit none
  integer :: rank, ierror, other, class, code, handler, found, length
  character(len=MPI_MAX_ERROR_STRING) :: string
  logical, external :: on_tidings

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  call MPI_Send(rank, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, other)
  call MPI_Error_class(other, class, ierror)
  if (class == MPI_ERR_RANK) call say('no such rank')
  call MPI_Comm_get_errhandler(MPI_COMM_SELF, found, ierror)
  if (found == MPI_ERRORS_RETURN) call say('errors return')
  call MPI_Errhandler_free(found, ierror)
  call MPI_Comm_create_errhandler(handle, handler, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
  call MPI_Send(rank, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, other)
  if (on_tidings() .and. class_of_last /= MPI_ERR_RANK) call say('WRONG class')
  if (on_tidings() .and. other == MPI_SUCCESS) call say('WRONG result')
  call say_integers('handled', [handled], 1)
  call MPI_Errhandler_free(handler, ierror)
  if (handler == MPI_ERRHANDLER_NULL) call say('handler is null')

  call MPI_Add_error_class(class, ierror)
  call MPI_Add_error_code(class, code, ierror)
  call MPI_Add_error_string(code, 'the tea is cold   ', ierror)
  call MPI_Error_string(code, string, length, ierror)
  call say('"' // string(1:length) // '"')
  if (len_trim(string) == length) call say('blanks behind it')
  call MPI_Error_class(code, found, ierror)
  if (found == class) call say('class of the code')
  call MPI_Comm_call_errhandler(MPI_COMM_SELF, code, ierror)
  call say_integers('handled', [handled, merge(1, 0, class_of_last == class)], 2)
  call say_all()
  call MPI_Finalize(ierror)
end program
