// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Two nodes with the same inputs: one clocked in every cycle, the other only when it is busy or has
/// an input. Whether they ever differ is a test of what `busy_o` promises.
module node_pair
  import tidings_pkg::*;
#(
    /// Network ports.
    localparam int unsigned P = 2
) (
    /// Clock.
    input  logic                              clk_i,
    /// Synchronous reset, active low.
    input  logic                              rst_ni,
    /// A flit arrives at a network port.
    input  logic          [P-1:0]             flit_valid_i,
    /// The flit.
    input  flit_t         [P-1:0]             flit_i,
    /// Room in our input buffer.
    output logic          [P-1:0][MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic          [P-1:0]             flit_valid_o,
    /// The flit.
    output flit_t         [P-1:0]             flit_o,
    /// Room downstream.
    input  logic          [P-1:0][MaxVcs-1:0] credit_i,
    /// The processor accesses a register.
    input  logic          [  0:0]             bus_valid_i,
    /// The access.
    input  bus_request_t                      bus_i,
    /// A read is answered.
    output logic          [  0:0]             bus_read_valid_o,
    /// Word read.
    output word_t                             bus_read_data_o,
    /// Interrupt line.
    output logic          [  0:0]             interrupt_o,
    /// Read of node memory.
    output logic          [  0:0]             memory_read_valid_o,
    /// Byte address of the read.
    output logic          [ 31:0]             memory_read_address_o,
    /// Memory answers.
    input  logic          [  0:0]             memory_data_valid_i,
    /// Word read.
    input  word_t                             memory_data_i,
    /// Write to node memory.
    output logic          [  0:0]             memory_write_valid_o,
    /// The write.
    output memory_write_t                     memory_write_o,
    /// Busy, as the node that is always clocked says.
    output logic                              busy_o,
    /// The other node is clocked in this cycle.
    output logic                              clocked_o,
    /// The outputs of the two nodes differ.
    output logic                              differ_o
);

  typedef struct packed {
    logic [P-1:0][MaxVcs-1:0] credit;
    logic [P-1:0]             flit_valid;
    flit_t [P-1:0]            flit;
    logic                     bus_read_valid;
    word_t                    bus_read_data;
    logic                     interrupt;
    logic                     memory_read_valid;
    logic [31:0]              memory_read_address;
    logic                     memory_write_valid;
    memory_write_t            memory_write;
    logic                     busy;
  } outputs_t;

  outputs_t outputs[2];
  logic [1:0] clk;

  assign credit_o = outputs[0].credit;
  assign flit_valid_o = outputs[0].flit_valid;
  assign flit_o = outputs[0].flit;
  assign bus_read_valid_o = outputs[0].bus_read_valid;
  assign bus_read_data_o = outputs[0].bus_read_data;
  assign interrupt_o = outputs[0].interrupt;
  assign memory_read_valid_o = outputs[0].memory_read_valid;
  assign memory_read_address_o = outputs[0].memory_read_address;
  assign memory_write_valid_o = outputs[0].memory_write_valid;
  assign memory_write_o = outputs[0].memory_write;
  assign busy_o = outputs[0].busy;
  assign differ_o = outputs[0] != outputs[1];

  assign clocked_o = !rst_ni || outputs[1].busy || |flit_valid_i || |credit_i || |bus_valid_i ||
      |memory_data_valid_i;
  assign clk[0] = clk_i;
  clock_gate u_gate (
      .clk_i,
      .enable_i(clocked_o),
      .clk_o   (clk[1])
  );

  for (genvar n = 0; n < 2; n++) begin : gen_node
    node u_node (
        .clk_i                (clk[n]),
        .rst_ni,
        .node_id_i            ('0),
        .radix_i              (48'd4),
        .wrap_i               (4'd1),
        .table_i              ('0),
        .flit_valid_i,
        .flit_i,
        .credit_o             (outputs[n].credit),
        .flit_valid_o         (outputs[n].flit_valid),
        .flit_o               (outputs[n].flit),
        .credit_i,
        .bus_valid_i,
        .bus_i,
        .bus_read_valid_o     (outputs[n].bus_read_valid),
        .bus_read_data_o      (outputs[n].bus_read_data),
        .interrupt_o          (outputs[n].interrupt),
        .memory_read_valid_o  (outputs[n].memory_read_valid),
        .memory_read_address_o(outputs[n].memory_read_address),
        .memory_data_valid_i,
        .memory_data_i,
        .memory_write_valid_o (outputs[n].memory_write_valid),
        .memory_write_o       (outputs[n].memory_write),
        .busy_o               (outputs[n].busy)
    );
  end

endmodule

`default_nettype wire
