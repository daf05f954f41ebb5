// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What a processor's instructions ask of its slot: the ten primitives of Ziavras 2006, Table 1, of which PUT comes in two
/// forms, and a fence.
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
    IssuePutInline  = 4'd11,  // inline PUT: the word is an operand itself
    IssueLookup     = 4'd12   // the name of a region; no instruction of its own
  } issue_operation_e;

  /// A primitive with its operands.
  typedef struct packed {
    issue_operation_e operation;
    logic [7:0] processor;  // of a PUT or GET the other side, of BEGIN this one's number
    logic [7:0] name;  // of a PUT or GET the region there, of BEGIN how many processors there are
    logic [31:0] address;  // byte address in this slot's memory; of an inline PUT the word
    logic [31:0] offset;  // bytes from the start of the region there
    logic [31:0] bytes;  // of an inline PUT at most 4
  } issue_t;

  /// How it ended.
  typedef struct packed {
    logic  failed;  // it was not carried out, or a fence found that something before was refused
    word_t data;    // a number or a name; of a failed fence `rma_error`
  } issue_result_t;

  /// The third operand of a PUT or GET.
  typedef struct packed {
    logic [15:0] bytes;
    logic [7:0]  name;
    logic [7:0]  processor;
  } issue_operand_t;

  /// Opcode of instructions: custom-0 of RISC-V.
  localparam logic [6:0] IssueOpcode = 7'b0001011;

  /// An instruction of `rma_xif`, in the format R4.
  typedef struct packed {
    logic [4:0] rs3;             // holds an `issue_operand_t`
    logic [1:0] operation_high;  // upper bits of the primitive
    logic [4:0] rs2;
    logic [4:0] rs1;
    logic [2:0] operation_low;   // lower bits of the primitive
    logic [4:0] rd;
    logic [6:0] opcode;
  } xif_instruction_t;

  /// An instruction of `rma_rocc`, in RoCC's format.
  typedef struct packed {
    logic [6:0] funct7;  // the primitive, or `RoccSetOperand`
    logic [4:0] rs2;
    logic [4:0] rs1;
    logic       xd;      // it wants an answer
    logic       xs1;
    logic       xs2;
    logic [4:0] rd;
    logic [6:0] opcode;
  } rocc_instruction_t;

  /// `funct7` of a command that only keeps rs1, an `issue_operand_t`, for the PUTs and GETs after it.
  localparam logic [6:0] RoccSetOperand = 7'd127;

  /// Opcode of MOVEs (`rma_moves`).
  typedef struct packed {
    logic [3:0]       zero;
    issue_operation_e operation;
  } move_opcode_t;

  /// What the lowest bits of a MOVE's address choose.
  typedef enum logic [1:0] {
    MoveWord   = 2'd0,  // an opcode, and an operand of 32 bits
    MoveByte   = 2'd1,  // an operand of 8 bits; three of them belong to a PUT or GET
    MoveNprocs = 2'd2,  // how many processors there are
    MovePid    = 2'd3  // number of this one
  } move_target_e;

  /// Address of a MOVE.
  typedef struct packed {
    move_opcode_t opcode;
    logic [21:0]  unused;
    move_target_e target;
  } move_address_t;

  /// Data of a MOVE of a byte.
  typedef struct packed {
    logic [7:0]  operand;
    logic [23:0] unused;
  } move_byte_t;

  /// Data of a MOVE of a number of processors, or of the number of one.
  typedef struct packed {
    logic [23:0] unused;
    logic [7:0]  number;
  } move_number_t;

endpackage

`default_nettype wire
