// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Next output of a packet: dimension order, lowest dimension first, then the slot; or what a routing
/// table says of the router that it goes to.
///
/// On a dimension with wrap-around links the shorter way is taken, and + if both are equal. The
/// dateline channel is 0 at the start of each dimension, and 1 from the wrap link on, so that the
/// channels of a ring cannot wait for each other in a circle. A table names port and layer of channels
/// by destination alone; a packet for this router, or for one that the table does not know, goes to a
/// slot. Combinational.
module route_compute
  import tidings_pkg::*;
#(
    /// Dimensions of the machine; 0 for a single router.
    parameter int unsigned Dims = 3,
    /// Network ports: two per dimension, or those of a router of any graph, whose `Dims` is 0.
    parameter int unsigned NumPorts = 2 * Dims,
    /// Routers that the routing table knows; 0: dimension order.
    parameter int unsigned TableRows = 0,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Channels are doubled; without, dimensions must not wrap.
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
    /// Router that the packet goes to.
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

  localparam int unsigned FieldWidth = Dims == 0 ? NodeIdWidth : NodeIdWidth / Dims;

  if (Dims > MaxDims) begin : gen_dims_check
    $error("Dims must be at most %0d, not %0d", MaxDims, Dims);
  end
  if (NumSlots == 0 || NumSlots > (1 << SlotIdWidth)) begin : gen_slots_check
    $error("NumSlots must be 1 to %0d, not %0d", 1 << SlotIdWidth, NumSlots);
  end

  // A slot that does not exist must not be mistaken for another port: slot 0 takes its packets.
  logic [PortWidth-1:0] slot_port;
  assign slot_port =
      PortWidth'(NumPorts) + (32'(dst_slot_i) < NumSlots ? PortWidth'(dst_slot_i) : '0);

  if (TableRows != 0) begin : gen_table
    localparam int unsigned IndexWidth = TableRows > 1 ? $clog2(TableRows) : 1;
    route_row_t row;
    logic known;
    assign known = valid_i && dst_node_i != node_id_i && 32'(dst_node_i) < TableRows;
    assign row   = known ? table_i[dst_node_i[IndexWidth-1:0]] : '0;
    always_comb begin : look_up
      port_o = '0;
      if (known) port_o = PortWidth'(row.port);
      else if (valid_i) port_o = slot_port;
    end
    assign dateline_o = Dateline && row.layer;
    logic unused;
    assign unused = ^{radix_i, wrap_i, dimension_i, dateline_i, row};
  end else if (Dims == 0) begin : gen_crossbar
    assign port_o = valid_i ? slot_port : '0;
    assign dateline_o = 1'b0;
    logic unused;
    assign unused = ^{node_id_i, radix_i, wrap_i, dst_node_i, dimension_i, dateline_i, table_i};
  end else begin : gen_dimensions
    logic unused;
    assign unused = ^table_i;
    always_comb begin : route
      automatic logic routed = 1'b0;
      port_o = '0;
      dateline_o = 1'b0;
      if (valid_i) begin
        port_o = slot_port;
        for (int unsigned d = 0; d < Dims; d++) begin
          automatic logic [FieldWidth-1:0] here, there;
          here  = node_id_i[d*FieldWidth+:FieldWidth];
          there = dst_node_i[d*FieldWidth+:FieldWidth];
          if (!routed && here != there) begin
            automatic logic plus;
            automatic logic [NodeIdWidth:0] forward;
            routed = 1'b1;
            plus = there > here;
            // Hops in the + direction; twice that is compared with the ring's size.
            forward = (NodeIdWidth + 1)'(there) - (NodeIdWidth + 1)'(here);
            if (Dateline && wrap_i[d]) begin
              if (!plus) forward = forward + {1'b0, radix_i[d]};
              plus = {forward[NodeIdWidth-1:0], 1'b0} <= {1'b0, radix_i[d]};
            end
            port_o = PortWidth'(2 * d) + (plus ? '0 : PortWidth'(1));
            if (Dateline) begin
              dateline_o = (dateline_i && 32'(dimension_i) == d) ||
                  (plus ? NodeIdWidth'(here) + 1'b1 == radix_i[d] : here == '0);
            end
          end
        end
      end
    end
  end

endmodule

`default_nettype wire
