// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Forwards single words without headers, in the order of a program.
///
/// Inputs and outputs are the network ports and then the slot. Each output has an order of inputs and
/// waits for the one that its order names; each input has an order of sets of outputs, and its oldest
/// word goes to all of the set at once. So a word moves when all outputs that its input names have
/// room and name the input in turn. It takes a cycle per switch. No arbiter is needed, and words that
/// are late hold up those behind them and no others: skew and stalls cost time, never an order.
///
/// A set of outputs has a bit per network port. No word goes back to where it came from, so the bit of
/// the input's own port is that of the slot. The word of an empty set leaves its buffer, and is gone.
/// An order of inputs has the number of a network port, or `tidings_pkg::SwitchPorts` for the slot.
///
/// Inputs and outputs can be given away to whoever combines words (`switch_sum`): their orders are not
/// looked at. It takes words of these inputs, and its sums leave by all of these outputs at once.
///
/// A program without deadlocks is the order of a schedule in which no two words meet
/// (`lib/coll/word_schedule_check.h`). All orders begin with `start_i`, and run as often as it says. Words
/// that come before that wait in their buffers.
module static_switch #(
    /// Most entries of an order: a power of two.
    parameter int unsigned Entries = 128,
    /// Network ports.
    parameter int unsigned Ports = tidings_pkg::FlatSwitchPorts,
    /// Words that fit into the buffer of a network port, here and at the neighbours: a power of two.
    parameter int unsigned Room = 8,
    /// Words that fit into the buffer of the slot: a power of two.
    parameter int unsigned SlotRoom = 16,
    /// Inputs, and outputs.
    localparam int unsigned Sides = Ports + 1,
    /// Bits of a number of entries.
    localparam int unsigned LengthWidth = tidings_pkg::AlltoallLengthWidth,
    /// Bits of a number of repetitions.
    localparam int unsigned RepetitionsWidth = tidings_pkg::AlltoallWordsWidth
) (
    /// Clock.
    input  logic                                                              clk_i,
    /// Synchronous reset, active low.
    input  logic                                                              rst_ni,
    /// From the neighbours.
    input  tidings_pkg::switch_link_t [           Ports-1:0]                  link_i,
    /// To the neighbours.
    output tidings_pkg::switch_link_t [           Ports-1:0]                  link_o,
    /// The slot sends a word; it counts the room in its buffer.
    input  logic                                                              word_valid_i,
    /// The word.
    input  tidings_pkg::word_t                                                word_i,
    /// A word of the slot has left its buffer.
    output logic                                                              word_taken_o,
    /// A word is for the slot.
    output logic                                                              word_valid_o,
    /// The word.
    output tidings_pkg::word_t                                                word_o,
    /// The slot has room for one.
    input  logic                                                              word_ready_i,
    /// A word of an order is written, one bit each: those of inputs, then those of outputs.
    input  logic                      [         2*Sides-1:0]                  write_i,
    /// Number of that word.
    input  logic                      [                 7:0]                  row_i,
    /// The word: eight entries of 4 bits, or four sets of outputs of 8 bits if there are more than four ports.
    input  tidings_pkg::word_t                                                data_i,
    /// Entries of the orders.
    input  logic                      [         2*Sides-1:0][LengthWidth-1:0] length_i,
    /// Inputs whose words are combined, one bit each.
    input  logic                      [           Sides-1:0]                  sum_inputs_i,
    /// Outputs that sums leave by.
    input  logic                      [           Sides-1:0]                  sum_outputs_i,
    /// The oldest word of each input is there.
    output logic                      [           Sides-1:0]                  head_valid_o,
    /// The word.
    output tidings_pkg::word_t        [           Sides-1:0]                  head_o,
    /// It is taken; only those of `sum_inputs_i` are.
    input  logic                      [           Sides-1:0]                  sum_take_i,
    /// A sum is there.
    input  logic                                                              sum_valid_i,
    /// The sum.
    input  tidings_pkg::word_t                                                sum_i,
    /// All outputs have room for it. It is taken.
    output logic                                                              sum_ready_o,
    /// The orders begin; none is under way.
    input  logic                                                              start_i,
    /// Times that they are gone through.
    input  logic                      [RepetitionsWidth-1:0]                  repetitions_i,
    /// An order is under way.
    output logic                                                              running_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                              busy_o
);

  import tidings_pkg::*;

  localparam int unsigned SetWidth = Ports > 4 ? 8 : 4;
  localparam int unsigned InputWidth = 4;
  localparam int unsigned Slot = Sides - 1;

  if (Ports < 1 || Ports > SwitchPorts) begin : gen_check
    $error("Ports must be from 1 to %0d, not %0d", SwitchPorts, Ports);
  end

  logic [2*Sides-1:0] ordered, last;
  logic [Sides-1:0][  SetWidth-1:0] outputs;
  logic [Sides-1:0][InputWidth-1:0] source;
  // By the orders, and over all.
  logic [Sides-1:0] order_pop, order_fire;
  logic [Sides-1:0] push, empty, pop, room, fire;
  word_t [Sides-1:0] pushed, head;

  assign running_o = |ordered;
  assign busy_o = |order_pop;

  for (genvar t = 0; t < 2 * Sides; t++) begin : gen_order
    localparam int unsigned Width = t < Sides ? SetWidth : InputWidth;
    logic [Width-1:0] entry;
    order_table #(
        .Entries(Entries),
        .Width  (Width)
    ) u_order (
        .clk_i,
        .rst_ni,
        .write_i (write_i[t]),
        .row_i,
        .data_i,
        .length_i(length_i[t]),
        .start_i,
        .repetitions_i,
        .valid_o (ordered[t]),
        .entry_o (entry),
        .last_o  (last[t]),
        .next_i  (t < Sides ? order_pop[t%Sides] : order_fire[t%Sides])
    );
    if (t < Sides) begin : gen_outputs
      assign outputs[t] = entry;
    end else begin : gen_source
      assign source[t-Sides] = entry;
    end
  end

  for (genvar s = 0; s < Sides; s++) begin : gen_side
    fifo #(
        .T    (word_t),
        .Depth(s == Slot ? SlotRoom : Room)
    ) u_buffer (
        .clk_i,
        .rst_ni,
        .push_i (push[s]),
        .data_i (pushed[s]),
        .pop_i  (pop[s]),
        .data_o (head[s]),
        .empty_o(empty[s]),
        .full_o (),
        .count_o(),
        .load_o (),
        .next_o ()
    );

    if (s == Slot) begin : gen_slot
      assign push[s] = word_valid_i;
      assign pushed[s] = word_i;
      assign room[s] = word_ready_i;
      assign word_taken_o = pop[s];
    end else begin : gen_link
      assign push[s]   = link_i[s].valid;
      assign pushed[s] = link_i[s].data;
      credit_counter #(
          .Credits(Room)
      ) u_credits (
          .clk_i,
          .rst_ni,
          .take_i     (fire[s]),
          .give_i     (link_i[s].credit),
          .available_o(room[s]),
          .room_o     ()
      );
    end
  end

  // By input and output: the input's oldest word goes there; the output takes one from there.
  logic [Sides-1:0][Sides-1:0] wanted, accepted;
  for (genvar i = 0; i < Sides; i++) begin : gen_input
    for (genvar o = 0; o < Sides; o++) begin : gen_output
      assign wanted[i][o] = i != o && outputs[i][o==Slot?i%Ports : o];
      assign accepted[i][o] = ordered[Sides+o] && !sum_outputs_i[o] &&
          source[o] == InputWidth'(i == Slot ? SwitchPorts : i) && room[o];
    end
    assign order_pop[i] = ordered[i] && !sum_inputs_i[i] && !empty[i] &&
        (wanted[i] & ~accepted[i]) == '0;
  end

  assign head_valid_o = ~empty;
  assign head_o = head;
  assign pop = order_pop | sum_take_i;
  assign sum_ready_o = (sum_outputs_i & ~room) == '0;

  word_t [Sides-1:0] moved;
  always_comb begin : move
    order_fire = '0;
    moved = '0;
    for (int unsigned o = 0; o < Sides; o++) begin
      for (int unsigned i = 0; i < Sides; i++) begin
        if (order_pop[i] && wanted[i][o]) begin
          order_fire[o] = 1'b1;
          moved[o] = head[i];
        end
      end
      if (sum_outputs_i[o] && sum_valid_i && sum_ready_o) moved[o] = sum_i;
    end
  end

  assign fire = order_fire | (sum_valid_i && sum_ready_o ? sum_outputs_i : '0);

  assign word_valid_o = fire[Slot];
  assign word_o = moved[Slot];
  for (genvar p = 0; p < Ports; p++) begin : gen_out
    assign link_o[p] = '{credit: pop[p], valid: fire[p], data: moved[p]};
  end

  logic unused;
  assign unused = ^{last, outputs};

`ifndef SYNTHESIS
  // Two words never leave by one output.
  for (genvar o = 0; o < Sides; o++) begin : gen_check
    logic [Sides-1:0] senders;
    for (genvar i = 0; i < Sides; i++) begin : gen_sender
      assign senders[i] = order_pop[i] && wanted[i][o];
    end
    OneSender :
    assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(senders));
  end
  // Words that orders move are not taken.
  OwnWords :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (sum_take_i & ~(sum_inputs_i & ~empty)) == '0);
`endif

endmodule

`default_nettype wire
