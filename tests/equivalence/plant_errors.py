# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Plants the faults of sim/cycle/faults.toml in a copy of the cycle model: ``tidings verify`` must find each of them.

Run it by hand: ``python tests/equivalence/plant_errors.py [PLACE ...]``. A build for each fault takes about a minute.
The copy and its build stay in ``build/planted``, so that a second run compiles what has changed. What was found is
printed as a table in Markdown.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from planting import plant, read_faults  # noqa: E402

FAULTS = ROOT / "sim" / "cycle" / "faults.toml"
COPY = ROOT / "build" / "planted"

#: Exceptions that C++ throws; any other is a mistake of the comparison, and finds nothing.
_OF_THE_TWIN = ("RuntimeError", "ValueError", "IndexError", "OverflowError")
#: Most seconds of one comparison.
_PATIENCE = 1800
#: Compares with the module at argv[1] in place of the installed one, and prints what it finds as JSON.
_COMPARE = """
import importlib.util, json, sys
import tidings
installed = importlib.util.find_spec("tidings._core")
spec = importlib.util.spec_from_file_location("tidings._core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
sys.modules["tidings._core"] = tidings._core = core
spec.loader.exec_module(core)
core.__spec__ = installed  # what lies beside the module is looked for there
sys.path.insert(0, sys.argv[2])
import test_verify
from tidings.verify import campaign, comparison
totals, failure = campaign.run(test_verify.KINDS, test_verify._library, count=30, seed=test_verify.SEED,
                               hops=0, progress=lambda machines, hops: None)
for case in [] if failure else test_verify.atomic_turns():
    failure = failure or comparison.compare(case, test_verify._library)
print(json.dumps(failure and {"failure": str(failure.finding), "size": failure.case.size}))
"""


def copy_changed(source: str, copy: str) -> None:
    """Copy a file, as new, unless the copy is the same: what was built with a fault is older than the file now."""
    if not Path(copy).exists() or Path(copy).read_bytes() != Path(source).read_bytes():
        shutil.copy(source, copy)


def build(source: Path, tree: Path) -> Path:
    """Build the Python module of a copy of the project."""
    if not (tree / "build.ninja").exists():
        configure: list[str | Path] = ["cmake", "-S", source, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        # Compiling and linking take longer than comparing.
        configure += ["-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DTIDINGS_WHOLE_PROGRAM=OFF"]
        configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-DPython3_EXECUTABLE={sys.executable}"]
        subprocess.run([*configure, "-DTIDINGS_PYTHON=ON"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", tree, "--target", "_core"], check=True, stdout=subprocess.DEVNULL)
    return next(tree.rglob("_core*.so"))


def compare(module: Path, source: Path) -> dict[str, str] | None:
    """Return what ``tidings verify`` finds with such a module on the machines of the copy's tests."""
    command = [sys.executable, "-c", _COMPARE, str(module), str(source / "tests" / "python")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or [""])[-1]
        if result.returncode > 0 and not last.startswith(_OF_THE_TWIN):
            message = f"the comparison itself failed:\n{result.stderr}"
            raise RuntimeError(message)
        # The twin has come to a state that it cannot be in.
        return {"failure": f"the twin stops: {last or f'signal {-result.returncode}'}", "size": "-"}
    found: dict[str, str] | None = json.loads(result.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Plant, compare, print a table; status 1 if a fault was not found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files",
        nargs="*",
        metavar="PLACE",
        help="files of sim/cycle; all if none is given, after a comparison without a fault",
    )
    chosen = parser.parse_args().files
    faults = read_faults(FAULTS)
    places = {Path(fault.file).name for fault in faults}
    if unknown := sorted(set(chosen) - places):
        parser.error(f"no fault is planted in {', '.join(unknown)}; there are {', '.join(sorted(places))}")
    missed = 0
    source, tree = COPY / "source", COPY / "tree"
    left_out = shutil.ignore_patterns("build", ".venv", ".git", ".*_cache")
    shutil.copytree(ROOT, source, ignore=left_out, copy_function=copy_changed, dirs_exist_ok=True)
    if not chosen and (found := compare(build(source, tree), source)) is not None:
        print(f"without a fault there is a difference already: {found['failure']}", file=sys.stderr)
        return 2
    print("| place | fault | first failure | found with |")
    print("|---|---|---|---|")
    for fault in faults:
        if chosen and Path(fault.file).name not in chosen:
            continue
        with plant(source, fault):
            found = compare(build(source, tree), source)
        missed += found is None
        found = found or {"failure": "not found", "size": "-"}
        row = (f"`{Path(fault.file).name}`", fault.title, found["failure"], found["size"])
        print(f"| {' | '.join(row)} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
