// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Message passing engine: barrier, broadcast, reduce and allreduce over a tree of links.
module mpe
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
  /// Tree links, at most `mpe_pkg::MaxLinks`.
  parameter int unsigned MpeLinks = 8,
  /// Words of each link's stream buffer: a power of two.
  parameter int unsigned MpeBufferWords = 512,
  /// Most payload words of a Stream packet: a power of two, at most half of a stream buffer.
  parameter int unsigned MpePacketWords = 64,
  /// Pipeline stages of a floating-point addition, at least 3.
  parameter int unsigned FpuStages = 4
) (
  /// Clock.
  input  logic                       clk_i,
  /// Synchronous reset, active low.
  input  logic                       rst_ni,
  /// Router of this slot.
  input  node_id_t                   node_id_i,
  /// Number of this slot at its router.
  input  slot_id_t                   slot_id_i,

  /// Neighbours; constant while a collective is under way.
  input  mpe_link_t [MpeLinks-1:0]   links_i,
  /// A collective to queue.
  input  logic                       command_valid_i,
  input  mpe_command_t               command_i,
  /// The queue (two deep) has room. A command without room is dropped: `error_o.overflow`.
  output logic                       command_ready_o,

  /// Collectives complete since reset.
  output word_t                      completed_o,
  /// A collective is complete: high for the cycle in which `completed_o` shows it first.
  output logic                       done_o,
  /// What went wrong so far.
  output mpe_error_t                 error_o,
  /// Something went wrong: high for the cycle in which `error_o` shows it first.
  output logic                       failed_o,

  /// One payload word of a Stream packet (headers already taken off). Always accepted.
  input  logic                       rx_valid_i,
  /// `info[3:0]` of the packet: our link.
  input  link_id_t                   rx_link_i,
  input  word_t                      rx_data_i,
  /// A Credit packet. Always accepted.
  input  logic                       credit_valid_i,
  /// `info[3:0]` of the packet: our link.
  input  link_id_t                   credit_link_i,
  /// `length` of the packet.
  input  logic [15:0]                credit_count_i,

  /// Flits of whole Stream packets, class request. From header to tail valid never falls.
  output logic                       request_valid_o,
  output flit_t                      request_flit_o,
  input  logic                       request_ready_i,
  /// Flits of Credit packets, class reply.
  output logic                       reply_valid_o,
  output flit_t                      reply_flit_o,
  input  logic                       reply_ready_i,

  /// Reads of node memory, bytes, word aligned.
  output logic                       memory_read_valid_o,
  output logic [31:0]                memory_read_address_o,
  input  logic                       memory_read_ready_i,
  /// Answers to this engine's reads, in order. Always accepted.
  input  logic                       memory_data_valid_i,
  input  word_t                      memory_data_i,
  /// Writes to node memory.
  output logic                       memory_write_valid_o,
  output memory_write_t              memory_write_o,
  input  logic                       memory_write_ready_i,

  /// Low promises that a clock edge without inputs changes nothing.
  output logic                       busy_o
);

endmodule

`default_nettype wire
