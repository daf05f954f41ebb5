// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A ring of routers joined by links; slots are the ports outside. For tests.
module ring_of_routers
  import tidings_pkg::*;
#(
    /// Routers of the ring.
    parameter int unsigned Routers = 4,
    /// Latency of each link.
    parameter int unsigned Latency = 2,
    /// Flits of a network port's buffer, for each channel.
    parameter int unsigned BufferFlits = 4,
    /// Flits of a slot port's buffers, for each class and direction.
    parameter int unsigned SlotBufferFlits = 4
) (
    /// Clock.
    input  logic                                   clk_i,
    /// Synchronous reset, active low.
    input  logic                                   rst_ni,
    /// Flits from the slots, one slot per router.
    input  logic         [Routers-1:0]             flit_valid_i,
    /// The flits.
    input  flit_t        [Routers-1:0]             flit_i,
    /// Credits to the slots.
    output logic         [Routers-1:0][MaxVcs-1:0] credit_o,
    /// Flits to the slots.
    output logic         [Routers-1:0]             flit_valid_o,
    /// The flits.
    output flit_t        [Routers-1:0]             flit_o,
    /// Credits from the slots.
    input  logic         [Routers-1:0][MaxVcs-1:0] credit_i,
    /// The slot of a router changes a static route.
    input  logic         [Routers-1:0]             route_write_valid_i,
    /// The change.
    input  route_write_t                           route_write_i,
    /// Something is on its way.
    output logic                                   busy_o
);

  localparam int unsigned SlotPort = 2;

  // As the routers see them.
  logic [Routers-1:0][2:0] in_valid, out_valid;
  flit_t [Routers-1:0][2:0] in_flit, out_flit;
  logic [Routers-1:0][2:0][MaxVcs-1:0] in_credit, out_credit;
  logic [Routers-1:0] router_busy;
  logic [Routers-1:0][1:0] link_busy;

  assign busy_o = |router_busy || |link_busy;

  for (genvar r = 0; r < Routers; r++) begin : gen_router
    router #(
        .Dims(1),
        .NumSlots(1),
        .BufferFlits(BufferFlits),
        .SlotBufferFlits(SlotBufferFlits),
        .NumRoutes(16)
    ) u_router (
        .clk_i,
        .rst_ni,
        .node_id_i          (NodeIdWidth'(r)),
        .radix_i            ((MaxDims * NodeIdWidth)'(Routers)),
        .wrap_i             (MaxDims'(1)),
        .table_i            ('0),
        .flit_valid_i       (in_valid[r]),
        .flit_i             (in_flit[r]),
        .credit_o           (out_credit[r]),
        .flit_valid_o       (out_valid[r]),
        .flit_o             (out_flit[r]),
        .credit_i           (in_credit[r]),
        .route_write_valid_i(route_write_valid_i[r]),
        .route_write_i      (route_write_i),
        .route_write_ready_o(),
        .route_refused_o    (),
        .tap_valid_o        (),
        .tap_flit_o         (),
        .lane_valid_i       (1'b0),
        .lane_flit_i        ('0),
        .lane_credit_o      (),
        .busy_o             (router_busy[r])
    );

    assign in_valid[r][SlotPort] = flit_valid_i[r];
    assign in_flit[r][SlotPort] = flit_i[r];
    assign credit_o[r] = out_credit[r][SlotPort];
    assign flit_valid_o[r] = out_valid[r][SlotPort];
    assign flit_o[r] = out_flit[r][SlotPort];
    assign in_credit[r][SlotPort] = credit_i[r];

    // From each port to the opposite port of the neighbour.
    for (genvar p = 0; p < 2; p++) begin : gen_link
      localparam int unsigned Neighbour = (r + (p == 0 ? 1 : Routers - 1)) % Routers;
      link #(
          .Latency(Latency)
      ) u_link (
          .clk_i,
          .rst_ni,
          .flit_valid_i(out_valid[r][p]),
          .flit_i      (out_flit[r][p]),
          .credit_i    (out_credit[Neighbour][1-p]),
          .token_i     ('0),
          .switch_i    ('0),
          .flit_valid_o(in_valid[Neighbour][1-p]),
          .flit_o      (in_flit[Neighbour][1-p]),
          .credit_o    (in_credit[r][p]),
          .token_o     (),
          .switch_o    (),
          .busy_o      (link_busy[r][p])
      );
    end
  end

endmodule

`default_nettype wire
