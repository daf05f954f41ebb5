! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! FT in Fortran: the problem, the all-to-alls and the verification of ft.c, to the last printed digit.
!
! Its arguments are the points along x (8), y (36) and z (36), and the rounds (2). Ranks divide y and z. Arithmetic
! takes no virtual time.
program ft
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: dp = kind(1d0), wide = selected_int_kind(38), probes = 64
  real(dp), parameter :: diffusion = 1e-4_dp, tolerance = 1e-12_dp, pi = acos(-1.0_dp)
  integer(wide), parameter :: low_32 = 2_wide**32 - 1, low_64 = 2_wide**64 - 1
  integer :: sizes(4) = [8, 36, 36, 2], rank, ranks, x, y, z, own_y, own_z, i, turn
  complex(dp), allocatable :: given(:, :, :), field(:, :, :)      ! slabs of z: x, y, z
  complex(dp), allocatable :: spectrum(:, :, :), damped(:, :, :)  ! slabs of y: z, x, y
  complex(dp) :: total
  real(dp) :: start, worst = 0, squares(2) = 0
  logical :: verified
  character(len=20) :: argument

  call MPI_Init()
  do i = 1, size(sizes)
    call get_command_argument(i, argument)
    if (argument /= '') read (argument, *) sizes(i)
  end do
  x = sizes(1)
  y = sizes(2)
  z = sizes(3)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (modulo(y, ranks) /= 0 .or. modulo(z, ranks) /= 0) then
    if (rank == 0) write (error_unit, '(3(a, i0), a)') 'ft: ', ranks, ' ranks do not divide ', y, ' x ', z, &
      ' lines: another y and z'
    call MPI_Finalize()
    stop 1, quiet=.true.
  end if
  own_y = y / ranks
  own_z = z / ranks
  allocate (given(x, y, own_z), spectrum(z, x, own_y))
  allocate (field, mold=given)
  allocate (damped, mold=spectrum)
  call draw(given)

  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  total = 0
  field = given
  call transform_planes(field, -1)
  call transpose_forward(field, spectrum)
  call transform_lines(spectrum, -1)
  do turn = 0, sizes(4)
    call damp(turn)
    call transform_lines(damped, 1)
    call transpose_back(damped, field)
    call transform_planes(field, 1)
    total = probe()
    if (turn == 0) worst = maxval(abs(field - given))  ! the inverse alone
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime() - start
  squares = [sum(abs(given)**2), sum(abs(spectrum)**2)]
  call MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  verified = worst <= tolerance .and. abs(squares(2) / squares(1) / x / y / z - 1) <= tolerance
  if (rank == 0) then
    print '(a, f0.10)', 'verification  ', real(total, dp)
    print '(a)', 'verified      '//merge('yes', 'no ', verified)
    print '(a, f14.9, a)', 'time     ', start, ' s'
  end if
  call MPI_Finalize()
  if (rank == 0 .and. .not. verified) stop 1, quiet=.true.

contains

  ! a * b modulo 2**64, for numbers that are not negative and below it.
  integer(wide) function product_64(a, b)
    integer(wide), intent(in) :: a, b
    product_64 = iand(a * iand(b, low_32) + ishft(iand(a * ishft(b, -32), low_32), 32), low_64)
  end function

  ! The number of this index of a random sequence, as in kernel.h.
  integer(wide) function random_bits(seed, index)
    integer(wide), intent(in) :: seed, index
    random_bits = iand(ishft(seed, 48) + product_64(index + 1, int(z'9e3779b97f4a7c15', wide)), low_64)
    random_bits = product_64(ieor(random_bits, ishft(random_bits, -30)), int(z'bf58476d1ce4e5b9', wide))
    random_bits = product_64(ieor(random_bits, ishft(random_bits, -27)), int(z'94d049bb133111eb', wide))
    random_bits = ieor(random_bits, ishft(random_bits, -31))
  end function

  real(dp) function random_unit(seed, index)
    integer(wide), intent(in) :: seed, index
    random_unit = real(ishft(random_bits(seed, index), -11), dp) / 9007199254740992.0_dp
  end function

  ! Give each point its value at the beginning; points are counted through the whole box.
  subroutine draw(slab)
    complex(dp), intent(out) :: slab(:, :, :)
    integer(wide) :: index
    integer :: i, j, k
    index = 2_wide * x * y * own_z * rank
    do k = 1, own_z
      do j = 1, y
        do i = 1, x
          slab(i, j, k) = cmplx(random_unit(1_wide, index), random_unit(1_wide, index + 1), dp)
          index = index + 2
        end do
      end do
    end do
  end subroutine

  ! Fourier transform: as many interleaved ones as the least prime factor of the length, which are put together.
  recursive function transformed(line, sign) result(sums)
    complex(dp), intent(in) :: line(0:)
    integer, intent(in) :: sign
    complex(dp) :: sums(0:size(line) - 1), roots(0:size(line) - 1)
    complex(dp), allocatable :: parts(:, :)
    integer :: length, factor, part, i, q
    length = size(line)
    sums = line
    if (length == 1) return
    factor = 2
    do while (modulo(length, factor) /= 0)
      factor = factor + 1
    end do
    part = length / factor
    allocate (parts(0:part - 1, 0:factor - 1))
    do q = 0, factor - 1
      parts(:, q) = transformed(line(q::factor), sign)
    end do
    roots = [(exp(cmplx(0, sign * 2 * pi * i / length, dp)), i=0, length - 1)]
    do i = 0, length - 1
      sums(i) = sum([(parts(modulo(i, part), q) * roots(modulo(q * i, length)), q=0, factor - 1)])
    end do
  end function

  ! Transform a slab of z along x and y. The inverse (sign +1) divides by the points.
  subroutine transform_planes(slab, sign)
    complex(dp), intent(inout) :: slab(:, :, :)
    integer, intent(in) :: sign
    integer :: i, j, k
    do k = 1, own_z
      do j = 1, y
        slab(:, j, k) = transformed(slab(:, j, k), sign)
      end do
      do i = 1, x
        slab(i, :, k) = transformed(slab(i, :, k), sign)
      end do
    end do
    if (sign > 0) slab = slab / (real(x, dp) * y)
  end subroutine

  ! Transform a slab of y along z.
  subroutine transform_lines(slab, sign)
    complex(dp), intent(inout) :: slab(:, :, :)
    integer, intent(in) :: sign
    integer :: i, j
    do j = 1, own_y
      do i = 1, x
        slab(:, i, j) = transformed(slab(:, i, j), sign)
      end do
    end do
    if (sign > 0) slab = slab / z
  end subroutine

  ! Turn slabs of z into slabs of y.
  subroutine transpose_forward(of_z, of_y)
    complex(dp), intent(in) :: of_z(:, :, :)
    complex(dp), intent(out) :: of_y(:, :, :)
    complex(dp) :: sent(x, own_y, own_z, ranks), received(x, own_y, own_z, ranks)
    integer :: r, k
    do r = 1, ranks
      sent(:, :, :, r) = of_z(:, (r - 1) * own_y + 1:r * own_y, :)
    end do
    call MPI_Alltoall(sent, size(sent) / ranks, MPI_DOUBLE_COMPLEX, received, size(sent) / ranks, MPI_DOUBLE_COMPLEX, &
                      MPI_COMM_WORLD)
    do r = 1, ranks
      do k = 1, own_z
        of_y((r - 1) * own_z + k, :, :) = received(:, :, k, r)
      end do
    end do
  end subroutine

  ! Turn slabs of y into slabs of z.
  subroutine transpose_back(of_y, of_z)
    complex(dp), intent(in) :: of_y(:, :, :)
    complex(dp), intent(out) :: of_z(:, :, :)
    complex(dp) :: sent(x, own_y, own_z, ranks), received(x, own_y, own_z, ranks)
    integer :: r, k
    do r = 1, ranks
      do k = 1, own_z
        sent(:, :, k, r) = of_y((r - 1) * own_z + k, :, :)
      end do
    end do
    call MPI_Alltoall(sent, size(sent) / ranks, MPI_DOUBLE_COMPLEX, received, size(sent) / ranks, MPI_DOUBLE_COMPLEX, &
                      MPI_COMM_WORLD)
    do r = 1, ranks
      of_z(:, (r - 1) * own_y + 1:r * own_y, :) = received(:, :, :, r)
    end do
  end subroutine

  ! The square of the wave number behind an index, from 0 on, of a length.
  integer function wave_square(index, length)
    integer, intent(in) :: index, length
    wave_square = merge(index - length, index, index > length / 2)**2
  end function

  ! damped = spectrum at a time.
  subroutine damp(time)
    integer, intent(in) :: time
    integer :: i, j, k, square
    do j = 1, own_y
      do i = 1, x
        do k = 1, z
          square = wave_square(rank * own_y + j - 1, y) + wave_square(i - 1, x) + wave_square(k - 1, z)
          damped(k, i, j) = spectrum(k, i, j) * exp(-4 * pi**2 * diffusion * time * square)
        end do
      end do
    end do
  end subroutine

  ! The sum of some points over all ranks; known to rank 0.
  complex(dp) function probe()
    complex(dp) :: part
    integer(wide) :: p, at
    integer :: plane
    part = 0
    do p = 0, probes - 1
      at = modulo(random_bits(2_wide, p), int(x, wide) * y * z)
      plane = int(at / (x * y)) - rank * own_z
      if (plane < 0 .or. plane >= own_z) cycle
      part = part + field(int(modulo(at, int(x, wide))) + 1, int(modulo(at / x, int(y, wide))) + 1, plane + 1)
    end do
    probe = 0
    call MPI_Reduce(part, probe, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD)
  end function
end program
