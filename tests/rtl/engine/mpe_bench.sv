// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Message passing engines side by side, with all ports in a few vectors for a test to drive.
///
/// An engine's clock runs only in cycles in which it is busy or an input comes, as a machine would
/// clock it: a promise of `busy_o` that is not kept makes collectives hang or go wrong.
module mpe_bench
  import tidings_pkg::*;
  import mpe_pkg::*;
  import mpe_bench_pkg::*;
#(
    /// Engines; engine i has router address i and slot 0.
    parameter int unsigned Engines = 8,
    /// Tree links of each.
    parameter int unsigned MpeLinks = 8,
    /// Contexts of each.
    parameter int unsigned MpeContexts = 4,
    /// Words of a stream buffer.
    parameter int unsigned MpeBufferWords = 64,
    /// Most words of a packet.
    parameter int unsigned MpePacketWords = 16,
    /// Children combined in one pass.
    parameter int unsigned MpeCombinePorts = 1,
    /// Stages of a floating-point addition.
    parameter int unsigned FpuStages = 4,
    /// Links that can be direct.
    parameter int unsigned DirectLinks = 0
) (
    /// Clock.
    input  logic                                                      clk_i,
    /// Synchronous reset, active low.
    input  logic                                                      rst_ni,
    /// Commands, one for each engine; taken when `in_i` says so.
    input  mpe_command_t [Engines-1:0]                                command_i,
    /// Neighbours of each engine in each context.
    input  mpe_link_t    [Engines-1:0][MpeContexts-1:0][MpeLinks-1:0] links_i,
    /// What comes in through the network ports of each engine.
    input  tap_t         [Engines-1:0][   MaxLinks-1:0]               taps_i,
    /// All other inputs.
    input  in_t          [Engines-1:0]                                in_i,
    /// All outputs.
    output out_t         [Engines-1:0]                                out_o
);

  function automatic node_cfg_pkg::node_cfg_t configuration();
    configuration = node_cfg_pkg::NodeCfg;
    configuration.mpe_links = MpeLinks;
    configuration.mpe_contexts = MpeContexts;
    configuration.mpe_buffer_words = MpeBufferWords;
    configuration.mpe_packet_words = MpePacketWords;
    configuration.mpe_combine_ports = MpeCombinePorts;
    configuration.fpu_stages = FpuStages;
  endfunction
  localparam node_cfg_pkg::node_cfg_t Cfg = configuration();

  localparam int unsigned Taps = DirectLinks == 0 ? 1 : DirectLinks;

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    logic [Taps-1:0] tap_valid;
    context_id_t [Taps-1:0] tap_context;
    tap_left_t [Taps-1:0] tap_left;
    word_t [Taps-1:0] tap_data;
    for (genvar t = 0; t < Taps; t++) begin : gen_tap
      assign tap_valid[t] = taps_i[e][t].valid;
      assign tap_context[t] = taps_i[e][t].context_id;
      assign tap_left[t] = taps_i[e][t].left;
      assign tap_data[t] = taps_i[e][t].data;
    end

    logic clk;
    clock_gate u_clock_gate (
        .clk_i,
        .enable_i(!rst_ni || out_o[e].busy || in_i[e].command_valid || in_i[e].rx_valid ||
                  |tap_valid || in_i[e].credit_valid),
        .clk_o(clk)
    );
    mpe #(
        .Cfg(Cfg),
        .DirectLinks(DirectLinks)
    ) u_mpe (
        .clk_i(clk),
        .rst_ni,
        .node_id_i(node_id_t'(e)),
        .slot_id_i('0),
        .links_i(links_i[e]),
        .command_valid_i(in_i[e].command_valid),
        .command_i(command_i[e]),
        .command_ready_o(out_o[e].command_ready),
        .completed_o(out_o[e].completed),
        .done_o(out_o[e].done),
        .error_o(out_o[e].error),
        .failed_o(out_o[e].failed),
        .rx_valid_i(in_i[e].rx_valid),
        .rx_info_i(in_i[e].rx_info),
        .rx_data_i(in_i[e].rx_data),
        .rx_ready_o(out_o[e].rx_ready),
        .tap_valid_i(tap_valid),
        .tap_context_i(tap_context),
        .tap_data_i(tap_data),
        .tap_left_i(tap_left),
        .credit_valid_i(in_i[e].credit_valid),
        .credit_info_i(in_i[e].credit_info),
        .credit_count_i(in_i[e].credit_count),
        .lane_valid_o(out_o[e].lane_valid),
        .lane_flit_o(out_o[e].lane_flit),
        .lane_ready_i(in_i[e].lane_ready),
        .request_valid_o(out_o[e].request_valid),
        .request_flit_o(out_o[e].request_flit),
        .request_ready_i(in_i[e].request_ready),
        .reply_valid_o(out_o[e].reply_valid),
        .reply_flit_o(out_o[e].reply_flit),
        .reply_ready_i(in_i[e].reply_ready),
        .memory_read_valid_o(out_o[e].read_valid),
        .memory_read_address_o(out_o[e].read_address),
        .memory_read_ready_i(in_i[e].read_ready),
        .memory_data_valid_i(in_i[e].data_valid),
        .memory_data_i(in_i[e].data),
        .memory_write_valid_o(out_o[e].write_valid),
        .memory_write_o(out_o[e].write),
        .memory_write_ready_i(in_i[e].write_ready),
        .busy_o(out_o[e].busy)
    );
  end

endmodule

`default_nettype wire
