# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Waveforms of both sides of a failure of `tidings verify`."""

from pathlib import Path

import vcd

from tidings import _core
from tidings.machines.configuration import configuration
from tidings.verify.comparison import Case, Difference, Failure, Library, as_node_run, as_script

#: Cycles that are recorded before a failure and after it.
_BEFORE, _AFTER = 400, 40
#: Fields of one element of a port, as in tidings_pkg.sv: name and bits, highest first.
_FIELDS = {
    "flit": (("vc", 2), ("last", 1), ("data", 32)),
    "bus": (("write", 1), ("address", 12), ("data", 32)),
    "memory_write": (("address", 32), ("strobe", 4), ("data", 32)),
}
_NETWORK = ("flit_valid", "flit", "credit")


def record(failure: Failure, library: Library, base: Path) -> tuple[Path, Path]:
    """Run a failure once more and write the waveforms of its node: as RTL, and the ports of the cycle model.

    Both files have the time of the fabric's clock in picoseconds and the signals of ``node.sv`` by their names.

    Parameters
    ----------
    failure : Failure
        What was found.
    library : callable
        Returns a compiled node with tracing.
    base : Path
        Name of the files but for their ends.

    Returns
    -------
    rtl, cycle : Path
        The FST file of the RTL and the VCD file of the cycle model.
    """
    case, finding = failure.case, failure.finding
    rtl, cycle = base.with_suffix(".rtl.fst"), base.with_suffix(".cycle.vcd")
    config, path = configuration(case.machine), str(library(case.machine))
    request = _core.WaveRequest()
    request.node = finding.node
    request.first = max(0, finding.cycle - _BEFORE)
    request.last = finding.cycle + _AFTER
    request.fst = str(rtl)
    request.of_fabric = isinstance(finding, Difference) and finding.of_fabric
    if case.node_cycles:
        waves = _core.record_node(config, path, as_node_run(case), request)
    else:
        waves = _core.record_machines(config, path, case.seed, as_script(case), request)
    write_vcd(cycle, _core.instance_name(config, finding.node), waves)
    return rtl, cycle


def time_of(case: Case, cycle: int) -> int:
    """Return when a cycle begins, in picoseconds."""
    kilohertz = round(float(case.machine.fabric.clock_MHz) * 1000)
    return cycle * 10**9 // kilohertz


def write_vcd(path: Path, scope: str, waves: "_core.PortWaves") -> None:
    """Write the ports of a node: vectors as in ``node.sv``, and below them the fields of each port and slot."""
    changes = waves.changes
    begin = changes[0][0] if changes else 0
    with (
        path.open("w", encoding="ascii") as file,
        vcd.VCDWriter(file, timescale="1 ps", date="", init_timestamp=begin) as writer,
    ):
        whole: list[vcd.writer.Variable] = []  # type: ignore[type-arg]
        parts: list[list[tuple[vcd.writer.Variable, slice]]] = []  # type: ignore[type-arg]
        widths = dict(waves.signals)
        for name, width in waves.signals:
            whole.append(writer.register_var(scope, name, "wire", size=width))
            parts.append([])
            stem, _, _way = name.rpartition("_")
            if name in ("clk_i", "busy_o"):
                continue
            network = stem in _NETWORK
            elements = widths["flit_valid_i" if network else "bus_valid_i"]
            bits = width // elements
            for element in range(elements):
                place = f"{scope}.{'port' if network else 'slot'}{element}"
                begin = width - (element + 1) * bits
                for field, size in _FIELDS.get(stem, (("", bits),)):
                    label = f"{name}.{field}" if field else name
                    part = writer.register_var(place, label, "wire", size=size)
                    parts[-1].append((part, slice(begin, begin + size)))
                    begin += size
        for time, signal, bits_shown in changes:
            writer.change(whole[signal], time, bits_shown)
            for part, where in parts[signal]:
                writer.change(part, time, bits_shown[where])
