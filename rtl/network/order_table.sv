// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// An order that something is done in: a table of entries, gone through a number of times.
///
/// After `start_i` the entries show one after another, each until `next_i`, from the first to the last
/// of `length_i` and from the first again, `repetitions_i` times. Software writes the table in words of
/// several entries, the lowest first, while nothing is under way.
module order_table #(
    /// Most entries: a power of two; 1 makes routes that are fixed.
    parameter int unsigned Entries = 128,
    /// Bits of an entry: a power of two that divides a word.
    parameter int unsigned Width = 4,
    /// Bits of a number of entries.
    localparam int unsigned LengthWidth = tidings_pkg::AlltoallLengthWidth,
    /// Bits of a number of repetitions.
    localparam int unsigned RepetitionsWidth = tidings_pkg::AlltoallWordsWidth
) (
    /// Clock.
    input  logic                                      clk_i,
    /// Synchronous reset, active low.
    input  logic                                      rst_ni,
    /// A word of the table is written.
    input  logic                                      write_i,
    /// Number of the word; what is beyond the table is left out.
    input  logic               [                 7:0] row_i,
    /// The word.
    input  tidings_pkg::word_t                        data_i,
    /// Entries of the order; 0: none is ever shown. Constant while one is under way.
    input  logic               [     LengthWidth-1:0] length_i,
    /// The order begins; none is under way.
    input  logic                                      start_i,
    /// Times that it is gone through.
    input  logic               [RepetitionsWidth-1:0] repetitions_i,
    /// An entry shows.
    output logic                                      valid_o,
    /// The entry.
    output logic               [           Width-1:0] entry_o,
    /// It is the last one of a repetition.
    output logic                                      last_o,
    /// It is done with.
    input  logic                                      next_i
);

  import tidings_pkg::*;

  localparam int unsigned PerWord = WordWidth / Width;
  localparam int unsigned Rows = Entries < PerWord ? 1 : Entries / PerWord;
  localparam int unsigned RowWidth = Rows == 1 ? 1 : $clog2(Rows);
  localparam int unsigned PlaceWidth = $clog2(PerWord);
  localparam int unsigned IndexWidth = RowWidth + PlaceWidth;

  if (Entries == 0 || (Entries & (Entries - 1)) != 0) begin : gen_entries_check
    $error("Entries must be a power of two, not %0d", Entries);
  end

  logic [PerWord-1:0][Width-1:0] memory_q[Rows];
  logic [IndexWidth-1:0] index_q;
  logic [RepetitionsWidth-1:0] left_q;

  assign valid_o = left_q != '0;
  assign entry_o = memory_q[index_q[IndexWidth-1:PlaceWidth]][index_q[PlaceWidth-1:0]];
  // An order that is cut short while it is under way ends, too.
  assign last_o  = LengthWidth'(index_q) + 1'b1 >= length_i;

  always_ff @(posedge clk_i) begin
    if (write_i && 9'(row_i) < 9'(Rows)) memory_q[row_i[RowWidth-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q <= '0;
      left_q  <= '0;
    end else if (start_i) begin
      index_q <= '0;
      left_q  <= length_i == '0 ? '0 : repetitions_i;
    end else if (next_i) begin
      // An order that is longer than its table goes around in it.
      index_q <= last_o ? '0 : (index_q + 1'b1) & IndexWidth'(Entries - 1);
      if (last_o) left_q <= left_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  // There must be an entry to be done with.
  NextNeedsEntry :
  assert property (@(posedge clk_i) disable iff (!rst_ni) next_i |-> valid_o);
  // An order ends before it begins again.
  StartNeedsEnd :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !valid_o);
`endif

endmodule

`default_nettype wire
