// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The vectors of `mpe_bench`; `mpe_model.py` reads their layout from here.
package mpe_bench_pkg;
  import tidings_pkg::*;
  import mpe_pkg::*;

  typedef struct packed {
    logic        lane_ready;
    logic        command_valid;
    logic        rx_valid;
    mpe_info_t   rx_info;
    word_t       rx_data;
    logic        credit_valid;
    mpe_info_t   credit_info;
    logic [15:0] credit_count;
    logic        request_ready;
    logic        reply_ready;
    logic        read_ready;
    logic        data_valid;
    word_t       data;
    logic        write_ready;
  } in_t;

  /// What comes in through a network port.
  typedef struct packed {
    logic        valid;
    context_id_t context_id;
    tap_left_t   left;
    word_t       data;
  } tap_t;

  typedef struct packed {
    logic          rx_ready;
    logic          lane_valid;
    flit_t         lane_flit;
    logic          command_ready;
    word_t         completed;
    logic          done;
    mpe_error_t    error;
    logic          failed;
    logic          request_valid;
    flit_t         request_flit;
    logic          reply_valid;
    flit_t         reply_flit;
    logic          read_valid;
    logic [31:0]   read_address;
    logic          write_valid;
    memory_write_t write;
    logic          busy;
  } out_t;

endpackage

`default_nettype wire
