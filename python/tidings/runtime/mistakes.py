# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Mistakes of a program that were found while it ran: who made them, where, and what to change."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.lineprogram import LineProgram
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tidings import _core

#: What becomes of a program's mistakes: they are not looked for, shown, or shown and the run has failed.
CHECKS = ("off", "warn", "error")
#: Fields of a call in the file of findings (lib/check/variable.h).
_CALL_FIELDS = 4
#: A call without its arguments.
_Place: TypeAlias = tuple[str, str, int, str]


@dataclass(frozen=True, order=True)
class Call:
    """A call of a program."""

    function: str  #: "MPI_Isend"
    file: str  #: source file, or the binary if there is no debug information
    line: int  #: 0 if there is no debug information
    caller: str  #: function of the program; empty if nothing is known
    arguments: str = ""  #: "destination 1, tag 7"; empty if there are none, or ranks have others

    def __str__(self) -> str:
        called = f"{self.function}({self.arguments})" if self.arguments else self.function
        if self.line:
            return f"{called} at {self.file}:{self.line}"
        return f"{called} in {self.caller or self.file}" if self.caller or self.file else called


@dataclass(frozen=True)
class Mistake:
    """A mistake that ranks have made in one way."""

    ranks: list[int]
    call: Call
    text: str  #: what is wrong and what to do, with "{}" for the other call, if there is one
    times: int = 1  #: by all ranks together
    other: Call | None = field(default=None)
    other_ranks: list[int] = field(default_factory=list)  #: that made the other call; empty if the same ranks did

    def __str__(self) -> str:
        who = _ranks(self.ranks)
        times = f" ({self.times} times)" if self.times > len(self.ranks) else ""
        other = f"{self.other} of {_ranks(self.other_ranks)}" if self.other_ranks else str(self.other)
        return f"{who}: {self.call}: {self.text.replace('{}', other)}{times}"

    def as_json(self) -> dict[str, Any]:
        """Return the mistake as JSON's values."""
        return asdict(self) | {"message": str(self)}


@contextmanager
def findings(*, wanted: bool) -> Iterator[Path | None]:
    """Give a file for what is found in a run, if it is wanted."""
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="tidings-") as folder:
        file = Path(folder) / "findings"
        file.touch()
        yield file


def read_mistakes(file: Path) -> list[Mistake]:
    """Return what has been found: equal mistakes of ranks as one, in the order in which they were found."""
    found: dict[tuple[_Place, str, _Place | None], list[tuple[int, Call, Call | None, list[int]]]] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        rank, *fields = line.split("\t")
        call, text = _call(fields[:_CALL_FIELDS]), fields[_CALL_FIELDS]
        rest = fields[_CALL_FIELDS + 1 :]
        other = _call(rest[:_CALL_FIELDS]) if rest else None
        other_rank = [int(rank) for rank in rest[_CALL_FIELDS:]]
        key = (_place(call), text, None if other is None else _place(other))
        found.setdefault(key, []).append((int(rank), call, other, other_rank))
    mistakes = []
    for (_, text, _), made in found.items():
        ranks = sorted({rank for rank, *_ in made})
        others = [other for _, _, other, _ in made if other is not None]
        other_ranks = sorted({rank for *_, others_rank in made for rank in others_rank})
        other = _common(others) if others else None
        mistakes.append(Mistake(ranks, _common([call for _, call, *_ in made]), text, len(made), other, other_ranks))
    return mistakes


def error_of(report: _core.RunReport) -> str:
    """Return why a run failed, with places in the program if it was compiled with debug information."""
    error = report.error + _line("called", report.error_place)
    return error + (_line(f"after {report.earlier_call}", report.earlier_place) if report.earlier_call else "")


def _line(what: str, place: str) -> str:
    """Return a line for a place in a binary (file, tab, offset); nothing without debug information."""
    module, _, offset = place.rpartition("\t")
    file, line, _ = _source(module, int(offset)) if module else ("", 0, "")
    return f"\n  {what} at {file}:{line}" if line else ""


def _place(call: Call) -> _Place:
    return call.function, call.file, call.line, call.caller


def _common(calls: list[Call]) -> Call:
    """Return one call for several from one place; the arguments only if they are equal."""
    first = calls[0]
    return first if len({call.arguments for call in calls}) == 1 else Call(*_place(first))


def _ranks(ranks: list[int]) -> str:
    return f"rank{'s' * (len(ranks) > 1)} {_ranges(ranks)}"


def _ranges(ranks: Iterable[int]) -> str:
    """Write numbers as people do: 0, 2 to 5 and 7."""
    parts = []
    for _, group in groupby(enumerate(ranks), lambda pair: pair[1] - pair[0]):
        run = [rank for _, rank in group]
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(rank) for rank in run]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _call(fields: list[str]) -> Call:
    module, offset, function, arguments = fields
    file, line, caller = _source(module, int(offset))
    return Call(function, file, line, caller, arguments)


@cache
def _source(module: str, offset: int) -> tuple[str, int, str]:
    """Find the source file, the line and the function of a place in a binary."""
    name = Path(module).name
    try:
        with Path(module).open("rb") as file:
            elf = ELFFile(file)
            address = offset + min((s["p_vaddr"] for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"), default=0)
            caller = _function_at(elf, address)
            place = _line_at(elf.get_dwarf_info(), address) if elf.has_dwarf_info() else None
    except (ELFError, DWARFError, OSError, ValueError, KeyError):
        return name, 0, ""
    return (*place, caller) if place is not None else (name, 0, caller)


def _function_at(elf: ELFFile, address: int) -> str:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for symbol in section.iter_symbols():
                begin = symbol["st_value"]
                if symbol["st_info"]["type"] == "STT_FUNC" and begin <= address < begin + symbol["st_size"]:
                    return str(symbol.name)
    return ""


def _line_at(dwarf: DWARFInfo, address: int) -> tuple[str, int] | None:
    """Find the file and the line of an address, as the debug information has them."""
    ranges = dwarf.get_aranges()
    start = None if ranges is None else ranges.cu_offset_at_addr(address)
    units = dwarf.iter_CUs() if start is None else [dwarf.get_CU_at(start)]
    for unit in units:
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        before = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and before.address <= address < state.address:
                return _file_name(program, before.file), before.line
            before = None if state.end_sequence else state
    return None


def _file_name(program: LineProgram, number: int) -> str:
    """Return a file's name; before version 5 of the format, they are counted from one."""
    entry = program["file_entry"][number if program["version"] >= 5 else number - 1]
    return Path(entry.name.decode(errors="replace")).name
