! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Sessions, names of process sets, operations with large counts.
module large
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  ! The long side of a right-angled triangle.
  subroutine hypotenuse(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    double precision, pointer :: in(:), inout(:)
    if (datatype /= MPI_DOUBLE_PRECISION) call MPI_Abort(MPI_COMM_WORLD, 9)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = sqrt(in**2 + inout**2)
  end subroutine

  subroutine handle(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code, class
    call MPI_Error_class(error_code, class)
    if (session /= MPI_SESSION_NULL .and. class == MPI_ERR_ARG) call say('handled')
  end subroutine
end module

program sessions
  use mpi_f08
  use large
  implicit none
  integer :: rank, ranks, i, n, length, provided, sum
  logical :: flag, world
  double precision :: mine(2), all(2)
  character(len=64) :: name
  character(len=5) :: short
  type(MPI_Session) :: session
  type(MPI_Errhandler) :: handler
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  type(MPI_Info) :: info
  type(MPI_Op) :: op

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided)
  call MPI_Is_thread_main(flag)
  call MPI_Query_thread(n)
  if (flag .and. n == provided) call say('main thread')
  call MPI_Initialized(flag)
  if (flag) call say('initialized')
  call MPI_Finalized(flag)
  if (.not. flag) call say('not finalized')
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)
  world = .false.
  do i = 0, n - 1
    length = 0
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name)
    if (name == 'mpi://WORLD') then
      world = .true.
      call say_integers(trim(name), [length], 1)
      length = len(short)
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, short)
      call say('"' // short // '"')
    end if
  end do
  if (.not. world) call say('no world')
  call MPI_Session_get_pset_info(session, 'mpi://WORLD', info)
  call MPI_Info_get_string(info, 'mpi_size', length, name, flag)
  call MPI_Info_free(info)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD   ', group)
  call MPI_Comm_create_from_group(group, 'sessions of Fortran', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, comm)
  call say_integers('sum', [sum], 1)

  call MPI_Op_create_c(hypotenuse, .true., op)
  mine = [3d0, 1d0]
  call MPI_Allreduce(mine, all, 2, MPI_DOUBLE_PRECISION, op, comm)
  call say_reals('hypotenuse', all**2, 2)
  call MPI_Allreduce(mine, all, 2_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, op, comm)
  call say_reals('hypotenuse', all**2, 2)
  call MPI_Op_free(op)
  call MPI_Session_create_errhandler(handle, handler)
  call MPI_Session_set_errhandler(session, handler)
  call MPI_Session_call_errhandler(session, MPI_ERR_ARG)
  call MPI_Errhandler_free(handler)
  call MPI_Group_free(group)
  call MPI_Comm_free(comm)
  call MPI_Session_finalize(session)
  if (session == MPI_SESSION_NULL) call say('session is null')
  call say_all()
  call MPI_Finalize()
end program
