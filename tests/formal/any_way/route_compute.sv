// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Stands in for `route_compute` in proofs of the router: the packet's address says where it
/// leaves, in any way. What holds for all of these ways holds for those that `route_compute`
/// chooses, in machines of any size: the router looks at an address nowhere else, except at the
/// number of a static route.
module route_compute
  import tidings_pkg::*;
#(
    /// Dimensions of the machine; 0 for a single router.
    parameter int unsigned Dims = 3,
    /// Network ports.
    parameter int unsigned NumPorts = 2 * Dims,
    /// Routers that the routing table knows; 0: dimension order.
    parameter int unsigned TableRows = 0,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Channels are doubled.
    parameter bit Dateline = 1'b1,
    /// Bits of an output port's number.
    localparam int unsigned PortWidth = NumPorts + NumSlots > 1 ? $clog2(NumPorts + NumSlots) : 1,
    /// Elements of the table: without one an element is left, tied off.
    localparam int unsigned Rows = TableRows == 0 ? 1 : TableRows
) (
    /// This router's address.
    input  node_id_t                                            node_id_i,
    /// Routers in each dimension.
    input  logic       [          MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links.
    input  logic       [          MaxDims-1:0]                  wrap_i,
    /// Routing table.
    input  route_row_t [             Rows-1:0]                  table_i,
    /// A head is to be routed; otherwise the outputs are zero.
    input  logic                                                valid_i,
    /// Output port, and above it the dateline channel.
    input  node_id_t                                            dst_node_i,
    /// Slot of that router.
    input  slot_id_t                                            dst_slot_i,
    /// Dimension that the packet came through; `MaxDims` when it came from a slot.
    input  logic       [$clog2(MaxDims+1)-1:0]                  dimension_i,
    /// Dateline channel that the packet came on.
    input  logic                                                dateline_i,
    /// Output port.
    output logic       [        PortWidth-1:0]                  port_o,
    /// Dateline channel to leave on.
    output logic                                                dateline_o
);

  // Slots have channels of dateline 0 alone.
  logic [PortWidth-1:0] port;
  assign port = dst_node_i[PortWidth-1:0];
  assign port_o = valid_i && 32'(port) < NumPorts + NumSlots ? port : '0;
  assign dateline_o = Dateline && valid_i && 32'(port_o) < NumPorts && dst_node_i[PortWidth];

  logic unused;
  assign unused = ^{node_id_i, radix_i, wrap_i, table_i, dst_node_i, dst_slot_i, dimension_i,
                    dateline_i};

endmodule

`default_nettype wire
