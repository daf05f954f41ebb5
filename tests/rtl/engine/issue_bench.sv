// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A single router whose slots have an issue port, with a front end in front of it: CV-X-IF, RoCC, or MOVEs. What a processor
/// and a memory of a slot are joined to comes out as vectors; a processor's own accesses go through the issue port.
module issue_bench
  import tidings_pkg::*;
  import issue_pkg::*;
#(
    /// The front end: 0 CV-X-IF, 1 RoCC, 2 MOVEs.
    parameter int unsigned Front = 0,
    /// Bytes of a registered region of MOVEs.
    parameter int unsigned RegionBytes = 512,
    /// Slots of the router.
    localparam int unsigned N = node_cfg_pkg::NodeCfg.num_slots
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // CV-X-IF, or a command of RoCC; or a MOVE to address `instr_i` of the lowest word of `rs_i`, with the failure in
    // `accept_o` and `barrier_done` as a result.
    input  logic          [N-1:0]       issue_valid_i,
    output logic          [N-1:0]       issue_ready_o,
    input  logic          [N-1:0][31:0] instr_i,
    input  logic          [N-1:0][ 3:0] id_i,
    input  logic          [N-1:0][95:0] rs_i,
    output logic          [N-1:0]       accept_o,
    output logic          [N-1:0]       writeback_o,
    input  logic          [N-1:0]       commit_valid_i,
    input  logic          [N-1:0][ 3:0] commit_id_i,
    input  logic          [N-1:0]       commit_kill_i,
    output logic          [N-1:0]       result_valid_o,
    input  logic          [N-1:0]       result_ready_i,
    output logic          [N-1:0][ 3:0] result_id_o,
    output logic          [N-1:0][ 4:0] result_rd_o,
    output logic          [N-1:0][31:0] result_data_o,
    // A processor's own accesses.
    input  logic          [N-1:0]       bus_valid_i,
    input  bus_request_t  [N-1:0]       bus_i,
    output logic          [N-1:0]       bus_ready_o,
    output logic          [N-1:0]       bus_read_valid_o,
    output word_t         [N-1:0]       bus_read_data_o,
    output logic          [N-1:0]       interrupt_o,
    output logic          [N-1:0]       memory_read_valid_o,
    output logic          [N-1:0][31:0] memory_read_address_o,
    input  logic          [N-1:0]       memory_data_valid_i,
    input  word_t         [N-1:0]       memory_data_i,
    output logic          [N-1:0]       memory_write_valid_o,
    output memory_write_t [N-1:0]       memory_write_o,
    // What MOVEs have set, and whether any are under way.
    output logic          [N-1:0][ 7:0] pid_o,
    output logic          [N-1:0][ 7:0] nprocs_o,
    output logic          [N-1:0]       front_busy_o,
    output logic                        busy_o
);

  logic [N-1:0] abort, access_valid, read_valid;
  bus_request_t [N-1:0] access;

  for (genvar s = 0; s < N; s++) begin : gen_slot
    logic wanted_valid, wanted_ready, ended;
    issue_t wanted;
    issue_result_t result;

    if (Front != 2) begin : gen_no_moves
      assign pid_o[s] = '0;
      assign nprocs_o[s] = '0;
      assign front_busy_o[s] = 1'b0;
    end

    if (Front == 2) begin : gen_moves
      assign writeback_o[s]   = 1'b0;
      assign result_id_o[s]   = '0;
      assign result_rd_o[s]   = '0;
      assign result_data_o[s] = '0;
      rma_moves #(
          .Depth(8),
          .RegionBytes(RegionBytes)
      ) u_front (
          .clk_i,
          .rst_ni,
          .move_valid_i            (issue_valid_i[s]),
          .move_address_i          (instr_i[s]),
          .move_data_i             (rs_i[s][31:0]),
          .move_ready_o            (issue_ready_o[s]),
          .nprocs_o                (nprocs_o[s]),
          .pid_o                   (pid_o[s]),
          .barrier_done_o          (result_valid_o[s]),
          .barrier_done_ack_i      (result_ready_i[s]),
          .failed_o                (accept_o[s]),
          .busy_o                  (front_busy_o[s]),
          .primitive_valid_o       (wanted_valid),
          .primitive_o             (wanted),
          .primitive_ready_i       (wanted_ready),
          .primitive_result_valid_i(ended),
          .primitive_result_i      (result)
      );
    end else if (Front == 1) begin : gen_rocc
      assign accept_o[s] = 1'b1;
      assign writeback_o[s] = 1'b0;
      assign result_id_o[s] = '0;
      logic busy;
      rocc_instruction_t command;
      assign command = instr_i[s];
      rma_rocc u_front (
          .clk_i,
          .rst_ni,
          .cmd_valid_i             (issue_valid_i[s]),
          .cmd_ready_o             (issue_ready_o[s]),
          .cmd_funct7_i            (command.funct7),
          .cmd_rd_i                (command.rd),
          .cmd_xd_i                (command.xd),
          .cmd_rs1_i               (rs_i[s][31:0]),
          .cmd_rs2_i               (rs_i[s][63:32]),
          .resp_valid_o            (result_valid_o[s]),
          .resp_ready_i            (result_ready_i[s]),
          .resp_rd_o               (result_rd_o[s]),
          .resp_data_o             (result_data_o[s]),
          .busy_o                  (busy),
          .primitive_valid_o       (wanted_valid),
          .primitive_o             (wanted),
          .primitive_ready_i       (wanted_ready),
          .primitive_result_valid_i(ended),
          .primitive_result_i      (result)
      );
    end else begin : gen_xif
      logic we;
      rma_xif u_front (
          .clk_i,
          .rst_ni,
          .issue_valid_i           (issue_valid_i[s]),
          .issue_ready_o           (issue_ready_o[s]),
          .issue_instr_i           (instr_i[s]),
          .issue_id_i              (id_i[s]),
          .issue_rs_i              (rs_i[s]),
          .issue_rs_valid_i        ('1),
          .issue_accept_o          (accept_o[s]),
          .issue_writeback_o       (writeback_o[s]),
          .commit_valid_i          (commit_valid_i[s]),
          .commit_id_i             (commit_id_i[s]),
          .commit_kill_i           (commit_kill_i[s]),
          .result_valid_o          (result_valid_o[s]),
          .result_ready_i          (result_ready_i[s]),
          .result_id_o             (result_id_o[s]),
          .result_data_o           (result_data_o[s]),
          .result_rd_o             (result_rd_o[s]),
          .result_we_o             (we),
          .primitive_valid_o       (wanted_valid),
          .primitive_o             (wanted),
          .primitive_ready_i       (wanted_ready),
          .primitive_result_valid_i(ended),
          .primitive_result_i      (result)
      );
    end

    rma_issue #(
        .CommandDepth (node_cfg_pkg::NodeCfg.rma_command_depth),
        .MaxProcessors(node_cfg_pkg::NodeCfg.num_slots)
    ) u_issue (
        .clk_i,
        .rst_ni,
        .node_id_i          ('0),
        .issue_valid_i      (wanted_valid),
        .issue_i            (wanted),
        .issue_ready_o      (wanted_ready),
        .result_valid_o     (ended),
        .result_o           (result),
        .abort_o            (abort[s]),
        .abort_i            (|abort),
        .access_valid_i     (bus_valid_i[s]),
        .access_i           (bus_i[s]),
        .access_ready_o     (bus_ready_o[s]),
        .access_read_valid_o(bus_read_valid_o[s]),
        .bus_valid_o        (access_valid[s]),
        .bus_o              (access[s]),
        .bus_read_valid_i   (read_valid[s]),
        .bus_read_data_i    (bus_read_data_o[s])
    );
  end

  node u_node (
      .clk_i,
      .rst_ni,
      .node_id_i       ('0),
      .radix_i         ('0),
      .wrap_i          ('0),
      .table_i         ('0),
      .flit_valid_i    ('0),
      .flit_i          ('0),
      .credit_o        (),
      .flit_valid_o    (),
      .flit_o          (),
      .credit_i        ('0),
      .token_i         ('0),
      .token_o         (),
      .bus_valid_i     (access_valid),
      .bus_i           (access),
      .bus_read_valid_o(read_valid),
      .bus_read_data_o,
      .interrupt_o,
      .memory_read_valid_o,
      .memory_read_address_o,
      .memory_data_valid_i,
      .memory_data_i,
      .memory_write_valid_o,
      .memory_write_o,
      .busy_o
  );

endmodule

`default_nettype wire
