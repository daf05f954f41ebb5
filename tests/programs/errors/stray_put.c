// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A rank writes to another rank's memory where it may not. The library never does so, hence the program goes to the
// registers of the engine itself. Argument: unregistered, outside or read_only.
#include <bus.h>
#include <generated/packets_c.h>
#include <generated/registers_c.h>
#include <mpi.h>
#include <platform.h>
#include <string.h>

/** A row of the table that the library, which starts at the first, does not reach here. */
static const unsigned kRegion = 15;

static void register_window(struct tidings_bus* bus, unsigned bytes, struct tidings_reg_rma_region_rights rights) {
  tidings_bus_write(bus, TIDINGS_REG_RMA_REGION_BASE(kRegion), 0);
  tidings_bus_write(bus, TIDINGS_REG_RMA_REGION_LENGTH(kRegion), bytes);
  tidings_bus_write(bus, TIDINGS_REG_RMA_REGION_RIGHTS(kRegion), tidings_reg_rma_region_rights_encode(rights));
}

static void put(struct tidings_bus* bus, struct tidings_endpoint to, unsigned offset, unsigned bytes) {
  const struct tidings_reg_rma_remote remote = {.node = to.node, .slot = to.slot, .region = kRegion};
  const struct tidings_reg_rma_command command = {.operation = TIDINGS_RMA_OPERATION_PUT};
  tidings_bus_write(bus, TIDINGS_REG_RMA_LOCAL_ADDRESS, 0);
  tidings_bus_write(bus, TIDINGS_REG_RMA_REMOTE, tidings_reg_rma_remote_encode(remote));
  tidings_bus_write(bus, TIDINGS_REG_RMA_OFFSET, offset);
  tidings_bus_write(bus, TIDINGS_REG_RMA_LENGTH, bytes);
  tidings_bus_write(bus, TIDINGS_REG_RMA_COMMAND, tidings_reg_rma_command_encode(command));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct tidings_platform platform;
  struct tidings_bus* bus = tidings_bus_open(0);
  if (argc != 2 || tidings_platform_read(&platform) != NULL || bus == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  const int outside = strcmp(argv[1], "outside") == 0, read_only = strcmp(argv[1], "read_only") == 0;
  if (platform.rank == 1 && (outside || read_only)) {
    register_window(bus, 64,
                    (struct tidings_reg_rma_region_rights){.valid = 1, .read = read_only, .write = !read_only});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (platform.rank == 0) put(bus, platform.endpoints[1], outside ? 32 : 0, 36);
  int token = 0;
  if (platform.rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
