// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A whole machine: nodes joined by links into a mesh, torus, ring or crossbar.
///
/// Nodes are numbered with dimension 0 fastest; slot s of node n is element `n * num_slots + s` of the
/// slot vectors. A ring is a torus of one dimension, a crossbar has `Dims = 0`. Ports at the edge of
/// a mesh, and those of a dimension of one router, lead nowhere. What every node shows its links is
/// brought out, so that another wiring of the same nodes can be compared with this one.
module machine_top
  import tidings_pkg::*;
#(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Routers in each dimension, dimension 0 lowest.
    parameter logic [MaxDims-1:0][7:0] Radix = {8'd1, 8'd1, 8'd1, 8'd2},
    /// Dimensions with wrap-around links.
    parameter logic [MaxDims-1:0] Wrap = 4'b0001,
    /// Cycles of a link.
    parameter int unsigned LinkLatency = 1,
    /// Routers.
    localparam int unsigned NumNodes = stride(Cfg.dims),
    /// Network ports of a node, at least one.
    localparam int unsigned P = Cfg.dims == 0 ? 1 : 2 * Cfg.dims,
    /// Slots of the machine.
    localparam int unsigned AllSlots = NumNodes * Cfg.num_slots
) (
    /// Clock.
    input  logic                                                   clk_i,
    /// Synchronous reset, active low.
    input  logic                                                   rst_ni,
    /// A processor accesses a register of its slot.
    input  logic          [AllSlots-1:0]                           bus_valid_i,
    /// The access.
    input  bus_request_t  [AllSlots-1:0]                           bus_i,
    /// A read is answered, two cycles after its request.
    output logic          [AllSlots-1:0]                           bus_read_valid_o,
    /// Word read.
    output word_t         [AllSlots-1:0]                           bus_read_data_o,
    /// An enabled cause is pending at the slot.
    output logic          [AllSlots-1:0]                           interrupt_o,
    /// Read of the slot's node memory.
    output logic          [AllSlots-1:0]                           memory_read_valid_o,
    /// Byte address of the read.
    output logic          [AllSlots-1:0][ 31:0]                    memory_read_address_o,
    /// Node memory answers the oldest read.
    input  logic          [AllSlots-1:0]                           memory_data_valid_i,
    /// Word read.
    input  word_t         [AllSlots-1:0]                           memory_data_i,
    /// Write to node memory.
    output logic          [AllSlots-1:0]                           memory_write_valid_o,
    /// The write.
    output memory_write_t [AllSlots-1:0]                           memory_write_o,
    /// To look at: a flit leaves a node's network port.
    output logic          [NumNodes-1:0][P-1:0]                    flit_valid_o,
    /// To look at: the flit.
    output flit_t         [NumNodes-1:0][P-1:0]                    flit_o,
    /// To look at: credits that a node gives back, one bit per channel.
    output logic          [NumNodes-1:0][P-1:0][       MaxVcs-1:0] credit_o,
    /// To look at: tokens of barriers that leave a node's network port, one bit per group.
    output logic          [NumNodes-1:0][P-1:0][BarrierGroups-1:0] token_o,
    /// To look at: what a node's static switch and its router of the network of `stream` send through its network port.
    output side_link_t    [NumNodes-1:0][P-1:0]                    switch_o,
    /// To look at: the nodes' own promise.
    output logic          [NumNodes-1:0]                           node_busy_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                   busy_o
);

  localparam int unsigned CoordinateWidth = Cfg.dims == 0 ? NodeIdWidth : NodeIdWidth / Cfg.dims;

  if (Cfg.dims > MaxDims) begin : gen_dims_check
    $error("Cfg.dims must be 0 to %0d, not %0d", MaxDims, Cfg.dims);
  end
  for (genvar d = 0; d < Cfg.dims; d++) begin : gen_radix_check
    if (Radix[d] == 0 || 32'(Radix[d]) > (1 << CoordinateWidth)) begin : gen_error
      $error("Radix[%0d] must be 1 to %0d, not %0d", d, 1 << CoordinateWidth, Radix[d]);
    end
  end

  // Nodes between neighbours of dimension `dim`; with all dimensions, the number of nodes.
  function automatic int unsigned stride(int unsigned dim);
    stride = 1;
    for (int unsigned d = 0; d < dim; d++) stride *= 32'(Radix[d]);
  endfunction

  function automatic int unsigned coordinate(int unsigned node, int unsigned dim);
    return (node / stride(dim)) % 32'(Radix[dim]);
  endfunction

  function automatic node_id_t node_id(int unsigned node);
    node_id = '0;
    for (int d = 0; d < int'(Cfg.dims); d++) begin
      node_id |= node_id_t'(coordinate(node, d) << (d * CoordinateWidth));
    end
  endfunction

  // True if a link leads out of this port.
  function automatic bit connected(int unsigned node, int unsigned port);
    int unsigned dim = port / 2;
    int unsigned here = coordinate(node, dim);
    int unsigned edge_coordinate = port % 2 == 0 ? 32'(Radix[dim]) - 1 : 0;
    if (Radix[dim] == 8'd1) return 1'b0;
    return Wrap[dim] || here != edge_coordinate;
  endfunction

  // A link carries tokens of barriers, but for those that close a dimension to a ring: nothing goes round.
  function automatic bit carries_tokens(int unsigned node, int unsigned port);
    return port % 2 == 0 ? neighbour(node, port) > node : neighbour(node, port) < node;
  endfunction

  // The node that the link leads to: an even port leads up, an odd one down.
  function automatic int unsigned neighbour(int unsigned node, int unsigned port);
    int unsigned dim = port / 2;
    int unsigned radix = 32'(Radix[dim]);
    int unsigned here = coordinate(node, dim);
    int unsigned there = (here + (port % 2 == 0 ? 1 : radix - 1)) % radix;
    return node - here * stride(dim) + there * stride(dim);
  endfunction

  logic [MaxDims-1:0][NodeIdWidth-1:0] radix;
  always_comb begin
    for (int d = 0; d < int'(MaxDims); d++)
    radix[d] = d < int'(Cfg.dims) ? NodeIdWidth'(Radix[d]) : '0;
  end

  logic [NumNodes-1:0][P-1:0] in_valid, link_busy;
  flit_t [NumNodes-1:0][P-1:0] in_flit;
  logic [NumNodes-1:0][P-1:0][MaxVcs-1:0] in_credit;
  logic [NumNodes-1:0][P-1:0][BarrierGroups-1:0] in_token;
  side_link_t [NumNodes-1:0][P-1:0] in_switch;

  assign busy_o = |node_busy_o || |link_busy;

  for (genvar n = 0; n < NumNodes; n++) begin : gen_node
    localparam int unsigned First = n * Cfg.num_slots;

    node #(
        .Cfg(Cfg)
    ) u_node (
        .clk_i,
        .rst_ni,
        .node_id_i            (node_id(n)),
        .radix_i              (radix),
        .wrap_i               (Wrap),
        .table_i              ('0),
        .flit_valid_i         (in_valid[n]),
        .flit_i               (in_flit[n]),
        .credit_o             (credit_o[n]),
        .flit_valid_o         (flit_valid_o[n]),
        .flit_o               (flit_o[n]),
        .credit_i             (in_credit[n]),
        .token_i              (in_token[n]),
        .token_o              (token_o[n]),
        .switch_i             (in_switch[n]),
        .switch_o             (switch_o[n]),
        .bus_valid_i          (bus_valid_i[First+:Cfg.num_slots]),
        .bus_i                (bus_i[First+:Cfg.num_slots]),
        .bus_read_valid_o     (bus_read_valid_o[First+:Cfg.num_slots]),
        .bus_read_data_o      (bus_read_data_o[First+:Cfg.num_slots]),
        .interrupt_o          (interrupt_o[First+:Cfg.num_slots]),
        .memory_read_valid_o  (memory_read_valid_o[First+:Cfg.num_slots]),
        .memory_read_address_o(memory_read_address_o[First+:Cfg.num_slots]),
        .memory_data_valid_i  (memory_data_valid_i[First+:Cfg.num_slots]),
        .memory_data_i        (memory_data_i[First+:Cfg.num_slots]),
        .memory_write_valid_o (memory_write_valid_o[First+:Cfg.num_slots]),
        .memory_write_o       (memory_write_o[First+:Cfg.num_slots]),
        .busy_o               (node_busy_o[n])
    );

    // A link carries the flits that leave a port to the opposite port of the neighbour, and the
    // credits for them back.
    for (genvar p = 0; p < P; p++) begin : gen_port
      if (Cfg.dims != 0 && connected(n, p)) begin : gen_link
        localparam int unsigned Neighbour = neighbour(n, p);
        localparam int unsigned Opposite = p ^ 1;

        link #(
            .Latency(LinkLatency)
        ) u_link (
            .clk_i,
            .rst_ni,
            .flit_valid_i(flit_valid_o[n][p]),
            .flit_i      (flit_o[n][p]),
            .credit_i    (credit_o[Neighbour][Opposite]),
            .token_i     (carries_tokens(n, p) ? token_o[n][p] : '0),
            .switch_i    (switch_o[n][p]),
            .flit_valid_o(in_valid[Neighbour][Opposite]),
            .flit_o      (in_flit[Neighbour][Opposite]),
            .credit_o    (in_credit[n][p]),
            .token_o     (in_token[Neighbour][Opposite]),
            .switch_o    (in_switch[Neighbour][Opposite]),
            .busy_o      (link_busy[n][p])
        );
      end else begin : gen_no_link
        assign in_valid[n][p]  = 1'b0;
        assign in_flit[n][p]   = '0;
        assign in_credit[n][p] = '0;
        assign in_token[n][p]  = '0;
        assign in_switch[n][p] = '0;
        assign link_busy[n][p] = 1'b0;
      end
    end
  end

endmodule

`default_nettype wire
