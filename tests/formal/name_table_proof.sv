// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `name_table` gives the lowest number that is free, finds a region by its address until it is freed and shows its
/// row until then, each in the cycle that its contract says, and drops what comes beside another command.
module name_table_proof
  import rma_pkg::*;
#(
    /// Numbers.
    parameter int unsigned Names = 4,
    /// Bits of an address that count.
    parameter int unsigned AddressWidth = 7,
    /// Numbers that software can fill itself.
    parameter int unsigned Rows = 2
) (
    input logic                     clk_i,
    input logic                     command_valid_i,
    input name_command_t            command_i,
    input logic          [Rows-1:0] filled_i,
    input logic                     lookup_i,
    input logic          [     7:0] number_i
);

  localparam int unsigned NumberWidth = $clog2(Names);
  localparam int unsigned KeyWidth = AddressWidth - 2;
  localparam int unsigned ChunkWidth = 4;
  localparam int unsigned NumChunks = (KeyWidth + ChunkWidth - 1) / ChunkWidth;
  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [KeyWidth-1:0] key_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The upper bits of addresses are zero.
  name_command_t command;
  always_comb begin
    command = command_i;
    command.base[31:AddressWidth] = '0;
  end

  name_result_t result;
  logic lost, busy, command_valid;
  rma_region_t row;
  assign command_valid = rst_n && command_valid_i;

  name_table #(
      .Names       (Names),
      .AddressWidth(AddressWidth),
      .Rows        (Rows)
  ) u_table (
      .clk_i,
      .rst_ni         (rst_n),
      .command_valid_i(command_valid),
      .command_i      (command),
      .filled_i,
      .result_o       (result),
      .lost_o         (lost),
      .lookup_i,
      .number_i,
      .row_o          (row),
      .busy_o         (busy)
  );

  // ---------------------------------------------------------------- what must be in the table
  logic [Names-1:0] valid_q, readable_q, writable_q, filled;
  key_t keys_q[Names];
  logic [31:0] lengths_q[Names];

  // Cycles until the result of the last command is shown, that one included; one that changes something does so at the
  // edge before. What it will be, and what was asked.
  logic [1:0] due_q;
  logic exp_found_q;
  number_t exp_number_q;
  name_command_t asked_q;

  logic accept, found, changes, registers;
  number_t number;
  assign accept = command_valid && due_q < 2'd2;
  assign filled = Names'(filled_i);
  assign registers = command.operation == NameRegister;
  assign changes = found && command.operation != NameLookup;
  always_comb begin
    found  = 1'b0;
    number = '0;
    for (int unsigned n = Names; n > 0; n--) begin
      logic fits;
      unique case (command.operation)
        NameRegister: fits = !valid_q[n-1] && !filled[n-1];
        NameRelease: fits = valid_q[n-1] && 32'(command.number) == n - 1;
        default: fits = valid_q[n-1] && keys_q[n-1] == command.base[AddressWidth-1:2];
      endcase
      if (fits) begin
        found  = 1'b1;
        number = number_t'(n - 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      due_q   <= '0;
      valid_q <= '0;
    end else begin
      if (accept) begin
        due_q <= !changes ? 2'd1 : registers ? 2'd2 : 2'd3;
        exp_found_q <= found;
        exp_number_q <= number;
        asked_q <= command;
      end else if (due_q != '0) begin
        due_q <= due_q - 1'b1;
      end
      if (due_q == 2'd2) begin
        valid_q[exp_number_q] <= asked_q.operation == NameRegister;
        if (asked_q.operation == NameRegister) begin
          keys_q[exp_number_q] <= asked_q.base[AddressWidth-1:2];
          lengths_q[exp_number_q] <= asked_q.length;
          readable_q[exp_number_q] <= asked_q.readable;
          writable_q[exp_number_q] <= asked_q.writable;
        end
      end
    end
  end

  // What a look-up of a row must show.
  logic known_q = 1'b0, shown_valid_q, shown_readable_q, shown_writable_q;
  key_t shown_key_q;
  logic [31:0] shown_length_q;
  always_ff @(posedge clk_i) begin
    if (rst_n && lookup_i) begin
      known_q <= 1'b1;
      shown_valid_q <= 32'(number_i) < Names && valid_q[number_t'(number_i)];
      shown_key_q <= keys_q[number_t'(number_i)];
      shown_length_q <= lengths_q[number_t'(number_i)];
      shown_readable_q <= readable_q[number_t'(number_i)];
      shown_writable_q <= writable_q[number_t'(number_i)];
    end
  end

  // ---------------------------------------------------------------- claims
  always_comb begin
    if (rst_n) begin
      BusyUntilThen : assert (result.busy == (due_q >= 2'd2) && busy == (due_q >= 2'd2));
      LostIsTold : assert (lost == (command_valid && due_q >= 2'd2));
      if (due_q == 2'd1) begin
        InTime :
        assert (result == name_result_t
'{busy: 1'b0, found: exp_found_q, number: 8'(exp_number_q)}
        );
      end
      if (known_q) begin
        RowOfItsRegion : assert (row.valid == shown_valid_q);
        if (shown_valid_q) begin
          RowIsWhole :
          assert (row == rma_region_t
'{
              valid: 1'b1,
              readable: shown_readable_q,
              writable: shown_writable_q,
              routes: 1'b0,
              base: 32'({shown_key_q, 2'b00}),
              length: shown_length_q
          }
          );
        end
      end
      cover (due_q == 2'd1 && exp_found_q && exp_number_q == number_t'(Names - 1));
      cover (due_q == 2'd1 && !exp_found_q && asked_q.operation == NameRegister);
      cover (due_q == 2'd1 && exp_found_q && asked_q.operation == NameDeregister && |valid_q);

      // Lemmas: where the module is, and what it holds.
      assert (u_table.valid_q == valid_q);
      assert (due_q != 2'd3 || u_table.state_q == 2'd2);
      assert (due_q >= 2'd2 || u_table.state_q == 2'd0);
      if (due_q == 2'd2) begin
        assert (u_table.state_q == (asked_q.operation == NameRegister ? 2'd1 : 2'd3));
      end
      if (due_q >= 2'd2) begin
        assert (exp_found_q && asked_q.operation != NameLookup);
        assert (due_q == 2'd2 || asked_q.operation != NameRegister);
        assert (u_table.number_q == exp_number_q && u_table.command_q == asked_q);
        assert (valid_q[exp_number_q] == (asked_q.operation != NameRegister));
        assert (asked_q.base[31:AddressWidth] == '0);
      end
      if (due_q == 2'd2 && asked_q.operation != NameRegister) begin
        assert (u_table.erased_key_q == (NumChunks * ChunkWidth)'(keys_q[exp_number_q]));
      end
    end
  end

  for (genvar n = 0; n < Names; n++) begin : gen_name
    logic [NumChunks*ChunkWidth-1:0] key;
    assign key = (NumChunks * ChunkWidth)'(keys_q[n]);
    always_comb begin
      if (rst_n && valid_q[n]) begin
        assert (u_table.keys_q[n] == key);
        assert (u_table.rows_q[n] == {key, lengths_q[n], readable_q[n], writable_q[n]});
      end
    end
    for (genvar c = 0; c < NumChunks; c++) begin : gen_chunk
      for (genvar r = 0; r < 16; r++) begin : gen_row
        logic stored, wanted;
        assign stored = u_table.gen_chunk[c].written_q[r] && u_table.gen_chunk[c].row_q[r][n];
        assign wanted = valid_q[n] && key[c*ChunkWidth+:ChunkWidth] == 4'(r);
        always_comb begin
          if (rst_n) assert (stored == wanted);
        end
      end
    end
  end

endmodule

`default_nettype wire
