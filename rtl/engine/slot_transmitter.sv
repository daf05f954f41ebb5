// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Puts the packets of a slot's engines on the router, one flit per cycle.
///
/// In each class the engines take turns packet by packet and their flits wait in a FIFO. One of a `Direct`
/// engine goes past an empty FIFO if it can leave in the cycle in which it is offered. The classes
/// take turns flit by flit, as far as the router has room. With `whole_packets` they do so packet by
/// packet, and with `replies_first` replies go first. In all cases a class that is held up never holds up the other.
module slot_transmitter #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Packet sources in each class.
    parameter int unsigned NumSources = 2,
    /// Engines whose flits are early enough in the cycle to leave in it.
    parameter logic [NumSources-1:0] Direct = '0,
    /// Classes: channel c of the port is class c.
    localparam int unsigned NumClasses = 2
) (
    /// Clock.
    input  logic                                                clk_i,
    /// Synchronous reset, active low.
    input  logic                                                rst_ni,
    /// A source offers a flit.
    input  logic               [NumClasses-1:0][NumSources-1:0] valid_i,
    /// The flits offered; their channels are ignored.
    input  tidings_pkg::flit_t [NumClasses-1:0][NumSources-1:0] flit_i,
    /// The flit is taken.
    output logic               [NumClasses-1:0][NumSources-1:0] ready_o,
    /// A flit leaves.
    output logic                                                flit_valid_o,
    /// The flit; zero while none leaves.
    output tidings_pkg::flit_t                                  flit_o,
    /// The router has room for one more flit of a class.
    input  logic               [NumClasses-1:0]                 credit_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                busy_o
);

  import tidings_pkg::*;

  logic [NumClasses-1:0] waiting, credits, request, grant;
  logic any;
  flit_t [NumClasses-1:0] head;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    logic valid, empty, full, direct;
    flit_t flit, oldest, offered;

    slot_packet_mux #(
        .NumSources(NumSources)
    ) u_mux (
        .clk_i,
        .rst_ni,
        .valid_i(valid_i[c]),
        .flit_i (flit_i[c]),
        .ready_o(ready_o[c]),
        .valid_o(valid),
        .flit_o (flit),
        .ready_i(!full)
    );

    fifo #(
        .T    (flit_t),
        .Depth(Cfg.slot_buffer_flits)
    ) u_flits (
        .clk_i,
        .rst_ni,
        .push_i (valid && !full && !(direct && grant[c])),
        .data_i (offered),
        .pop_i  (grant[c] && !empty),
        .data_o (oldest),
        .empty_o(empty),
        .full_o (full),
        .count_o(),
        .load_o (),
        .next_o ()
    );

    credit_counter #(
        .Credits(Cfg.slot_buffer_flits)
    ) u_credits (
        .clk_i,
        .rst_ni,
        .take_i     (grant[c]),
        .give_i     (credit_i[c]),
        .available_o(credits[c]),
        .room_o     ()
    );

    assign offered = '{vc: vc_t'(c), last: flit.last, data: flit.data};
    assign direct = empty && |(ready_o[c] & Direct);
    assign waiting[c] = !empty || direct;
    assign head[c] = empty ? offered : oldest;

    logic unused;
    assign unused = ^flit.vc;
  end

  // Requests may also wait for all replies that can go.
  logic [NumClasses-1:0] ready, begun;
  assign ready = waiting & credits;
  always_comb begin
    request = ready;
    if (Cfg.replies_first && ready[1]) request[0] = 1'b0;
    else if (|(ready & begun)) request = ready & begun;
  end

  // The class whose packet left last, unless its tail has left.
  if (Cfg.whole_packets) begin : gen_whole_packets
    logic [NumClasses-1:0] begun_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begun_q <= '0;
      else if (any) begun_q <= flit_o.last ? '0 : grant;
    end
    assign begun = begun_q;
  end else begin : gen_turns
    assign begun = '0;
  end

  arbiter #(
      .NumRequests(NumClasses)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .accept_i (1'b1),
      .valid_o  (any),
      .grant_o  (grant),
      .index_o  ()
  );

  assign flit_valid_o = any;
  always_comb begin
    flit_o = '0;
    for (int unsigned c = 0; c < NumClasses; c++) begin
      if (grant[c]) flit_o = head[c];
    end
  end

  // A flit without a credit stays until one comes in.
  assign busy_o = |ready;

endmodule

`default_nettype wire
