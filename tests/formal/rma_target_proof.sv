// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: from the first read of an atomic access to its last write, `rma_target` asks memory for nothing else and takes
/// no word of a request; it writes where it has read, and what follows from the values that memory has given it.
module rma_target_proof
  import tidings_pkg::*;
(
    input logic                 clk_i,
    input rma_pkg::rma_region_t region_i,
    input logic                 request_valid_i,
    input word_t                request_data_i,
    input logic                 request_last_i,
    input logic                 reply_ready_i,
    input logic                 read_ready_i,
    input logic                 answer_i,
    input word_t                data_i,
    input logic                 write_ready_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic request_valid, request_ready, read_valid, data_valid, write_valid, route_valid;
  logic [31:0] read_address;
  memory_write_t write;
  assign request_valid = rst_n && request_valid_i;

  rma_target #(
      .Regions    (1),
      .PacketWords(2),
      .Atomics    (1'b1)
  ) u_target (
      .clk_i,
      .rst_ni         (rst_n),
      .node_id_i      ('0),
      .slot_id_i      ('0),
      .regions_i      (region_i),
      .named_lookup_o (),
      .named_number_o (),
      .named_i        ('0),
      .queue_i        ('0),
      .queue_tail_o   (),
      .request_valid_i(request_valid),
      .request_data_i,
      .request_last_i,
      .request_ready_o(request_ready),
      .reply_valid_o  (),
      .reply_flit_o   (),
      .reply_ready_i,
      .read_valid_o   (read_valid),
      .read_address_o (read_address),
      .read_ready_i,
      .data_valid_i   (data_valid),
      .data_i,
      .write_valid_o  (write_valid),
      .write_o        (write),
      .write_ready_i,
      .route_valid_o  (route_valid),
      .route_ready_i  (1'b0),
      .busy_o         ()
  );

  // Memory answers what it has been asked, in order.
  logic [7:0] asked_q = '0;
  assign data_valid = asked_q != '0 && answer_i;
  always_ff @(posedge clk_i) begin
    asked_q <= asked_q + 8'(rst_n && read_valid && read_ready_i) - 8'(data_valid);
  end

  // An atomic access is under way: what it has read, and where.
  logic open_q = 1'b0;
  logic begins, ends;
  logic [31:0] address_q;
  logic [ 1:0] values_q;  // read
  word_t value_q, wide_q;  // the first and the second of them
  assign begins = u_target.atomic_read_valid && read_ready_i && !open_q;
  assign ends   = u_target.atomic_done;
  always_ff @(posedge clk_i) begin
    if (!rst_n || ends) open_q <= 1'b0;
    else if (begins) open_q <= 1'b1;
    if (begins) begin
      address_q <= read_address;
      values_q  <= '0;
    end else if (data_valid) begin
      values_q <= values_q + 2'd1;
      if (values_q == 2'd0) value_q <= data_i;
      else wide_q <= data_i;
    end
  end

  logic wide;
  logic [63:0] sum;
  assign wide = u_target.atomic_access.bytes[3];
  assign sum = {wide ? wide_q : 32'd0, value_q} +
      {u_target.gen_atomics.operands_q[0][1], u_target.gen_atomics.operands_q[0][0]};

  always_comb begin
    if (rst_n && begins) begin
      NothingIsAskedBefore : assert (asked_q == '0);
    end
    if (rst_n && open_q) begin
      NoWordIsTaken : assert (!request_ready);
      ReadsItsOtherWord : assert (!read_valid || read_address == address_q + 32'd4);
      NoRouteIsWritten : assert (!route_valid);
      if (write_valid) begin
        WritesWhereItHasRead :
        assert (write.address == address_q || (wide && write.address == address_q + 32'd4));
        WritesWhatItHasRead : assert (values_q == (wide ? 2'd2 : 2'd1));
        if (u_target.atomic_access.operation == AtomicAdd) begin
          AddsToIt : assert (write.data == (write.address == address_q ? sum[31:0] : sum[63:32]));
        end
      end
    end
    cover (open_q && ends && wide);
    cover (begins && u_target.sent_q.bytes == 32'd4 && u_target.kind_q == KindGet);
  end

endmodule

`default_nettype wire
