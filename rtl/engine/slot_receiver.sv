// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Takes the packets of one class off the router and hands them to the engines.
///
/// Flits wait in a FIFO whose places the router counts as credits. The kind of a packet says which engine it is
/// for (`engine_of`); a packet for an engine that the slot does not have goes to `rma`, which refuses it. An
/// engine may hold a packet up, and with it the packets of this class behind it.
module slot_receiver #(
    /// Flits that fit: a power of two.
    parameter int unsigned BufferFlits = 16,
    /// Engines of the slot. (The default is not '1: Verilator 5.052 takes a value of 1 for that.)
    parameter tidings_pkg::engines_t Engines = {tidings_pkg::NumEngines{1'b1}}
) (
    /// Clock.
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    /// A flit of this class arrives.
    input  logic                     flit_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t       flit_i,
    /// A place is free again.
    output logic                     credit_o,
    /// A word is offered to an engine, one bit each.
    output tidings_pkg::engines_t    valid_o,
    /// The word.
    output engine_pkg::engine_word_t word_o,
    /// The engine takes it.
    input  tidings_pkg::engines_t    ready_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                     busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  place_e   place_q;
  entry_t   entry;
  header0_t header0;
  header1_t header1_q;
  node_id_t source_q;
  logic empty, pop;
  engine_e engine, engine_q;

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
    word_o = '{
        place: place_q,
        last: entry.last,
        data: place_q == PlaceHeader0 ? header0 : entry.data,
        source: source_q,
        header1: place_q == PlaceHeader1 ? header1_t'(entry.data) : header1_q
    };
  end
  always_comb begin : choose
    engine = engine_q;
    if (place_q == PlaceHeader0) begin
      engine = engine_of(header0.kind);
      if (!Engines[engine]) engine = EngineRma;
    end
    valid_o = '0;
    valid_o[engine] = !empty;
  end
  assign pop = |(valid_o & ready_i);

  assign credit_o = pop;
  assign busy_o = !empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q <= PlaceHeader0;
    end else if (pop) begin
      if (entry.last) place_q <= PlaceHeader0;
      else place_q <= place_q == PlaceHeader0 ? PlaceHeader1 : PlacePayload;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      engine_q  <= engine;
      header1_q <= word_o.header1;
      if (place_q == PlaceHeader0) source_q <= header0.src_node;
    end
  end

  // The channel chose this receiver; the addresses chose this slot.
  logic unused;
  assign unused = ^{flit_i.vc, header0.dst_slot, header0.dst_node};

`ifndef SYNTHESIS
  // Packets go to engines that are there.
  EngineExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (valid_o & ~Engines) == '0);
`endif

endmodule

`default_nettype wire
