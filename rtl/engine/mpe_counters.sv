// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A number for each context, of which one can change and another be read in a cycle.
///
/// The numbers are in a memory, which FPGAs make of distributed RAM, instead of flip-flops with
/// multiplexers. After reset a number is `Initial` until it has been written.
module mpe_counters
  import mpe_pkg::*;
#(
    /// Contexts: a power of two, at most `MaxContexts`.
    parameter int unsigned Contexts = 8,
    /// Bits of a number.
    parameter int unsigned Width = 10,
    /// All numbers after reset.
    parameter logic [Width-1:0] Initial = '0
) (
    /// Clock.
    input  logic                    clk_i,
    /// Synchronous reset, active low.
    input  logic                    rst_ni,
    /// Change a number.
    input  logic                    write_i,
    /// Context of the number that may change.
    input  context_id_t             write_context_i,
    /// What it changes to.
    input  logic        [Width-1:0] value_i,
    /// What it is now.
    output logic        [Width-1:0] current_o,
    /// Context of the number that is read.
    input  context_id_t             read_context_i,
    /// That number.
    output logic        [Width-1:0] read_o
);

  localparam int unsigned ContextWidth = Contexts > 1 ? $clog2(Contexts) : 1;
  typedef logic [ContextWidth-1:0] context_t;

  context_t write_context, read_context;
  assign write_context = context_t'(write_context_i & context_id_t'(Contexts - 1));
  assign read_context  = context_t'(read_context_i & context_id_t'(Contexts - 1));

  // A memory of one word is a register.
  (* ram_style = Contexts > 1 ? "distributed" : "registers" *)
  logic [Width-1:0] memory_q[Contexts];
  logic [Contexts-1:0] written_q;
  assign current_o = written_q[write_context] ? memory_q[write_context] : Initial;
  assign read_o = written_q[read_context] ? memory_q[read_context] : Initial;

  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[write_context] <= value_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= '0;
    else if (write_i) written_q[write_context] <= 1'b1;
  end

  logic unused_contexts;
  assign unused_contexts = ^{write_context_i, read_context_i};

endmodule

`default_nettype wire
