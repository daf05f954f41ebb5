// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What a slot and its engines say to one another.
package engine_pkg;

  import tidings_pkg::*;

  /// Message classes: channel c of a slot's port is class c.
  localparam int unsigned NumClasses = 2;
  /// The class of requests.
  localparam int unsigned ClassRequest = 0;
  /// The class of replies.
  localparam int unsigned ClassReply = 1;

  /// Where in its packet a word is.
  typedef enum logic [1:0] {
    PlaceHeader0 = 2'd0,
    PlaceHeader1 = 2'd1,
    PlacePayload = 2'd2
  } place_e;

  /// A word of a packet, on its way from the router to an engine.
  typedef struct packed {
    place_e   place;
    logic     last;     // tail of its packet
    word_t    data;
    node_id_t source;   // router that sent the packet; of the words after the first
    header1_t header1;  // of the words after the first
  } engine_word_t;

  /// What happens in an engine in a cycle.
  typedef struct packed {
    logic failed;   // the engine's registers say what went wrong: sets irq_status.error
    logic done;     // what software waits for is complete: sets a bit of irq_status.done
    logic waiting;  // level: the engine has something for software, shown in irq_status.waiting
    logic idle;     // level: it has nothing to do and to wait for, shown in irq_status.idle
    logic quiet;    // so it is from the next cycle on, unless a command comes now
  } engine_events_t;

  /// The engine has two memory ports, not one. Those of `rma` are for commands and for requests.
  function automatic logic has_two_ports(engine_e number);
    return number == EngineRma;
  endfunction

  /// Memory ports of an engine.
  function automatic int unsigned memory_ports(engine_e number);
    return has_two_ports(number) ? 2 : 1;
  endfunction

  /// Memory ports of the engines below one of this number.
  function automatic int unsigned memory_ports_below(int unsigned number);
    int unsigned ports;
    ports = 0;
    for (int unsigned e = 0; e < number; e++) ports += memory_ports(engine_e'(e));
    return ports;
  endfunction

endpackage

`default_nettype wire
