// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A rank writes to another rank's memory where it may not. The library never does so, hence the program goes to the
// registers of the engine itself. Argument: unregistered, outside or read_only.
#include <device.h>
#include <mpi.h>
#include <string.h>

enum {  // as in rtl/regs/slot.rdl
  RMA_LOCAL = 0x040,
  RMA_REMOTE = 0x044,
  RMA_OFFSET = 0x048,
  RMA_LENGTH = 0x04c,
  RMA_COMMAND = 0x050,
  PUT = 1,
  REGIONS = 0x400,
  REGION_STRIDE = 16,
  VALID = 1,
  READ = 2,
  WRITE = 4,
};

/** A row of the table that the library, which starts at the first, does not reach here. */
static const unsigned kRegion = 15;

static void register_window(unsigned bytes, unsigned rights) {
  const unsigned row = REGIONS + kRegion * REGION_STRIDE;
  tidings_bus_write(row, 0);
  tidings_bus_write(row + 4, bytes);
  tidings_bus_write(row + 8, VALID | rights);
}

static void put(struct tidings_endpoint to, unsigned offset, unsigned bytes) {
  tidings_bus_write(RMA_LOCAL, 0);
  tidings_bus_write(RMA_REMOTE, to.node | (unsigned)to.slot << 12 | kRegion << 16);
  tidings_bus_write(RMA_OFFSET, offset);
  tidings_bus_write(RMA_LENGTH, bytes);
  tidings_bus_write(RMA_COMMAND, PUT);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct tidings_device_info device;
  if (argc != 2 || tidings_device_open(&device) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  const int outside = strcmp(argv[1], "outside") == 0, read_only = strcmp(argv[1], "read_only") == 0;
  if (device.rank == 1 && (outside || read_only)) register_window(64, read_only ? READ : WRITE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (device.rank == 0) put(device.endpoints[1], outside ? 32 : 0, 36);
  int token = 0;
  if (device.rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
