# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Plants errors in a copy of the cycle model and shows that ``tidings verify`` finds each of them.

Run it by hand: ``python tests/equivalence/plant_errors.py [PLACE ...]``. A build for each error takes about a minute.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Plant:
    """One line of ``sim/cycle/FILE`` that is changed."""

    file: str
    old: str
    new: str
    meaning: str


PLANTS = (
    Plant(
        "router.h",
        "rank[port] < place) continue",
        "rank[port] > place) continue",
        "arbiter: the last of the round wins",
    ),
    Plant(
        "router.h",
        "outputs[wanted].credits - 1, .taken = !word.last",
        "outputs[wanted].credits - 1, .taken = false",
        "output channel is not kept to the tail",
    ),
    Plant("route_compute.cpp", "2 * forward <= here.radix", "2 * forward < here.radix", "ties of a ring go towards -"),
    Plant("route_compute.cpp", "(dateline && dimension == d) || over_wrap", "over_wrap", "dateline forgotten a hop on"),
    Plant("slot_transmitter.h", "(credits >> c & 1U) != 0", "credits != 0", "a credit counts for both classes"),
    Plant(
        "slot_receiver.h",
        "state_ != State::kPayload || mpe_ready : rma_ready",
        "rma_ready : rma_ready",
        "words of mpe wait for rma",
    ),
    Plant("slot_memory.h", "reads_.accept(read_ready);", "", "memory reads: turns are not noted"),
    Plant("rma_target.cpp", "held >= 1U << queue.log2_slots", "held > 1U << queue.log2_slots", "queue: one too many"),
    Plant(
        "rma_initiator.cpp", "header1.length <= get_left_", "header1.length < get_left_", "last reply of a GET refused"
    ),
    Plant(
        "mpe_fetch.cpp", "address_ = inputs.address >> 2;", "address_ = inputs.address >> 2 | 1;", "wrong first address"
    ),
    Plant("mpe_down.cpp", "kStoreDepth - 2", "kStoreDepth - 1", "a word too many on the way to memory"),
    Plant("mpe_transmit.cpp", "!(up_go && down_)", "!up_go", "directions do not take turns"),
    Plant(
        "slot_registers.cpp", "return status.rma_completed;", "return status.rma_completed ^ 1U;", "one bit of a read"
    ),
)

#: Compares with the module at argv[1] in place of the installed one, and prints what it finds as JSON.
_COMPARE = """
import importlib.util, json, sys
import tidings
spec = importlib.util.spec_from_file_location("tidings._core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
sys.modules["tidings._core"] = tidings._core = core
spec.loader.exec_module(core)
sys.path.insert(0, sys.argv[2])
import test_verify
from tidings import verify, verify_case, verify_shrink
totals, failure = verify.run(test_verify.KINDS, test_verify._library, count=30, seed=test_verify.SEED,
                             hops=1_000_000, progress=lambda machines, hops: None)
if failure is None:
    print(json.dumps(None))
else:
    first, before = str(failure.finding), failure.case.size
    small = verify_shrink.shrink(failure, lambda case: verify_case.compare(case, test_verify._library), 20.0)
    print(json.dumps({"first": first, "before": before, "after": small.case.size}))
"""


def build(source: Path, tree: Path) -> Path:
    """Build the Python module of a copy of the project."""
    if not (tree / "build.ninja").exists():
        configure = ["cmake", "-S", source, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-DPython3_EXECUTABLE={sys.executable}"]
        subprocess.run([*configure, "-DTIDINGS_PYTHON=ON"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", tree, "--target", "_core"], check=True, stdout=subprocess.DEVNULL)
    return next(tree.rglob("_core*.so"))


def compare(module: Path) -> dict[str, object] | None:
    """Return what ``tidings verify`` finds with such a module."""
    command = [sys.executable, "-c", _COMPARE, str(module), str(ROOT / "tests" / "python")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if result.returncode != 0:
        # The twin has come to a state that it cannot be in.
        return {"first": result.stderr.strip().splitlines()[-1], "before": "-", "after": "-"}
    found: dict[str, object] | None = json.loads(result.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Plant, compare, print a table; status 1 where an error was not found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="PLACE", help="files of sim/cycle; all without")
    chosen = parser.parse_args().files
    console = Console()
    table = Table("place", "error", "first failure", "before", "smallest", box=None)
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", ".venv", ".git", ".*_cache"))
        if (found := compare(build(source, Path(folder) / "build"))) is not None:
            console.print(f"without a planted error there is a difference already: {found['first']}")
            return 2
        for plant in PLANTS:
            if chosen and plant.file not in chosen:
                continue
            file = source / "sim" / "cycle" / plant.file
            text = file.read_text()
            if text.count(plant.old) != 1:
                console.print(f"{plant.file} has not one {plant.old!r}")
                return 2
            file.write_text(text.replace(plant.old, plant.new))
            found = compare(build(source, Path(folder) / "build"))
            file.write_text(text)
            missed += found is None
            found = found or {"first": "NOT FOUND", "before": "", "after": ""}
            table.add_row(plant.file, plant.meaning, *(str(found[part]) for part in ("first", "before", "after")))
            console.print(f"{plant.file}: {found['first']}; {found['before']} to {found['after']}")
    console.print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
