// The RTL in compile order, relative to this file: `verilator -F rtl/sources.f`.
// ${TIDINGS_GENERATED} holds generated configuration and registers.
common/tidings_pkg.sv
${TIDINGS_GENERATED}/node_cfg_pkg.sv
${TIDINGS_GENERATED}/node_cfg_check.sv
common/fifo.sv
common/arbiter.sv
common/credit_counter.sv
network/route_compute.sv
network/route_table.sv
network/branch_rules.sv
network/static_route.sv
network/router_static.sv
network/input_channel.sv
network/router_input.sv
network/router_allocator.sv
network/router_crossbar.sv
network/router.sv
network/link.sv
network/link_pkg.sv
network/link_sender.sv
network/link_receiver.sv
network/reliable_link.sv
// Slots: what they and their engines say to one another.
engine/engine_pkg.sv
// Registers: a block for every slot, and one for each engine.
regs/regs.vlt
${TIDINGS_GENERATED}/register_words_pkg.sv
${TIDINGS_GENERATED}/common_regs_pkg.sv
${TIDINGS_GENERATED}/common_regs.sv
${TIDINGS_GENERATED}/mpe_regs_pkg.sv
${TIDINGS_GENERATED}/mpe_regs.sv
${TIDINGS_GENERATED}/stream_regs_pkg.sv
${TIDINGS_GENERATED}/stream_regs.sv
// Message passing engine.
engine/fp_adder.sv
engine/combine_unit.sv
engine/mpe_pkg.sv
engine/mpe_counters.sv
engine/mpe_stream_buffers.sv
engine/mpe_credits.sv
engine/mpe_fetch.sv
engine/mpe_lane.sv
engine/mpe_combine_stage.sv
engine/mpe_up.sv
engine/mpe_down.sv
engine/mpe_transmit.sv
engine/mpe.sv
engine/slot_tap.sv
engine/mpe_registers.sv
engine/mpe_engine.sv
engine/stream_engine.sv
// Remote memory access engine, slot, node.
engine/rma_pkg.sv
engine/registration_table.sv
engine/slot_packet_mux.sv
engine/rma_sender.sv
engine/rma_initiator.sv
engine/rma_target.sv
engine/rma.sv
engine/slot_receiver.sv
engine/slot_transmitter.sv
engine/slot_memory.sv
engine/slot_routes.sv
engine/slot_registers.sv
engine/slot.sv
machine/node.sv
machine/machine_top.sv
