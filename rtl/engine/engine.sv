// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// An engine of a slot by its number: the list of engines, and all ports that an engine may have.
///
/// The module of an engine has those of these ports that it uses, by these names. So they are joined with
/// `.*`, and what one calls otherwise does not elaborate. Outputs that an engine lacks are tied off here.
///
/// A new engine is a line here and a number in `tidings_pkg`. A new port is written here, in `slot` and in
/// the engines that use it. An engine that is not in the slot has no module, and says nothing.
module engine #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Number of the engine.
    parameter tidings_pkg::engine_e Number = tidings_pkg::EngineRma,
    /// The slot has it.
    parameter bit Present = 1'b1,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68,
    /// Network ports that have a tap; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// Elements of the vectors of taps: without any one is left, tied off.
    localparam int unsigned D = DirectLinks == 0 ? 1 : DirectLinks,
    /// Memory ports.
    localparam int unsigned Ports = engine_pkg::memory_ports(Number)
) (
    /// Clock.
    input logic clk_i,
    /// Synchronous reset, active low.
    input logic rst_ni,
    /// Router of this slot.
    input tidings_pkg::node_id_t node_id_i,
    /// Number of this slot at its router.
    input tidings_pkg::slot_id_t slot_id_i,
    /// A word of a packet of each class is offered.
    input logic [engine_pkg::NumClasses-1:0] rx_valid_i,
    /// The words.
    input engine_pkg::engine_word_t [engine_pkg::NumClasses-1:0] rx_i,
    /// The word is taken.
    output logic [engine_pkg::NumClasses-1:0] rx_ready_o,
    /// A flit of a packet of each class is offered.
    output logic [engine_pkg::NumClasses-1:0] tx_valid_o,
    /// The flits; the channel is left to the port.
    output tidings_pkg::flit_t [engine_pkg::NumClasses-1:0] tx_flit_o,
    /// The flit is taken.
    input logic [engine_pkg::NumClasses-1:0] tx_ready_i,
    /// A read of memory is asked for, by port.
    output logic [Ports-1:0] read_valid_o,
    /// Byte addresses of the reads.
    output logic [Ports-1:0][31:0] read_address_o,
    /// The reads are taken.
    input logic [Ports-1:0] read_ready_i,
    /// The oldest read of this port is answered.
    input logic [Ports-1:0] data_valid_i,
    /// Word read.
    input tidings_pkg::word_t data_i,
    /// A write to memory is asked for, by port.
    output logic [Ports-1:0] write_valid_o,
    /// The writes.
    output tidings_pkg::memory_write_t [Ports-1:0] write_o,
    /// The writes are taken.
    input logic [Ports-1:0] write_ready_i,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// A flit of a neighbour packet comes in through the network port; it is taken.
    input logic [D-1:0] tap_valid_i,
    /// The flit.
    input tidings_pkg::flit_t [D-1:0] tap_flit_i,
    /// A flit of a neighbour packet goes to the router over the lane.
    output logic lane_valid_o,
    /// The flit; zero without.
    output tidings_pkg::flit_t lane_flit_o,
    /// Room for one more flit on the lane.
    input logic lane_credit_i,
    /// A change of a static route of the router is asked for.
    output logic route_valid_o,
    /// The change; zero without.
    output tidings_pkg::route_write_t route_o,
    /// It is taken.
    input logic route_ready_i,
    /// Tokens of barriers from neighbours.
    input tidings_pkg::barrier_tokens_t token_i,
    /// Tokens to neighbours.
    output tidings_pkg::barrier_tokens_t token_o,
    /// From the neighbours' static switches, and their routers of the network of `stream`.
    input tidings_pkg::side_links_t switch_i,
    /// To the neighbours' static switches, and to those routers.
    output tidings_pkg::side_links_t switch_o,
    /// Slots of a single router that are members of a barrier with this one.
    output tidings_pkg::barrier_mates_t mates_o,
    /// The engine `rma` of the slot is idle from the next cycle on, unless a command comes now.
    input logic quiet_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;

  // What an engine has beside registers, events and busy: a new port has its engines here.
  localparam bit HasPackets = Present && Number inside {EngineRma, EngineMpe, EngineStream};
  localparam bit HasMemory = Present && Number inside {EngineRma, EngineMpe, EngineAlltoall};
  localparam bit HasLane = Present && Number == EngineMpe;
  localparam bit HasRoutes = Present && Number == EngineRma;
  localparam bit HasTokens = Present && Number == EngineBarrier;
  localparam bit HasSwitch = Present && Number inside {EngineStream, EngineAlltoall};

  if (!Present) begin : gen_absent
    assign bus_data_o = '0;
    assign events_o = '0;
    assign busy_o = 1'b0;
  end else if (Number == EngineRma) begin : gen_rma
    rma_engine #(
        .Cfg        (Cfg),
        .StaticFlits(StaticFlits)
    ) u_engine (
        .*
    );
  end else if (Number == EngineMpe) begin : gen_mpe
    mpe_engine #(
        .Cfg        (Cfg),
        .StaticFlits(StaticFlits),
        .DirectLinks(DirectLinks)
    ) u_engine (
        .*
    );
  end else if (Number == EngineStream) begin : gen_stream
    stream_engine #(.Cfg(Cfg)) u_engine (.*);
  end else if (Number == EngineBarrier) begin : gen_barrier
    barrier_engine #(.Hub(Cfg.dims == 0 && Cfg.graph_ports == 0)) u_engine (.*);
  end else if (Number == EngineAlltoall) begin : gen_alltoall
    alltoall_engine #(.Cfg(Cfg)) u_engine (.*);
  end else begin : gen_unknown
    $error("Number must be that of an engine with a line here, not %0d", Number);
  end

  if (!HasPackets) begin : gen_no_packets
    assign rx_ready_o = Present ? '1 : '0;
    assign tx_valid_o = '0;
    assign tx_flit_o  = '0;
`ifndef SYNTHESIS
    // No packet is for this engine.
    NoPackets :
    assert property (@(posedge clk_i) disable iff (!rst_ni) Present |-> rx_valid_i == '0);
`endif
  end
  if (!HasMemory) begin : gen_no_memory
    assign read_valid_o = '0;
    assign read_address_o = '0;
    assign write_valid_o = '0;
    assign write_o = '0;
  end
  if (!HasLane) begin : gen_no_lane
    assign lane_valid_o = 1'b0;
    assign lane_flit_o  = '0;
  end
  if (!HasRoutes) begin : gen_no_routes
    assign route_valid_o = 1'b0;
    assign route_o = '0;
  end
  if (!HasTokens) begin : gen_no_tokens
    assign token_o = '0;
    assign mates_o = '0;
  end
  if (!HasSwitch) begin : gen_no_switch
    assign switch_o = '0;
  end

  // No engine has all inputs.
  logic unused;
  assign unused = ^{
    clk_i, rst_ni, node_id_i, slot_id_i, rx_valid_i, rx_i, tx_ready_i, read_ready_i, data_valid_i,
    data_i, write_ready_i, bus_valid_i, bus_i, tap_valid_i, tap_flit_i, lane_credit_i,
    route_ready_i, token_i, switch_i, quiet_i
  };

endmodule

`default_nettype wire
