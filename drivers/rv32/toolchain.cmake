# SPDX-License-Identifier: Apache-2.0
# For RISC-V of 32 bits: clang with libc++ and musl from the PyPI package ziglang.
#   cmake -S . -B build/rv32 -DCMAKE_TOOLCHAIN_FILE=drivers/rv32/toolchain.cmake -DTIDINGS_SIMULATOR=OFF
find_program(TIDINGS_PYTHON3 python3 REQUIRED)
set(CMAKE_SYSTEM_NAME Linux)  # as musl sees it: memory and exit are asked for by ecall
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER ${TIDINGS_PYTHON3} -m ziglang cc)
set(CMAKE_CXX_COMPILER ${TIDINGS_PYTHON3} -m ziglang c++)
set(CMAKE_C_COMPILER_TARGET riscv32-linux-musl)
set(CMAKE_CXX_COMPILER_TARGET riscv32-linux-musl)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT
    "-mcpu=baseline_rv32+relax -Oz -flto -ffunction-sections -fdata-sections -fno-stack-protector")
  # An index of what the compiler leaves to the linker takes an archiver that reads it.
  set(CMAKE_${language}_ARCHIVE_CREATE "${TIDINGS_PYTHON3} -m ziglang ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${TIDINGS_PYTHON3} -m ziglang ranlib <TARGET>")
endforeach()
set(CMAKE_BUILD_TYPE None CACHE STRING "the flags above" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--gc-sections -Wl,-s")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
