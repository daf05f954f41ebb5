// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Room left in a buffer downstream, as its sender counts it.
///
/// A flit sent takes one credit, a credit received gives one back; both may happen in one cycle.
module credit_counter #(
    /// Places of the buffer downstream: the credits after reset, and the most there can be.
    parameter int unsigned Credits = 16,
    /// Places that a packet may need, at most `Credits`.
    parameter int unsigned Room = 1
) (
    /// Clock.
    input  logic clk_i,
    /// Synchronous reset, active low.
    input  logic rst_ni,
    /// A flit is sent in this cycle.
    input  logic take_i,
    /// A credit comes back in this cycle; it can be taken in the next.
    input  logic give_i,
    /// A flit may be sent in this cycle.
    output logic available_o,
    /// At least `Room` flits may be sent from this cycle on.
    output logic room_o
);

  if (Credits == 0) begin : gen_credits_check
    $error("Credits must be at least 1");
  end
  if (Room == 0 || Room > Credits) begin : gen_room_check
    $error("Room must be 1 to %0d, not %0d", Credits, Room);
  end

  localparam int unsigned Width = $clog2(Credits + 1);

  // What the count says is at hand in registers.
  logic [Width-1:0] count_q;
  logic available_q, room_q;
  assign available_o = available_q;
  assign room_o = room_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      available_q <= 1'b1;
      room_q <= 1'b1;
    end else if (take_i && !give_i) begin
      available_q <= count_q > Width'(1);
      room_q <= count_q > Width'(Room);
    end else if (give_i && !take_i) begin
      available_q <= 1'b1;
      room_q <= {1'b0, count_q} + 1'b1 >= (Width + 1)'(Room);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= Width'(Credits);
    else if (take_i && !give_i) count_q <= count_q - 1'b1;
    else if (give_i && !take_i) count_q <= count_q + 1'b1;
  end

`ifndef SYNTHESIS
  // A flit without a credit would overrun the buffer downstream.
  TakeNeedsCredit :
  assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> available_o);
  // More credits than places: somebody invented one.
  NeverTooMany :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      give_i && !take_i |-> count_q < Width'(Credits));
`endif

endmodule

`default_nettype wire
