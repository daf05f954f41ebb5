// The RTL in compile order, relative to this file: `verilator -F rtl/sources.f`.
// ${TIDINGS_VENDOR} holds common_cells and CVFPU, ${TIDINGS_GENERATED} the generated register blocks.
common/tidings_pkg.sv
common/fifo.sv
common/arbiter.sv
common/credit_counter.sv
network/route_compute.sv
network/input_channel.sv
network/router.sv
