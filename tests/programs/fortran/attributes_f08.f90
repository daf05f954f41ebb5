! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Attributes of communicators, types and windows, with callbacks that copy and delete them.
module callbacks
  use mpi_f08
  implicit none
  integer :: copied = 0, deleted = 0
contains
  subroutine copy_comm(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copied = copied + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm == MPI_COMM_WORLD
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_comm(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + int(attribute_val)
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 1000)
  end subroutine
end module

program attributes
  use mpi_f08
  use callbacks
  implicit none
  integer :: rank, ranks, keyval, type_keyval, win_keyval, data(4)
  integer(MPI_ADDRESS_KIND) :: value
  logical :: flag
  type(MPI_Comm) :: comm, again
  type(MPI_Datatype) :: type, type_copy
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  if (flag .and. value >= 32767) call say('tags')

  call MPI_Comm_create_keyval(copy_comm, delete_comm, keyval, 1000_MPI_ADDRESS_KIND)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag)
  if (.not. flag) call say('none yet')
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, int(-rank - 5, MPI_ADDRESS_KIND))
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, keyval, value, flag)
  if (flag) call say_integers('copied', [int(value), copied], 2)
  call MPI_Comm_dup(comm, again)
  call MPI_Comm_get_attr(again, keyval, value, flag)
  if (.not. flag) call say_integers('not copied', [copied], 1)
  call MPI_Comm_free(again)
  call MPI_Comm_free(comm)
  call say_integers('deleted', [deleted], 1)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call say_integers('deleted', [deleted], 1)
  call MPI_Comm_free_keyval(keyval)
  if (keyval == MPI_KEYVAL_INVALID) call say('no keyval')

  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, type_keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Type_contiguous(3, MPI_REAL, type)
  call MPI_Type_set_attr(type, type_keyval, 2_MPI_ADDRESS_KIND**40)
  call MPI_Type_dup(type, type_copy)
  call MPI_Type_get_attr(type_copy, type_keyval, value, flag)
  if (flag .and. value == 2_MPI_ADDRESS_KIND**40) call say('a copy of a large value')
  call MPI_Type_free(type_copy)
  call MPI_Type_free(type)

  call MPI_Win_create(data, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
  call say_integers('window of', [int(value)], 1)
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
  call say_integers('units of', [int(value)], 1)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag)
  if (value == loc(data)) call say('at its base')
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag)
  if (value == MPI_WIN_FLAVOR_CREATE) call say('created')
  call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, win_keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Win_set_attr(win, win_keyval, int(rank, MPI_ADDRESS_KIND))
  call MPI_Win_get_attr(win, win_keyval, value, flag)
  if (flag) call say_integers('of the window', [int(value)], 1)
  call MPI_Win_free(win)
  call say_all()
  call MPI_Finalize()
end program
