// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A slot's place in a network that the engines `stream` have to themselves: a router of one channel, and
/// the slot's way in and out.
///
/// The network is a mesh of one or two dimensions beside the machine's, with the same buffers. Packets go in
/// dimension order. A packet that the slot does not take stands still, and with it all that wait behind it.
module stream_network #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg
) (
    /// Clock.
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    /// This router.
    input  tidings_pkg::node_id_t    node_id_i,
    /// The slot offers a flit.
    input  logic                     tx_valid_i,
    /// The flit; its channel is ignored.
    input  tidings_pkg::flit_t       tx_flit_i,
    /// The flit is taken.
    output logic                     tx_ready_o,
    /// A word of a packet is offered to the slot.
    output logic                     rx_valid_o,
    /// The word.
    output engine_pkg::engine_word_t rx_o,
    /// The word is taken.
    input  logic                     rx_ready_i,
    /// From the neighbours.
    input  tidings_pkg::side_links_t switch_i,
    /// To the neighbours.
    output tidings_pkg::side_links_t switch_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                     busy_o
);

  import tidings_pkg::*;

  localparam int unsigned NumPorts = 2 * Cfg.dims;
  localparam int unsigned RouterPorts = NumPorts + 1;

  logic [RouterPorts-1:0] in_valid, out_valid;
  flit_t [RouterPorts-1:0] in_flit, out_flit;
  logic [RouterPorts-1:0][MaxVcs-1:0] in_credit, out_credit;
  logic has_room, router_busy, receiver_busy, receiver_credit;

  for (genvar p = 0; p < SwitchPorts; p++) begin : gen_port
    if (p < NumPorts) begin : gen_link
      assign in_valid[p] = switch_i[p].stream.valid;
      assign in_flit[p] = '{
              vc: '0,
              last: switch_i[p].stream.last,
              data: switch_i[p].stream.data
          };
      assign out_credit[p] = MaxVcs'(switch_i[p].stream.credit);
      assign switch_o[p].stream = '{
              credit: in_credit[p][0],
              valid: out_valid[p],
              last: out_flit[p].last,
              data: out_flit[p].data
          };
      assign switch_o[p].word = '0;
    end else begin : gen_none
      assign switch_o[p] = '0;
    end
  end

  assign in_valid[NumPorts] = tx_valid_i && has_room;
  assign in_flit[NumPorts] = '{vc: '0, last: tx_flit_i.last, data: tx_flit_i.data};
  assign tx_ready_o = has_room;
  assign out_credit[NumPorts] = MaxVcs'(receiver_credit);

  credit_counter #(
      .Credits(Cfg.slot_buffer_flits)
  ) u_room (
      .clk_i,
      .rst_ni,
      .take_i     (in_valid[NumPorts]),
      .give_i     (in_credit[NumPorts][0]),
      .available_o(has_room),
      .room_o     ()
  );

  // No dimension wraps, so its size does not matter.
  router #(
      .Dims           (Cfg.dims),
      .NumSlots       (1),
      .NumClasses     (1),
      .Dateline       (1'b0),
      .BufferFlits    (Cfg.buffer_flits),
      .SlotBufferFlits(Cfg.slot_buffer_flits),
      .FixedPriority  (Cfg.fixed_priority),
      .NumRoutes      (0),
      .Pipeline       (Cfg.router_pipeline),
      .TurnCycle      (Cfg.turn_cycle)
  ) u_router (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .radix_i            ('0),
      .wrap_i             ('0),
      .table_i            ('0),
      .flit_valid_i       (in_valid),
      .flit_i             (in_flit),
      .credit_o           (in_credit),
      .flit_valid_o       (out_valid),
      .flit_o             (out_flit),
      .credit_i           (out_credit),
      .route_write_valid_i('0),
      .route_write_i      ('0),
      .route_write_ready_o(),
      .route_refused_o    (),
      .tap_valid_o        (),
      .tap_flit_o         (),
      .lane_valid_i       (1'b0),
      .lane_flit_i        ('0),
      .lane_credit_o      (),
      .busy_o             (router_busy)
  );

  // Nothing but packets of `stream` is in the network.
  engines_t word_valid;
  slot_receiver #(
      .BufferFlits(Cfg.slot_buffer_flits)
  ) u_receiver (
      .clk_i,
      .rst_ni,
      .flit_valid_i(out_valid[NumPorts]),
      .flit_i      (out_flit[NumPorts]),
      .credit_o    (receiver_credit),
      .valid_o     (word_valid),
      .word_o      (rx_o),
      .ready_i     ({NumEngines{rx_ready_i}}),
      .busy_o      (receiver_busy)
  );
  assign rx_valid_o = |word_valid;

  assign busy_o = router_busy || (receiver_busy && rx_ready_i);

  logic unused;
  assign unused = ^{switch_i, in_credit, tx_flit_i.vc};

`ifndef SYNTHESIS
  WordsAlone :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (word_valid & ~engines_t'(1 << EngineStream)) == '0);
`endif

endmodule

`default_nettype wire
