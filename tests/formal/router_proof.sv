// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: a `router` loses, doubles and reorders no flit; an output channel belongs to one packet from
/// its head to its tail; flits are sent with a credit only, and credits are conserved.
///
/// Each input channel has a reference queue of what its neighbour sent. In every cycle the flits
/// that leave are matched one to one with the input channels that give up a place: each is the
/// oldest of its reference queue, and leaves where and on which channel its packet's way says. The way of a
/// head is `route_compute`'s; what follows from there to the tail takes the same. With a pipeline flits
/// leave when they are granted, and are seen a cycle later.
module router_proof
  import tidings_pkg::*;
#(
    /// Dimensions; 0 for a crossbar.
    parameter int unsigned Dims = 0,
    /// Slots.
    parameter int unsigned NumSlots = 3,
    /// Message classes.
    parameter int unsigned NumClasses = 1,
    /// Channels are doubled.
    parameter bit Dateline = 1'b0,
    /// Flits of every buffer.
    parameter int unsigned Flits = 2,
    /// The router's pipeline.
    parameter bit Pipeline = 1'b0,
    localparam int unsigned Ports = 2 * Dims + NumSlots
) (
    input logic                          clk_i,
    input logic  [Ports-1:0]             send_i,
    input flit_t [Ports-1:0]             flit_i,
    input logic  [Ports-1:0][MaxVcs-1:0] credit_i
);

  localparam int unsigned NumPorts = 2 * Dims;
  localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1);
  localparam int unsigned PortWidth = Ports > 1 ? $clog2(Ports) : 1;
  localparam int unsigned CountWidth = $clog2(Flits) + 1;
  localparam int unsigned IndexWidth = $clog2(Flits);
  localparam int unsigned DimensionWidth = $clog2(MaxDims + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [PortWidth-1:0] port_t;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // A ring of four; the address never changes, and is any.
  node_id_t node_id_q;
  always_ff @(posedge clk_i) node_id_q <= node_id_q;
  logic [MaxDims-1:0][NodeIdWidth-1:0] radix;
  assign radix = {MaxDims{NodeIdWidth'(4)}};

  function automatic logic exists(int unsigned port, int unsigned vc);
    return vc < (port >= NumPorts ? NumClasses : NumVcs);
  endfunction

  // ------------------------------------------------------------------ the router
  logic [Ports-1:0] sent, out_valid, shown_valid;
  flit_t [Ports-1:0] out_flit, shown_flit;
  logic [Ports-1:0][MaxVcs-1:0] freed, returned;
  router #(
      .Dims(Dims),
      .NumSlots(NumSlots),
      .NumClasses(NumClasses),
      .Dateline(Dateline),
      .BufferFlits(Flits),
      .SlotBufferFlits(Flits),
      .NumRoutes(0),
      .Pipeline(Pipeline)
  ) u_router (
      .clk_i,
      .rst_ni             (rst_n),
      .node_id_i          (node_id_q),
      .radix_i            (radix),
      .wrap_i             ('1),
      .table_i            ('0),
      .flit_valid_i       (sent),
      .flit_i,
      .credit_o           (freed),
      .flit_valid_o       (shown_valid),
      .flit_o             (shown_flit),
      .credit_i           (returned),
      .route_write_valid_i('0),
      .route_write_i      ('0),
      .route_write_ready_o(),
      .route_refused_o    (),
      .tap_valid_o        (),
      .tap_flit_o         (),
      .lane_valid_i       (1'b0),
      .lane_flit_i        ('0),
      .lane_credit_o      (),
      .busy_o             ()
  );

  // ------------------------------------------------------------------ neighbours
  // They send with a credit only, on channels that exist, and give back what they have.
  count_t count_q[Ports][MaxVcs];  // flits of each reference queue
  count_t room_q [Ports][MaxVcs];  // places downstream of each output channel
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      sent[p] = rst_n && send_i[p] && exists(p, 32'(flit_i[p].vc)) &&
          count_q[p][flit_i[p].vc] != count_t'(Flits);
      for (int unsigned v = 0; v < MaxVcs; v++) begin
        returned[p][v] = credit_i[p][v] && exists(p, v) && room_q[p][v] != count_t'(Flits);
      end
    end
  end

  // ------------------------------------------------------------------ reference
  // Input channel that the flit of each output port comes from: the one that gives up a place.
  port_t from_port[Ports];
  vc_t from_vc[Ports];
  logic [Ports-1:0] once;
  logic [Ports-1:0][MaxVcs-1:0] agrees;  // the oldest flit leaves as it should
  entry_t oldest[Ports][MaxVcs];
  port_t way_port[Ports][MaxVcs];
  vc_t way_vc[Ports][MaxVcs];
  logic inside_q[Ports][MaxVcs];  // the head has left, the tail has not
  // Who has an output channel: input port and channel.
  logic taken_q[Ports][MaxVcs];
  port_t owner_port_q[Ports][MaxVcs];
  vc_t owner_vc_q[Ports][MaxVcs];

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    for (genvar v = 0; v < MaxVcs; v++) begin : gen_vc
      if (v < (p >= NumPorts ? NumClasses : NumVcs)) begin : gen_channel
        entry_t queue_q[Flits];
        port_t port_q, head_port;
        vc_t vc_q;
        logic dateline, push, pop;
        count_t left;
        assign push = sent[p] && flit_i[p].vc == vc_t'(v);
        assign pop = freed[p][v];
        assign left = count_q[p][v] - count_t'(pop);
        assign oldest[p][v] = queue_q[0];

        header0_t header;
        assign header = header0_t'(queue_q[0].data);
        route_compute #(
            .Dims(Dims),
            .NumSlots(NumSlots),
            .Dateline(Dateline)
        ) u_way (
            .node_id_i  (node_id_q),
            .radix_i    (radix),
            .wrap_i     ('1),
            .table_i    ('0),
            .valid_i    (1'b1),
            .dst_node_i (header.dst_node),
            .dst_slot_i (header.dst_slot),
            .dimension_i(DimensionWidth'(p >= NumPorts ? MaxDims : p / 2)),
            .dateline_i (v >= NumClasses),
            .port_o     (head_port),
            .dateline_o (dateline)
        );
        assign way_port[p][v] = inside_q[p][v] ? port_q : head_port;
        assign way_vc[p][v] = inside_q[p][v] ? vc_q :
            vc_t'((dateline ? NumClasses : 0) + v % NumClasses);

        assign agrees[p][v] = count_q[p][v] != '0 && out_valid[way_port[p][v]] &&
            out_flit[way_port[p][v]] ==
            {way_vc[p][v], queue_q[0].last, queue_q[0].data};

        always_ff @(posedge clk_i) begin
          if (!rst_n) begin
            count_q[p][v] <= '0;
            inside_q[p][v] <= 1'b0;
            port_q <= '0;
            vc_q <= '0;
          end else begin
            count_q[p][v] <= left + count_t'(push);
            if (pop) begin
              for (int unsigned i = 0; i + 1 < Flits; i++) queue_q[i] <= queue_q[i+1];
              inside_q[p][v] <= !queue_q[0].last;
              port_q <= way_port[p][v];
              vc_q <= way_vc[p][v];
            end
            if (push) queue_q[IndexWidth'(left)] <= '{last: flit_i[p].last, data: flit_i[p].data};
          end
        end

        // What the router keeps.
        logic owner, empty, available, dateline_kept;
        logic [Ports-1:0] ports_kept;
        count_t count_kept, read_kept;
        entry_t head_kept;
        entry_t memory_kept[Flits];
        assign owner = u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.owner_q;
        assign empty = u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.empty;
        assign available =
            u_router.gen_output[p].u_allocator.gen_vc[v].gen_channel.u_credits.available_q;
        assign dateline_kept =
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.dateline_q;
        assign ports_kept = u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.ports_q;
        assign count_kept =
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.u_buffer.count_o;
        assign read_kept =
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.u_buffer.read_q;
        assign head_kept =
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.u_buffer.head_q;
        for (genvar i = 0; i < Flits; i++) begin : gen_memory
          assign memory_kept[i] =
              u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.u_buffer.memory_q[i];
        end

        // Lemmas: what the router keeps is what the reference has.
        always_comb begin
          if (rst_n) begin
            assert (count_q[p][v] <= count_t'(Flits) && room_q[p][v] <= count_t'(Flits));
            for (int unsigned i = 0; i < Flits; i++) begin
              if (i < 32'(count_q[p][v])) begin
                assert (memory_kept[IndexWidth'(read_kept+i)] == queue_q[i]);
              end
            end
            if (count_q[p][v] != '0) begin
              assert (head_kept == queue_q[0]);
            end
            assert (empty == (count_q[p][v] == '0) && available == (room_q[p][v] != '0));
            // The way is at hand with the head, and stays until the tail.
            if (inside_q[p][v] || count_q[p][v] != '0) begin
              assert (ports_kept == Ports'(1) << way_port[p][v]);
              assert (dateline_kept == (32'(way_vc[p][v]) >= NumClasses));
            end
            assert (count_kept == count_q[p][v]);
            assert (owner == inside_q[p][v]);
            if (inside_q[p][v]) begin
              assert (32'(vc_q) % NumClasses == v % NumClasses && exists(32'(port_q), 32'(vc_q)));
              assert (32'(port_q) < Ports && taken_q[port_q][vc_q] &&
                      owner_port_q[port_q][vc_q] == port_t'(p) &&
                      owner_vc_q[port_q][vc_q] == vc_t'(v));
            end
            assert (room_q[p][v] ==
                    u_router.gen_output[p].u_allocator.gen_vc[v].gen_channel.u_credits.count_q);
            assert (u_router.gen_output[p].u_allocator.taken_q[v] == taken_q[p][v]);
            if (taken_q[p][v]) begin
              assert (32'(owner_port_q[p][v]) < Ports &&
                      inside_q[owner_port_q[p][v]][owner_vc_q[p][v]] &&
                      way_port[owner_port_q[p][v]][owner_vc_q[p][v]] == port_t'(p) &&
                      way_vc[owner_port_q[p][v]][owner_vc_q[p][v]] == vc_t'(v));
            end
          end
        end
      end else begin : gen_no_channel
        assign oldest[p][v]   = '0;
        assign way_port[p][v] = '0;
        assign way_vc[p][v]   = '0;
        assign agrees[p][v]   = 1'b0;
        always_comb count_q[p][v] = '0;
        always_comb inside_q[p][v] = 1'b0;
      end

      // The output channel of the same number.
      logic leaves;
      assign leaves = out_valid[p] && out_flit[p].vc == vc_t'(v);
      always_ff @(posedge clk_i) begin
        if (!rst_n) begin
          room_q[p][v] <= exists(p, v) ? count_t'(Flits) : '0;
          taken_q[p][v] <= 1'b0;
          owner_port_q[p][v] <= '0;
          owner_vc_q[p][v] <= '0;
        end else begin
          room_q[p][v] <= room_q[p][v] - count_t'(leaves) + count_t'(returned[p][v]);
          if (leaves) begin
            taken_q[p][v] <= !out_flit[p].last;
            owner_port_q[p][v] <= from_port[p];
            owner_vc_q[p][v] <= from_vc[p];
          end
        end
      end
    end
  end

  // ------------------------------------------------------------------ what leaves
  if (Pipeline) begin : gen_late
    logic  [Ports-1:0] out_valid_q;
    flit_t [Ports-1:0] out_flit_q;
    for (genvar o = 0; o < Ports; o++) begin : gen_sent
      always_comb begin
        out_valid[o] = u_router.gen_output[o].u_crossbar.sent;
        out_flit[o]  = '0;
        for (int unsigned p = 0; p < Ports; p++) begin
          for (int unsigned v = 0; v < NumVcs; v++) begin
            if (exists(p, v) && u_router.senders[o][p*NumVcs+v]) begin
              out_flit[o] |= oldest[p][v];
            end
          end
        end
        out_flit[o].vc = u_router.gen_output[o].sent_vc;
      end
    end
    always_ff @(posedge clk_i) begin
      out_valid_q <= rst_n ? out_valid : '0;
      out_flit_q  <= out_flit;
    end
    always_comb if (rst_n) Seen : assert (shown_valid == out_valid_q);
    for (genvar o = 0; o < Ports; o++) begin : gen_seen
      always_comb begin
        if (rst_n && out_valid_q[o]) SeenAsGranted : assert (shown_flit[o] == out_flit_q[o]);
      end
    end
    // The copy of a head is what the head was in the cycle before.
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      for (genvar v = 0; v < (p >= NumPorts ? NumClasses : NumVcs); v++) begin : gen_vc
        word_t late_d, head;
        assign head = u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.head.data;
        assign late_d =
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.gen_late.loaded_q ?
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.gen_late.next_q :
            u_router.gen_input[p].u_input.gen_vc[v].gen_channel.u_channel.gen_late.late_q;
        always_comb if (rst_n && count_q[p][v] != '0) assert (late_d == head);
      end
    end
  end else begin : gen_at_once
    assign out_valid = shown_valid;
    assign out_flit  = shown_flit;
  end

  // ------------------------------------------------------------------ matching
  always_comb begin
    for (int unsigned o = 0; o < Ports; o++) begin
      from_port[o] = '0;
      from_vc[o] = '0;
      once[o] = 1'b0;
      for (int unsigned p = 0; p < Ports; p++) begin
        for (int unsigned v = 0; v < MaxVcs; v++) begin
          if (freed[p][v] && way_port[p][v] == port_t'(o)) begin
            from_port[o] = port_t'(p);
            from_vc[o] = vc_t'(v);
            once[o] = !once[o];
          end
        end
      end
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_checks
    vc_t vc;
    assign vc = out_flit[p].vc;
    // A flit could leave: its output channel has room, and is its packet's or nobody's.
    logic possible;
    always_comb begin
      possible = 1'b0;
      for (int unsigned i = 0; i < Ports; i++) begin
        for (int unsigned v = 0; v < MaxVcs; v++) begin
          possible |= count_q[i][v] != '0 && way_port[i][v] == port_t'(p) &&
              room_q[p][way_vc[i][v]] != '0 && (inside_q[i][v] || !taken_q[p][way_vc[i][v]]);
        end
      end
    end
    always_comb begin
      if (rst_n) begin
        NobodyWaitsInVain : assert (out_valid[p] || !possible);
        NothingLost : assert ((freed[p] & ~agrees[p]) == '0);
        NothingDoubled : assert (once[p] == out_valid[p]);
        if (out_valid[p]) begin
          ChannelExists : assert (exists(p, 32'(vc)));
          OnlyWithCredit : assert (room_q[p][vc] != '0);
          OwnedToTheTail :
          assert (taken_q[p][vc] ?
              owner_port_q[p][vc] == from_port[p] && owner_vc_q[p][vc] == from_vc[p] :
              !inside_q[from_port[p]][from_vc[p]]);
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      cover (out_valid == '1);
      cover (taken_q[Ports-1][0] && count_q[0][0] != '0 && count_q[1][0] != '0 && !inside_q[0][0] &&
             way_port[0][0] == port_t'(Ports - 1));
      cover (room_q[Ports-1][0] == '0 && taken_q[Ports-1][0]);
    end
  end

endmodule

`default_nettype wire
