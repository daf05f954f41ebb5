// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What travels on a link that loses nothing: frames, and the check that finds damaged ones.
package link_pkg;

  import tidings_pkg::*;

  /// Bits of a frame's number; a window has at most half as many frames as there are numbers.
  localparam int unsigned SequenceWidth = 10;
  /// Bits of the check.
  localparam int unsigned CheckWidth = 16;

  typedef logic [SequenceWidth-1:0] sequence_t;
  typedef logic [CheckWidth-1:0] check_t;

  /// What is delivered once and in order: a flit, and the credits of the opposite direction.
  typedef struct packed {
    logic              flit_valid;
    flit_t             flit;
    logic [MaxVcs-1:0] credit;
  } link_payload_t;

  /// A frame without its check.
  typedef struct packed {
    logic          numbered;  // carries a payload; else `number` and `payload` are zero
    sequence_t     number;
    sequence_t     ack;       // the next number that the sender of this frame waits for
    logic          resend;    // a frame was damaged or missing: start again at `ack`
    link_payload_t payload;
  } link_content_t;

  /// What is on the wire.
  typedef struct packed {
    link_content_t content;
    check_t        check;
  } frame_t;

  /// CRC-16/DNP (polynomial 0x3d65), inverted, so that a line stuck at zero does not pass. Any five
  /// wrong bits of a frame are found.
  function automatic check_t link_check(link_content_t content);
    automatic check_t crc = '0;
    for (int i = $bits(link_content_t) - 1; i >= 0; i--) begin
      crc = (crc << 1) ^ (crc[CheckWidth-1] ^ content[i] ? 16'h3d65 : '0);
    end
    return ~crc;
  endfunction

endpackage

`default_nettype wire
