// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: what the `registration_table` allows lies within a region that has the right, to the last byte,
/// what it refuses had to be refused, and the reason that it gives is the first that applies.
module registration_table_proof
  import tidings_pkg::*;
#(
    /// Rows.
    parameter int unsigned Regions = 3
) (
    input logic                               clk_i,
    input rma_pkg::rma_region_t [Regions-1:0] regions_i,
    input logic                               lookup_i,
    input logic                 [        7:0] region_i,
    // Changes with each look-up, as a memory does that is read then.
    input rma_pkg::rma_region_t               named_i,
    input logic                               write_i,
    input logic                               read_i,
    input logic                 [       31:0] offset_i,
    input logic                 [       31:0] bytes_i,
    // Any byte of the access, counted from its first.
    input logic                 [       31:0] byte_i
);

  // The row as software wrote it when it was looked up; rows that do not exist are not valid. Without a valid one, that
  // of a name counts.
  rma_pkg::rma_region_t filled, filled_q, named_q, row_q;
  assign filled = 32'(region_i) < Regions ? regions_i[region_i[$clog2(Regions)-1:0]] : '0;

  nack_e nack, word_nack;
  logic [31:0] address;
  logic routes;
  registration_table #(
      .Regions(Regions)
  ) u_table (
      .clk_i,
      .regions_i,
      .lookup_i,
      .region_i,
      .named_i    (named_q),
      .write_i,
      .read_i,
      .offset_i   (offset_i[31:2]),
      .last_i     (33'(offset_i) + 33'(bytes_i) - 33'd1),
      .malformed_i(offset_i[1:0] != 2'b00 || bytes_i == '0),
      .nack_o     (nack),
      .word_last_i(2'(bytes_i - 32'd1)),
      .word_nack_o(word_nack),
      .address_o  (address),
      .routes_o   (routes)
  );

  logic known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (lookup_i) begin
      known_q <= 1'b1;
      filled_q <= filled;
      named_q  <= named_i;
      row_q    <= filled.valid ? filled : named_i;
    end
  end

  // Wide enough for every sum.
  logic [35:0] base, limit, first, last, touched;
  logic right, fits, one_word;
  assign one_word = offset_i[31:18] == '0 && offset_i[1:0] == 2'b00 && bytes_i - 32'd1 < 32'd4;
  assign base = {4'b0, row_q.base[31:2], 2'b00};
  assign limit = base + 36'(row_q.length);
  assign first = base + 36'(offset_i);
  assign last = first + 36'(bytes_i) - 36'd1;
  assign touched = 36'(address) + 36'(byte_i);
  assign right = (!write_i || row_q.writable) && (!read_i || (row_q.readable && !row_q.routes));
  assign fits = last < limit && last < (36'd1 << 32);
  nack_e reason;
  always_comb begin
    if (!row_q.valid) reason = NackNotRegistered;
    else if (!right) reason = NackRights;
    else if (offset_i[1:0] != 2'b00 || bytes_i == '0) reason = NackBadPacket;
    else if (!fits) reason = NackBounds;
    else reason = NackNone;
  end

  always_comb begin
    if (known_q) begin
      // Lemma: the module kept the row.
      assert (u_table.filled_q == filled_q);
      assert (row_q == (filled_q.valid ? filled_q : named_q));
      if (nack == NackNone) begin
        OnlyValidRows : assert (row_q.valid);
        OnlyWithTheRight : assert (right);
        AddressOfOffset : assert (36'(address) == first);
        if (byte_i < bytes_i) begin
          EveryByteInside : assert (touched >= base && touched < limit && touched < (36'd1 << 32));
        end
      end
      ReasonIsTold : assert (nack == reason);
      ReasonOfOneWordIsTold : assert (!one_word || word_nack == reason);
      RoutesAreTold : assert (routes == row_q.routes);
      cover (nack == NackNone && last + 36'd1 == limit && bytes_i > 32'd4);
      cover (nack == NackBounds);
      cover (one_word && word_nack == NackNone && last + 36'd1 == limit);
      cover (one_word && word_nack == NackBounds);
      cover (nack == NackRights);
      cover (nack == NackNotRegistered);
      cover (nack == NackBadPacket);
    end
  end

endmodule

`default_nettype wire
