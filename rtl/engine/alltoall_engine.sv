// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// All-to-alls over the static switch of a router: words without headers, in the order of a program.
///
/// Every member has a block of `start.words` words for every other member. Software writes the orders of
/// the switch, and of targets and sources, once; then an all-to-all is three writes. Word i of all blocks
/// moves in repetition i of the orders. Words wait for one another in the switches, so members may
/// start when they like, and all-to-alls of one program may follow one another without a pause.
///
/// A start can also combine words on their way (`switch_sum`): so a reduction is a program, too, whose
/// routers combine what comes from others with their own words and send it on.
///
/// Own blocks are not copied. An all-to-all is complete when its last word is written and the switch
/// has handed on all words that pass it; then the program may change.
module alltoall_engine #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg
) (
    /// Clock.
    input logic clk_i,
    /// Synchronous reset, active low.
    input logic rst_ni,
    /// A read of memory is asked for.
    output logic read_valid_o,
    /// Byte address of the read.
    output logic [31:0] read_address_o,
    /// The read is taken.
    input logic read_ready_i,
    /// The oldest read is answered.
    input logic data_valid_i,
    /// Word read.
    input tidings_pkg::word_t data_i,
    /// A write to memory is asked for.
    output logic write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t write_o,
    /// The write is taken.
    input logic write_ready_i,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// From the neighbours' static switches.
    input tidings_pkg::side_links_t switch_i,
    /// To the neighbours' static switches.
    output tidings_pkg::side_links_t switch_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  // Words that are read ahead of the switch: the latency of memory does not slow it down.
  localparam int unsigned SlotRoom =
      Cfg.alltoall_buffer_words > 16 ? Cfg.alltoall_buffer_words : 16;
  localparam int unsigned RoomWidth = $clog2(SlotRoom) + 1;
  // Words from the switch that wait for memory.
  localparam int unsigned Received = 2;
  localparam int unsigned Entries = Cfg.alltoall_period_words;
  localparam int unsigned Members = Entries < AlltoallMembers ? Entries : AlltoallMembers;
  localparam int unsigned Targets = 2 * SwitchSides;
  localparam int unsigned Sources = 2 * SwitchSides + 1;
  localparam int unsigned Ports = Cfg.dims > 2 ? SwitchPorts : FlatSwitchPorts;
  localparam int unsigned Sides = Ports + 1;

  // ---------------------------------------------------------------- registers
  alltoall_regs_pkg::alltoall__in_t  to_regs;
  alltoall_regs_pkg::alltoall__out_t from_regs;

  alltoall_regs u_regs (
      .clk     (clk_i),
      .rst_n   (rst_ni),
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .hwif_in (to_regs),
      .hwif_out(from_regs)
  );

  register_words_pkg::alltoall_start_word_t start_word;
  assign start_word = bus_i.data;

  register_words_pkg::alltoall_sums_word_t sum_word;
  logic active_q, start, refused, done_q, failed_q, sum_possible;
  logic [AlltoallWordsWidth-1:0] words_q;

  // A write that is refused leaves the words of a block alone.
  always_ff @(posedge clk_i) begin
    if (start) words_q <= start_word.words;
  end
  assign start = from_regs.start.words.swmod && !active_q && start_word.words != '0 && sum_possible;
  assign refused = from_regs.start.words.swmod && !start;

  logic write;
  logic [AlltoallOrders-1:0] order_write;
  logic [AlltoallOrders-1:0][AlltoallLengthWidth-1:0] length;
  logic [7:0] row;
  assign write = from_regs.entries.entries.swmod;
  assign row   = from_regs.place.row.value;
  for (genvar t = 0; t < AlltoallOrders; t++) begin : gen_order
    assign order_write[t] = write && from_regs.place.order.value == 4'(t);
    assign length[t] = from_regs.length[t].entries.value;
    // A side that the switch does not have has no words.
    assign to_regs.length[t].entries.hwclr =
        t < Targets && t % SwitchSides >= Ports && t % SwitchSides < SwitchPorts;
  end
  // The switch's orders, and of registers a bit per side those that it has: ports, and then the slot.
  logic [2*Sides-1:0] switch_write;
  logic [2*Sides-1:0][AlltoallLengthWidth-1:0] switch_length;
  for (genvar t = 0; t < 2 * Sides; t++) begin : gen_switch_order
    localparam int unsigned Side = t % Sides == Ports ? SwitchPorts : t % Sides;
    assign switch_write[t]  = order_write[t/Sides*SwitchSides+Side];
    assign switch_length[t] = length[t/Sides*SwitchSides+Side];
  end
  function automatic logic [Sides-1:0] of_switch(logic [SwitchSides-1:0] sides);
    return {sides[SwitchPorts], sides[Ports-1:0]};
  endfunction

  assign to_regs.sizes.entries.next = 16'(Entries);
  assign to_regs.sizes.adders.next = 3'(Cfg.alltoall_adders);
  assign to_regs.sizes.ports.next = 3'(Ports);
  assign to_regs.place.row.we = write;
  assign to_regs.place.row.next = row + 1'b1;
  assign to_regs.error.refused.hwset = refused;

  // ---------------------------------------------------------------- words out
  logic send_valid, send_running, send_busy, word_taken;
  logic [RoomWidth-1:0] room_q;

  alltoall_addresses #(
      .Members(Members)
  ) u_send (
      .clk_i,
      .rst_ni,
      .write_i  (order_write[Targets]),
      .row_i    (row),
      .data_i   (bus_i.data),
      .length_i (length[Targets]),
      .start_i  (start),
      .first_i  (start_word.words),
      .words_i  (words_q),
      .base_i   (from_regs.source.address.value),
      .valid_o  (send_valid),
      .address_o(read_address_o),
      .next_i   (read_valid_o && read_ready_i),
      .running_o(send_running),
      .busy_o   (send_busy)
  );

  assign read_valid_o = send_valid && room_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) room_q <= RoomWidth'(SlotRoom);
    else room_q <= room_q - RoomWidth'(read_valid_o && read_ready_i) + RoomWidth'(word_taken);
  end

  // ---------------------------------------------------------------- sums
  // Without summands orders move all words.
  logic sums, wide, whole, sum_ready, sum_valid, sum_running, sum_busy;
  logic [Sides-1:0] sum_inputs, sum_outputs, sum_inputs_q, sum_outputs_q, head_valid, sum_take;
  word_t [Sides-1:0] head;
  word_t sum;
  logic [2:0] summands;
  assign sum_word = '{
          summands: from_regs.sums.summands.value,
          outputs: from_regs.sums.outputs.value,
          element: from_regs.sums.element.value,
          combine: from_regs.sums.combine.value,
          default: '0
      };
  assign sum_inputs = of_switch(sum_word.summands);
  assign sum_outputs = of_switch(sum_word.outputs);
  assign sums = sum_inputs != '0;
  assign summands = 3'($countones(sum_inputs));
  assign wide = is_wide(element_e'(sum_word.element));
  assign whole = !wide || (Cfg.mpe_wide_elements && !start_word.words[0]);
  assign sum_possible = !sums || (summands >= 3'd2 && 32'(summands) <= Cfg.alltoall_adders + 1 &&
      sum_outputs != '0 && whole);

  if (Cfg.alltoall_adders != 0) begin : gen_sums
    element_e element_q;
    combine_e combine_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        sum_inputs_q  <= '0;
        sum_outputs_q <= '0;
      end else if (start) begin
        sum_inputs_q  <= sum_inputs;
        sum_outputs_q <= sums ? sum_outputs : '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (start) begin
        element_q <= element_e'(sum_word.element);
        combine_q <= combine_e'(sum_word.combine);
      end
    end

    switch_sum #(
        .Adders(Cfg.alltoall_adders),
        .FpuStages(Cfg.fpu_stages),
        .WideElements(Cfg.mpe_wide_elements),
        .Ports(Ports)
    ) u_sum (
        .clk_i,
        .rst_ni,
        .start_i   (start),
        .summands_i(sum_inputs),
        .words_i   (start_word.words),
        .element_i (element_q),
        .combine_i (combine_q),
        .valid_i   (head_valid),
        .data_i    (head),
        .take_o    (sum_take),
        .valid_o   (sum_valid),
        .data_o    (sum),
        .ready_i   (sum_ready),
        .running_o (sum_running),
        .busy_o    (sum_busy)
    );
  end else begin : gen_no_sums
    assign sum_inputs_q = '0;
    assign sum_outputs_q = '0;
    assign sum_take = '0;
    assign sum_valid = 1'b0;
    assign sum = '0;
    assign sum_running = 1'b0;
    assign sum_busy = 1'b0;
    logic unused_sums;
    assign unused_sums = ^{head_valid, head, sum_ready};
  end

  // ---------------------------------------------------------------- switch
  logic switch_running, switch_busy, word_valid, received_full, received_empty;
  word_t word, received;

  switch_links_t words_in, words_out;
  for (genvar p = 0; p < SwitchPorts; p++) begin : gen_link
    assign words_in[p] = switch_i[p].word;
    assign switch_o[p] = '{stream: '0, word: words_out[p]};
  end

  static_switch #(
      .Entries (Entries),
      .Ports   (Ports),
      .Room    (Cfg.alltoall_buffer_words),
      .SlotRoom(SlotRoom)
  ) u_switch (
      .clk_i,
      .rst_ni,
      .link_i       (words_in[Ports-1:0]),
      .link_o       (words_out[Ports-1:0]),
      .word_valid_i (data_valid_i),
      .word_i       (data_i),
      .word_taken_o (word_taken),
      .word_valid_o (word_valid),
      .word_o       (word),
      .word_ready_i (!received_full),
      .write_i      (switch_write),
      .row_i        (row),
      .data_i       (bus_i.data),
      .length_i     (switch_length),
      .sum_inputs_i (sum_inputs_q),
      .sum_outputs_i(sum_outputs_q),
      .head_valid_o (head_valid),
      .head_o       (head),
      .sum_take_i   (sum_take),
      .sum_valid_i  (sum_valid),
      .sum_i        (sum),
      .sum_ready_o  (sum_ready),
      .start_i      (start),
      .repetitions_i(start_word.words),
      .running_o    (switch_running),
      .busy_o       (switch_busy)
  );

  if (Ports < SwitchPorts) begin : gen_absent
    assign words_out[SwitchPorts-1:Ports] = '0;
    logic unused_ports;
    assign unused_ports = ^words_in[SwitchPorts-1:Ports];
  end

  // ---------------------------------------------------------------- words in
  logic receive_valid, receive_running, receive_busy, written;
  logic [31:0] write_address;

  fifo #(
      .T    (word_t),
      .Depth(Received)
  ) u_received (
      .clk_i,
      .rst_ni,
      .push_i (word_valid),
      .data_i (word),
      .pop_i  (written),
      .data_o (received),
      .empty_o(received_empty),
      .full_o (received_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  alltoall_addresses #(
      .Members(Members)
  ) u_receive (
      .clk_i,
      .rst_ni,
      .write_i  (order_write[Sources]),
      .row_i    (row),
      .data_i   (bus_i.data),
      .length_i (length[Sources]),
      .start_i  (start),
      .first_i  (start_word.words),
      .words_i  (words_q),
      .base_i   (from_regs.destination.address.value),
      .valid_o  (receive_valid),
      .address_o(write_address),
      .next_i   (written),
      .running_o(receive_running),
      .busy_o   (receive_busy)
  );

  assign write_valid_o = !received_empty && receive_valid;
  assign write_o = '{address: write_address, strobe: '1, data: received};
  assign written = write_valid_o && write_ready_i;

  // ---------------------------------------------------------------- end
  logic complete;
  assign complete = active_q && !send_running && !switch_running && !receive_running &&
      !sum_running;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      done_q   <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      if (start) active_q <= 1'b1;
      else if (complete) active_q <= 1'b0;
      done_q   <= complete;
      failed_q <= refused;
    end
  end

  assign events_o = '{failed: failed_q, done: done_q, waiting: 1'b0, idle: 1'b0, quiet: 1'b1};
  assign busy_o = read_valid_o || write_valid_o || send_busy || receive_busy || switch_busy ||
      sum_busy || complete || done_q || failed_q;

  logic unused;
  assign unused = ^{start_word, sum_word, order_write, length, switch_i};

endmodule

`default_nettype wire
