// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What the parts of the remote memory access engine say to one another.
package rma_pkg;

  import tidings_pkg::atomic_e;
  import tidings_pkg::atomic_length_t;
  import tidings_pkg::kind_e;
  import tidings_pkg::nack_e;
  import tidings_pkg::node_id_t;
  import tidings_pkg::slot_id_t;

  /// Most rows of a registration table.
  localparam int unsigned MaxRegions = 16;
  /// Bits of the number of a GET under way.
  localparam int unsigned GetNumberWidth = 3;
  /// GETs that can be under way.
  localparam int unsigned MaxGets = 1 << GetNumberWidth;
  /// Bits of the offset of a PUT of one word that its packet has in place of its length, in words.
  localparam int unsigned WordOffsetWidth = 16;

  typedef logic [GetNumberWidth-1:0] get_number_t;

  /// What a command asks for.
  typedef enum logic [1:0] {
    OperationMessage = 2'd0,
    OperationPut     = 2'd1,
    OperationGet     = 2'd2,
    OperationAtomic  = 2'd3   // refused by an engine without atomics
  } rma_operation_e;

  /// A command as software queued it: the registers at the time of the write to `rma_command`.
  typedef struct packed {
    rma_operation_e operation;
    logic           notify;         // raise rma_done when complete
    logic           static_route;   // `node` is the number of a static route
    logic           inline_data;    // of a PUT: `local_address` is the word itself
    logic [31:0]    local_address;
    node_id_t       node;
    slot_id_t       slot;
    logic [7:0]     region;
    logic [31:0]    offset;
    logic [31:0]    length;         // of an atomic access an `atomic_length_t`
  } rma_command_t;

  /// One row of the registration table.
  typedef struct packed {
    logic        valid;
    logic        readable;
    logic        writable;
    logic        routes;    // the router's table of static routes instead of memory
    logic [31:0] base;
    logic [31:0] length;
  } rma_region_t;

  /// What is asked of the names of registered regions.
  typedef enum logic [1:0] {
    NameLookup     = 2'd0,  // the region at an address
    NameRegister   = 2'd1,
    NameDeregister = 2'd2,  // the region at an address
    NameRelease    = 2'd3   // the region of a number
  } name_operation_e;

  /// A command of `name_table`.
  typedef struct packed {
    name_operation_e operation;
    logic [7:0]      number;
    logic            readable;
    logic            writable;
    logic [31:0]     base;
    logic [31:0]     length;
  } name_command_t;

  /// What became of it.
  typedef struct packed {
    logic       busy;    // it is under way
    logic       found;   // `number` is the name that was found, given or freed
    logic [7:0] number;
  } name_result_t;

  /// The receive queue as software set it up.
  typedef struct packed {
    logic        valid;
    logic [3:0]  log2_slots;
    logic [31:0] base;
    logic [15:0] head;
  } rma_queue_t;

  /// A run of bytes in local memory to be sent as packets of one kind, a word that is none of memory, or the packet of a GET.
  typedef struct packed {
    kind_e kind;
    node_id_t node;
    slot_id_t slot;
    logic [11:0] info;  // of every packet
    logic [11:0] last_info;  // of the last packet
    logic addressed;  // a word of address follows the header
    logic whole;  // one packet, however many words
    logic word;  // one word, whose address is in the header in place of the length
    logic get;  // one packet without words of the run: the address and what is wanted
    logic atomic;  // `access` is in the header in place of the length
    logic inline_data;  // one word, which is `source` itself
    logic [31:0] address;  // that word in the first packet; counts the bytes sent in the others
    logic [31:0] source;  // byte address of the run, or the word
    logic [31:0] bytes;  // at least one
    atomic_length_t access;
  } rma_transfer_t;

  /// A refusal: why and by whom.
  typedef struct packed {
    slot_id_t slot;
    node_id_t node;
    nack_e    code;
  } rma_error_t;

  /// `info` of a Nack packet.
  typedef struct packed {
    logic [2:0]  reserved;
    get_number_t number;    // of the GET that it answers
    logic        put;       // it answers a PUT that asked for an acknowledgement
    logic        get;       // it answers a GET
    nack_e       code;
  } nack_info_t;

  /// What is owed to the sender of a request.
  typedef struct packed {
    node_id_t   node;
    slot_id_t   slot;
    logic       atomic;  // the old value, for an atomic access
    logic       wide;    // it has two words
    nack_info_t info;    // zero for an acknowledgement; a `get_reply_info_t` with a value
  } rma_answer_t;

  /// A GET that is to be answered with words.
  typedef struct packed {
    node_id_t    node;
    slot_id_t    slot;
    get_number_t number;
    logic [31:0] address;
    logic [31:0] bytes;
  } rma_get_t;

  /// A number is above a constant: without the carry chain that a comparison with `>` becomes.
  function automatic logic exceeds(logic [31:0] number, logic [31:0] limit);
    exceeds = 1'b0;
    for (int unsigned i = 0; i < 32; i++) begin
      exceeds = limit[i] ? number[i] && exceeds : number[i] || exceeds;
    end
  endfunction

  /// What an atomic access leaves behind; of a narrow one the lower half counts.
  function automatic logic [1:0][31:0] atomic_result(
      atomic_e operation, logic wide, logic [1:0][31:0] old, logic [1:0][31:0] operand,
      logic [1:0][31:0] compare);
    logic is_signed, low_less, less, equal;
    is_signed = !operation[1];
    low_less = {old[0][31] ^ (is_signed && !wide), old[0][30:0]} <
        {operand[0][31] ^ (is_signed && !wide), operand[0][30:0]};
    less = low_less;
    if (wide && old[1] != operand[1]) begin
      less = {old[1][31] ^ is_signed, old[1][30:0]} <
          {operand[1][31] ^ is_signed, operand[1][30:0]};
    end
    equal = old[0] == compare[0] && (!wide || old[1] == compare[1]);
    unique case (operation)
      tidings_pkg::AtomicAdd: return old + operand;
      tidings_pkg::AtomicAnd: return old & operand;
      tidings_pkg::AtomicOr: return old | operand;
      tidings_pkg::AtomicXor: return old ^ operand;
      tidings_pkg::AtomicSwap: return operand;
      tidings_pkg::AtomicCompareSwap: return equal ? operand : old;
      tidings_pkg::AtomicMin, tidings_pkg::AtomicMinUnsigned: return less ? old : operand;
      tidings_pkg::AtomicMax, tidings_pkg::AtomicMaxUnsigned: return less ? operand : old;
      default: return old;
    endcase
  endfunction

  /// Strobes of a word of which `bytes` bytes are still to come, lowest first.
  function automatic logic [3:0] tail_strobe(logic [31:0] bytes);
    if (bytes[2] || exceeds(bytes, 32'd4)) return 4'b1111;
    return 4'((5'd1 << bytes[1:0]) - 5'd1);
  endfunction

endpackage

`default_nettype wire
