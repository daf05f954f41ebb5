! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Reductions of all Fortran types, with their values computed without MPI beside them.
program types
  use mpi
  implicit none
  integer, parameter :: sp = kind(1.0), dp = kind(1.0d0), long = selected_int_kind(18)
  integer :: rank, ranks, ierror, i, mine, total, type
  integer(1) :: bytes(2)
  integer(2) :: shorts(2)
  integer(4) :: words(2)
  integer(long) :: longs(2)
  real(sp) :: singles(2)
  real(dp) :: doubles(2)
  complex(sp) :: complexes(2)
  complex(dp) :: wide(2)
  logical :: truths(3), both(3)
  integer :: pairs(2, 2), found(2, 2)
  real(sp) :: real_pair(2)
  real(dp) :: double_pair(2)
  character(len=8) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  mine = rank + 1

  bytes = [int(mine, 1), int(-mine, 1)]
  call MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INTEGER1, MPI_MAX, MPI_COMM_WORLD, ierror)
  call check('integer1', all_of(int(bytes), [ranks, -1]))
  shorts = [int(mine, 2), 2_2]
  call MPI_Allreduce(MPI_IN_PLACE, shorts, 2, MPI_INTEGER2, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('integer2', all_of(int(shorts), [ranks * (ranks + 1) / 2, 2 * ranks]))
  words = [mine, 2**rank]
  call MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_INTEGER4, MPI_BOR, MPI_COMM_WORLD, ierror)
  call check('integer4', words(2) == 2**ranks - 1)
  longs = [int(mine, long) * 10000000000_long, int(rank, long)]
  call MPI_Allreduce(MPI_IN_PLACE, longs, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('integer8', longs(1) == 10000000000_long * (ranks * (ranks + 1) / 2))
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, ierror)
  call check('integer', total == product([(i, i=1, ranks)]))
  singles = [real(mine, sp), -1.5_sp]
  call MPI_Allreduce(MPI_IN_PLACE, singles, 2, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('real', singles(1) == ranks * (ranks + 1) / 2 .and. singles(2) == -1.5_sp * ranks)
  singles = [real(mine, sp), -real(mine, sp)]
  call MPI_Allreduce(MPI_IN_PLACE, singles, 2, MPI_REAL4, MPI_MIN, MPI_COMM_WORLD, ierror)
  call check('real4', singles(1) == 1 .and. singles(2) == -ranks)
  doubles = [real(mine, dp) / 8, 1.0_dp]
  call MPI_Allreduce(MPI_IN_PLACE, doubles, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('double', doubles(1) == ranks * (ranks + 1) / 16.0_dp .and. doubles(2) == ranks)
  doubles = [real(mine, dp), 2.0_dp]
  call MPI_Allreduce(MPI_IN_PLACE, doubles, 2, MPI_REAL8, MPI_PROD, MPI_COMM_WORLD, ierror)
  call check('real8', doubles(2) == 2.0_dp**ranks)
  complexes = [cmplx(mine, -rank, sp), (0.0, 1.0)]
  call MPI_Allreduce(MPI_IN_PLACE, complexes, 2, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('complex', complexes(1) == cmplx(ranks * (ranks + 1) / 2, -ranks * (ranks - 1) / 2, sp))
  wide = [(1.0_dp, 1.0_dp), cmplx(0, 1, dp)]
  call MPI_Allreduce(MPI_IN_PLACE, wide, 2, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierror)
  call check('double complex', abs(wide(1) - (1.0_dp, 1.0_dp)**ranks) < 1e-6 * 2.0_dp**ranks)
  truths = [rank == 0, .true., .false.]
  call MPI_Allreduce(truths, both, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
  call check('and', (both(1) .eqv. ranks == 1) .and. both(2) .and. .not. both(3))
  call MPI_Allreduce(truths, both, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
  call check('or', both(1) .and. both(2) .and. .not. both(3))
  call MPI_Allreduce(truths, both, 3, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierror)
  call check('xor', both(1) .and. (both(2) .eqv. mod(ranks, 2) == 1) .and. .not. both(3))
  pairs(:, 1) = [mod(7 * rank, 5), rank]
  pairs(:, 2) = [3, rank]
  call MPI_Allreduce(pairs, found, 2, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  call say_integers('maxloc', found, 4)
  call check('equal values', found(2, 2) == 0)
  real_pair = [abs(rank - 1.5), real(rank)]
  call MPI_Allreduce(MPI_IN_PLACE, real_pair, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierror)
  call say_reals('minloc of reals', real(real_pair, dp), 2)
  double_pair = [sin(real(rank, dp)), real(rank, dp)]
  call MPI_Allreduce(MPI_IN_PLACE, double_pair, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  call say_reals('maxloc of doubles', double_pair, 2)
  name = 'nobody'
  if (rank == 0) name = 'everyone'
  call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
  call check('character', name == 'everyone')

  call MPI_Type_create_f90_integer(15, type, ierror)
  longs = mine
  call MPI_Allreduce(MPI_IN_PLACE, longs, 2, type, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('f90 integer', all_true(ranks * (ranks + 1) / 2 == longs))
  call MPI_Type_create_f90_real(15, 300, type, ierror)
  doubles = mine
  call MPI_Allreduce(MPI_IN_PLACE, doubles, 2, type, MPI_MAX, MPI_COMM_WORLD, ierror)
  call check('f90 real', doubles(1) == ranks)
  call MPI_Type_create_f90_complex(6, 30, type, ierror)
  complexes = cmplx(mine, 1, sp)
  call MPI_Allreduce(MPI_IN_PLACE, complexes, 2, type, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check('f90 complex', aimag(complexes(2)) == ranks)
  call MPI_Sizeof(longs, i, ierror)
  call check('sizeof array', i == 8)
  call MPI_Sizeof(1.0_sp, i, ierror)
  call check('sizeof scalar', i == 4)
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, type, ierror)
  call MPI_Type_size(type, i, ierror)
  call check('match size', i == 8)
  call say_all()
  call MPI_Finalize(ierror)

contains

  logical function all_of(values, expected)
    integer, intent(in) :: values(:), expected(:)
    all_of = .not. any(values /= expected)
  end function

  logical function all_true(truths)
    logical, intent(in) :: truths(:)
    all_true = count(truths) == size(truths)
  end function

  subroutine check(what, right)
    character(len=*), intent(in) :: what
    logical, intent(in) :: right
    if (right) then
      call say(what // ': right')
    else
      call say(what // ': WRONG')
    end if
  end subroutine
end program
