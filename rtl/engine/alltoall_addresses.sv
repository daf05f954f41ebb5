// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Addresses of the words of an all-to-all, in the order of members.
///
/// In repetition i word i of each member's block is next, member after member in the order of the table.
/// The address is in a register, so that the product is not in the way of memory.
module alltoall_addresses #(
    /// Most members: a power of two.
    parameter int unsigned Members = 256
) (
    /// Clock.
    input  logic                                                      clk_i,
    /// Synchronous reset, active low.
    input  logic                                                      rst_ni,
    /// A word of the order is written.
    input  logic                                                      write_i,
    /// Number of the word.
    input  logic               [                                 7:0] row_i,
    /// The word, four members.
    input  tidings_pkg::word_t                                        data_i,
    /// Members in the order.
    input  logic               [tidings_pkg::AlltoallLengthWidth-1:0] length_i,
    /// An all-to-all begins; none is under way.
    input  logic                                                      start_i,
    /// Words of a block, in the cycle of the start.
    input  logic               [ tidings_pkg::AlltoallWordsWidth-1:0] first_i,
    /// Words of a block, from the next cycle on; constant while an all-to-all is under way.
    input  logic               [ tidings_pkg::AlltoallWordsWidth-1:0] words_i,
    /// Byte address of the first block; likewise.
    input  logic               [                                31:0] base_i,
    /// An address shows.
    output logic                                                      valid_o,
    /// The address.
    output logic               [                                31:0] address_o,
    /// It is done with.
    input  logic                                                      next_i,
    /// Addresses are left.
    output logic                                                      running_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                      busy_o
);

  import tidings_pkg::*;

  localparam int unsigned Width = $clog2(AlltoallMembers);

  logic ordered, last, load, valid_q;
  logic [Width-1:0] member;
  logic [AlltoallWordsWidth-1:0] word_q;
  logic [31:0] address_q;

  order_table #(
      .Entries(Members),
      .Width  (Width)
  ) u_order (
      .clk_i,
      .rst_ni,
      .write_i,
      .row_i,
      .data_i,
      .length_i,
      .start_i,
      .repetitions_i(first_i),
      .valid_o      (ordered),
      .entry_o      (member),
      .last_o       (last),
      .next_i       (load)
  );

  assign load = ordered && (!valid_q || next_i);
  assign valid_o = valid_q;
  assign address_o = address_q;
  assign running_o = ordered || valid_q;
  assign busy_o = load;

  always_ff @(posedge clk_i) begin
    if (load) address_q <= base_i + 32'((32'(member) * 32'(words_i) + 32'(word_q)) << 2);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      word_q  <= '0;
    end else begin
      if (load) valid_q <= 1'b1;
      else if (next_i) valid_q <= 1'b0;
      if (start_i) word_q <= '0;
      else if (load && last) word_q <= word_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  // There must be an address to be done with.
  NextNeedsAddress :
  assert property (@(posedge clk_i) disable iff (!rst_ni) next_i |-> valid_q);
`endif

endmodule

`default_nettype wire
