// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

`default_nettype none

/// Says whether the next clock edge can change the module that it is bound to.
///
/// Only the simulator has it. The clock of a part whose `awake_i` is low stands still in the model
/// (`node_library.cpp`), so that Verilator evaluates nothing behind it; the RTL knows nothing of that. Each
/// part promises with its `busy_o` that a clock edge without inputs changes nothing. All flip-flops of a
/// node are in such parts: the model's own clock input stands still too.
module skip (
    /// The part is busy, or has inputs.
    input logic awake_i
);
endmodule

bind router skip u_skip (
    .awake_i(busy_o || |flit_valid_i || |credit_i || |route_write_valid_i || lane_valid_i)
);

bind crosspoint_router skip u_skip (
    .awake_i(busy_o || |flit_valid_i || |credit_i || |route_write_valid_i)
);

bind barrier_hub skip u_skip (.awake_i(busy_o));

bind router_input skip u_skip (.awake_i(busy_o || flit_valid_i || |valid_o));

bind slot skip u_skip (
    .awake_i(busy_o || flit_valid_i || |credit_i || bus_valid_i ||
    memory_data_valid_i || route_refused_i || |tap_valid_i || lane_credit_i || |token_i ||
    |switch_i)
);

bind slot_registers skip u_skip (
    .awake_i(busy_o || bus_valid_i || failed || |done || route_error_i)
);

bind rma_engine skip u_skip (.awake_i(busy_o || |rx_valid_i || bus_valid_i || |data_valid_i));

bind rma_registers skip u_skip (.awake_i(bus_valid_i));

bind rma skip u_skip (
    .awake_i(busy_o || command_valid_i || name_valid_i || error_clear_i || request_valid_i ||
    reply_valid_i || |data_valid_i)
);

bind mpe_engine skip u_skip (
    .awake_i(busy_o || |rx_valid_i || bus_valid_i || data_valid_i || |tap_valid_i || lane_credit_i)
);

bind mpe_registers skip u_skip (.awake_i(bus_valid_i));

bind stream_engine skip u_skip (.awake_i(busy_o || |rx_valid_i || bus_valid_i || |switch_i));

bind barrier_engine skip u_skip (.awake_i(busy_o || bus_valid_i || |token_i));

bind alltoall_engine skip u_skip (.awake_i(busy_o || bus_valid_i || data_valid_i || |switch_i));

`default_nettype wire
