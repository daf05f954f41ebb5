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

  /// Polynomial of the check, CRC-16/DNP, without its leading term.
  localparam check_t CheckPolynomial = 16'h3d65;

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

  /// The CRC of a frame, inverted, so that a line stuck at zero does not pass. Any five wrong bits are
  /// found. Each bit is the parity of some of the content: in hardware a tree, where bit after bit would
  /// be a chain.
  function automatic check_t link_check(link_content_t content);
    automatic
    check_t
    remainder = CheckPolynomial;  // of content with its lowest bit alone, then of the next one
    automatic logic [CheckWidth-1:0][$bits(link_content_t)-1:0] counts;
    for (int i = 0; i < $bits(link_content_t); i++) begin
      for (int b = 0; b < CheckWidth; b++) counts[b][i] = remainder[b];
      remainder = (remainder << 1) ^ (remainder[CheckWidth-1] ? CheckPolynomial : '0);
    end
    for (int b = 0; b < CheckWidth; b++) link_check[b] = ~^(content & counts[b]);
  endfunction

endpackage

`default_nettype wire
