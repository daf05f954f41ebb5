// The RTL in compile order, relative to this file: `verilator -F rtl/sources.f`.
// ${TIDINGS_VENDOR} holds common_cells and CVFPU, ${TIDINGS_GENERATED} the generated register blocks.
common/tidings_pkg.sv
common/fifo.sv
common/arbiter.sv
common/credit_counter.sv
network/route_compute.sv
network/input_channel.sv
network/router.sv
network/link.sv
// Message passing engine, with the vendors' floating point.
vendor_waivers.vlt
+incdir+${TIDINGS_VENDOR}/pulp_platform_common_cells/include
${TIDINGS_VENDOR}/pulp_platform_common_cells/src/cf_math_pkg.sv
${TIDINGS_VENDOR}/pulp_platform_common_cells/src/lzc.sv
${TIDINGS_VENDOR}/pulp_platform_fpnew/src/fpnew_pkg.sv
${TIDINGS_VENDOR}/pulp_platform_fpnew/src/fpnew_classifier.sv
${TIDINGS_VENDOR}/pulp_platform_fpnew/src/fpnew_rounding.sv
${TIDINGS_VENDOR}/pulp_platform_fpnew/src/fpnew_fma.sv
engine/clock_gate.sv
engine/fp_adder.sv
engine/combine_unit.sv
engine/mpe_pkg.sv
engine/mpe_stream_buffers.sv
engine/mpe_fetch.sv
engine/mpe_combine_stage.sv
engine/mpe_up.sv
engine/mpe_down.sv
engine/mpe_transmit.sv
engine/mpe.sv
// Remote memory access engine, slot, node.
engine/rma_pkg.sv
engine/registration_table.sv
engine/slot_packet_mux.sv
engine/rma_sender.sv
engine/rma_initiator.sv
engine/rma_target.sv
engine/rma.sv
regs/slot_regs.vlt
${TIDINGS_GENERATED}/slot_regs_pkg.sv
${TIDINGS_GENERATED}/slot_regs.sv
engine/slot_receiver.sv
engine/slot_transmitter.sv
engine/slot_memory.sv
engine/slot_registers.sv
engine/slot.sv
machine/node.sv
machine/machine_top.sv
