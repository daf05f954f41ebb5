// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Gives registered regions of memory numbers, by which other slots know them, and finds them again by their address.
///
/// A region that is registered has the lowest number that is free. Numbers of rows that software has filled itself are
/// not free. Several regions may begin at one address: it stands for the one with the lowest number then.
///
/// A command that comes while `result_o.busy` is low takes as many cycles until the result is shown:
///
///   look up       1   the number of the region at an address
///   register      2   and it can be accessed from then on
///   deregister    3   by its address or by its number; it cannot be accessed from then on
///
/// Others are dropped, and `lost_o` says so. The row of a number is read beside all this, in one cycle.
///
/// Addresses are found as in a content-addressable memory of lookup tables: four bits of an address choose a row in each
/// of several small memories, which has a bit per number, and the numbers of the address are those that are set in all.
/// These memories have no reset: a row counts as zero until it has been written.
module name_table
  import rma_pkg::*;
#(
    /// Numbers: a power of two, 2 to 256.
    parameter int unsigned Names = 256,
    /// Bits of an address that count, of which the two lowest ones do not; the others are zero.
    parameter int unsigned AddressWidth = 32,
    /// Numbers, from 0 on, that software can fill itself; at most `Names`.
    parameter int unsigned Rows = 16
) (
    /// Clock.
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    /// A command comes.
    input  logic                     command_valid_i,
    /// The command.
    input  name_command_t            command_i,
    /// Software has filled the rows of these numbers itself.
    input  logic          [Rows-1:0] filled_i,
    /// What became of the last command.
    output name_result_t             result_o,
    /// A command is dropped in this cycle.
    output logic                     lost_o,
    /// Show the row of `number_i` from the next cycle on.
    input  logic                     lookup_i,
    /// Number of the row.
    input  logic          [     7:0] number_i,
    /// The row; not valid if no region has its number.
    output rma_region_t              row_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                     busy_o
);

  localparam int unsigned NumberWidth = $clog2(Names);
  localparam int unsigned ChunkWidth = 4;
  localparam int unsigned NumChunks = (AddressWidth - 2 + ChunkWidth - 1) / ChunkWidth;
  localparam int unsigned NumRows = 1 << ChunkWidth;

  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [NumChunks*ChunkWidth-1:0] key_t;
  typedef logic [Names-1:0] names_t;

  if (Names < 2 || Names > 256 || (Names & (Names - 1)) != 0) begin : gen_names_check
    $error("Names must be a power of two, 2 to 256, not %0d", Names);
  end
  if (AddressWidth < 3 || AddressWidth > 32) begin : gen_address_check
    $error("AddressWidth must be 3 to 32, not %0d", AddressWidth);
  end
  if (Rows < 1 || Rows > Names) begin : gen_rows_check
    $error("Rows must be 1 to %0d, not %0d", Names, Rows);
  end

  // ---------------------------------------------------------------- commands
  typedef enum logic [1:0] {
    StateIdle,   // also the first cycle of a command
    StateWrite,  // of a registration: its number and its row are known
    StateRead,   // of a deregistration: its number is known
    StateErase   // and its address, too
  } state_e;

  state_e state_q, state_d;
  names_t valid_q, matching, vacant;
  number_t number_q, number_d;
  name_command_t command_q;
  name_result_t result_q, result_d;
  key_t key, erased_key_q;
  logic accept, found, room, present, set, erase;
  number_t found_number, room_number;

  // The lowest of some numbers.
  function automatic number_t lowest(names_t some);
    number_t number;
    number = '0;
    for (int unsigned n = Names; n > 0; n--) begin
      if (some[n-1]) number = number_t'(n - 1);
    end
    return number;
  endfunction

  assign accept = command_valid_i && state_q == StateIdle;
  assign lost_o = command_valid_i && state_q != StateIdle;
  assign vacant = ~valid_q & ~names_t'(filled_i);
  assign found = |matching;
  assign found_number = lowest(matching);
  assign room = |vacant;
  assign room_number = lowest(vacant);
  assign present = 32'(command_i.number) < Names && valid_q[number_t'(command_i.number)];
  assign set = state_q == StateWrite;
  assign erase = state_q == StateErase;

  always_comb begin
    state_d  = StateIdle;
    number_d = number_q;
    result_d = result_q;
    unique case (state_q)
      StateIdle: begin
        if (accept) begin
          result_d = '{busy: 1'b0, found: 1'b0, number: '0};
          unique case (command_i.operation)
            NameRegister: begin
              number_d = room_number;
              if (room) state_d = StateWrite;
            end
            NameDeregister: begin
              number_d = found_number;
              if (found) state_d = StateRead;
            end
            NameRelease: begin
              number_d = number_t'(command_i.number);
              if (present) state_d = StateRead;
            end
            default: begin
              result_d.found  = found;
              result_d.number = 8'(found_number);
            end
          endcase
          result_d.busy = state_d != StateIdle;
        end
      end
      StateRead: state_d = StateErase;
      default:   result_d = '{busy: 1'b0, found: 1'b1, number: 8'(number_q)};
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StateIdle;
      valid_q  <= '0;
      result_q <= '0;
    end else begin
      state_q  <= state_d;
      result_q <= result_d;
      if (set) valid_q[number_q] <= 1'b1;
      if (erase) valid_q[number_q] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    number_q <= number_d;
    if (accept) command_q <= command_i;
  end

  assign result_o = result_q;
  assign busy_o   = state_q != StateIdle;

  // ---------------------------------------------------------------- numbers by address
  // The key that was registered with a number, to erase it.
  key_t keys_q[Names];
  always_ff @(posedge clk_i) begin
    if (set) keys_q[number_q] <= key;
    if (state_q == StateRead) erased_key_q <= keys_q[number_q];
  end

  // One port serves what looks an address up, and what changes a row of its own.
  always_comb begin
    key = key_t'(command_i.base[AddressWidth-1:2]);
    if (set) key = key_t'(command_q.base[AddressWidth-1:2]);
    if (erase) key = erased_key_q;
  end

  names_t ones, here[NumChunks];
  assign ones = names_t'(1) << number_q;
  for (genvar c = 0; c < NumChunks; c++) begin : gen_chunk
    names_t row_q[NumRows];
    logic [NumRows-1:0] written_q;
    logic [ChunkWidth-1:0] row;
    assign row = key[c*ChunkWidth+:ChunkWidth];
    assign here[c] = written_q[row] ? row_q[row] : '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) written_q <= '0;
      else if (set) written_q[row] <= 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (set || erase) row_q[row] <= set ? here[c] | ones : here[c] & ~ones;
    end
  end

  always_comb begin : match
    matching = valid_q;
    for (int unsigned c = 0; c < NumChunks; c++) matching &= here[c];
  end

  // ---------------------------------------------------------------- rows by number
  typedef struct packed {
    key_t        key;
    logic [31:0] length;
    logic        readable;
    logic        writable;
  } row_t;

  row_t rows_q[Names];
  row_t shown_q;
  logic shown_valid_q;

  always_ff @(posedge clk_i) begin
    if (set) begin
      rows_q[number_q] <= '{
          key: key,
          length: command_q.length,
          readable: command_q.readable,
          writable: command_q.writable
      };
    end
    if (lookup_i) begin
      shown_q <= rows_q[number_t'(number_i)];
      shown_valid_q <= 32'(number_i) < Names && valid_q[number_t'(number_i)];
    end
  end

  assign row_o = '{
          valid: shown_valid_q,
          readable: shown_q.readable,
          writable: shown_q.writable,
          routes: 1'b0,
          base: 32'({shown_q.key, 2'b00}),
          length: shown_q.length
      };

  logic unused;
  assign unused = ^{command_i.base, command_q.base, command_q.operation, command_q.number};

`ifndef SYNTHESIS
  // A number is given to one region at a time.
  GivenOnce :
  assert property (@(posedge clk_i) disable iff (!rst_ni) set |-> !valid_q[number_q]);
  // What is erased had been registered.
  ErasedOnce :
  assert property (@(posedge clk_i) disable iff (!rst_ni) erase |-> valid_q[number_q]);
`endif

endmodule

`default_nettype wire
