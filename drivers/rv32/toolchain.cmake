# SPDX-License-Identifier: Apache-2.0
# RISC-V of 32 bits: clang with libc++ and musl from the PyPI package ziglang.
#
# The core has integers, multiplication, atomics and compressed instructions (rv32imac) and passes floating-point
# values in integer registers (ilp32): arithmetic on them is done in software. Zig offers musl for Linux only, so memory,
# output and exit are system calls of Linux, which docs/architecture.md lists.
find_program(TIDINGS_PYTHON3 python3 REQUIRED)
execute_process(
  COMMAND ${TIDINGS_PYTHON3} -c "import importlib.util as u; print(u.find_spec('ziglang').submodule_search_locations[0])"
  OUTPUT_VARIABLE ziglang
  OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER ${ziglang}/zig cc)
set(CMAKE_CXX_COMPILER ${ziglang}/zig c++)
set(CMAKE_C_COMPILER_TARGET riscv32-linux-musl)
set(CMAKE_CXX_COMPILER_TARGET riscv32-linux-musl)
set(TIDINGS_RV32_OPTIMIZE "-Oz" CACHE STRING "For size, or -O2 for speed")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TIDINGS_RV32_OPTIMIZE)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT
    "-mcpu=generic_rv32+m+a+c+relax ${TIDINGS_RV32_OPTIMIZE} -flto -ffunction-sections -fdata-sections -fno-stack-protector")
  # Only zig's archiver writes an index of objects that the linker will compile.
  set(CMAKE_${language}_ARCHIVE_CREATE "${ziglang}/zig ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${ziglang}/zig ranlib <TARGET>")
endforeach()
set(CMAKE_BUILD_TYPE None CACHE STRING "the flags above" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--gc-sections")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
