# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of programs on machines: checks of what was asked for, and the call into the simulator."""

import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from tidings import _core, threads
from tidings.errors import UserError
from tidings.layout import library_folder
from tidings.machine_file import Machine
from tidings.verilated_node import NodeBuildError, Variant, node_library

#: Fidelities that can be asked for: the cycle model, or the SystemVerilog itself. Both give the same virtual times.
FIDELITIES = ("cycle", "rtl")


@dataclass(frozen=True)
class Request:
    """A run as a user asks for it."""

    program: list[str]
    ranks: int
    machine: Machine
    fidelity: str = "cycle"
    threads: int = 1  #: that simulate the machine
    rtl_nodes: tuple[int, ...] = ()  #: routers that are SystemVerilog at fidelity `cycle`
    hardware_collectives: bool = True
    measured_compute: bool = False
    json_file: Path | None = None
    wave_file: Path | None = None
    wave_node: int | None = None
    time_limit_seconds: float | None = None
    environment: dict[str, str] = field(default_factory=dict)


def check(request: Request) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    if request.fidelity not in FIDELITIES:
        _reject(f"fidelity {request.fidelity!r} is not available; available: {', '.join(FIDELITIES)}")
    _check_ranks(request)
    _check_rtl_nodes(request)
    _check_threads(request)
    _check_program(request.program[0])
    for option, path in (("--json", request.json_file), ("--wave", request.wave_file)):
        if path is not None:
            _check_writable(option, path)
    _check_waves(request)
    if request.time_limit_seconds is not None and not 0 < request.time_limit_seconds <= 1e6:
        _reject(f"--time-limit {request.time_limit_seconds:g} must be more than 0 and at most 1,000,000 seconds")


def execute(request: Request, progress: TextIO | None) -> _core.RunReport:
    """Run a program to its end.

    Parameters
    ----------
    request : Request
        What to run; `check` has accepted it.
    progress : TextIO or None
        Where to say how far a long run has come.
    """
    options = _core.RunOptions()
    options.program = request.program
    options.ranks = request.ranks
    options.machine = configuration(request.machine)
    if request.fidelity == "rtl" or request.rtl_nodes:
        waves = request.wave_file is not None
        options.node_library = str(compiled_node(request.machine, waves=waves, progress=progress))
        options.rtl_nodes = list(request.rtl_nodes)
    options.threads = request.threads
    options.rank_library = str(library_folder() / "libtidings_rank.so")
    options.library_directory = str(library_folder())
    options.environment = request.environment
    options.compute = _core.Compute.MEASURED if request.measured_compute else _core.Compute.NONE
    options.hardware_collectives = request.hardware_collectives
    options.wave_file = str(request.wave_file or "")
    options.wave_node = request.wave_node
    options.time_limit_ps = round((request.time_limit_seconds or 0) * 1e12)
    monitor = ProgressLine(progress) if progress is not None else None
    options.progress = monitor.show if monitor is not None else None
    try:
        return _core.run(options)
    finally:
        if monitor is not None:
            monitor.clear()


def threads_of(request: Request) -> tuple[int, str]:
    """Return the threads that simulate a run's machine, and why they are fewer than were asked for, if they are."""
    config = configuration(request.machine)
    return threads.of_machine(request.machine, config, config.routers_for(request.ranks), request.threads)


def compiled_node(machine: Machine, *, waves: bool, progress: TextIO | None) -> Path:
    """Find the compiled node of a machine, or compile it, which takes a minute and is said on ``progress``."""

    def say(text: str) -> None:
        if progress is not None:
            print(f"tidings: {text}", file=progress, flush=True)

    try:
        return node_library(machine, Variant(waves=waves), say=say)
    except NodeBuildError as error:
        raise UserError(str(error)) from error


def configuration(machine: Machine) -> _core.MachineConfig:
    """Translate a machine file into the simulator's units: kHz, picoseconds and bytes."""
    config = _core.MachineConfig()
    config.name = machine.name
    config.summary = machine.summary
    config.clock_khz = round(machine.fabric.clock_MHz * 1000)
    config.topology.kind = _core.TopologyKind[machine.topology.kind.upper()]
    config.topology.size = list(machine.topology.size)
    config.topology.slots = machine.topology.slots
    config.router.buffer_flits = machine.router.buffer_flits
    config.router.slot_buffer_flits = machine.router.slot_buffer_flits
    config.router.routes = machine.router.routes
    config.router.pipeline = machine.router.pipeline
    config.router.arbiter = _core.Arbiter[machine.router.arbiter.replace("-", "_").upper()]
    config.link.latency_cycles = machine.link.latency_cycles
    config.link.reliable = machine.link.reliable
    config.link.bit_error_rate = machine.link.bit_error_rate
    config.link.seed = machine.link.seed
    config.rma.command_depth = machine.rma.command_depth
    config.mpe.buffer_words = machine.mpe.buffer_words
    config.mpe.combine_ports = machine.mpe.combine_ports
    config.mpe.direct_links = machine.mpe.direct_links
    config.mpe.multicast = machine.mpe.fan_out == "multicast"
    config.mpe.forward_words = machine.mpe.forward_words
    config.mpe.wide_elements = machine.mpe.wide_elements
    config.memory.size_bytes = machine.memory.size_MiB << 20
    config.memory.latency_cycles = machine.memory.latency_cycles
    costs, processor = machine.processor, config.processor
    processor.clock_khz = round(costs.clock_MHz * 1000)
    processor.bus_write_ps = round(costs.bus_write_ns * 1000)
    processor.bus_read_ps = round(costs.bus_read_ns * 1000)
    processor.interrupt_ps = round(costs.interrupt_ns * 1000)
    processor.call_ps = round(costs.call_ns * 1000)
    processor.match_ps = round(costs.match_ns * 1000)
    processor.poll_ps = round(costs.poll_ns * 1000)
    processor.reduce_element_ps = round(costs.reduce_element_ns * 1000)
    processor.copy_call_ps = round(costs.copy_call_ns * 1000)
    processor.copy_byte_ps = round(costs.copy_byte_ns * 1000)
    processor.clock_read_ps = round(costs.clock_read_ns * 1000)
    processor.compute_scale = costs.compute_scale
    return config


class ProgressLine:
    """Says how far a run has come: one line that is rewritten on a terminal, a line now and then elsewhere."""

    _PATIENCE_SECONDS = 2.0

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._start = time.monotonic()
        self._next = self._PATIENCE_SECONDS if self._terminal else 10.0
        self._shown = False

    def show(self, progress: _core.Progress) -> None:
        """Show how far the run has come, unless it is too early to bother anyone."""
        elapsed = time.monotonic() - self._start
        if elapsed < self._next:
            return
        text = (
            f"tidings: {elapsed:.0f} s: virtual time {progress.virtual_ps / 1e9:.3f} ms, {progress.cycles:,} cycles, "
            f"{progress.cycles_per_second:,.0f} cycles/s"
        )
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            self._stream.write(f"\r\x1b[K{text[: columns - 1]}")
        else:
            self._next *= 2
            self._stream.write(text + "\n")
        self._stream.flush()
        self._shown = self._terminal

    def clear(self) -> None:
        """Take the line away again."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _check_ranks(request: Request) -> None:
    machine = request.machine
    if request.ranks < 1:
        _reject(f"{request.ranks} ranks: a run needs at least one (-n 1)")
    if request.ranks > machine.slots:
        _reject(
            f"{request.ranks} ranks do not fit on {machine.name}, which has {machine.slots} slots: "
            f"use -n {machine.slots} or less, or a larger machine"
        )


def _check_rtl_nodes(request: Request) -> None:
    if not request.rtl_nodes:
        return
    if request.fidelity == "rtl":
        _reject("--rtl-nodes chooses nodes at --fidelity cycle; at --fidelity rtl all are: leave one of the two out")
    for node in request.rtl_nodes:
        _check_router("--rtl-nodes", node, request)


def _check_threads(request: Request) -> None:
    if request.threads > 1 and (request.fidelity == "rtl" or request.rtl_nodes or request.machine.link.reliable):
        _reject("--threads is for the cycle model: leave it out with --fidelity rtl, --rtl-nodes and reliable links")


def _check_waves(request: Request) -> None:
    if request.wave_file is None:
        if request.wave_node is not None:
            _reject("--wave-node chooses what --wave writes: give both")
        return
    if request.fidelity == "cycle" and not request.rtl_nodes:
        _reject(
            "--wave writes signals of SystemVerilog nodes, and at --fidelity cycle there are none: "
            "add --fidelity rtl, or --rtl-nodes 0 for the nodes to look into"
        )
    if request.wave_node is None:
        return
    _check_router("--wave-node", request.wave_node, request)
    if request.rtl_nodes and request.wave_node not in request.rtl_nodes:
        _reject(f"--wave-node {request.wave_node} is not among --rtl-nodes, and only they have waveforms")


def _check_router(option: str, node: int, request: Request) -> None:
    routers = configuration(request.machine).routers_for(request.ranks)
    if not 0 <= node < routers:
        used = "router 0 only" if routers == 1 else f"routers 0 to {routers - 1}"
        ranks = f"{request.ranks} rank{'s' * (request.ranks != 1)}"
        _reject(f"{option} {node}: a run of {ranks} on {request.machine.name} uses {used}")


def _check_program(program: str) -> None:
    if "/" not in program:
        if shutil.which(program) is not None:
            return
        here = Path(program)
        if here.is_file():
            _reject(f"program {program!r} is not on PATH; did you mean ./{program}?")
        _reject(f"program {program!r} is not on PATH and not in this folder")
    path = Path(program)
    if path.is_dir():
        _reject(f"program {program!r} is a folder")
    if not path.exists():
        _reject(f"program {program!r} does not exist")
    if not os.access(path, os.X_OK):
        _reject(f"program {program!r} is not executable: chmod +x {program}")


def _check_writable(option: str, path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        _reject(f"{option} {path}: is a folder")
    if not folder.is_dir():
        _reject(f"{option} {path}: the folder {folder} does not exist")
    if not os.access(path if path.exists() else folder, os.W_OK):
        _reject(f"{option} {path}: cannot be written (permission denied)")


def _reject(message: str) -> None:
    raise UserError(message)
