// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Decides whether an access to a registered region is allowed.
///
/// A row is looked up with `lookup_i` and judged in the cycles after it, so that the many rows and
/// the long sums are not in one path. An access is allowed when its row is valid, has the right,
/// and every byte of the access is inside [base, base + length); no sum here can wrap around. The
/// two lowest bits of a base are taken as zero. If software has not filled the row, that of the region
/// counts to which `name_table` has given the number.
/// An access is judged once: a region deregistered after that is left when the packet ends.
module registration_table #(
    /// Rows; rows above them do not exist.
    parameter int unsigned Regions = 16
) (
    /// Clock.
    input  logic                               clk_i,
    /// The rows as software wrote them.
    input  rma_pkg::rma_region_t [Regions-1:0] regions_i,
    /// Take row `region_i` into the next cycle.
    input  logic                               lookup_i,
    /// Number of the row.
    input  logic                 [        7:0] region_i,
    /// The row that `name_table` has for the number that was looked up last.
    input  rma_pkg::rma_region_t               named_i,
    /// The access writes.
    input  logic                               write_i,
    /// The access reads.
    input  logic                               read_i,
    /// Words from the start of the region to the access.
    input  logic                 [       31:2] offset_i,
    /// Bytes from the start of the region to the last one of the access.
    input  logic                 [       32:0] last_i,
    /// The access has no bytes, or does not begin with a word.
    input  logic                               malformed_i,
    /// Why the access is refused; `NackNone` when it is allowed.
    output tidings_pkg::nack_e                 nack_o,
    /// Last byte of an access to one word, whose offset is below 2^18 bytes.
    input  logic                 [        1:0] word_last_i,
    /// Why the access to one word is refused; waits for neither `last_i` nor `malformed_i`.
    output tidings_pkg::nack_e                 word_nack_o,
    /// Byte address in node memory of an allowed access.
    output logic                 [       31:0] address_o,
    /// The region stands for the router's table of static routes, which cannot be read.
    output logic                               routes_o
);

  import tidings_pkg::*;

  if (Regions < 1 || Regions > 256) begin : gen_regions_check
    $error("Regions must be 1 to 256, not %0d", Regions);
  end

  rma_pkg::rma_region_t filled, filled_q, row;
  logic [31:0] base, last_offset;
  logic offset_wraps, address_wraps, word_wraps, forbidden;
  logic [31:0] last_address;

  // Each row is there or all zeros: an OR of them is smaller than a choice after another one.
  always_comb begin
    filled = '0;
    for (int unsigned r = 0; r < Regions; r++) begin
      filled |= 32'(region_i) == r ? regions_i[r] : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (lookup_i) filled_q <= filled;
  end

  assign row = filled_q.valid ? filled_q : named_i;
  assign base = row.base & ~32'd3;
  // Offset and address of the last byte, with the carries that must not be.
  assign {offset_wraps, last_offset} = last_i;
  assign {address_wraps, last_address} = 33'(base) + 33'(last_offset);
  assign {word_wraps, address_o[31:2]} = 31'(base[31:2]) + 31'(offset_i);
  assign address_o[1:0] = 2'b00;
  assign routes_o = row.routes;
  assign forbidden = (write_i && !row.writable) || (read_i && (!row.readable || row.routes));

  always_comb begin
    nack_o = NackNone;
    if (!row.valid) begin
      nack_o = NackNotRegistered;
    end else if (forbidden) begin
      nack_o = NackRights;
    end else if (malformed_i) begin
      nack_o = NackBadPacket;
    end else if (offset_wraps || address_wraps || last_offset >= row.length) begin
      nack_o = NackBounds;
    end
  end

  always_comb begin
    word_nack_o = NackNone;
    if (!row.valid) begin
      word_nack_o = NackNotRegistered;
    end else if (forbidden) begin
      word_nack_o = NackRights;
    end else if (word_wraps || (row.length[31:18] == '0 &&
                                {offset_i[17:2], word_last_i} >= row.length[17:0])) begin
      word_nack_o = NackBounds;
    end
  end

  logic unused;
  assign unused = ^last_address;

`ifndef SYNTHESIS
  // The reason this module is here: the first byte of an allowed access is not before the region's.
  NotBelowBase :
  assert property (@(posedge clk_i) nack_o == NackNone && last_i >= 33'({offset_i, 2'b00}) |->
                   address_o >= base);
  WordNotBelowBase :
  assert property (@(posedge clk_i) word_nack_o == NackNone |-> address_o >= base);
  // And the last byte is not behind the region's last.
  NotBeyondEnd :
  assert property (@(posedge clk_i) nack_o == NackNone && last_i >= 33'({offset_i, 2'b00}) |->
                   34'(address_o) + 34'(last_i - 33'({offset_i, 2'b00})) <
                   34'(base) + 34'(row.length));
`endif

endmodule

`default_nettype wire
