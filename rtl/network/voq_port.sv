// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Input port of a crosspoint router: virtual output queues, and who of them sends to the crosspoints.
///
/// A flit that arrives goes at once to the crosspoint of its output if that has room, nothing of its
/// queue is waiting, and the bus is free. All others wait in a queue per output and class. Queues of a
/// class share a memory. Each cycle one flit leaves the queues: it is on the bus in the next cycle.
///
///     flit_i ---+------------------------------------+---> bus: write_o, last_o, data_o
///               +---> voq_memory (a class) ---> move +
///     credit_o <--- room for all flits that credits allow
///
/// Classes go in turns. Within a class the packet that has begun to leave goes on while its crosspoint
/// has room, so that outputs get whole packets; otherwise queues go in turns.
///
/// Static packets. With `StaticFlits`, class 0 has one queue more, the line: a static packet joins it,
/// and so do all packets behind until the line is empty. The packet at its front looks its route up, which
/// names the crosspoints that get each of its words in the same cycle. It begins when no word of the other
/// queues is for one of these crosspoints, so that each crosspoint gets its packets in the order in which
/// they came. A packet for several crosspoints begins with room for `StaticFlits` flits in each of them. It
/// alone writes there until its tail: it never waits for an output while it keeps another one.
///
/// Credits. A slot holds credits for `SlotBufferFlits` flits of a class, less while the memory does not
/// have room for all of them whatever their output is.
module voq_port
  import tidings_pkg::*;
#(
    /// Outputs, each with a crosspoint for this input.
    parameter int unsigned NumOutputs = 4,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Credits of the slot for each class.
    parameter int unsigned SlotBufferFlits = 16,
    /// Flits of all queues of a class: at least `SlotBufferFlits`.
    parameter int unsigned VoqFlits = 64,
    /// Flits of a crosspoint, for each class.
    parameter int unsigned CrosspointFlits = 16,
    /// Flits of the longest packet for several crosspoints; 0: there are no static packets.
    parameter int unsigned StaticFlits = 0
) (
    /// Clock.
    input  logic                                       clk_i,
    /// Synchronous reset, active low.
    input  logic                                       rst_ni,
    /// A flit arrives.
    input  logic                                       flit_valid_i,
    /// The flit; its class must have a credit.
    input  flit_t                                      flit_i,
    /// A credit for the slot, one bit per class.
    output logic      [    MaxVcs-1:0]                 credit_o,
    /// The crosspoint that takes the word on the bus; of a static packet, those of its route. Without a word
    /// no bit is set.
    output logic      [NumClasses-1:0][NumOutputs-1:0] write_o,
    /// The word is the tail of its packet.
    output logic                                       last_o,
    /// The word on the bus; any value without.
    output word_t                                      data_o,
    /// A flit has left the crosspoint.
    input  logic      [NumClasses-1:0][NumOutputs-1:0] freed_i,
    /// A static packet looks its route up; held until it is served.
    output logic                                       lookup_o,
    /// The route.
    output route_id_t                                  route_o,
    /// It is served in this cycle.
    input  logic                                       served_i,
    /// Outputs of the route; none: the packet is dropped.
    input  logic      [NumOutputs-1:0]                 ways_i,
    /// Something changes though nothing comes in.
    output logic                                       busy_o
);

  localparam int unsigned OutputWidth = NumOutputs > 1 ? $clog2(NumOutputs) : 1;
  localparam int unsigned CreditWidth = $clog2(SlotBufferFlits) + 1;
  localparam int unsigned CountWidth = $clog2(VoqFlits) + 1;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  if (VoqFlits < SlotBufferFlits) begin : gen_voq_check
    $error(
        "VoqFlits must be at least SlotBufferFlits, which is %0d, not %0d",
        SlotBufferFlits,
        VoqFlits
    );
  end

  // ---------------------------------------------------------------- where the flit goes that arrives
  // A slot that does not exist must not be mistaken for another one: slot 0 takes its packets. Of more slots than
  // a slot's number has bits for, the lowest bits of the node's number are the highest of the slot's.
  localparam int unsigned NamedWidth = NumOutputs <= 1 << SlotIdWidth ? SlotIdWidth : OutputWidth;
  typedef logic [NamedWidth-1:0] named_t;
  function automatic logic [NumOutputs-1:0] output_of(named_t named);
    return NumOutputs'(1) << (32'(named) < NumOutputs ? OutputWidth'(named) : OutputWidth'(0));
  endfunction
  header0_t header;
  assign header = header0_t'(flit_i.data);
  logic unused_header;
  assign unused_header = ^header;

  // A static packet at the front of the line waits for its route, or another packet for its own.
  logic look;

  // The bus: the flit that has left a queue in the cycle before, or one that arrives.
  logic moving_q;
  logic [NumClasses-1:0][NumOutputs-1:0] move_q;
  entry_t moved_q;
  assign last_o = moving_q ? moved_q.last : flit_i.last;
  assign data_o = moving_q ? moved_q.data : flit_i.data;

  logic [NumClasses-1:0][NumOutputs-1:0] pass, grant;
  logic [NumClasses-1:0] ask, win, give;
  entry_t [NumClasses-1:0] left;
  assign write_o = moving_q ? move_q : pass;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    // -------------------------------------------------------------- a flit of the class arrives
    localparam bit HasLine = StaticFlits != 0 && c == 0;
    localparam int unsigned Queues = NumOutputs + (HasLine ? 1 : 0);
    logic arrives, inside_q, lines_up;
    // The way into the line is no output.
    logic [NumOutputs-1:0] way_q, way, empty, room, fits;
    logic [Queues-1:0] eligible, winner, stay_q;
    assign arrives = flit_valid_i && flit_i.vc == VcWidth'(c);
    assign way = inside_q ? way_q : lines_up ? '0 : output_of(
        named_t'({header.dst_node, header.dst_slot})
    );
    assign pass[c] = arrives && !moving_q ? way & empty & room : '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) inside_q <= 1'b0;
      else if (arrives) inside_q <= !flit_i.last;
    end
    always_ff @(posedge clk_i) if (arrives) way_q <= way;

    // -------------------------------------------------------------- queues
    logic   store;
    entry_t oldest;
    logic [CountWidth-1:0] count, stored;
    logic [NumOutputs-1:0] pop;
    assign store = arrives && pass[c] == '0;
    assign pop   = win[c] ? winner[NumOutputs-1:0] : '0;
    voq_memory #(
        .T        (entry_t),
        .NumQueues(NumOutputs),
        .Depth    (VoqFlits)
    ) u_queues (
        .clk_i,
        .rst_ni,
        .push_i ({NumOutputs{store}} & way),
        .data_i ('{last: flit_i.last, data: flit_i.data}),
        .pop_i  (pop),
        .data_o (oldest),
        .empty_o(empty),
        .count_o(count)
    );

    // -------------------------------------------------------------- who leaves
    assign eligible[NumOutputs-1:0] = ~empty & room;
    assign ask[c] = |eligible;
    // The next search starts above the queue that stays, as above any winner: that one was the last.
    logic stays;
    logic [Queues-1:0] chosen;
    assign stays  = (eligible & stay_q) != '0;
    assign winner = stays ? stay_q : chosen;
    arbiter #(
        .NumRequests(Queues)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(eligible),
        .accept_i (win[c] && !stays),
        .valid_o  (),
        .grant_o  (chosen),
        .index_o  ()
    );
    // The queue whose packet has begun to leave, and has not ended.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stay_q <= '0;
      else if (win[c]) stay_q <= left[c].last ? '0 : winner;
    end

    // -------------------------------------------------------------- the line
    if (HasLine) begin : gen_line
      entry_t   front;
      header0_t front_header;
      logic line_empty, line_pop, known_q, begun_q, found;
      logic [CountWidth-1:0] line_count;
      logic [NumOutputs-1:0] ways_q;
      assign front_header = header0_t'(front.data);
      assign lines_up = is_static(header.kind) || !line_empty;
      assign line_pop = win[c] && winner[NumOutputs];
      fifo #(
          .T    (entry_t),
          .Depth(VoqFlits)
      ) u_line (
          .clk_i,
          .rst_ni,
          .push_i (store && way == '0),
          .data_i ('{last: flit_i.last, data: flit_i.data}),
          .pop_i  (line_pop),
          .data_o (front),
          .empty_o(line_empty),
          .full_o (),
          .count_o(line_count),
          .load_o (),
          .next_o ()
      );

      assign look = !line_empty && !known_q;
      assign lookup_o = look && is_static(front_header.kind);
      assign route_o = front_header.dst_node[RouteIdWidth-1:0];
      assign found = look && (served_i || !lookup_o);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          known_q <= 1'b0;
          begun_q <= 1'b0;
        end else begin
          if (found) known_q <= 1'b1;
          else if (line_pop && front.last) known_q <= 1'b0;
          if (line_pop) begun_q <= !front.last;
        end
      end
      always_ff @(posedge clk_i)
        if (found)
          ways_q <= lookup_o ? ways_i : output_of(
              named_t'({front_header.dst_node, front_header.dst_slot})
          );

      logic unused_front;
      assign unused_front = ^front_header;

      logic forks, may_begin;
      assign forks = (ways_q & (ways_q - 1'b1)) != '0;
      assign may_begin = (ways_q & ~empty) == '0 && !(forks && (ways_q & ~fits) != '0);
      assign eligible[NumOutputs] = !line_empty && known_q && (ways_q & ~room) == '0 &&
          (begun_q || may_begin);
      assign grant[c] = pop | (line_pop ? ways_q : '0);
      assign left[c] = line_pop ? front : oldest;
      assign stored = count + line_count;

`ifndef SYNTHESIS
      // Room for a whole packet at its head is room for each of its words.
      ForkNeverWaits :
      assert property (@(posedge clk_i) disable iff (!rst_ni)
          begun_q && forks |-> (ways_q & ~room) == '0);
`endif
    end else begin : gen_no_line
      assign lines_up = 1'b0;
      assign grant[c] = pop;
      assign left[c]  = oldest;
      assign stored   = count;
      logic unused;
      assign unused = ^fits;
    end

    // -------------------------------------------------------------- crosspoints have room
    for (genvar o = 0; o < NumOutputs; o++) begin : gen_output
      credit_counter #(
          .Credits(CrosspointFlits),
          .Room   (HasLine ? StaticFlits : 1)
      ) u_room (
          .clk_i,
          .rst_ni,
          .take_i     (pass[c][o] || grant[c][o]),
          .give_i     (freed_i[c][o]),
          .available_o(room[o]),
          .room_o     (fits[o])
      );
    end

    // -------------------------------------------------------------- credits of the slot
    // Those that it holds, or that flits under way use.
    logic [CreditWidth-1:0] held_q;
    assign give[c] = held_q != CreditWidth'(SlotBufferFlits) &&
        (CountWidth + 1)'(stored) + (CountWidth + 1)'(held_q) < (CountWidth + 1)'(VoqFlits);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) held_q <= CreditWidth'(SlotBufferFlits);
      else held_q <= held_q - CreditWidth'(arrives) + CreditWidth'(give[c]);
    end

`ifndef SYNTHESIS
    // Who sends without a credit may overrun the memory.
    ArrivalNeedsCredit :
    assert property (@(posedge clk_i) disable iff (!rst_ni) arrives |-> held_q != '0);
    // Whatever output the flits under way are for, there is a place for each.
    RoomForAll :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        (CountWidth + 1)'(stored) + (CountWidth + 1)'(held_q) <= (CountWidth + 1)'(VoqFlits));
`endif
  end

  arbiter #(
      .NumRequests(NumClasses)
  ) u_classes (
      .clk_i,
      .rst_ni,
      .request_i(ask),
      .accept_i (1'b1),
      .valid_o  (),
      .grant_o  (win),
      .index_o  ()
  );

  entry_t moved;
  always_comb begin : select
    moved = '0;
    for (int unsigned c = 0; c < NumClasses; c++) if (win[c]) moved |= left[c];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) moving_q <= 1'b0;
    else moving_q <= |win;
  end
  always_ff @(posedge clk_i) begin
    move_q  <= grant;
    moved_q <= moved;
  end

  assign credit_o = MaxVcs'(give);
  assign busy_o   = moving_q || |ask || |give || look;

  if (StaticFlits == 0) begin : gen_no_static_packets
    assign look = 1'b0;
    assign lookup_o = 1'b0;
    assign route_o = '0;
    logic unused;
    assign unused = ^{served_i, ways_i};
`ifndef SYNTHESIS
    // The bus carries one word for one crosspoint.
    OneWord :
    assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(write_o));
`endif
  end

endmodule

`default_nettype wire
