// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Takes the packets of one class off the router and hands them to the engines.
///
/// Flits wait in a FIFO whose places the router counts as credits. The kind of a packet
/// says which engine it is for (`engine_of`): `mpe` gets it with its headers taken off, `rma` whole. The collective engine may hold a
/// word up for a cycle; `rma` may hold a packet up, and with it the packets of this class behind it.
module slot_receiver #(
    /// Flits that fit: a power of two.
    parameter int unsigned BufferFlits = 16,
    /// Engines of the slot: packets for one that is not there go to `rma`, which refuses them.
    parameter tidings_pkg::engines_t Engines = '1
) (
    /// Clock.
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// A flit of this class arrives.
    input  logic                  flit_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t    flit_i,
    /// A place is free again.
    output logic                  credit_o,
    /// A word for `rma` is offered.
    output logic                  rma_valid_o,
    /// Word of a packet, for either engine.
    output tidings_pkg::word_t    data_o,
    /// It is the tail of its packet.
    output logic                  last_o,
    /// It is taken by `rma`.
    input  logic                  rma_ready_i,
    /// The header of a packet for `mpe` is complete in this cycle.
    output logic                  mpe_header_valid_o,
    /// A payload word for `mpe` is in `data_o`.
    output logic                  mpe_payload_valid_o,
    /// It is taken by `mpe`.
    input  logic                  mpe_ready_i,
    /// Second header word of the packet under way.
    output tidings_pkg::header1_t header1_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                  busy_o
);

  import tidings_pkg::*;

  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  typedef enum logic [1:0] {
    StateHeader0,
    StateHeader1,
    StatePayload
  } state_e;

  state_e   state_q;
  entry_t   entry;
  header0_t header0;
  header1_t header1_q;
  logic empty, pop, mpe, mpe_q;

  fifo #(
      .T    (entry_t),
      .Depth(BufferFlits)
  ) u_flits (
      .clk_i,
      .rst_ni,
      .push_i (flit_valid_i),
      .data_i ('{last: flit_i.last, data: flit_i.data}),
      .pop_i  (pop),
      .data_o (entry),
      .empty_o(empty),
      .full_o (),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  // A static packet has reached what it is for, and is from here on like others of its kind.
  always_comb begin : shown
    header0 = header0_t'(entry.data);
    if (is_static(header0.kind)) header0.kind = kind_e'(header0.kind & 4'b0011);
    data_o = state_q == StateHeader0 ? header0 : entry.data;
  end
  assign mpe = state_q == StateHeader0 ? Engines[EngineMpe] && engine_of(
      header0.kind
  ) == EngineMpe : mpe_q;
  assign pop = !empty && (mpe ? state_q != StatePayload || mpe_ready_i : rma_ready_i);

  assign credit_o = pop;
  assign rma_valid_o = !empty && !mpe;
  assign last_o = entry.last;
  assign mpe_header_valid_o = !empty && mpe && state_q == StateHeader1;
  assign mpe_payload_valid_o = !empty && mpe && state_q == StatePayload;
  assign header1_o = state_q == StateHeader1 ? header1_t'(entry.data) : header1_q;
  assign busy_o = !empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateHeader0;
    end else if (pop) begin
      if (entry.last) state_q <= StateHeader0;
      else state_q <= state_q == StateHeader0 ? StateHeader1 : StatePayload;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      mpe_q <= mpe;
      header1_q <= header1_o;
    end
  end

  // The channel chose this receiver; the addresses chose this slot.
  logic unused;
  assign unused = ^{flit_i.vc, header0.dst_slot, header0.dst_node, header0.src_node};

endmodule

`default_nettype wire
