# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""How register blocks are connected: to the bus of a slot, as ``tidings_pkg::bus_request_t`` carries it."""

from peakrdl_regblock.cpuif.base import CpuifBase

_PORTS = """\
input wire bus_valid_i,
input tidings_pkg::bus_request_t bus_i,
output tidings_pkg::word_t bus_data_o"""

_IMPLEMENTATION = """\
assign cpuif_req = bus_valid_i;
assign cpuif_req_is_wr = bus_i.write;
assign cpuif_addr = bus_i.address;
assign cpuif_wr_data = bus_i.data;
assign cpuif_wr_biten = '1;
assign bus_data_o = cpuif_rd_data;
`ifndef SYNTHESIS
// The block answers in the cycle of the access; the fixed latency of reads rests on it.
NeverStalls :
assert property (@(posedge clk) disable iff (!rst_n)
    !cpuif_req_stall_wr && !cpuif_req_stall_rd && !cpuif_rd_err && !cpuif_wr_err &&
    cpuif_rd_ack == (bus_valid_i && !bus_i.write));
`endif"""


class BusInterface(CpuifBase):  # type: ignore[misc]
    """Ports ``bus_valid_i``, ``bus_i`` and ``bus_data_o``; a word is read in the cycle of its access."""

    @property
    def port_declaration(self) -> str:
        """Return the ports."""
        return _PORTS

    def get_implementation(self) -> str:
        """Return what is behind them."""
        return _IMPLEMENTATION
