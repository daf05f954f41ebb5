// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: every word that comes into a `static_switch` leaves it once, in order, in one cycle by all outputs that the
/// program of its input names; every output takes words from the inputs that its own program names, in that order, as
/// often as it was told; a word that may move moves; no neighbour's buffer is overrun, and the credits of a word come
/// back once. Words of inputs that are given away are taken when whoever has them likes, and sums leave by all outputs
/// that are given away at once, in the cycle in which all of these have room.
///
/// Programs are any: the tables hold what they like. Neighbours and slot send, take and give credits when they like.
/// Buffers of two words have all that larger ones have, and fill up in fewer cycles.
module static_switch_proof
  import tidings_pkg::*;
#(
    /// Most entries of an order.
    parameter int unsigned Entries  = 16,
    /// Words that fit into the buffer of a port.
    parameter int unsigned PortRoom = 2,
    /// Words that fit into the buffer of the slot.
    parameter int unsigned SlotRoom = 2,
    /// Network ports.
    parameter int unsigned Ports    = FlatSwitchPorts,
    /// Inputs, and outputs.
    localparam int unsigned Sides   = Ports + 1
) (
    input logic                  clk_i,
    /// A side sends a word, if there is room.
    input logic [Sides-1:0]      send_i,
    /// The words, of two bits that may be set.
    input logic [Sides-1:0][1:0] bits_i,
    /// A neighbour is done with a word, if it has one.
    input logic [Ports-1:0]      done_i,
    /// The slot has room.
    input logic                  ready_i,
    /// Words of inputs that are given away are taken, if there are any.
    input logic [Sides-1:0]      take_i,
    /// A sum is there, if outputs are given away.
    input logic                  sum_i,
    /// The sum.
    input logic [      1:0]      sum_bits_i,
    /// Orders begin, if none is under way.
    input logic                  start_i,
    /// How often they are gone through.
    input logic [      1:0]      repetitions_i
);

  localparam int unsigned Slot = Ports;
  localparam int unsigned Orders = 2 * Sides;
  localparam int unsigned Width = 8;  // of an entry; shorter ones have zeros above them
  typedef logic [5:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // Lengths are any, and stay.
  logic [Orders-1:0][AlltoallLengthWidth-1:0] length_q;
  always_ff @(posedge clk_i) length_q <= length_q;
  // So are the inputs and outputs that are given away.
  logic [Sides-1:0] sum_inputs_q, sum_outputs_q;
  always_ff @(posedge clk_i) begin
    sum_inputs_q  <= sum_inputs_q;
    sum_outputs_q <= sum_outputs_q;
  end
  logic [Sides-1:0] head_valid, take;
  word_t [Sides-1:0] head;
  logic sum_valid, sum_ready, sum_leaves;
  word_t sum;
  assign take = rst_n ? take_i & sum_inputs_q & head_valid : '0;
  assign sum_valid = rst_n && sum_i && sum_outputs_q != '0;
  assign sum = word_t'(sum_bits_i);
  assign sum_leaves = sum_valid && sum_ready;

  switch_link_t [Ports-1:0] link_in, link_out;
  logic word_taken, word_valid, running, busy, start;
  logic [1:0] repetitions;
  word_t word;
  logic [Sides-1:0] push, pop, leaves;
  word_t  [Sides-1:0] data;
  word_t  [Sides-1:0] left;
  // Words of each side in the switch, and words from it at each neighbour.
  count_t [Sides-1:0] inside_q;
  count_t [Ports-1:0] outside_q;

  assign start = rst_n && start_i && !running;
  assign repetitions = repetitions_i == '0 ? 2'd1 : repetitions_i;

  static_switch #(
      .Entries (Entries),
      .Ports   (Ports),
      .Room    (PortRoom),
      .SlotRoom(SlotRoom)
  ) u_switch (
      .clk_i,
      .rst_ni       (rst_n),
      .link_i       (link_in),
      .link_o       (link_out),
      .word_valid_i (push[Slot]),
      .word_i       (data[Slot]),
      .word_taken_o (word_taken),
      .word_valid_o (word_valid),
      .word_o       (word),
      .word_ready_i (ready_i),
      .write_i      ('0),
      .row_i        ('0),
      .data_i       ('0),
      .length_i     (length_q),
      .sum_inputs_i (sum_inputs_q),
      .sum_outputs_i(sum_outputs_q),
      .head_valid_o (head_valid),
      .head_o       (head),
      .sum_take_i   (take),
      .sum_valid_i  (sum_valid),
      .sum_i        (sum),
      .sum_ready_o  (sum_ready),
      .start_i      (start),
      .repetitions_i(AlltoallWordsWidth'(repetitions)),
      .running_o    (running),
      .busy_o       (busy)
  );

  for (genvar s = 0; s < Sides; s++) begin : gen_side
    localparam int unsigned Room = s == Slot ? SlotRoom : PortRoom;
    assign data[s] = word_t'(bits_i[s]);
    assign push[s] = rst_n && send_i[s] && inside_q[s] < count_t'(Room);
    if (s == Slot) begin : gen_slot
      assign pop[s] = word_taken;
      assign leaves[s] = word_valid;
      assign left[s] = word;
    end else begin : gen_link
      logic done;
      assign done = done_i[s] && outside_q[s] != '0;
      assign link_in[s] = '{credit: rst_n && done, valid: push[s], data: data[s]};
      assign pop[s] = link_out[s].credit;
      assign leaves[s] = link_out[s].valid;
      assign left[s] = link_out[s].data;
      always_ff @(posedge clk_i) begin
        if (!rst_n) outside_q[s] <= '0;
        else outside_q[s] <= outside_q[s] + count_t'(leaves[s]) - count_t'(done);
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_n) inside_q[s] <= '0;
      else inside_q[s] <= inside_q[s] + count_t'(push[s]) - count_t'(pop[s]);
    end
  end

  // ---------------------------------------------------------------- where the orders must be
  logic [Orders-1:0][Entries-1:0][Width-1:0] table_now;
  logic [Orders-1:0][3:0] index_q;
  logic [Orders-1:0][1:0] left_q;
  logic [Orders-1:0][Width-1:0] entry;
  logic [Orders-1:0] valid, next;

  for (genvar t = 0; t < Orders; t++) begin : gen_order
    localparam int unsigned PerWord = t < Sides && Ports > 4 ? 4 : 8;
    for (genvar e = 0; e < Entries; e++) begin : gen_entry
      assign table_now[t][e] = Width'(u_switch.gen_order[t].u_order.memory_q[e/PerWord][e%PerWord]);
    end
    assign entry[t] = table_now[t][index_q[t]];
    assign valid[t] = left_q[t] != '0;
    if (t < Sides) begin : gen_of_input
      assign next[t] = pop[t] && !sum_inputs_q[t];
    end else begin : gen_of_output
      assign next[t] = leaves[t-Sides] && !sum_outputs_q[t-Sides];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        index_q[t] <= '0;
        left_q[t]  <= '0;
      end else if (start) begin
        index_q[t] <= '0;
        left_q[t]  <= length_q[t] == '0 ? '0 : repetitions;
      end else if (next[t]) begin
        if (AlltoallLengthWidth'(index_q[t]) + 1'b1 == length_q[t]) begin
          index_q[t] <= '0;
          left_q[t]  <= left_q[t] - 1'b1;
        end else begin
          index_q[t] <= index_q[t] + 1'b1;
        end
      end
    end
    always_comb assume (length_q[t] <= AlltoallLengthWidth'(Entries));
  end

  logic [Sides-1:0] has_room;
  for (genvar o = 0; o < Sides; o++) begin : gen_has_room
    assign has_room[o] = o == Slot ? ready_i : outside_q[o%Ports] < count_t'(PortRoom);
  end

  // By input and output: the word goes there, and may.
  logic [Sides-1:0][Sides-1:0] wanted, may;
  for (genvar i = 0; i < Sides; i++) begin : gen_set
    for (genvar o = 0; o < Sides; o++) begin : gen_of
      if (i == o) begin : gen_own
        assign wanted[i][o] = 1'b0;
      end else if (o == Slot) begin : gen_slot
        assign wanted[i][o] = entry[i][i];
      end else begin : gen_port
        assign wanted[i][o] = entry[i][o];
      end
      assign may[i][o] = valid[Sides+o] && !sum_outputs_q[o] &&
          entry[Sides+o] == Width'(i == Slot ? SwitchPorts : i) && has_room[o];
    end
  end

  // ---------------------------------------------------------------- one word of one side, any
  logic [2:0] side_q;
  count_t number_q;
  count_t pushes_q, pops_q;
  word_t word_q;
  always_ff @(posedge clk_i) begin
    side_q   <= side_q;
    number_q <= number_q;
    if (!rst_n) begin
      pushes_q <= '0;
      pops_q   <= '0;
    end else begin
      pushes_q <= pushes_q + count_t'(push[side_q]);
      pops_q   <= pops_q + count_t'(pop[side_q]);
      if (push[side_q] && pushes_q == number_q) word_q <= data[side_q];
    end
  end
  always_comb assume (side_q < 3'(Sides));

  // ---------------------------------------------------------------- lemmas
  for (genvar t = 0; t < Orders; t++) begin : gen_order_lemma
    always_comb begin
      if (rst_n) begin
        assert (u_switch.gen_order[t].u_order.left_q == AlltoallWordsWidth'(left_q[t]));
        assert (!valid[t] || u_switch.gen_order[t].u_order.index_q == index_q[t]);
        assert (!valid[t] || AlltoallLengthWidth'(index_q[t]) < length_q[t]);
      end
    end
  end
  // Where the word is in the buffer of its side.
  count_t ahead;
  assign ahead = number_q - pops_q;
  for (genvar s = 0; s < Sides; s++) begin : gen_side_lemma
    localparam int unsigned Depth = s == Slot ? SlotRoom : PortRoom;
    localparam int unsigned IndexWidth = $clog2(Depth);
    logic [IndexWidth:0] held, oldest;
    logic [IndexWidth-1:0] place;
    assign oldest = u_switch.gen_side[s].u_buffer.read_q;
    assign held   = u_switch.gen_side[s].u_buffer.write_q - oldest;
    assign place  = IndexWidth'(oldest) + IndexWidth'(ahead);
    always_comb begin
      if (rst_n) begin
        assert (count_t'(held) == inside_q[s]);
        assert (inside_q[s] <= count_t'(Depth));
        assert (u_switch.gen_side[s].u_buffer.empty_q == (held == '0));
        assert (held == '0 || u_switch.gen_side[s].u_buffer.head_q ==
                u_switch.gen_side[s].u_buffer.memory_q[IndexWidth'(oldest)]);
        if (side_q == 3'(s)) begin
          assert (pushes_q - pops_q == inside_q[s]);
          assert (ahead >= inside_q[s] || u_switch.gen_side[s].u_buffer.memory_q[place] == word_q);
        end
      end
    end
    if (s < Ports) begin : gen_credit_lemma
      always_comb begin
        if (rst_n) begin
          assert (count_t'(u_switch.gen_side[s].gen_link.u_credits.count_q) + outside_q[s] ==
                  count_t'(PortRoom));
          assert (u_switch.gen_side[s].gen_link.u_credits.available_q ==
                  (u_switch.gen_side[s].gen_link.u_credits.count_q != '0));
        end
      end
    end
  end

  // ---------------------------------------------------------------- claims
  for (genvar o = 0; o < Sides; o++) begin : gen_output
    logic [Width-1:0] named;
    // The slot has the number of the last side of a switch that has all ports.
    always_comb begin
      named = entry[Sides+o];
      if (named == Width'(SwitchPorts)) named = Width'(Slot);
      else if (named >= Width'(Slot)) named = Width'(Sides);
    end
    always_comb begin
      if (rst_n) begin
        if (sum_outputs_q[o]) begin
          TheSum : assert (leaves[o] == sum_leaves && (!leaves[o] || left[o] == sum));
        end else begin
          InOrder : assert (!leaves[o] || (valid[Sides+o] && named < Width'(Sides)));
          if (named < Width'(Sides)) begin
            ByProgram :
            assert (!leaves[o] || (valid[named] && wanted[named][o] && pop[named] &&
                                   !sum_inputs_q[named]));
            TheWord :
            assert (!(leaves[o] && named == Width'(side_q) && pops_q == number_q) ||
                    left[o] == word_q);
          end
        end
      end
    end
    if (o < Ports) begin : gen_room
      always_comb if (rst_n) NoOverrun : assert (outside_q[o] <= count_t'(PortRoom));
    end
  end
  for (genvar i = 0; i < Sides; i++) begin : gen_input
    always_comb begin
      if (rst_n) begin
        Shown : assert (head_valid[i] == (inside_q[i] != '0));
        if (sum_inputs_q[i]) begin
          Taken : assert (pop[i] == take[i]);
          TakenWord :
          assert (!(take[i] && side_q == 3'(i) && pops_q == number_q) || head[i] == word_q);
        end else begin
          Ordered : assert (!pop[i] || (valid[i] && inside_q[i] != '0));
          AllAtOnce : assert (!pop[i] || ((wanted[i] & ~(leaves & may[i])) == '0));
          NoStandstill :
          assert (pop[i] || !valid[i] || inside_q[i] == '0 || (wanted[i] & ~may[i]) != '0);
        end
      end
    end
  end
  always_comb begin
    if (rst_n) begin
      NothingFromNothing : assert (!(pop[side_q] && pops_q == pushes_q));
      RunsAsLongAsTold : assert (running == |valid);
      SumsLeave : assert (sum_ready == ((sum_outputs_q & ~has_room) == '0));
      cover (sum_leaves && sum_outputs_q == 5'b00110 && take == 5'b11000 && leaves == 5'b00111);
      cover (leaves[Slot] && entry[Sides+Slot] == '0 && left_q[Sides+Slot] == 2'd2);
      cover ($countones(leaves) == 4);
      cover (leaves == '1 && pop == 5'b11000);
      cover (outside_q[2] == count_t'(PortRoom) && valid[Sides+2] && inside_q[0] != '0);
    end
  end

  logic unused;
  assign unused = busy;

endmodule

`default_nettype wire
