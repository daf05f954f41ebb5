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
///
/// If a route has more ports than a write can name, it is written in groups of `GroupPorts`: the lowest bits
/// of `ports` are those of one group, the two bits above say which. The other groups of the route stay as they
/// are. Writes to a group that there is not are lost.
module route_table
  import tidings_pkg::*;
#(
    /// Routes: a power of two, at least two.
    parameter int unsigned NumRoutes  = 16,
    /// Slots of the router.
    parameter int unsigned NumSlots   = 1,
    /// Ports of the router.
    parameter int unsigned Ports      = 7,
    /// Those that one write names.
    parameter int unsigned GroupPorts = Ports,
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
    /// The route may take any turn, as its first group says.
    output logic                          switched_o,
    /// Its output ports; none: there is no such route.
    output logic         [     Ports-1:0] ports_o
);

  localparam int unsigned IndexWidth = $clog2(NumRoutes);
  localparam int unsigned Groups = (Ports + GroupPorts - 1) / GroupPorts;

  if (NumRoutes < 2 || NumRoutes > MaxRoutes || (NumRoutes & (NumRoutes - 1)) != 0)
  begin : gen_routes_check
    $error("NumRoutes must be a power of two from 2 to %0d, not %0d", MaxRoutes, NumRoutes);
  end
  if (Groups > 1 << RouteGroupWidth || (Groups > 1 && GroupPorts + RouteGroupWidth > MaxPorts))
  begin : gen_groups_check
    $error("A write cannot name one of %0d groups of %0d ports", Groups, GroupPorts);
  end

  // What a route has of one group.
  typedef struct packed {
    logic                  switched;
    logic [GroupPorts-1:0] ports;
  } row_t;

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

  logic unused;
  assign unused = ^write;

  // ---------------------------------------------------------------- lookups
  logic [NumReaders-1:0] chosen;
  route_id_t chosen_route, route;
  row_t [Groups-1:0] row;
  logic [Groups-1:0] held;

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

  // ---------------------------------------------------------------- rows
  // The last group may have more bits than ports are left.
  logic [Groups*GroupPorts-1:0] ports;

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    // The rows fit a memory, which has no reset: which of them hold a route is kept beside it.
    row_t rows_q[NumRoutes];
    logic [NumRoutes-1:0] held_q;
    logic written;

    if (Groups > 1) begin : gen_choice
      assign written = write_held && write.entry.ports[GroupPorts+:RouteGroupWidth] == g;
    end else begin : gen_only
      assign written = write_held;
    end

    always_ff @(posedge clk_i) begin
      if (written) begin
        rows_q[write.route[IndexWidth-1:0]] <= '{
            switched: write.entry.switched,
            ports: write.entry.ports[GroupPorts-1:0]
        };
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) held_q <= '0;
      else if (written) held_q[write.route[IndexWidth-1:0]] <= 1'b1;
    end

    assign row[g] = rows_q[route[IndexWidth-1:0]];
    assign held[g] = in_table(route) && held_q[route[IndexWidth-1:0]];
    assign ports[g*GroupPorts+:GroupPorts] = held[g] ? row[g].ports : '0;
  end

  assign switched_o = row[0].switched;
  assign ports_o = ports[Ports-1:0];
  logic unused_rows;
  assign unused_rows = ^{row, ports};

endmodule

`default_nettype wire
