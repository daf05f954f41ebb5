// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `route_compute` sends a packet along the lowest dimension in which it is not yet there,
/// over a link that exists, one hop nearer by the shortest way; and to its slot at the end.
/// Channels behind the dateline are for those that have crossed, or cross, the wrap-around link of
/// the dimension.
module route_compute_proof
  import tidings_pkg::*;
#(
    /// Dimensions of the machine.
    parameter int unsigned Dims = 2,
    /// Slots of the router.
    parameter int unsigned NumSlots = 3,
    /// Channels are doubled.
    parameter bit Dateline = 1'b1
) (
    input logic                                              clk_i,
    input node_id_t                                          node_id_i,
    input logic     [          MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    input logic     [          MaxDims-1:0]                  wrap_i,
    input node_id_t                                          dst_node_i,
    input slot_id_t                                          dst_slot_i,
    input logic     [$clog2(MaxDims+1)-1:0]                  dimension_i,
    input logic                                              dateline_i
);

  localparam int unsigned Ports = 2 * Dims + NumSlots;
  localparam int unsigned PortWidth = $clog2(Ports);
  localparam int unsigned FieldWidth = NodeIdWidth / Dims;
  typedef logic [FieldWidth:0] distance_t;

  logic [PortWidth-1:0] port;
  logic behind;
  route_compute #(
      .Dims(Dims),
      .NumSlots(NumSlots),
      .Dateline(Dateline)
  ) u_route (
      .node_id_i,
      .radix_i,
      .wrap_i    (Dateline ? wrap_i : '0),
      .table_i   ('0),
      .valid_i   (1'b1),
      .dst_node_i,
      .dst_slot_i,
      .dimension_i,
      .dateline_i,
      .port_o    (port),
      .dateline_o(behind)
  );

  // Hops from one coordinate to another by the shortest way.
  function automatic distance_t hops(distance_t from, distance_t to, distance_t radix, logic wraps);
    automatic distance_t forward = to >= from ? to - from : to + radix - from;
    automatic distance_t backward = from >= to ? from - to : from + radix - to;
    if (!wraps) return to >= from ? to - from : from - to;
    return forward < backward ? forward : backward;
  endfunction

  // Where the packet is in each dimension, where it goes, and where it is after the hop.
  logic [Dims-1:0] there, is_next, crosses;
  for (genvar d = 0; d < Dims; d++) begin : gen_dimension
    distance_t here, goal, radix, next, left, left_then;
    logic wraps, plus;
    assign here = distance_t'(node_id_i[d*FieldWidth+:FieldWidth]);
    assign goal = distance_t'(dst_node_i[d*FieldWidth+:FieldWidth]);
    assign radix = distance_t'(radix_i[d]);
    assign wraps = Dateline && wrap_i[d];
    assign there[d] = here == goal;
    // All lower dimensions are done.
    assign is_next[d] = !there[d] && (there | ~(Dims'((1 << d) - 1))) == '1;
    assign plus = port == PortWidth'(2 * d);
    assign crosses[d] = plus ? here + 1'b1 == radix : here == '0;
    always_comb begin
      if (plus) next = here + 1'b1 == radix ? '0 : here + 1'b1;
      else next = here == '0 ? radix - 1'b1 : here - 1'b1;
    end
    assign left = hops(here, goal, radix, wraps);
    assign left_then = hops(next, goal, radix, wraps);
    always_comb begin
      CoordinatesExist :
      assume (radix_i[d] <= NodeIdWidth'(1 << FieldWidth) && here < radix && goal < radix);
      if (is_next[d]) begin
        LowestDimension : assert (32'(port) / 2 == d);
        LinkExists : assert (wraps || !crosses[d]);
        OneHopNearer : assert (left_then + 1'b1 == left);
        EqualWaysGoForward : assert (!wraps || 2 * left != radix || plus);
        if (Dateline) begin
          BehindTheDateline :
          assert (behind == ((dateline_i && 32'(dimension_i) == d) || crosses[d]));
        end
      end
    end
  end

  always_comb begin
    if (there == '1) begin
      ToItsSlot :
      assert (32'(port) == 2 * Dims + (32'(dst_slot_i) < NumSlots ? 32'(dst_slot_i) : 0));
    end
    NoDatelineWithout : assert ((Dateline && there != '1) || !behind);
    cover (is_next[Dims-1] && crosses[Dims-1] == Dateline && !dateline_i);
    cover (there == '1 && 32'(dst_slot_i) == 1);
  end

  logic unused_clk;
  assign unused_clk = clk_i;

endmodule

`default_nettype wire
