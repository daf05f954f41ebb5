// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The output ports that a static packet of one input channel may take.
///
/// Those that have a link or slot; and, unless the route is switched, those of dimension order: straight
/// on, to higher dimensions and to slots, and not over the wrap-around link a second time. `router` says
/// why. Combinational.
module branch_rules #(
    /// Network ports of the router.
    parameter int unsigned NumPorts = 6,
    /// All its ports.
    parameter int unsigned Ports = 7,
    /// Port of the input channel.
    parameter int unsigned Port = 0,
    /// The input channel is one behind the dateline.
    parameter bit BehindDateline = 1'b0
) (
    /// The route may take any turn.
    input  logic             switched_i,
    /// There is a link at the port, or a slot.
    input  logic [Ports-1:0] linked_i,
    /// The link is a wrap-around link.
    input  logic [Ports-1:0] wraps_i,
    /// The packet may leave there.
    output logic [Ports-1:0] allowed_o
);

  // Turns that dimension order has: straight on, to higher dimensions, and to slots.
  function automatic logic [Ports-1:0] turns();
    for (int unsigned p = 0; p < Ports; p++) begin
      turns[p] = Port >= NumPorts || p >= NumPorts || p / 2 > Port / 2 || (p ^ Port) == 1;
    end
  endfunction

  // Straight on from behind the dateline, over the wrap-around link once more.
  function automatic logic [Ports-1:0] again();
    for (int unsigned p = 0; p < Ports; p++) again[p] = BehindDateline && (p ^ Port) == 1;
  endfunction

  assign allowed_o = linked_i & (turns() & ~(again() & wraps_i) | {Ports{switched_i}});

endmodule

`default_nettype wire
