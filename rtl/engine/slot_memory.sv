// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Shares the memory port of a slot among its engines.
///
/// Memory takes one read and one write a cycle and answers reads in order; a FIFO of tags remembers
/// who asked. Both directions are round-robin, so nobody waits for ever. Whoever asks must have a
/// place for the answer: answers cannot be held up.
module slot_memory #(
    /// Engines' ports.
    parameter int unsigned NumSources = 3,
    /// Reads that can be under way: a power of two. A longer memory latency slows reading down.
    parameter int unsigned ReadsInFlight = 64
) (
    /// Clock.
    input  logic                                              clk_i,
    /// Synchronous reset, active low.
    input  logic                                              rst_ni,
    /// A source asks for a read.
    input  logic                       [NumSources-1:0]       read_valid_i,
    /// Byte addresses of the reads.
    input  logic                       [NumSources-1:0][31:0] read_address_i,
    /// The read is taken.
    output logic                       [NumSources-1:0]       read_ready_o,
    /// The oldest read of this source is answered by the memory's data.
    output logic                       [NumSources-1:0]       data_valid_o,
    /// A source asks for a write.
    input  logic                       [NumSources-1:0]       write_valid_i,
    /// The writes.
    input  tidings_pkg::memory_write_t [NumSources-1:0]       write_i,
    /// The write is taken.
    output logic                       [NumSources-1:0]       write_ready_o,
    /// Read of memory.
    output logic                                              memory_read_valid_o,
    /// Byte address of the read; zero while there is none.
    output logic                       [          31:0]       memory_read_address_o,
    /// Memory answers the oldest read.
    input  logic                                              memory_data_valid_i,
    /// Write to memory.
    output logic                                              memory_write_valid_o,
    /// The write; zero while there is none.
    output tidings_pkg::memory_write_t                        memory_write_o
);

  logic [NumSources-1:0] read_grant, tag;
  logic read_any, tags_full;

  arbiter #(
      .NumRequests(NumSources)
  ) u_read_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(read_valid_i),
      .accept_i (memory_read_valid_o),
      .valid_o  (read_any),
      .grant_o  (read_grant),
      .index_o  ()
  );

  arbiter #(
      .NumRequests(NumSources)
  ) u_write_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(write_valid_i),
      .accept_i (1'b1),
      .valid_o  (memory_write_valid_o),
      .grant_o  (write_ready_o),
      .index_o  ()
  );

  fifo #(
      .T    (logic [NumSources-1:0]),
      .Depth(ReadsInFlight)
  ) u_tags (
      .clk_i,
      .rst_ni,
      .push_i (memory_read_valid_o),
      .data_i (read_grant),
      .pop_i  (memory_data_valid_i),
      .data_o (tag),
      .empty_o(),
      .full_o (tags_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  assign memory_read_valid_o = read_any && !tags_full;
  assign read_ready_o = tags_full ? '0 : read_grant;
  assign data_valid_o = memory_data_valid_i ? tag : '0;

  always_comb begin
    memory_read_address_o = '0;
    memory_write_o = '0;
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (read_ready_o[s]) memory_read_address_o = read_address_i[s];
      if (write_ready_o[s]) memory_write_o = write_i[s];
    end
  end

endmodule

`default_nettype wire
