// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What a processor's instructions ask of its slot: the ten primitives of Ziavras 2006, Table 1, and a fence.
package issue_pkg;

  import tidings_pkg::word_t;

  /// The primitives.
  typedef enum logic [3:0] {
    IssueBegin      = 4'd0,   // become a processor of a program
    IssueEnd        = 4'd1,   // a barrier, and leave it
    IssueAbort      = 4'd2,   // end the program everywhere
    IssueNprocs     = 4'd3,   // how many processors there are
    IssuePid        = 4'd4,   // number of this one
    IssuePut        = 4'd5,
    IssueGet        = 4'd6,
    IssueRegister   = 4'd7,   // give a region of memory a name
    IssueDeregister = 4'd8,
    IssueBarrier    = 4'd9,
    IssueFence      = 4'd10,  // all PUTs are written, all GETs are here
    IssueLookup     = 4'd11   // the name of a region; no instruction of its own
  } issue_operation_e;

  /// A primitive with its operands.
  typedef struct packed {
    issue_operation_e operation;
    logic [7:0] processor;  // of a PUT or GET the other side, of BEGIN this one's number
    logic [7:0] name;  // of a PUT or GET the region there, of BEGIN how many processors there are
    logic [31:0] address;  // byte address in this slot's memory
    logic [31:0] offset;  // bytes from the start of the region there
    logic [31:0] bytes;
  } issue_t;

  /// How it ended.
  typedef struct packed {
    logic  failed;  // it was not carried out, or a fence found that something before was refused
    word_t data;    // a number or a name; of a failed fence `rma_error`
  } issue_result_t;

  /// Opcodes of MOVEs (`rma_moves`) are the primitives' numbers, with this bit if the word to send stands in place of its
  /// address.
  localparam int unsigned MoveDatumBit = 4;

  /// What the lowest bits of a MOVE's address choose.
  typedef enum logic [1:0] {
    MoveWord   = 2'd0,  // an opcode, and an operand of 32 bits
    MoveByte   = 2'd1,  // an operand of 8 bits; three of them belong to a PUT or GET
    MoveNprocs = 2'd2,  // how many processors there are
    MovePid    = 2'd3  // number of this one
  } move_target_e;

endpackage

`default_nettype wire
