// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The static routes of a router: for each route the output ports that it leads to.
///
/// Every slot of the router may write; one write is taken in a cycle, the slots take turns. Input
/// channels look up the routes of their packets, one in a cycle, and take turns as well. A lookup sees
/// the writes of the cycles before. After reset there are no routes. Nor is there one with a number
/// that the table does not have: writes to it are lost.
module route_table
  import tidings_pkg::*;
#(
    /// Routes: a power of two, at least two.
    parameter int unsigned NumRoutes  = 16,
    /// Slots of the router.
    parameter int unsigned NumSlots   = 1,
    /// Ports of the router.
    parameter int unsigned Ports      = 7,
    /// Input channels that look routes up.
    parameter int unsigned NumReaders = 1,
    /// A lookup takes one cycle to be chosen and another to be served.
    parameter bit          Pipeline   = 1'b0
) (
    /// Clock.
    input  logic                          clk_i,
    /// Synchronous reset, active low.
    input  logic                          rst_ni,
    /// A slot writes; held until it is taken.
    input  logic         [  NumSlots-1:0] write_valid_i,
    /// What it writes; ports that the router does not have are ignored.
    input  route_write_t [  NumSlots-1:0] write_i,
    /// It is taken.
    output logic         [  NumSlots-1:0] write_ready_o,
    /// An input channel looks a route up; held until it is served.
    input  logic         [NumReaders-1:0] lookup_i,
    /// The route.
    input  route_id_t    [NumReaders-1:0] route_i,
    /// It is served in this cycle: the outputs below are for it.
    output logic         [NumReaders-1:0] served_o,
    /// The route may take any turn.
    output logic                          switched_o,
    /// Its output ports; none: there is no such route.
    output logic         [     Ports-1:0] ports_o
);

  localparam int unsigned IndexWidth = $clog2(NumRoutes);

  if (NumRoutes < 2 || NumRoutes > MaxRoutes || (NumRoutes & (NumRoutes - 1)) != 0)
  begin : gen_routes_check
    $error("NumRoutes must be a power of two from 2 to %0d, not %0d", MaxRoutes, NumRoutes);
  end

  typedef struct packed {
    logic             switched;
    logic [Ports-1:0] ports;
  } row_t;

  // The rows fit a memory, which has no reset: which of them hold a route is kept beside it.
  row_t rows_q[NumRoutes];
  logic [NumRoutes-1:0] held_q;

  function automatic logic in_table(route_id_t route);
    return 32'(route) < NumRoutes;
  endfunction

  // ---------------------------------------------------------------- writes
  logic write_valid, write_held;
  route_write_t write;

  arbiter #(
      .NumRequests(NumSlots)
  ) u_writers (
      .clk_i,
      .rst_ni,
      .request_i(write_valid_i),
      .accept_i (1'b1),
      .valid_o  (write_valid),
      .grant_o  (write_ready_o),
      .index_o  ()
  );

  always_comb begin : choose_write
    write = '0;
    for (int unsigned s = 0; s < NumSlots; s++) if (write_ready_o[s]) write |= write_i[s];
  end
  assign write_held = write_valid && in_table(write.route);

  always_ff @(posedge clk_i) begin
    if (write_held) begin
      rows_q[write.route[IndexWidth-1:0]] <= '{
          switched: write.entry.switched,
          ports: write.entry.ports[Ports-1:0]
      };
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= '0;
    else if (write_held) held_q[write.route[IndexWidth-1:0]] <= 1'b1;
  end

  logic unused;
  assign unused = ^write;

  // ---------------------------------------------------------------- lookups
  logic [NumReaders-1:0] chosen;
  route_id_t chosen_route, route;
  row_t row;

  arbiter #(
      .NumRequests(NumReaders)
  ) u_readers (
      .clk_i,
      .rst_ni,
      .request_i(Pipeline ? lookup_i & ~served_o : lookup_i),
      .accept_i (1'b1),
      .valid_o  (),
      .grant_o  (chosen),
      .index_o  ()
  );

  always_comb begin : choose_route
    chosen_route = '0;
    for (int unsigned r = 0; r < NumReaders; r++) if (chosen[r]) chosen_route |= route_i[r];
  end

  if (Pipeline) begin : gen_pipeline
    logic [NumReaders-1:0] served_q;
    route_id_t route_q;
    assign served_o = served_q;
    assign route = route_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) served_q <= '0;
      else served_q <= chosen;
    end
    always_ff @(posedge clk_i) route_q <= chosen_route;
  end else begin : gen_at_once
    assign served_o = chosen;
    assign route = chosen_route;
  end

  assign row = rows_q[route[IndexWidth-1:0]];
  assign switched_o = row.switched;
  assign ports_o = in_table(route) && held_q[route[IndexWidth-1:0]] ? row.ports : '0;

endmodule

`default_nettype wire
