/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Registers of a slot of the mock node, for tests in C++ (mock_node.h) and for ranks in C. */

enum {
  MOCK_LAST_FLIT = 0x000,    /* read: data of the last flit that came in */
  MOCK_FLITS = 0x004,        /* read: flits that came in */
  MOCK_CREDITS = 0x008,      /* read: credits that came in */
  MOCK_SCRATCH = 0x00c,      /* read and write */
  MOCK_INTERRUPT = 0x010,    /* write: the interrupt line */
  MOCK_LOAD = 0x014,         /* write: read memory at this address into the scratch register */
  MOCK_STORE = 0x018,        /* write: write the scratch register to memory at this address */
  MOCK_ACCESSES = 0x01c,     /* read: bus operations so far, this one not counted */
  MOCK_DELAY = 0x020,        /* write: the next load or store waits this many cycles */
  MOCK_SEND_ON_PORT = 0x100, /* write (+ 4 * port): send the word as a one-flit packet */
};
