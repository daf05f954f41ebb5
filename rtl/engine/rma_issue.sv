// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The issue port of a slot at a single router: primitives of remote memory access (`issue_pkg`), one at a time, each with a
/// result.
///
/// It stands between a processor and the register port of its slot, and turns primitives into register accesses, one per
/// cycle. Operands that a register still holds are not written again: a PUT that differs from the one before in address
/// and offset has three accesses, the last of which is the command. A processor's own accesses pass while no primitive
/// is carried out; it leaves the registers of commands and names and the first group of barriers alone.
///
///   BEGIN, NPROCS, PID   at once: processor p is at slot p. BEGIN makes them a group of the slot's engine `barrier`.
///   PUT, GET             the result comes when the command is queued. An unknown processor is a failure. An inline PUT
///                        sends its operand `address`, of which no memory need know.
///   REGISTER             gives a region at `address` the lowest free name; its result is the name.
///   DEREGISTER           frees the name of the region at `address`.
///   LOOKUP               finds the name of the region at `address`.
///   FENCE                ends when `rma` is idle. It fails if an access since the last fence was refused.
///   BARRIER, END         fence and barrier in the engine; refusals are told by the next FENCE.
///   ABORT                sets `abort_o`. When this or `abort_i` is set, all primitives fail but BEGIN, NPROCS and PID.
///
/// Stores to memory that have reached it before a PUT is issued are what it sends.
module rma_issue
  import tidings_pkg::*;
  import issue_pkg::*;
  import register_words_pkg::*;
#(
    /// Commands that can be queued in `rma`.
    parameter int unsigned CommandDepth  = 8,
    /// Processors of a program at most: slots of the router.
    parameter int unsigned MaxProcessors = 16
) (
    /// Clock.
    input  logic          clk_i,
    /// Synchronous reset, active low.
    input  logic          rst_ni,
    /// Router of the slot.
    input  node_id_t      node_id_i,
    /// A primitive is issued.
    input  logic          issue_valid_i,
    /// The primitive.
    input  issue_t        issue_i,
    /// It is taken.
    output logic          issue_ready_o,
    /// The primitive that was taken last has ended; for one cycle.
    output logic          result_valid_o,
    /// How.
    output issue_result_t result_o,
    /// This processor has ended the program.
    output logic          abort_o,
    /// Another one has.
    input  logic          abort_i,
    /// The processor accesses a register of the slot.
    input  logic          access_valid_i,
    /// The access.
    input  bus_request_t  access_i,
    /// It is passed on.
    output logic          access_ready_o,
    /// A read of the processor is answered, with `bus_read_data_i`.
    output logic          access_read_valid_o,
    /// A register of the slot is accessed.
    output logic          bus_valid_o,
    /// The access.
    output bus_request_t  bus_o,
    /// A read is answered, two cycles after its request.
    input  logic          bus_read_valid_i,
    /// Word read.
    input  word_t         bus_read_data_i
);

  if (CommandDepth < 2 || CommandDepth > 255) begin : gen_depth_check
    $error("CommandDepth must be 2 to 255, not %0d", CommandDepth);
  end
  if (MaxProcessors < 1 || MaxProcessors > BarrierMates) begin : gen_processors_check
    $error("MaxProcessors must be 1 to %0d, not %0d", BarrierMates, MaxProcessors);
  end

  localparam int unsigned NumOperands = 4;
  // The group of barriers.
  localparam logic [11:0] GroupAddress = BarrierGroupAddress;

  typedef enum logic [3:0] {
    StateIdle,
    StateOperands,  // of a PUT or GET, those that its registers do not hold
    StateCommand,   // queued as soon as there is room
    StateRoom,      // the engine is asked how many commands are complete
    StateFar,       // of BEGIN: mates that do not fit into the register of the group
    StateGroup,     // of BEGIN and END
    StateBase,      // of a region
    StateLength,
    StateName,      // register or deregister it
    StateNamed,     // what became of that
    StateArrive,    // at a barrier
    StateMet,       // everybody has
    StateQuiet,     // `rma` is idle
    StateError,     // something was refused
    StateClear
  } state_e;

  state_e state_q, state_d;
  issue_t issue_q;
  logic ask, answered;
  logic [1:0] asked_q;  // a read was asked for in the last cycle, and in the one before
  logic write;
  logic [11:0] address;
  word_t data;
  logic ended;
  issue_result_t result;
  logic [7:0] pid_q, nprocs_q;
  logic member_q, abort_q, aborted;
  logic [31:0] issued_q, completed_q;

  assign answered = asked_q[1];
  assign access_read_valid_o = bus_read_valid_i && !asked_q[1];
  assign aborted = abort_q || abort_i;
  assign abort_o = abort_q;

  // ---------------------------------------------------------------- operands and what their registers hold
  word_t [NumOperands-1:0] operands, held_q;
  logic [NumOperands-1:0] known_q, lacking;
  logic [1:0] operand;  // to be written next
  logic [NumOperands-1:0][11:0] operand_addresses;
  rma_remote_word_t remote;
  logic last_operand;

  always_comb begin
    remote = '0;
    remote.node = node_id_i | (node_id_t'(issue_q.processor) >> SlotIdWidth);
    remote.slot = slot_id_t'(issue_q.processor);
    remote.region = issue_q.name;
  end
  assign operands = {issue_q.bytes, issue_q.offset, remote, issue_q.address};
  assign operand_addresses = {
    RmaLengthAddress, RmaOffsetAddress, RmaRemoteAddress, RmaLocalAddressAddress
  };
  always_comb begin : choose
    operand = '0;
    for (int unsigned o = NumOperands; o > 0; o--) begin
      lacking[o-1] = !known_q[o-1] || held_q[o-1] != operands[o-1];
      if (lacking[o-1]) operand = 2'(o - 1);
    end
  end
  assign last_operand = (lacking & (lacking - 1'b1)) == '0;

  // ---------------------------------------------------------------- words of commands
  rma_command_word_t command_word;
  rma_name_command_word_t name_word;
  rma_name_result_word_t named;
  rma_error_word_t error_word, refusal;
  barrier_group_word_t group_word;
  barrier_far_mates_word_t far_word;
  localparam int unsigned GroupMates = $bits(group_word.mates);
  // Registers of mates that do not fit into the group's.
  localparam int unsigned FarRegisters = (MaxProcessors - 1) / GroupMates;
  localparam logic [1:0] LastFar = FarRegisters == 0 ? 2'd0 : 2'(FarRegisters - 1);
  logic [BarrierMates-1:0] everybody;
  logic [1:0] far_q;  // of its registers
  barrier_arrive_word_t arrive_word;
  barrier_status_word_t met;
  irq_status_word_t causes;
  assign named   = bus_read_data_i;
  assign refusal = bus_read_data_i;
  assign met     = bus_read_data_i;
  assign causes  = bus_read_data_i;

  always_comb begin : words
    command_word = '0;
    command_word.operation = rma_pkg::OperationGet;
    command_word.inline_data = issue_q.operation == IssuePutInline;
    if (issue_q.operation == IssuePut || command_word.inline_data)
      command_word.operation = rma_pkg::OperationPut;
    name_word = '0;
    name_word.operation = rma_pkg::NameDeregister;
    if (issue_q.operation == IssueRegister) name_word.operation = rma_pkg::NameRegister;
    if (issue_q.operation == IssueLookup) name_word.operation = rma_pkg::NameLookup;
    name_word.read = 1'b1;
    name_word.write = 1'b1;
    error_word = '0;
    error_word.clear = 1'b1;
    group_word = '0;
    group_word.member = issue_q.operation == IssueBegin;
    everybody = BarrierMates'(((BarrierMates + 1)'(1) << nprocs_q) - 1'b1);
    if (group_word.member) group_word.mates = everybody[GroupMates-1:0];
    far_word = '0;
    far_word.slots = everybody[GroupMates*(32'(far_q)+1)+:GroupMates];
    arrive_word = '0;
    arrive_word.groups = 8'd1;
    arrive_word.quiet = 1'b1;
  end

  // ---------------------------------------------------------------- primitives
  always_comb begin
    state_d = state_q;
    write   = 1'b0;
    ask     = 1'b0;
    address = '0;
    data    = '0;
    ended   = 1'b0;
    result  = '0;
    unique case (state_q)
      StateIdle: begin
        if (issue_valid_i) begin
          unique case (issue_i.operation)
            IssueBegin: begin
              if (32'(issue_i.name) > MaxProcessors || issue_i.processor >= issue_i.name) begin
                ended = 1'b1;
                result.failed = 1'b1;
              end else begin
                state_d = FarRegisters == 0 ? StateGroup : StateFar;
              end
            end
            IssueNprocs: begin
              ended = 1'b1;
              result.data = 32'(nprocs_q);
            end
            IssuePid: begin
              ended = 1'b1;
              result.data = 32'(pid_q);
            end
            IssueAbort: begin
              ended = 1'b1;
            end
            IssuePut, IssuePutInline, IssueGet: begin
              ended = aborted || issue_i.processor >= nprocs_q;
              result.failed = ended;
              if (!ended) state_d = StateOperands;
            end
            IssueRegister, IssueDeregister, IssueLookup: begin
              ended = aborted;
              result.failed = aborted;
              if (!ended) state_d = StateBase;
            end
            IssueFence: begin
              ended = aborted;
              result.failed = aborted;
              if (!ended) state_d = StateQuiet;
            end
            IssueBarrier, IssueEnd: begin
              ended = aborted || !member_q;
              result.failed = ended;
              if (!ended) state_d = StateArrive;
            end
            default: begin
              ended = 1'b1;
              result.failed = 1'b1;
            end
          endcase
        end
      end
      StateOperands: begin
        write = lacking != '0;
        address = operand_addresses[operand];
        data = operands[operand];
        if (last_operand) state_d = StateCommand;
      end
      StateCommand: begin
        address = RmaCommandAddress;
        data = command_word;
        if (issued_q - completed_q != 32'(CommandDepth)) begin
          write   = 1'b1;
          ended   = 1'b1;
          state_d = StateIdle;
        end else begin
          state_d = StateRoom;
        end
      end
      StateRoom: begin
        ask = asked_q == '0;
        address = RmaCompletedAddress;
        if (answered) state_d = StateCommand;
      end
      StateFar: begin
        write = 1'b1;
        address = BarrierFarMatesAddress + {8'b0, far_q, 2'b0};
        data = far_word;
        if (far_q == LastFar) state_d = StateGroup;
      end
      StateGroup: begin
        write = 1'b1;
        address = GroupAddress;
        data = group_word;
        ended = 1'b1;
        state_d = StateIdle;
      end
      StateBase: begin
        write = 1'b1;
        address = RmaNameBaseAddress;
        data = issue_q.address;
        state_d = issue_q.operation == IssueRegister ? StateLength : StateName;
      end
      StateLength: begin
        write = 1'b1;
        address = RmaNameLengthAddress;
        data = issue_q.bytes;
        state_d = StateName;
      end
      StateName: begin
        write = 1'b1;
        address = RmaNameCommandAddress;
        data = name_word;
        state_d = StateNamed;
      end
      StateNamed: begin
        ask = asked_q == '0;
        address = RmaNameResultAddress;
        if (answered && !named.busy) begin
          ended   = 1'b1;
          result  = '{failed: !named.found, data: 32'(named.index)};
          state_d = StateIdle;
        end
      end
      StateArrive: begin
        write = 1'b1;
        address = BarrierArriveAddress;
        data = arrive_word;
        state_d = StateMet;
      end
      StateMet: begin
        ask = asked_q == '0;
        address = BarrierStatusAddress;
        if (aborted && asked_q == '0) begin
          ask = 1'b0;
          ended = 1'b1;
          result.failed = 1'b1;
          state_d = StateIdle;
        end else if (answered && met.done[0]) begin
          if (issue_q.operation == IssueEnd) begin
            state_d = StateGroup;
          end else begin
            ended   = 1'b1;
            state_d = StateIdle;
          end
        end
      end
      StateQuiet: begin
        ask = asked_q == '0;
        address = IrqStatusAddress;
        if (answered && causes.idle[3'(EngineRma)]) state_d = StateError;
      end
      StateError: begin
        ask = asked_q == '0;
        address = RmaErrorAddress;
        if (answered) begin
          if (refusal.code != NackNone) begin
            state_d = StateClear;
          end else begin
            ended   = 1'b1;
            state_d = StateIdle;
          end
        end
      end
      StateClear: begin
        write = 1'b1;
        address = RmaErrorAddress;
        data = error_word;
        ended = 1'b1;
        result = '{failed: 1'b1, data: held_q[0]};
        state_d = StateIdle;
      end
      default: state_d = StateIdle;
    endcase
  end

  assign issue_ready_o = state_q == StateIdle;
  assign access_ready_o = state_q == StateIdle;
  assign bus_valid_o = write || ask || (access_ready_o && access_valid_i);
  always_comb begin
    bus_o = access_i;
    if (write || ask) bus_o = '{write: write, address: address, data: write ? data : '0};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      asked_q <= '0;
    end else begin
      state_q <= state_d;
      asked_q <= {asked_q[0], ask};
    end
  end

  logic begins;
  assign begins = state_q == StateIdle && issue_valid_i;
  always_ff @(posedge clk_i) begin
    if (begins) issue_q <= issue_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      result_valid_o <= 1'b0;
      abort_q <= 1'b0;
      member_q <= 1'b0;
      pid_q <= '0;
      nprocs_q <= '0;
      far_q <= '0;
      known_q <= '0;
      issued_q <= '0;
      completed_q <= '0;
    end else begin
      result_valid_o <= ended;
      if (begins && issue_i.operation == IssueAbort) abort_q <= 1'b1;
      if (begins && (state_d == StateGroup || state_d == StateFar)) begin
        pid_q <= issue_i.processor;
        nprocs_q <= issue_i.name;
        abort_q <= 1'b0;
      end
      far_q <= state_q == StateFar ? far_q + 1'b1 : '0;
      if (state_q == StateGroup) begin
        member_q <= issue_q.operation == IssueBegin;
        if (issue_q.operation == IssueEnd) nprocs_q <= '0;
      end
      if (state_q == StateOperands && write) known_q[operand] <= 1'b1;
      // The place of an operand serves a refusal until it has been told.
      if (state_q == StateError && answered) known_q[0] <= 1'b0;
      if (state_q == StateCommand && write) issued_q <= issued_q + 1'b1;
      if (state_q == StateRoom && answered) completed_q <= bus_read_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ended) result_o <= result;
    if (state_q == StateOperands && write) held_q[operand] <= data;
    if (state_q == StateError && answered) held_q[0] <= bus_read_data_i;
  end

  logic unused;
  assign unused = ^{named, refusal, met, causes};

`ifndef SYNTHESIS
  // A command never finds its queue full.
  RoomForCommands :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      issued_q - completed_q <= 32'(CommandDepth));
  // Reads are answered in two cycles.
  AnswerInTime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) asked_q[1] |-> bus_read_valid_i);
`endif

endmodule

`default_nettype wire
