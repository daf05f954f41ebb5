// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `mpe` completes no collective before the words of every child have arrived, and those of the
/// parent where there is one: as many words as the commands up to this one ask of each link.
///
/// The proof looks at ports alone. Links 0 and 1 may be children, link 2 the parent.
module mpe_words_proof
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Commands are exchanges, and not collectives over trees.
    parameter bit Exchange = 1'b0
) (
    input logic               clk_i,
    input logic               command_valid_i,
    input mpe_command_t       command_i,
    input logic               rx_valid_i,
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
  localparam int unsigned Contexts = 1;
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
  assign rx_info = '{reserved: '0, context_id: '0, link: link_id_t'(rx_link_i)};
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
  // Memory answers what it was asked, when it likes. Neighbours send what fits the buffer.
  typedef logic [5:0] count_t;
  count_t asked_q, arrived_q[Links];
  assign command_valid = command_valid_i && rst_n;
  assign memory_answer = memory_answers_i && asked_q != '0;
  assign rx_valid = rst_n && rx_valid_i && 32'(rx_link_i) < Links &&
      arrived_q[rx_link_i] != count_t'(BufferWords);
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      asked_q   <= '0;
      arrived_q <= '{default: '0};
    end else begin
      asked_q <= asked_q + count_t'(memory_read && memory_read_ready_i) - count_t'(memory_answer);
      if (rx_valid) arrived_q[rx_link_i] <= arrived_q[rx_link_i] + 1'b1;
    end
  end

  // ------------------------------------------------------------------ words that commands ask for
  logic goes_up, goes_down, root;
  count_t stream;
  assign root = command_i.parent == NoLink || command_i.exchange;
  assign goes_up = command_i.operation != CollectiveBroadcast;
  assign goes_down = command_i.operation != CollectiveReduce && !root;
  always_comb begin
    stream = count_t'(1);
    if (command_i.operation != CollectiveBarrier) stream = stream + count_t'(command_i.count[1:0]);
  end
  count_t asked_of_q[Links], asked_of[Links];
  always_comb begin
    asked_of[0] = asked_of_q[0] + (goes_up && command_i.children[0] ? stream : '0);
    asked_of[1] = asked_of_q[1] + (goes_up && command_i.children[1] ? stream : '0);
    asked_of[2] = asked_of_q[2] + (goes_down ? stream : '0);
  end
  // What the commands up to each one ask for; the first ones of a run.
  count_t needed_q[4][Links];
  logic [2:0] accepted_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      accepted_q <= '0;
      asked_of_q <= '{default: '0};
    end else if (command_valid && command_ready) begin
      accepted_q <= accepted_q + 1'b1;
      needed_q[accepted_q[1:0]] <= asked_of;
      asked_of_q <= asked_of;
    end
  end

  logic [1:0] latest;
  assign latest = 2'(completed - 1'b1);
  always_comb begin
    SurroundingsAreSane :
    assume ((root || command_i.parent == link_id_t'(2)) && command_i.children[MaxLinks-1:2] == '0 &&
            command_i.count <= word_t'(2) && command_i.element == ElementInt32 &&
            command_i.combine == CombineSum && command_i.exchange == Exchange &&
            (!Exchange || command_i.operation == CollectiveBarrier ||
             command_i.operation == CollectiveAllreduce) &&
            (accepted_q != 3'd4 || !command_valid_i));
  end
  for (genvar l = 0; l < Links; l++) begin : gen_link
    always_comb begin
      if (rst_n && completed != '0) begin
        AllWordsArrived : assert (arrived_q[l] >= needed_q[latest][l]);
      end
    end
  end
  always_comb begin
    if (rst_n) begin
      OnlyWhatWasAskedFor : assert (completed <= word_t'(accepted_q));
    end
  end
  if (Exchange) begin : gen_exchange_covers
    always_comb begin
      if (rst_n) cover (done && needed_q[latest][0] == count_t'(2));
    end
  end else begin : gen_tree_covers
    always_comb begin
      if (rst_n) begin
        cover (done && needed_q[latest][0] == count_t'(1) && needed_q[latest][1] == count_t'(1));
        cover (done && needed_q[latest][0] == count_t'(1) && needed_q[latest][2] == count_t'(1));
      end
    end
  end

  logic unused;
  assign unused = ^mpe_error;

endmodule

`default_nettype wire
