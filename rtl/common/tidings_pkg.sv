// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The words of the network: flits, packet headers and the interfaces of a node.
///
/// A flit is one data word with its sidebands. A packet is a two-word header, the words that its
/// kind asks for, and a payload; `last` marks its tail. A neighbour packet has one header word only.
/// `docs/architecture.md` has the tables.
package tidings_pkg;

  /// Bits of a data word; a link carries one word per cycle.
  localparam int unsigned WordWidth = 32;
  /// Bits of a router's address: one coordinate field for each dimension, dimension 0 lowest.
  localparam int unsigned NodeIdWidth = 12;
  /// Bits of a slot's number within its router.
  localparam int unsigned SlotIdWidth = 4;
  /// Most slots of a router with crosspoint buffers. As it is alone, bits of router addresses can number slots too:
  /// slot s has the address s / 16 and the number s % 16.
  localparam int unsigned MaxCrosspointSlots = 64;
  /// Bits of a virtual channel's number on the wire.
  localparam int unsigned VcWidth = 2;
  /// Most virtual channels a port can have.
  localparam int unsigned MaxVcs = 1 << VcWidth;
  /// Bits of a byte address in the register space of a slot.
  localparam int unsigned BusAddressWidth = 12;
  /// Most dimensions of a machine.
  localparam int unsigned MaxDims = 4;
  /// Most ports of a router: two per dimension, and its slots.
  localparam int unsigned MaxPorts = 2 * MaxDims + (1 << SlotIdWidth);
  /// Bits of a static route's number.
  localparam int unsigned RouteIdWidth = 6;
  /// Most static routes of a router.
  localparam int unsigned MaxRoutes = 1 << RouteIdWidth;
  /// Bits that number groups of slots in a change of a route, if a router has more slots than slot numbers:
  /// as many as number them in its addresses.
  localparam int unsigned RouteGroupWidth = $clog2(MaxCrosspointSlots) - SlotIdWidth;
  /// Bits of a port's number.
  localparam int unsigned PortIdWidth = $clog2(MaxPorts);
  /// Bits that number packets at an output of `crosspoint_router` with `FullestFirst`. The last one of
  /// these is chosen without looking at how full crosspoints are.
  localparam int unsigned TurnWidth = 3;

  /// Groups of the engine `barrier`.
  localparam int unsigned BarrierGroups = 8;
  /// Network ports that have wires of barriers: those of the first two dimensions.
  localparam int unsigned BarrierPorts = 4;
  /// Most places that a member of a barrier can name: network ports, or slots of a single router.
  localparam int unsigned BarrierMates = MaxCrosspointSlots;

  /// Most network ports of a static switch: those of three dimensions.
  localparam int unsigned SwitchPorts = 6;
  /// Network ports of a static switch if the machine has less than three dimensions, and of a network of `stream`.
  localparam int unsigned FlatSwitchPorts = 4;
  /// Numbers of inputs of a static switch, and of outputs: network ports, then the slot.
  localparam int unsigned SwitchSides = SwitchPorts + 1;
  /// Most words of a packet of `stream` on a network of its own: a power of two.
  localparam int unsigned StreamLongestPacket = 128;
  /// Orders of the engine `alltoall`: outputs by input of the switch, inputs by output, targets, sources.
  localparam int unsigned AlltoallOrders = 2 * SwitchSides + 2;
  /// Most members of an all-to-all.
  localparam int unsigned AlltoallMembers = 256;
  /// Bits of a number of entries of an order.
  localparam int unsigned AlltoallLengthWidth = 11;
  /// Bits of a number of words of a block.
  localparam int unsigned AlltoallWordsWidth = 24;

  typedef logic [WordWidth-1:0] word_t;
  typedef logic [NodeIdWidth-1:0] node_id_t;
  typedef logic [SlotIdWidth-1:0] slot_id_t;
  typedef logic [VcWidth-1:0] vc_t;
  typedef logic [RouteIdWidth-1:0] route_id_t;

  /// Wires of barriers between routers: for each of the first network ports and each group one that is high for one
  /// cycle for each token.
  typedef logic [BarrierPorts-1:0][BarrierGroups-1:0] barrier_tokens_t;
  /// Slots of a single router that are the other members of each group, one bit each.
  typedef logic [BarrierGroups-1:0][BarrierMates-1:0] barrier_mates_t;

  /// What goes one way in a cycle between two static switches.
  typedef struct packed {
    logic  credit;  // room for one more word of the other way
    logic  valid;   // a word
    word_t data;    // the word; zero without
  } switch_link_t;
  /// The same at all network ports.
  typedef switch_link_t [SwitchPorts-1:0] switch_links_t;

  /// What goes one way in a cycle between two routers of a network of `stream`.
  typedef struct packed {
    logic  credit;  // room for one more word of the other way
    logic  valid;   // a word
    logic  last;    // it is the tail of a packet
    word_t data;    // the word; zero without
  } stream_link_t;

  /// Both: what goes one way in a cycle beside the network of all engines. What a machine lacks is zero.
  typedef struct packed {
    stream_link_t stream;
    switch_link_t word;
  } side_link_t;
  /// The same at all network ports.
  typedef side_link_t [SwitchPorts-1:0] side_links_t;

  /// What a routing table says of one destination, a router.
  typedef struct packed {
    logic                   layer;  // 5: of virtual channels
    logic [PortIdWidth-1:0] port;   // 4:0: to leave by
  } route_row_t;

  /// What a packet is for. The top bit is the message class: requests may wait for replies,
  /// replies wait for nothing, so each class has virtual channels of its own. A request whose second
  /// bit is set follows a static route and is for each slot that it reaches what the kind without
  /// that bit is; `KindNeighbour` has the ports of its route in its header, and is for engines.
  typedef enum logic [3:0] {
    KindMessage       = 4'h0,  // short message into a remote queue
    KindPut           = 4'h1,  // words into a registered region
    KindGet           = 4'h2,  // asks for words of a registered region
    KindStream        = 4'h3,  // words of a collective, room already reserved by credits
    KindStaticMessage = 4'h4,
    KindStaticPut     = 4'h5,
    KindNeighbour     = 4'h6,  // words of a collective for routers that are one link away
    KindStaticStream  = 4'h7,
    KindPutAck        = 4'h8,  // every PUT packet up to the one that asked has been written
    KindGetReply      = 4'h9,  // words that a GET asked for
    KindNack          = 4'ha,  // the registration table or the queue refused; code in `info`
    KindCredit        = 4'hb,  // words freed in a collective's stream buffer; count in `length`
    KindWords         = 4'hc,  // words for a receive queue, room already reserved by credits
    KindWordsCredit   = 4'hd   // words freed in a receive queue; count in `length`
  } kind_e;

  /// First word of every packet.
  typedef struct packed {
    kind_e    kind;      // 31:28
    slot_id_t dst_slot;  // 27:24
    node_id_t dst_node;  // 23:12, of a static packet the number of its route
    node_id_t src_node;  // 11:0
  } header0_t;

  /// Second word of every packet.
  typedef struct packed {
    slot_id_t    src_slot;  // 31:28
    logic [11:0] info;      // 27:16, meaning depends on the kind
    logic [15:0] length;    // 15:0, payload: bytes for message/put/get reply, words otherwise
  } header1_t;

  /// The only header word of a neighbour packet.
  typedef struct packed {
    kind_e       kind;        // 31:28
    logic [3:0]  context_id;  // 27:24, of the engine
    logic [11:0] ports;       // 23:12, network ports that it leaves through, one bit each
    logic [11:0] length;      // 11:0, payload words, at least one
  } neighbour_header_t;

  /// `info` of a PUT packet. A PUT of one word has no address word: `length` is its offset, in words.
  typedef struct packed {
    logic       word;    // the payload is `last` + 1 bytes of one word
    logic [1:0] last;    // the last byte of that word
    logic       ack;     // answer with KindPutAck once written
    logic [7:0] region;  // row of the target's registration table
  } put_info_t;

  /// `info` of a GET packet. Of an atomic one, `length` is an `atomic_length_t`, and operands follow the offset.
  typedef struct packed {
    logic       atomic;  // change what is read, and answer with what was there
    logic [2:0] number;  // of the GET at the initiator; each answer has it
    logic [7:0] region;  // row of the target's registration table
  } get_info_t;

  /// What an atomic access makes of the old value and its operand. Integers wrap around.
  typedef enum logic [3:0] {
    AtomicFetch       = 4'd0,   // the old value
    AtomicAdd         = 4'd1,
    AtomicAnd         = 4'd2,
    AtomicOr          = 4'd3,
    AtomicXor         = 4'd4,
    AtomicSwap        = 4'd5,   // the operand
    AtomicCompareSwap = 4'd6,   // the operand if the old value is that of a second operand
    AtomicMin         = 4'd8,
    AtomicMax         = 4'd9,
    AtomicMinUnsigned = 4'd10,
    AtomicMaxUnsigned = 4'd11
  } atomic_e;

  /// `length` of an atomic access, in its command and in its packet.
  typedef struct packed {
    logic [7:0] reserved;   // zero
    atomic_e    operation;
    logic [3:0] bytes;      // of each operand and of the old value: 4 or 8
  } atomic_length_t;

  /// `info` of the reply to a GET.
  typedef struct packed {
    logic [7:0] reserved;
    logic [2:0] number;    // of the GET
    logic       last;      // the last packet of the reply
  } get_reply_info_t;

  /// `info` of packets of the engine `stream`.
  typedef struct packed {
    logic [3:0] peer;  // row of the sender's table that has the credits
    logic [7:0] tag;   // says which receive queue; of credits it does not count
  } stream_info_t;

  /// First word of a packet in a receive queue of the engine `stream`.
  typedef struct packed {
    slot_id_t   slot;    // 31:28, of the sender
    node_id_t   node;    // 27:16
    logic [7:0] tag;     // 15:8
    logic [7:0] length;  // 7:0, payload words that follow
  } stream_origin_t;

  /// One data word on a wire with its sidebands.
  typedef struct packed {
    vc_t   vc;    // 34:33
    logic  last;  // 32
    word_t data;  // 31:0
  } flit_t;

  /// Where a static route leads at one router.
  typedef struct packed {
    logic                switched;  // any turn is allowed: software answers for deadlocks
    // Output ports, slots above the network's; none: no such route. If slots are more than slot numbers:
    // those of one group, and above them which.
    logic [MaxPorts-1:0] ports;
  } route_entry_t;

  /// A change of a router's table of static routes.
  typedef struct packed {
    route_id_t    route;  // 30:25
    route_entry_t entry;  // 24:0
  } route_write_t;

  /// A processor's access to the registers of a slot.
  typedef struct packed {
    logic                       write;    // 44
    logic [BusAddressWidth-1:0] address;  // 43:32, bytes, word aligned
    word_t                      data;     // 31:0
  } bus_request_t;

  /// A write to node memory.
  typedef struct packed {
    logic [31:0] address;  // 67:36, bytes, word aligned
    logic [3:0]  strobe;   // 35:32, one bit per byte
    word_t       data;     // 31:0
  } memory_write_t;

  /// Why the target of an operation refused it.
  typedef enum logic [3:0] {
    NackNone          = 4'h0,
    NackNotRegistered = 4'h1,
    NackBounds        = 4'h2,
    NackRights        = 4'h3,
    NackQueueFull     = 4'h4,
    NackBadPacket     = 4'h5,
    NackOverflow      = 4'hf   // the command found the command queue full
  } nack_e;

  /// Collective operations of the message passing engine.
  typedef enum logic [1:0] {
    CollectiveBarrier   = 2'd0,
    CollectiveBroadcast = 2'd1,
    CollectiveReduce    = 2'd2,
    CollectiveAllreduce = 2'd3
  } collective_e;

  /// Element types that the engine can combine.
  typedef enum logic [1:0] {
    ElementInt32  = 2'd0,
    ElementInt64  = 2'd1,
    ElementFloat  = 2'd2,
    ElementDouble = 2'd3
  } element_e;

  /// Combining operations of the engine. Bitwise ones take the integer elements only.
  typedef enum logic [2:0] {
    CombineSum = 3'd0,
    CombineMin = 3'd1,
    CombineMax = 3'd2,
    CombineAnd = 3'd3,
    CombineOr  = 3'd4,
    CombineXor = 3'd5
  } combine_e;

  /// There is such an atomic access.
  function automatic logic is_atomic(atomic_length_t access);
    return access.reserved == '0 && (access.bytes == 4'd4 || access.bytes == 4'd8) &&
        (access.operation[3] ? !access.operation[2] : access.operation[2:0] != 3'd7);
  endfunction

  /// Words of its operands.
  function automatic logic [2:0] operand_words(atomic_length_t access);
    return {1'b0, access.bytes[3:2]} << (access.operation == AtomicCompareSwap);
  endfunction

  /// An element fills two words.
  function automatic logic is_wide(element_e element);
    return element == ElementInt64 || element == ElementDouble;
  endfunction

  /// The operation combines elements.
  function automatic logic combines(collective_e operation);
    return operation == CollectiveReduce || operation == CollectiveAllreduce;
  endfunction

  /// Number of engines.
  localparam int unsigned NumEngines = 5;
  /// Engines that a slot can have. `EngineRma` is in every slot, and gets what no other takes.
  typedef enum logic [$clog2(
NumEngines
)-1:0] {
    EngineRma,
    EngineMpe,
    EngineStream,
    EngineBarrier,
    EngineAlltoall
  } engine_e;
  /// Engines of a slot, one bit each.
  typedef logic [NumEngines-1:0] engines_t;
  /// Bytes of registers that an engine can have: engine e has the window at EngineWindow * (e + 1).
  localparam int unsigned EngineWindow = 512;

  /// The engine that packets of a kind are for.
  function automatic engine_e engine_of(kind_e kind);
    unique case (kind)
      KindStream, KindCredit: return EngineMpe;
      KindWords, KindWordsCredit: return EngineStream;
      default: return EngineRma;
    endcase
  endfunction

  /// True for the kinds that travel in the reply class.
  function automatic logic is_reply(kind_e kind);
    return kind[3];
  endfunction

  /// True for the kinds that follow a static route.
  function automatic logic is_static(kind_e kind);
    return kind[3:2] == 2'b01;
  endfunction

endpackage

`default_nettype wire
