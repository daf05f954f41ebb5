# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Instructions that calls of the MPI library execute on a soft core, beside what the machines charge for them.

The core is emulated (`tidings.bench.soft_core`). The image tells each unit of work that a machine would charge, so a
call's instructions and its work come from one run. The counts of ``work.toml`` are those for which both agree best.
"""

import dataclasses
import importlib.util
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tidings.errors import UserError
from tidings.machines import work
from tidings.machines.file import Machine
from tidings.machines.schema import schema
from tidings.machines.work import Count
from tidings.runtime.capture import captured
from tidings.runtime.run import Job, check, execute

if TYPE_CHECKING:
    import numpy as np

#: Schedules of collectives have other rounds for other numbers of ranks.
_RANKS = (2, 4)
_PARTS_BEFORE_FIRST_CALL = 3
_HEAD = """# Instructions of the library on a RISC-V core of 32 bits per unit of work, and those that load or store.
# Written by: tidings bench library --image build/rv32-counted/drivers/rv32/tidings_rv32_counted --update
# rtl/machine/node.toml, section processor, says what the names mean.
"""
#: As much may counted and charged instructions of a call differ.
DRIFT = 0.1
_POWER = 10
_NEWTON_STEPS = 1000
#: A count that has doubled is as bad as a call that differs by 5 %.
_LOYALTY = 0.05**_POWER


@dataclass(frozen=True)
class CoreCost:
    """What one call executes on a soft core, and what the machines charge for it.

    Attributes
    ----------
    call : str
        The call; see ``library_calls.c``.
    ranks : int
        That take part in the run.
    instructions, accesses : int
        Executed, and those of them that load or store.
    first_instructions : int
        As `instructions` for the first such call of the program.
    charged_instructions : float
        Those of the work that is charged.
    work : dict
        Units of work by name.
    """

    call: str
    ranks: int
    instructions: int
    accesses: int
    first_instructions: int
    charged_instructions: float
    work: dict[str, int]

    def charged_anew(self) -> "CoreCost":
        """Return what the call costs with the counts as they are now."""
        return dataclasses.replace(self, charged_instructions=_charged(self.work))

    @property
    def drift(self) -> float:
        """What is charged too much, as a part of what is executed."""
        return self.charged_instructions / self.instructions - 1


def core_costs(image: Path, machine: Machine) -> list[CoreCost]:
    """Count calls on two, and on four, soft cores of a machine.

    Parameters
    ----------
    image : Path
        ``tidings_rv32_counted``, which ``make rv32-counted`` builds.
    machine : Machine
        Where it runs.

    Raises
    ------
    UserError
        If there is no such image or no emulator.
    """
    if not image.is_file():
        message = f"{image}: there is no such image; make rv32-counted builds one"
        raise UserError(message)
    if importlib.util.find_spec("unicorn") is None:
        message = "the Python package unicorn emulates the core and is not installed: make rv32-counted installs it"
        raise UserError(message)
    return [cost for ranks in _RANKS for cost in _counted(image, machine, ranks)]


def _counted(image: Path, machine: Machine, ranks: int) -> list[CoreCost]:
    with tempfile.TemporaryDirectory() as name:
        counts = Path(name) / "counts"
        job = Job([sys.executable, "-m", "tidings.bench.soft_core", str(image), str(counts)], ranks, machine)
        check(job)
        with captured() as printed:
            report = execute(job, None)
        if report.exit_status != 0:
            message = f"the image did not run: {report.error}"
            raise UserError(message)
        parts = json.loads(counts.read_text(encoding="utf-8"))
    counted: dict[str, list[Mapping[str, Any]]] = {"init": [parts[1], parts[1]]}
    for index, call in enumerate(printed.stdout.splitlines()):
        counted.setdefault(call, []).append(parts[_PARTS_BEFORE_FIRST_CALL + 2 * index])
    return [_cost(call, ranks, first, later) for call, (first, later) in counted.items()]


def _cost(call: str, ranks: int, first: Mapping[str, Any], later: Mapping[str, Any]) -> CoreCost:
    units = _units(later["work"])
    return CoreCost(
        call, ranks, later["instructions"], later["accesses"], first["instructions"], _charged(units), units
    )


def _charged(units: Mapping[str, int]) -> float:
    return sum(work.counts()[name].instructions * amount for name, amount in units.items())


def _names() -> list[str]:
    """Return the names of all work in the order of the schema, which is that of `enum tidings_work`."""
    return [parameter.counted for parameter in schema()["processor"].values() if parameter.counted is not None]


def _units(charges: Sequence[tuple[int, int]]) -> dict[str, int]:
    """Add up what `tidings_work` was told: the kinds stand in the order of the schema, and a copy is the last one."""
    names = _names()
    units: Counter[str] = Counter()
    for kind, amount in charges:
        if kind == len(names) - 2:
            units[names[-2]] += 1
            units[names[-1]] += amount
        else:
            units[names[kind]] += amount
    return dict(units)


def fitted(costs: Sequence[CoreCost]) -> dict[str, Count]:
    """Return the counts for which the calls' charges differ least, in proportion, from what they execute.

    Least is the sum of the tenth powers of the differences, so the calls that differ most decide. Calls tell sums of
    counts better than each count, so one that moves is paid for as well (`_LOYALTY`).
    """
    import numpy as np

    calls = [cost for cost in costs if cost.call != "init"]
    names = list(dict.fromkeys(name for cost in calls for name in cost.work))
    known = [work.counts()[name] for name in names]
    units = np.array([[cost.work.get(name, 0) for name in names] for cost in calls], dtype=float)

    def solved(executed: Sequence[int], before: Sequence[float]) -> "np.ndarray":
        return _solved(units, np.array(executed, dtype=float), np.array(before, dtype=float))

    instructions = solved([cost.instructions for cost in calls], [count.instructions for count in known])
    loads = solved([cost.accesses for cost in calls], [count.accesses for count in known])
    return {
        name: Count(round(float(i), 2), round(float(a), 2))
        for name, i, a in zip(names, instructions, loads, strict=True)
    }


def _solved(units: "np.ndarray", executed: "np.ndarray", before: "np.ndarray") -> "np.ndarray":
    """Return the counts, by Newton steps from those before; the problem is convex."""
    import numpy as np

    shares = units * before / executed[:, None]  # of a count as it was
    counts = np.ones(len(before))
    for _ in range(_NEWTON_STEPS):
        differences = shares @ counts - 1
        weights = _POWER * np.abs(differences) ** (_POWER - 2)
        slope = shares.T @ (weights * differences) + 2 * _LOYALTY * (counts - 1)
        bend = (_POWER - 1) * shares.T @ (weights[:, None] * shares) + 2 * _LOYALTY * np.eye(len(counts))
        counts -= np.linalg.solve(bend, slope)
    result: np.ndarray = counts * before
    return result


def update(costs: Sequence[CoreCost]) -> None:
    """Write the counts that fit best into ``work.toml``."""
    found = fitted(costs)
    known = _names()
    if missing := [name for name in known if name not in found or found[name].instructions <= 0]:
        message = f"no call tells how many instructions this takes: {', '.join(missing)}"
        raise UserError(message)
    lines = [_HEAD]
    for name in known:
        count = found[name]
        lines += [f"[{name}]", f"instructions = {count.instructions}", f"accesses = {count.accesses}", ""]
    work.FILE.write_text("\n".join(lines), encoding="utf-8")
    work.counts.cache_clear()


def as_table(costs: Sequence[CoreCost]) -> Table:
    """Return the counts as a table."""
    table = Table(title="Instructions of library calls on a soft core", title_justify="left", box=None, pad_edge=False)
    table.add_column("call", no_wrap=True)
    for heading in ("ranks", "instructions", "loads and stores", "first call", "charged", "differs by"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cost in costs:
        table.add_row(
            cost.call,
            str(cost.ranks),
            f"{cost.instructions:,}",
            f"{cost.accesses:,}",
            f"{cost.first_instructions:,}",
            f"{cost.charged_instructions:,.0f}",
            f"{cost.drift:+.1%}",
        )
    return table
