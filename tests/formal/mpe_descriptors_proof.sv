// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `mpe` completes no collective before the descriptor of every child has been taken from
/// the child's stream buffer, and that of the parent where there is one; and a word that is taken
/// has arrived.
///
/// Nor does it complete an exchange before the descriptor of every partner has been taken.
///
/// Any number of collectives over trees and of exchanges, of any operation and any length, in two
/// contexts, with commands waiting in the queue.
module mpe_descriptors_proof
  import tidings_pkg::*;
  import mpe_pkg::*;
(
    input logic               clk_i,
    input logic               command_valid_i,
    input mpe_command_t       command_i,
    input logic               rx_valid_i,
    input logic               rx_context_i,
    input logic         [1:0] rx_link_i,
    input word_t              rx_data_i,
    input logic               request_ready_i,
    input logic               reply_ready_i,
    input logic               memory_read_ready_i,
    input logic               memory_answers_i,
    input word_t              memory_data_i,
    input logic               memory_write_ready_i
);

  localparam int unsigned Links = 3;
  localparam int unsigned Contexts = 2;
  localparam int unsigned BufferWords = 8;
  function automatic node_cfg_pkg::node_cfg_t configuration();
    configuration = node_cfg_pkg::NodeCfg;
    configuration.mpe_links = Links;
    configuration.mpe_contexts = Contexts;
    configuration.mpe_buffer_words = BufferWords;
    configuration.mpe_packet_words = 4;
  endfunction
  localparam node_cfg_pkg::node_cfg_t Cfg = configuration();


  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic command_valid, command_ready, rx_valid, memory_read, memory_answer, done;
  word_t completed;
  mpe_error_t mpe_error;
  mpe_info_t rx_info;
  assign rx_info = '{
          reserved: '0,
          context_id: context_id_t'(rx_context_i),
          link: link_id_t'(rx_link_i)
      };
  mpe #(
      .Cfg(Cfg)
  ) u_mpe (
      .clk_i,
      .rst_ni               (rst_n),
      .node_id_i            ('0),
      .slot_id_i            ('0),
      .links_i              ('0),
      .command_valid_i      (command_valid),
      .command_i,
      .command_ready_o      (command_ready),
      .completed_o          (completed),
      .done_o               (done),
      .error_o              (mpe_error),
      .failed_o             (),
      .rx_valid_i           (rx_valid),
      .rx_info_i            (rx_info),
      .rx_data_i,
      .rx_ready_o           (),
      .tap_valid_i          ('0),
      .tap_context_i        ('0),
      .tap_data_i           ('0),
      .tap_left_i           ('0),
      .credit_valid_i       (1'b0),
      .credit_info_i        ('0),
      .credit_count_i       ('0),
      .lane_valid_o         (),
      .lane_flit_o          (),
      .lane_ready_i         (1'b0),
      .request_valid_o      (),
      .request_flit_o       (),
      .request_ready_i,
      .reply_valid_o        (),
      .reply_flit_o         (),
      .reply_ready_i,
      .memory_read_valid_o  (memory_read),
      .memory_read_address_o(),
      .memory_read_ready_i,
      .memory_data_valid_i  (memory_answer),
      .memory_data_i,
      .memory_write_valid_o (),
      .memory_write_o       (),
      .memory_write_ready_i,
      .busy_o               ()
  );

  // ------------------------------------------------------------------ surroundings
  // Neighbours send what fits the buffer. Memory may answer as it likes: its words do not matter
  // here.
  typedef logic [3:0] count_t;
  count_t held_q[Contexts][Links];
  logic [Links-1:0] taken;
  assign taken = u_mpe.stream_read[Links-1:0];
  assign command_valid = command_valid_i && rst_n;
  assign memory_answer = memory_answers_i;
  assign rx_valid = rst_n && rx_valid_i && 32'(rx_link_i) < Links &&
      held_q[rx_context_i][rx_link_i] != count_t'(BufferWords);
  // Commands name links that exist. Exchanges are barriers and allreduces.
  function automatic logic is_sane(mpe_command_t command);
    if (command.exchange) begin
      return command.children[MaxLinks-1:3] == '0 &&
          (command.operation == CollectiveBarrier || command.operation == CollectiveAllreduce);
    end
    return (command.parent == NoLink || command.parent == link_id_t'(2)) &&
        command.children[MaxLinks-1:2] == '0;
  endfunction
  always_comb begin
    CommandsAreSane : assume (is_sane(command_i));
  end

  // ------------------------------------------------------------------ what has been taken
  // Links that a word was taken from since the collective under way began.
  logic [Links-1:0] seen_q, children;
  assign children = u_mpe.command_q.children[Links-1:0];
  always_ff @(posedge clk_i) begin
    if (!rst_n || u_mpe.start) seen_q <= '0;
    else seen_q <= seen_q | taken;
  end
  logic context_id;
  assign context_id = u_mpe.command_q.context_id[0];
  for (genvar l = 0; l < Links; l++) begin : gen_link
    for (genvar c = 0; c < Contexts; c++) begin : gen_context
      always_ff @(posedge clk_i) begin
        if (!rst_n) held_q[c][l] <= '0;
        else begin
          held_q[c][l] <= held_q[c][l] - count_t'(taken[l] && 32'(context_id) == c) +
              count_t'(rx_valid && 32'(rx_link_i) == l && 32'(rx_context_i) == c);
        end
      end
      always_comb begin
        if (rst_n) begin
          NeverOverrun : assert (held_q[c][l] <= count_t'(BufferWords));
          // Lemma: the buffer counts as the proof does.
          assert (4'(u_mpe.u_stream_buffers.held[c][l]) == held_q[c][l]);
        end
      end
    end
    always_comb begin
      if (rst_n) begin
        TakenHasArrived : assert (!taken[l] || held_q[context_id][l] != '0);
      end
    end
  end

  logic waits_for_parent, up_waits;
  assign waits_for_parent = u_mpe.down_runs && !u_mpe.root;
  // The up unit has not heard from the links in `todo_q`; in an exchange, from one round to the
  // next.
  assign up_waits = u_mpe.command_q.exchange ? u_mpe.u_up.state_q != 3'd0 :
      u_mpe.u_up.state_q == 3'd1;
  always_comb begin
    if (rst_n) begin
      EveryChildWasHeard :
      assert (!(u_mpe.finished && u_mpe.up_runs) || (children & ~seen_q) == '0);
      ParentWasHeard : assert (!(u_mpe.finished && waits_for_parent) || seen_q[2]);
      // Lemmas: commands are sane, also in the queue.
      assert (u_mpe.u_queue.empty_q == (u_mpe.u_queue.count_o == '0));
      assert (u_mpe.state_q == 2'd0 || is_sane(u_mpe.command_q));
      for (int unsigned i = 0; i < 2; i++) begin
        if (i < 32'(u_mpe.u_queue.count_o)) begin
          assert (is_sane(u_mpe.u_queue.memory_q[1'(u_mpe.u_queue.read_q+i)]));
        end
      end
      assert (u_mpe.u_queue.count_o <= 2'd2 && (u_mpe.queue_empty || is_sane(u_mpe.queue_head)));
      // Lemmas: the units work for the collective under way only, and leave their first state
      // when they have heard from everyone.
      if (u_mpe.state_q != 2'd2) begin
        assert (u_mpe.u_up.state_q == 2'd0 && u_mpe.u_down.state_q == 2'd0);
      end else begin
        assert (u_mpe.up_runs || u_mpe.u_up.state_q == 2'd0);
        assert (u_mpe.down_runs || u_mpe.u_down.state_q == 2'd0);
        if (u_mpe.up_runs) begin
          assert ((children & ~seen_q & ~(up_waits ? u_mpe.u_up.todo_q[Links-1:0] : '0)) == '0);
        end
        if (waits_for_parent) assert (seen_q[2] || u_mpe.u_down.state_q == 2'd1);
      end
      cover (u_mpe.finished && u_mpe.up_runs && children[1:0] == 2'b11);
      cover (u_mpe.finished && waits_for_parent);
      cover (u_mpe.finished && u_mpe.command_q.exchange && children[1:0] != 2'b00);
      cover (u_mpe.command_q.exchange && children == 3'b011 && seen_q == 3'b001 && taken == 3'b010);
    end
  end

  logic unused;
  assign unused = ^{mpe_error, completed, done, command_ready, memory_read};

endmodule

`default_nettype wire
