// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The unit that a machine is made of: one router with its slots and the ends of its links.
///
/// Every output depends on registered state alone, so machines may read all outputs, move them along
/// the wires, and clock all nodes in any order. `docs/architecture.md` ("Node ports") is the contract.
module node
  import tidings_pkg::*;
#(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Network ports.
    localparam int unsigned NumPorts = Cfg.dims != 0 ? 2 * Cfg.dims : Cfg.graph_ports,
    /// Elements of the routing table: without one an element is left, tied off.
    localparam int unsigned Rows = Cfg.table_rows == 0 ? 1 : Cfg.table_rows,
    /// Elements of the network port vectors: without ports one is left, tied off.
    localparam int unsigned P = NumPorts == 0 ? 1 : NumPorts
) (
    /// Clock.
    input  logic                                                 clk_i,
    /// Synchronous reset, active low.
    input  logic                                                 rst_ni,
    /// This router's address; constant after reset.
    input  node_id_t                                             node_id_i,
    /// Routers in each dimension; constant after reset.
    input  logic          [      MaxDims-1:0][  NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links; constant after reset.
    input  logic          [      MaxDims-1:0]                    wrap_i,
    /// Routing table: a row for each router with slots; constant after reset.
    input  route_row_t    [         Rows-1:0]                    table_i,
    /// A flit arrives at a network port.
    input  logic          [            P-1:0]                    flit_valid_i,
    /// The flit.
    input  flit_t         [            P-1:0]                    flit_i,
    /// Room for one more flit in our input buffer, one bit per channel.
    output logic          [            P-1:0][       MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic          [            P-1:0]                    flit_valid_o,
    /// The flit.
    output flit_t         [            P-1:0]                    flit_o,
    /// Room for one more flit downstream, one bit per channel.
    input  logic          [            P-1:0][       MaxVcs-1:0] credit_i,
    /// Tokens of barriers from the neighbour, one bit per group.
    input  logic          [            P-1:0][BarrierGroups-1:0] token_i,
    /// Tokens to the neighbour.
    output logic          [            P-1:0][BarrierGroups-1:0] token_o,
    /// From the neighbours' static switches, and their routers of the network of `stream`.
    input  side_link_t    [            P-1:0]                    switch_i,
    /// To the neighbours' static switches, and to those routers.
    output side_link_t    [            P-1:0]                    switch_o,
    /// A processor accesses a register of its slot.
    input  logic          [Cfg.num_slots-1:0]                    bus_valid_i,
    /// The access.
    input  bus_request_t  [Cfg.num_slots-1:0]                    bus_i,
    /// A read is answered, two cycles after its request.
    output logic          [Cfg.num_slots-1:0]                    bus_read_valid_o,
    /// Word read.
    output word_t         [Cfg.num_slots-1:0]                    bus_read_data_o,
    /// An enabled cause is pending at the slot.
    output logic          [Cfg.num_slots-1:0]                    interrupt_o,
    /// Read of the slot's node memory.
    output logic          [Cfg.num_slots-1:0]                    memory_read_valid_o,
    /// Byte address of the read.
    output logic          [Cfg.num_slots-1:0][             31:0] memory_read_address_o,
    /// Node memory answers the oldest read.
    input  logic          [Cfg.num_slots-1:0]                    memory_data_valid_i,
    /// Word read.
    input  word_t         [Cfg.num_slots-1:0]                    memory_data_i,
    /// Write to node memory.
    output logic          [Cfg.num_slots-1:0]                    memory_write_valid_o,
    /// The write.
    output memory_write_t [Cfg.num_slots-1:0]                    memory_write_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                 busy_o
);

  localparam bit HasDirectLinks = Cfg.direct_links && Cfg.mpe_slots[0] && Cfg.dims != 0;
  localparam int unsigned RouterPorts = NumPorts + Cfg.num_slots;
  // A packet of 64 payload words with its headers, as far as buffers go.
  localparam int unsigned BranchFlits = Cfg.crosspoint ? Cfg.crosspoint_flits : Cfg.buffer_flits;
  localparam int unsigned StaticFlits = BranchFlits < 68 ? BranchFlits : 68;

  node_cfg_check #(.Cfg(Cfg)) u_check ();

  if (Cfg.num_classes != 2) begin : gen_classes_check
    $error("Cfg.num_classes must be 2, requests and replies, not %0d", Cfg.num_classes);
  end

  // Barriers go over wires between neighbours' slots 0, or between the slots of a single router.
  localparam bit HasHub = NumPorts == 0 && Cfg.barrier_slots != 0;
  localparam bit HasTokens =
      Cfg.dims != 0 && 2 * Cfg.dims <= BarrierPorts && Cfg.barrier_slots == 1;
  if (Cfg.barrier_slots != 0 && !HasHub && !HasTokens) begin : gen_barrier_check
    $error("Cfg.barrier_slots: barriers need a single router, or one or two dimensions and slot 0");
  end

  // Static switches are joined along up to three dimensions, routers of a network of `stream` along two.
  localparam bit HasSwitch = Cfg.dims != 0 && 2 * Cfg.dims <= SwitchPorts;
  localparam bit MayOwnNetwork =
      HasSwitch && 2 * Cfg.dims <= FlatSwitchPorts && Cfg.stream_slots == 1 && !Cfg.dateline;
  if (Cfg.stream_own_network && !MayOwnNetwork) begin : gen_stream_check
    $error("Cfg.stream_own_network needs a mesh of one or two dimensions, and stream in slot 0");
  end
  if (Cfg.alltoall_slots != 0 && !HasSwitch) begin : gen_switch_check
    $error("Cfg.alltoall_slots: static switches need one to three dimensions");
  end

  localparam int unsigned SlotNumbers = 1 << SlotIdWidth;
  if (Cfg.num_slots > SlotNumbers && !Cfg.crosspoint) begin : gen_slots_check
    $error("Cfg.num_slots: more than %0d need crosspoint buffers", SlotNumbers);
  end

  // What enters and leaves the router: network ports first, then slots.
  logic [RouterPorts-1:0] in_valid, out_valid;
  flit_t [RouterPorts-1:0] in_flit, out_flit;
  logic [RouterPorts-1:0][MaxVcs-1:0] in_credit, out_credit;
  logic router_busy, route_refused;
  logic [Cfg.num_slots-1:0] route_write_valid, route_write_ready;
  route_write_t [Cfg.num_slots-1:0] route_write;
  logic [Cfg.num_slots-1:0] slot_busy;
  logic [P-1:0] tap_valid;
  flit_t [P-1:0] tap_flit;
  logic [Cfg.num_slots-1:0] lane_valid;
  flit_t [Cfg.num_slots-1:0] lane_flit;
  logic lane_credit;
  barrier_tokens_t [Cfg.num_slots-1:0] token;
  barrier_mates_t [Cfg.num_slots-1:0] mates;
  side_links_t [Cfg.num_slots-1:0] switch_links;
  logic [Cfg.num_slots-1:0][BarrierGroups-1:0] hub_release;
  logic hub_busy;

  assign busy_o = router_busy || hub_busy || |slot_busy;

  if (Cfg.crosspoint) begin : gen_crosspoint
    if (NumPorts != 0 || Cfg.router_pipeline) begin : gen_crosspoint_check
      $error("Cfg.crosspoint is for a single router without pipeline");
    end
    crosspoint_router #(
        .NumSlots       (Cfg.num_slots),
        .NumClasses     (Cfg.num_classes),
        .SlotBufferFlits(Cfg.slot_buffer_flits),
        .VoqFlits       (Cfg.voq_flits),
        .CrosspointFlits(Cfg.crosspoint_flits),
        .FixedPriority  (Cfg.fixed_priority),
        .FullestFirst   (Cfg.fullest_first),
        .NumRoutes      (Cfg.num_routes),
        .StaticFlits    (StaticFlits)
    ) u_router (
        .clk_i,
        .rst_ni,
        .flit_valid_i       (in_valid),
        .flit_i             (in_flit),
        .credit_o           (in_credit),
        .flit_valid_o       (out_valid),
        .flit_o             (out_flit),
        .credit_i           (out_credit),
        .route_write_valid_i(route_write_valid),
        .route_write_i      (route_write),
        .route_write_ready_o(route_write_ready),
        .route_refused_o    (route_refused),
        .busy_o             (router_busy)
    );
    assign tap_valid = '0;
    assign tap_flit = '0;
    assign lane_credit = 1'b0;
    logic unused;
    assign unused = ^{radix_i, wrap_i, table_i};
  end else begin : gen_input_buffers
    router #(
        .Dims           (Cfg.dims),
        .NumPorts       (NumPorts),
        .TableRows      (Cfg.table_rows),
        .NumSlots       (Cfg.num_slots),
        .NumClasses     (Cfg.num_classes),
        .Dateline       (Cfg.dateline),
        .BufferFlits    (Cfg.buffer_flits),
        .SlotBufferFlits(Cfg.slot_buffer_flits),
        .FixedPriority  (Cfg.fixed_priority),
        .NumRoutes      (Cfg.num_routes),
        .StaticFlits    (StaticFlits),
        .DirectLinks    (HasDirectLinks),
        .Pipeline       (Cfg.router_pipeline),
        .TurnCycle      (Cfg.turn_cycle && Cfg.dims != 0)
    ) u_router (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .radix_i,
        .wrap_i,
        .table_i,
        .flit_valid_i       (in_valid),
        .flit_i             (in_flit),
        .credit_o           (in_credit),
        .flit_valid_o       (out_valid),
        .flit_o             (out_flit),
        .credit_i           (out_credit),
        .route_write_valid_i(route_write_valid),
        .route_write_i      (route_write),
        .route_write_ready_o(route_write_ready),
        .route_refused_o    (route_refused),
        .tap_valid_o        (tap_valid),
        .tap_flit_o         (tap_flit),
        .lane_valid_i       (lane_valid[0]),
        .lane_flit_i        (lane_flit[0]),
        .lane_credit_o      (lane_credit),
        .busy_o             (router_busy)
    );
  end

  // Without direct links, and for other slots, some of these lead nowhere.
  logic unused_direct;
  assign unused_direct = ^{tap_valid, tap_flit, lane_valid, lane_flit, lane_credit};

  if (NumPorts == 0) begin : gen_no_ports
    assign credit_o = '0;
    assign flit_valid_o = '0;
    assign flit_o = '0;
    logic unused;
    assign unused = ^{flit_valid_i, flit_i, credit_i};
  end else begin : gen_ports
    assign in_valid[NumPorts-1:0] = flit_valid_i;
    assign in_flit[NumPorts-1:0] = flit_i;
    assign out_credit[NumPorts-1:0] = credit_i;
    assign credit_o = in_credit[NumPorts-1:0];
    assign flit_valid_o = out_valid[NumPorts-1:0];
    assign flit_o = out_flit[NumPorts-1:0];
  end

  for (genvar p = 0; p < P; p++) begin : gen_token
    if (p < BarrierPorts && p < NumPorts) begin : gen_wires
      assign token_o[p] = token[0][p];
    end else begin : gen_none
      assign token_o[p] = '0;
      logic unused;
      assign unused = ^token_i[p];
    end
  end
  for (genvar p = 0; p < P; p++) begin : gen_switch
    if (p < SwitchPorts && p < NumPorts) begin : gen_wires
      assign switch_o[p] = switch_links[0][p];
    end else begin : gen_none
      assign switch_o[p] = '0;
      logic unused;
      assign unused = ^switch_i[p];
    end
  end
  if (HasHub) begin : gen_hub
    logic [Cfg.num_slots-1:0][BarrierGroups-1:0] arrived;
    for (genvar s = 0; s < Cfg.num_slots; s++) begin : gen_arrived
      assign arrived[s] = token[s][0];
    end
    barrier_hub #(
        .NumSlots(Cfg.num_slots)
    ) u_hub (
        .clk_i,
        .rst_ni,
        .arrived_i(arrived),
        .mates_i  (mates),
        .release_o(hub_release),
        .busy_o   (hub_busy)
    );
  end else begin : gen_no_hub
    assign hub_release = '0;
    assign hub_busy = 1'b0;
  end
  logic unused_tokens;
  assign unused_tokens = ^{token, mates, hub_release, switch_links};

  for (genvar s = 0; s < Cfg.num_slots; s++) begin : gen_slot
    // Taps and lane are slot 0's.
    localparam int unsigned Taps = HasDirectLinks && s == 0 ? NumPorts : 0;
    localparam int unsigned D = Taps == 0 ? 1 : Taps;
    logic [D-1:0] slot_tap_valid;
    flit_t [D-1:0] slot_tap_flit;
    logic slot_lane_credit;
    // Wires of barriers between routers are slot 0's too. Those of a hub are at port 0.
    barrier_tokens_t slot_token;
    for (genvar p = 0; p < BarrierPorts; p++) begin : gen_token
      if (s == 0 && p < NumPorts) begin : gen_wires
        assign slot_token[p] = token_i[p];
      end else if (HasHub && p == 0) begin : gen_from_hub
        assign slot_token[p] = hub_release[s];
      end else begin : gen_none
        assign slot_token[p] = '0;
      end
    end
    // The router's static switch is in slot 0, and its router of the network of `stream`.
    side_links_t slot_switch;
    for (genvar p = 0; p < SwitchPorts; p++) begin : gen_switch
      if (s == 0 && p < NumPorts) begin : gen_wires
        assign slot_switch[p] = switch_i[p];
      end else begin : gen_none
        assign slot_switch[p] = '0;
      end
    end
    if (Taps == 0) begin : gen_no_taps
      assign slot_tap_valid = '0;
      assign slot_tap_flit = '0;
      assign slot_lane_credit = 1'b0;
    end else begin : gen_taps
      assign slot_tap_valid = tap_valid;
      assign slot_tap_flit = tap_flit;
      assign slot_lane_credit = lane_credit;
    end

    slot #(
        .Cfg        (Cfg),
        .Engines    (node_cfg_pkg::engines_at(Cfg, s)),
        .StaticFlits(StaticFlits),
        .DirectLinks(Taps)
    ) u_slot (
        .clk_i,
        .rst_ni,
        .node_id_i            (node_id_i | node_id_t'(s >> SlotIdWidth)),
        .slot_id_i            (slot_id_t'(s)),
        .flit_valid_i         (out_valid[NumPorts+s]),
        .flit_i               (out_flit[NumPorts+s]),
        .credit_o             (out_credit[NumPorts+s]),
        .flit_valid_o         (in_valid[NumPorts+s]),
        .flit_o               (in_flit[NumPorts+s]),
        .credit_i             (in_credit[NumPorts+s]),
        .bus_valid_i          (bus_valid_i[s]),
        .bus_i                (bus_i[s]),
        .bus_read_valid_o     (bus_read_valid_o[s]),
        .bus_read_data_o      (bus_read_data_o[s]),
        .interrupt_o          (interrupt_o[s]),
        .memory_read_valid_o  (memory_read_valid_o[s]),
        .memory_read_address_o(memory_read_address_o[s]),
        .memory_data_valid_i  (memory_data_valid_i[s]),
        .memory_data_i        (memory_data_i[s]),
        .memory_write_valid_o (memory_write_valid_o[s]),
        .memory_write_o       (memory_write_o[s]),
        .route_write_valid_o  (route_write_valid[s]),
        .route_write_o        (route_write[s]),
        .route_write_ready_i  (route_write_ready[s]),
        .route_refused_i      (route_refused),
        .tap_valid_i          (slot_tap_valid),
        .tap_flit_i           (slot_tap_flit),
        .lane_valid_o         (lane_valid[s]),
        .lane_flit_o          (lane_flit[s]),
        .lane_credit_i        (slot_lane_credit),
        .token_i              (slot_token),
        .token_o              (token[s]),
        .mates_o              (mates[s]),
        .switch_i             (slot_switch),
        .switch_o             (switch_links[s]),
        .busy_o               (slot_busy[s])
    );
  end

endmodule

`default_nettype wire
