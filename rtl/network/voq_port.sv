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
    parameter int unsigned CrosspointFlits = 16
) (
    /// Clock.
    input  logic                                   clk_i,
    /// Synchronous reset, active low.
    input  logic                                   rst_ni,
    /// A flit arrives.
    input  logic                                   flit_valid_i,
    /// The flit; its class must have a credit.
    input  flit_t                                  flit_i,
    /// A credit for the slot, one bit per class.
    output logic  [    MaxVcs-1:0]                 credit_o,
    /// The crosspoint that takes the word on the bus; one bit at most is set.
    output logic  [NumClasses-1:0][NumOutputs-1:0] write_o,
    /// The word is the tail of its packet.
    output logic                                   last_o,
    /// The word on the bus; any value without.
    output word_t                                  data_o,
    /// A flit has left the crosspoint.
    input  logic  [NumClasses-1:0][NumOutputs-1:0] freed_i,
    /// Something changes though nothing comes in.
    output logic                                   busy_o
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
  // A slot that does not exist must not be mistaken for another one: slot 0 takes its packets.
  header0_t header;
  assign header = header0_t'(flit_i.data);
  logic [NodeIdWidth+SlotIdWidth-1:0] named;
  assign named = {header.dst_node, header.dst_slot};
  logic [OutputWidth-1:0] output_wanted;
  if (NumOutputs <= 1 << SlotIdWidth) begin : gen_slot
    assign output_wanted = 32'(header.dst_slot) < NumOutputs ? OutputWidth'(named) : '0;
  end else begin : gen_node
    // The lowest bits of the node's number are the highest of the slot's.
    assign output_wanted = 32'(named[OutputWidth-1:0]) < NumOutputs ? OutputWidth'(named) : '0;
  end
  logic unused_header;
  assign unused_header = ^{header, named};

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
    logic arrives, inside_q;
    logic [NumOutputs-1:0] way_q, way, empty, room, eligible, winner, stay_q;
    assign arrives = flit_valid_i && flit_i.vc == VcWidth'(c);
    assign way = inside_q ? way_q : NumOutputs'(1) << output_wanted;
    assign pass[c] = arrives && !moving_q ? way & empty & room : '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) inside_q <= 1'b0;
      else if (arrives) inside_q <= !flit_i.last;
    end
    always_ff @(posedge clk_i) if (arrives) way_q <= way;

    // -------------------------------------------------------------- queues
    logic store, gone;
    entry_t oldest;
    logic [CountWidth-1:0] count;
    assign store = arrives && pass[c] == '0;
    assign gone  = |grant[c];
    voq_memory #(
        .T        (entry_t),
        .NumQueues(NumOutputs),
        .Depth    (VoqFlits)
    ) u_queues (
        .clk_i,
        .rst_ni,
        .push_i ({NumOutputs{store}} & way),
        .data_i ('{last: flit_i.last, data: flit_i.data}),
        .pop_i  (grant[c]),
        .data_o (oldest),
        .empty_o(empty),
        .count_o(count)
    );

    // -------------------------------------------------------------- who leaves
    assign eligible = ~empty & room;
    assign ask[c]   = |eligible;
    assign grant[c] = win[c] ? winner : '0;
    assign left[c]  = oldest;
    arbiter #(
        .NumRequests(NumOutputs)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i((eligible & stay_q) != '0 ? stay_q : eligible),
        .accept_i (win[c]),
        .valid_o  (),
        .grant_o  (winner),
        .index_o  ()
    );
    // The queue whose packet has begun to leave, and has not ended.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stay_q <= '0;
      else if (gone) stay_q <= oldest.last ? '0 : grant[c];
    end

    // -------------------------------------------------------------- crosspoints have room
    for (genvar o = 0; o < NumOutputs; o++) begin : gen_output
      credit_counter #(
          .Credits(CrosspointFlits)
      ) u_room (
          .clk_i,
          .rst_ni,
          .take_i     (pass[c][o] || grant[c][o]),
          .give_i     (freed_i[c][o]),
          .available_o(room[o]),
          .room_o     ()
      );
    end

    // -------------------------------------------------------------- credits of the slot
    // Those that it holds, or that flits under way use.
    logic [CreditWidth-1:0] held_q;
    assign give[c] = held_q != CreditWidth'(SlotBufferFlits) &&
        (CountWidth + 1)'(count) + (CountWidth + 1)'(held_q) < (CountWidth + 1)'(VoqFlits);
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
        (CountWidth + 1)'(count) + (CountWidth + 1)'(held_q) <= (CountWidth + 1)'(VoqFlits));
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
  assign busy_o   = moving_q || |ask || |give;

`ifndef SYNTHESIS
  // The bus carries one word.
  OneWord :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(write_o));
`endif

endmodule

`default_nettype wire
