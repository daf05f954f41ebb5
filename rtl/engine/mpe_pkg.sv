// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// What a slot and its message passing engine say to each other.
package mpe_pkg;
  import tidings_pkg::*;

  /// Most tree links an engine can have: the child mask of a command has one bit for each.
  localparam int unsigned MaxLinks = 8;
  /// Most contexts an engine can have.
  localparam int unsigned MaxContexts = 8;
  /// Bits of a context's number, in commands and in packets.
  localparam int unsigned ContextIdWidth = 3;
  /// Bits of a link's number, in commands and in packets.
  localparam int unsigned LinkIdWidth = 4;
  /// The parent that a root names.
  localparam logic [LinkIdWidth-1:0] NoLink = '1;

  typedef logic [LinkIdWidth-1:0] link_id_t;
  typedef logic [ContextIdWidth-1:0] context_id_t;

  /// `info` of Stream and Credit packets.
  typedef struct packed {
    logic [4:0]  reserved;
    context_id_t context_id;  // 6:4, the same at both ends
    link_id_t    link;        // 3:0, at the receiver
  } mpe_info_t;

  /// Words of a neighbour packet that have not come yet.
  typedef logic [11:0] tap_left_t;

  /// One bit for each pair of links 2i and 2i + 1.
  typedef logic [MaxLinks/2-1:0] link_pairs_t;

  /// One collective, as the registers `mpe_*` of a slot describe it.
  typedef struct packed {
    context_id_t         context_id;
    logic                exchange;     // barrier, allreduce: in rounds over the links `children`
    link_pairs_t         swap;         // exchange: pairs whose higher link comes first
    collective_e         operation;
    element_e            element;
    combine_e            combine;
    link_id_t            parent;       // `NoLink` on the root
    logic [MaxLinks-1:0] children;     // one bit per link
    word_t               source;       // byte address, word aligned
    word_t               destination;  // byte address, word aligned
    word_t               count;        // elements; words for broadcast; below 2^30
    word_t               descriptor;   // equal on all nodes of one collective
  } mpe_command_t;

  /// One neighbour in the tree.
  typedef struct packed {
    logic     direct;     // behind the network port of the link's number
    node_id_t node;
    slot_id_t slot;
    link_id_t peer_link;  // its link that leads back here
  } mpe_link_t;

  /// Why the engine refused or stopped. Bits stay set until reset.
  typedef struct packed {
    logic        unsupported;  // a command combines elements that there are not, and was dropped
    logic        overflow;     // a command came while the queue was full, and was dropped
    logic        mismatch;     // a neighbour's descriptor differed: the engine has stopped
    context_id_t context_id;   // where the differing descriptor came from
    link_id_t    link;         // its link
    word_t       received;     // that descriptor
  } mpe_error_t;

  /// Where the down unit takes its stream from.
  typedef enum logic [1:0] {
    DownFromParent  = 2'd0,  // stream buffer of the parent's link
    DownFromOwn     = 2'd1,  // this node's contribution
    DownFromResults = 2'd2   // results of the up unit
  } down_source_e;

  /// Lowest link of a mask; any link if the mask is empty.
  function automatic link_id_t lowest_link(logic [MaxLinks-1:0] mask);
    lowest_link = '0;
    for (int unsigned i = MaxLinks; i > 0; i--) begin
      if (mask[i-1]) lowest_link = link_id_t'(i - 1);
    end
  endfunction

  /// Link of the next round of an exchange: of the lowest pair, the lower link unless they are swapped.
  /// Any link if the mask is empty.
  function automatic link_id_t next_link(logic [MaxLinks-1:0] todo, link_pairs_t swap);
    next_link = '0;
    for (int unsigned i = MaxLinks / 2; i > 0; i--) begin
      if (todo[2*(i-1)+:2] != '0) begin
        next_link = link_id_t'(2 * (i - 1));
        if (!todo[2*(i-1)] || (todo[2*(i-1)+1] && swap[i-1])) next_link = link_id_t'(2 * i - 1);
      end
    end
  endfunction

  /// One bit for a link.
  function automatic logic [MaxLinks-1:0] link_bit(link_id_t link);
    for (int unsigned i = 0; i < MaxLinks; i++) link_bit[i] = link == link_id_t'(i);
  endfunction

endpackage

`default_nettype wire
