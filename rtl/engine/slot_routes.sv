// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Changes of static routes, from this slot's software and from the network, on their way to the router.
///
/// One change waits here until the router takes it, which has one per cycle for all of its slots.
/// Software goes first, and cannot be held up: what it writes while its last change still waits takes
/// the place of that one, and `lost_o` says so. A router of one slot takes every change at once.
module slot_routes (
    /// Clock.
    input  logic                      clk_i,
    /// Synchronous reset, active low.
    input  logic                      rst_ni,
    /// Software changes a route.
    input  logic                      bus_valid_i,
    /// The change.
    input  tidings_pkg::route_write_t bus_i,
    /// The network changes a route.
    input  logic                      engine_valid_i,
    /// The change.
    input  tidings_pkg::route_write_t engine_i,
    /// It is taken.
    output logic                      engine_ready_o,
    /// A change is offered to the router.
    output logic                      valid_o,
    /// The change.
    output tidings_pkg::route_write_t route_o,
    /// It is taken.
    input  logic                      ready_i,
    /// A change of software is lost.
    output logic                      lost_o
);

  logic valid_q;
  tidings_pkg::route_write_t route_q;

  assign valid_o = valid_q;
  assign route_o = route_q;
  assign engine_ready_o = !valid_q && !bus_valid_i;
  assign lost_o = bus_valid_i && valid_q && !ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (bus_valid_i || (engine_valid_i && engine_ready_o)) valid_q <= 1'b1;
    else if (ready_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (bus_valid_i) route_q <= bus_i;
    else if (engine_ready_o) route_q <= engine_i;
  end

endmodule

`default_nettype wire
