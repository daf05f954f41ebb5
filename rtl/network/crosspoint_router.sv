// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Single router with virtual output queues and a buffer at each crosspoint.
///
/// It has the slot ports of `router` and no others: slots, their flits and credits, one flit per port
/// and cycle each way. Inputs and outputs choose by themselves, each among those of its crosspoints that
/// have room or flits, so that no output waits for another one.
///
///     flit_i ---> voq_port ---> crosspoints of all outputs ---> crosspoint_output ---> flit_o
///                (an input)                                        (an output)
///
/// Flits of a class from one slot to another keep their order, and packets do not mix on a class. A
/// flit that arrives at the end of cycle t and finds nothing in its way may leave in t + 1; one that has
/// waited in a queue leaves two cycles later at least. All outputs depend on registered state alone.
///
/// A slot is named by `dst_slot`, in a router of more than 16 together with the lowest bits of
/// `dst_node`, so that it is the slot's address. A packet for a slot that does not exist goes to slot 0.
///
/// With `NumRoutes`, packets of static kinds in class 0 go to all slots of a row of a table: each of their
/// words is written to several crosspoints at once. `route_refused_o` says of a packet that its row
/// names none, and that it is dropped. Without, they go to one slot as all others do. In a router of more
/// than 16 slots, a write to the table names slots of one group of 16, that with the router address of its
/// number.
///
/// It cannot deadlock: flits of a class wait for slots, which take all words in the end, and for no
/// other class. A static packet for several slots waits before its head, while it keeps no output, and then
/// has room for all of it at each of them. If words went as far as there is room, two such packets could
/// each own an output that the other one waits for.
module crosspoint_router
  import tidings_pkg::*;
#(
    /// Slots of the router, each an input and an output: 2 to 64.
    parameter int unsigned NumSlots = 4,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Flits of a slot port's buffers, for each class and direction.
    parameter int unsigned SlotBufferFlits = 16,
    /// Flits of an input's virtual output queues together, for each class.
    parameter int unsigned VoqFlits = 64,
    /// Flits of a crosspoint, for each class.
    parameter int unsigned CrosspointFlits = 16,
    /// 0: round robin among inputs. 1: the lowest wins.
    parameter bit FixedPriority = 1'b0,
    /// The fullest crosspoints go first.
    parameter bit FullestFirst = 1'b0,
    /// Static routes: zero, or a power of two from 2 to 64.
    parameter int unsigned NumRoutes = 0,
    /// Flits of the longest packet on a static route that forks: at most `CrosspointFlits`.
    parameter int unsigned StaticFlits = CrosspointFlits < 68 ? CrosspointFlits : 68
) (
    /// Clock.
    input  logic                                    clk_i,
    /// Synchronous reset, active low.
    input  logic                                    rst_ni,
    /// A flit arrives.
    input  logic         [NumSlots-1:0]             flit_valid_i,
    /// The flit; its class must have room.
    input  flit_t        [NumSlots-1:0]             flit_i,
    /// Room for one more flit in our queues, one bit per class.
    output logic         [NumSlots-1:0][MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic         [NumSlots-1:0]             flit_valid_o,
    /// The flit; zero without.
    output flit_t        [NumSlots-1:0]             flit_o,
    /// Room for one more flit in the slot, one bit per class.
    input  logic         [NumSlots-1:0][MaxVcs-1:0] credit_i,
    /// A slot changes a static route; held until it is taken.
    input  logic         [NumSlots-1:0]             route_write_valid_i,
    /// The change.
    input  route_write_t [NumSlots-1:0]             route_write_i,
    /// It is taken.
    output logic         [NumSlots-1:0]             route_write_ready_o,
    /// A static packet is dropped.
    output logic                                    route_refused_o,
    /// Low: a clock edge without inputs changes nothing.
    output logic                                    busy_o
);

  if (NumSlots == 0 || NumSlots > MaxCrosspointSlots) begin : gen_slots_check
    $error("NumSlots must be 1 to %0d, not %0d", MaxCrosspointSlots, NumSlots);
  end
  if (NumClasses == 0 || NumClasses > MaxVcs) begin : gen_classes_check
    $error("NumClasses must be 1 to %0d, not %0d", MaxVcs, NumClasses);
  end

  // ---------------------------------------------------------------- static routes
  logic [NumSlots-1:0] lookup, served, ways;
  route_id_t [NumSlots-1:0] route;
  if (NumRoutes != 0) begin : gen_table
    localparam int unsigned SlotNumbers = 1 << SlotIdWidth;
    logic unused;
    route_table #(
        .NumRoutes (NumRoutes),
        .NumSlots  (NumSlots),
        .Ports     (NumSlots),
        .GroupPorts(NumSlots > SlotNumbers ? SlotNumbers : NumSlots),
        .NumReaders(NumSlots)
    ) u_table (
        .clk_i,
        .rst_ni,
        .write_valid_i(route_write_valid_i),
        .write_i      (route_write_i),
        .write_ready_o(route_write_ready_o),
        .lookup_i     (lookup),
        .route_i      (route),
        .served_o     (served),
        .switched_o   (unused),
        .ports_o      (ways)
    );
  end else begin : gen_no_table
    assign route_write_ready_o = '1;
    assign served = '0;
    assign ways = '0;
    logic unused;
    assign unused = ^{route_write_valid_i, route_write_i, lookup, route};
  end
  assign route_refused_o = served != '0 && ways == '0;

  // ---------------------------------------------------------------- crosspoints
  // By input, and by output.
  logic [NumSlots-1:0][NumClasses-1:0][NumSlots-1:0] write, written, freed, left;
  logic [NumSlots-1:0] last, input_busy;
  word_t [NumSlots-1:0] data;

  for (genvar i = 0; i < NumSlots; i++) begin : gen_turn
    for (genvar c = 0; c < NumClasses; c++) begin : gen_class
      for (genvar o = 0; o < NumSlots; o++) begin : gen_crosspoint
        assign written[o][c][i] = write[i][c][o];
        assign freed[i][c][o]   = left[o][c][i];
      end
    end
  end

  for (genvar i = 0; i < NumSlots; i++) begin : gen_input
    voq_port #(
        .NumOutputs     (NumSlots),
        .NumClasses     (NumClasses),
        .SlotBufferFlits(SlotBufferFlits),
        .VoqFlits       (VoqFlits),
        .CrosspointFlits(CrosspointFlits),
        .StaticFlits    (NumRoutes == 0 ? 0 : StaticFlits)
    ) u_input (
        .clk_i,
        .rst_ni,
        .flit_valid_i(flit_valid_i[i]),
        .flit_i      (flit_i[i]),
        .credit_o    (credit_o[i]),
        .write_o     (write[i]),
        .last_o      (last[i]),
        .data_o      (data[i]),
        .freed_i     (freed[i]),
        .lookup_o    (lookup[i]),
        .route_o     (route[i]),
        .served_i    (served[i]),
        .ways_i      (ways),
        .busy_o      (input_busy[i])
    );
  end

  for (genvar o = 0; o < NumSlots; o++) begin : gen_output
    crosspoint_output #(
        .NumInputs      (NumSlots),
        .NumClasses     (NumClasses),
        .CrosspointFlits(CrosspointFlits),
        .SlotBufferFlits(SlotBufferFlits),
        .FixedPriority  (FixedPriority),
        .FullestFirst   (FullestFirst)
    ) u_output (
        .clk_i,
        .rst_ni,
        .write_i     (written[o]),
        .last_i      (last),
        .data_i      (data),
        .freed_o     (left[o]),
        .flit_valid_o(flit_valid_o[o]),
        .flit_o      (flit_o[o]),
        .credit_i    (credit_i[o])
    );
  end

  assign busy_o = |flit_valid_o || |input_busy;

endmodule

`default_nettype wire
