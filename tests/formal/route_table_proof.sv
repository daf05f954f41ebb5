// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: a lookup in `route_table` shows what was written last to its route, and no ports if nothing was
/// or if the table has no such route; it is for a reader that asks. If a write names one group of ports, the
/// others show what they did. One write and one lookup are taken
/// in each cycle in which anyone wants to, and nobody sees more of them go to others than there are
/// others.
///
/// One route is watched. It never changes, and is any, in the table or not.
module route_table_proof
  import tidings_pkg::*;
#(
    /// Routes of the table.
    parameter int unsigned NumRoutes = 4,
    /// Slots that write.
    parameter int unsigned NumSlots = 2,
    /// Ports of the router.
    parameter int unsigned Ports = MaxPorts,
    /// Those that one write names.
    parameter int unsigned GroupPorts = Ports,
    /// Input channels that look routes up.
    parameter int unsigned NumReaders = 3,
    /// A lookup takes two cycles.
    parameter bit Pipeline = 1'b0
) (
    input logic                          clk_i,
    input logic         [  NumSlots-1:0] write_valid_i,
    input route_write_t [  NumSlots-1:0] write_i,
    input logic         [NumReaders-1:0] lookup_i,
    input route_id_t    [NumReaders-1:0] route_i
);

  localparam int unsigned IndexWidth = $clog2(NumRoutes);
  localparam int unsigned Groups = (Ports + GroupPorts - 1) / GroupPorts;
  localparam int unsigned CountWidth = $clog2(NumSlots + NumReaders) + 1;
  typedef logic [CountWidth-1:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  route_id_t watched_q;
  always_ff @(posedge clk_i) watched_q <= watched_q;

  logic [NumSlots-1:0] write_valid, write_ready;
  logic [NumReaders-1:0] lookup, served;
  logic switched;
  logic [Ports-1:0] ports;
  assign write_valid = rst_n ? write_valid_i : '0;
  assign lookup = rst_n ? lookup_i : '0;
  route_table #(
      .NumRoutes (NumRoutes),
      .NumSlots  (NumSlots),
      .Ports     (Ports),
      .GroupPorts(GroupPorts),
      .NumReaders(NumReaders),
      .Pipeline  (Pipeline)
  ) u_table (
      .clk_i,
      .rst_ni       (rst_n),
      .write_valid_i(write_valid),
      .write_i,
      .write_ready_o(write_ready),
      .lookup_i     (lookup),
      .route_i,
      .served_o     (served),
      .switched_o   (switched),
      .ports_o      (ports)
  );

  // ------------------------------------------------------------------ reference
  // What was last written of each port, and whether anything was; one port at a time, whatever the groups.
  logic there, switched_held_q, switched_q;
  logic [Ports-1:0] held_q, ports_q;
  assign there = 32'(watched_q) < NumRoutes;

  function automatic logic names(route_write_t write, int unsigned port);
    return Groups == 1 || 32'(write.entry.ports[GroupPorts+:RouteGroupWidth]) == port / GroupPorts;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      held_q <= '0;
      ports_q <= '0;
      switched_held_q <= 1'b0;
    end else begin
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (write_ready[s] && write_i[s].route == watched_q && there) begin
          for (int unsigned p = 0; p < Ports; p++) begin
            if (names(write_i[s], p)) begin
              held_q[p]  <= 1'b1;
              ports_q[p] <= write_i[s].entry.ports[p%GroupPorts];
            end
          end
          if (names(write_i[s], 0)) begin
            switched_held_q <= 1'b1;
            switched_q <= write_i[s].entry.switched;
          end
        end
      end
    end
  end

  // Whether a lookup must be served in this cycle.
  logic must_serve;
  if (Pipeline) begin : gen_late
    logic asked_q;
    always_ff @(posedge clk_i) asked_q <= rst_n && (lookup & ~served) != '0;
    assign must_serve = asked_q;
  end else begin : gen_now
    assign must_serve = lookup != '0;
  end

  // A lookup stays as it is until it is served.
  logic [NumReaders-1:0] waits_q;
  route_id_t [NumReaders-1:0] route_q;
  always_ff @(posedge clk_i) begin
    waits_q <= lookup & ~served;
    route_q <= route_i;
  end

  // Turns that each writer and reader has seen go to others since it began to ask.
  count_t [  NumSlots-1:0] write_waited_q;
  count_t [NumReaders-1:0] read_waited_q;
  logic   [NumReaders-1:0] chosen;
  assign chosen = u_table.chosen;
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (!write_valid[s] || write_ready[s]) write_waited_q[s] <= '0;
      else write_waited_q[s] <= write_waited_q[s] + 1'b1;
    end
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (!lookup[r] || chosen[r] || served[r]) read_waited_q[r] <= '0;
      else read_waited_q[r] <= read_waited_q[r] + 1'b1;
    end
  end

  // ------------------------------------------------------------------ properties
  always_comb begin
    if (rst_n) begin
      OneWrite :
      assert ((write_ready & (write_ready - 1'b1)) == '0 && (write_ready & ~write_valid) == '0);
      AWriteIfAnyoneWrites : assert ((write_ready != '0) == (write_valid != '0));
      OneLookup : assert ((served & (served - 1'b1)) == '0 && (served & ~lookup) == '0);
      ALookupIfAnyoneAsks : assert ((served != '0) == must_serve);
    end
  end
  for (genvar r = 0; r < NumReaders; r++) begin : gen_reader
    always_comb begin
      LookupStays : assume (!rst_n || !waits_q[r] || (lookup[r] && route_i[r] == route_q[r]));
      if (rst_n) begin
        if (served[r] && route_i[r] == watched_q) begin
          ShowsWhatWasWritten : assert (ports == ports_q);
          SwitchedAsWritten : assert (!switched_held_q || switched == switched_q);
        end
        ReaderWaitsForOthersOnly : assert (32'(read_waited_q[r]) < NumReaders);
        cover (served[r] && route_i[r] == watched_q && held_q != '0 && ports != '0);
        cover (served[r] && 32'(route_i[r]) >= NumRoutes);
      end
    end
  end
  for (genvar s = 0; s < NumSlots; s++) begin : gen_writer
    always_comb begin
      if (rst_n) WriterWaitsForOthersOnly : assert (32'(write_waited_q[s]) < NumSlots);
    end
  end

  // ------------------------------------------------------------------ lemmas
  always_comb begin
    if (rst_n) begin
      assert ((ports_q & ~held_q) == '0);
      assert (switched_held_q == held_q[0]);
    end
  end
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic stored_held, stored_port;
    assign stored_held = u_table.gen_group[p/GroupPorts].held_q[watched_q[IndexWidth-1:0]];
    assign stored_port =
        u_table.gen_group[p/GroupPorts].rows_q[watched_q[IndexWidth-1:0]][p%GroupPorts];
    always_comb begin
      if (rst_n) begin
        assert (held_q[p] == (there && stored_held));
        assert (!held_q[p] || stored_port == ports_q[p]);
      end
    end
  end
  always_comb begin
    if (rst_n && switched_held_q) begin
      assert (u_table.gen_group[0].rows_q[watched_q[IndexWidth-1:0]][GroupPorts] == switched_q);
    end
  end
  if (Pipeline) begin : gen_lookup
    for (genvar r = 0; r < NumReaders; r++) begin : gen_reader
      always_comb begin
        if (rst_n && served[r]) begin
          assert (waits_q[r] && u_table.gen_pipeline.route_q == route_q[r]);
        end
      end
    end
  end
  // Who has waited is near the start of the arbiter's search, which is at one place and wraps around.
  logic [  NumSlots-1:0] write_above;
  logic [NumReaders-1:0] read_above;
  count_t write_start, read_start;
  assign write_above = u_table.u_writers.gen_round_robin.above_q;
  assign read_above  = u_table.u_readers.gen_round_robin.above_q;
  always_comb begin
    write_start = '0;
    read_start  = '0;
    for (int unsigned s = NumSlots; s > 0; s--) if (write_above[s-1]) write_start = count_t'(s - 1);
    for (int unsigned r = NumReaders; r > 0; r--) if (read_above[r-1]) read_start = count_t'(r - 1);
    if (rst_n) begin
      assert (write_above == '0 || (write_above | (write_above - 1'b1)) == '1);
      assert (read_above == '0 || (read_above | (read_above - 1'b1)) == '1);
      for (int unsigned s = 0; s < NumSlots; s++) begin
        assert (32'(write_waited_q[s]) + (s + NumSlots - 32'(write_start)) % NumSlots < NumSlots);
      end
      for (int unsigned r = 0; r < NumReaders; r++) begin
        assert (32'(read_waited_q[r]) + (r + NumReaders - 32'(read_start)) % NumReaders <
                NumReaders);
      end
    end
  end

endmodule

`default_nettype wire
