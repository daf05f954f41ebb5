# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: k-means on eight FPGA nodes, with hardware and with software collectives.

Builds ``kmeans.c``, runs it on a machine with both kinds of collectives, checks the centroids against
``kmeans_sequential.py``, and prints one table. A JSON file and a report of both kinds, with the centroids as pictures,
are written beside it. The exit status is not zero if the centroids differ, hardware collectives are not faster, or
the fidelities do not agree.

Each kind runs three times. Two runs are without compute time, at fidelity ``cycle`` and at fidelity ``rtl``. Their
figures of communication are the same on every computer, and must be the same at both fidelities. The third run has the
compute time that is measured here and scaled to the machine's processor; it tells the share of communication.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import kmeans_sequential
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "digits.csv"
FIDELITIES = ("cycle", "rtl")
DIGIT_WIDTH = 8
OPERATIONS = ("MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Barrier")


class DemoError(Exception):
    """The demonstration did not come out as it must."""


@dataclass(frozen=True)
class Run:
    """One run of the program on the machine. Times are of virtual time.

    Attributes
    ----------
    elapsed_us
        From start to end of the program, without compute time. So are:
    elapsed_ps
        Likewise, to the picosecond, at each fidelity.
    operation_us
        Mean time of each operation, without compute time.
    with_compute_us
        From start to end of the program, with the measured compute time.
    communication_share
        Share of the ranks' time spent in MPI, with the measured compute time.
    simulated_cycles
        Of the run without compute time.
    wall_seconds
        Cost of that run at each fidelity.
    """

    collectives: str
    elapsed_us: float
    elapsed_ps: dict[str, int]
    operation_us: dict[str, float]
    with_compute_us: float
    communication_share: float
    simulated_cycles: int
    wall_seconds: dict[str, float]


def tidings() -> str:
    """Find the command beside the running interpreter or on PATH."""
    beside = Path(sys.executable).with_name("tidings")
    found = str(beside) if beside.exists() else shutil.which("tidings")
    if found is None:
        raise DemoError("the command tidings is not there: run `make` first")
    return found


def build(folder: Path) -> Path:
    """Compile the program."""
    binary = folder / "kmeans"
    subprocess.run([tidings(), "cc", "-std=c11", "-O2", str(HERE / "kmeans.c"), "-o", str(binary)], check=True)
    return binary


def run_once(
    binary: Path, folder: Path, collectives: str, options: argparse.Namespace, *, fidelity: str, compute: str
) -> dict[str, Any]:
    """Run the program; returns the JSON of ``tidings run``."""
    report = folder / f"{collectives}-{fidelity}-{compute}.json"
    machine = ["-n", str(options.ranks), "-m", options.machine, "--fidelity", fidelity]
    modes = ["--collectives", collectives, "--compute", compute, "--quiet", "--json", str(report)]
    if (fidelity, compute) == ("cycle", "none"):
        modes += ["--events", str(event_file(folder, collectives))]
    program = [str(binary), str(DATA), "--output", str(centroid_file(folder, collectives))]
    completed = subprocess.run(
        [tidings(), "run", *machine, *modes, *program], check=False, stdout=subprocess.PIPE, text=True
    )
    if completed.returncode != 0:
        raise DemoError(f"the run with {collectives} collectives ended with status {completed.returncode}")
    (folder / f"{collectives}.txt").write_text(completed.stdout)
    loaded: dict[str, Any] = json.loads(report.read_text())
    return loaded


def centroid_file(folder: Path, name: str) -> Path:
    """Where a run leaves its centroids."""
    return folder / f"centroids-{name}.csv"


def event_file(folder: Path, name: str) -> Path:
    """Where a run leaves what happened in it."""
    return folder / f"{name}.events"


def write_page(folder: Path, title: str) -> Path:
    """Write the report of both runs, with their centroids as pictures, and return where it is."""
    page, options = folder / "demo.html", []
    centroids = [[float(value) for value in line.split(",")] for line in centroid_file(folder, "hardware").open()]
    darkest = max(max(values) for values in centroids)
    for number, values in enumerate(centroids):
        picture = folder / f"centroid {number}.svg"
        cells = "".join(
            f'<rect x="{place % DIGIT_WIDTH}" y="{place // DIGIT_WIDTH}" width="1" height="1" '
            f'fill="rgb({", ".join([str(255 - round(255 * value / darkest))] * 3)})"/>'
            for place, value in enumerate(values)
        )
        size = f'viewBox="0 0 {DIGIT_WIDTH} {len(values) // DIGIT_WIDTH}" shape-rendering="crispEdges"'
        picture.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" {size}>{cells}</svg>')
        options += ["--picture", str(picture)]
    files = [str(event_file(folder, name)) for name in ("hardware", "software")]
    subprocess.run([tidings(), "report", *files, "--out", str(page), "--title", title, *options], check=True)
    return page


def check_fidelities(collectives: str, reports: dict[str, dict[str, Any]]) -> None:
    """Compare all that two fidelities report, but what was asked for and the wall time.

    Raises
    ------
    DemoError
        Naming the first figure that differs.
    """
    cycle, rtl = (reports[fidelity] for fidelity in FIDELITIES)
    for key in sorted(rtl.keys() - {"fidelity", "wall_seconds"}):
        if cycle[key] != rtl[key]:
            raise DemoError(f"{collectives} collectives: {key} is {cycle[key]} at fidelity cycle, {rtl[key]} at rtl")


def run_all(binary: Path, folder: Path, collectives: str, options: argparse.Namespace) -> Run:
    """Run the program without compute time at both fidelities, and with compute time."""
    reports = {
        fidelity: run_once(binary, folder, collectives, options, fidelity=fidelity, compute="none")
        for fidelity in FIDELITIES
    }
    check_fidelities(collectives, reports)
    bare = reports["cycle"]
    full = run_once(binary, folder, collectives, options, fidelity="cycle", compute="measured")
    return Run(
        collectives=collectives,
        elapsed_us=bare["elapsed_ps"] / 1e6,
        elapsed_ps={fidelity: report["elapsed_ps"] for fidelity, report in reports.items()},
        operation_us={name: bare["operations"][name]["mean_ps"] / 1e6 for name in OPERATIONS},
        with_compute_us=full["elapsed_ps"] / 1e6,
        communication_share=full["communication_share"],
        simulated_cycles=bare["simulated_cycles"],
        wall_seconds={fidelity: report["wall_seconds"] for fidelity, report in reports.items()},
    )


def as_table(hardware: Run, software: Run, title: str) -> Table:
    """Put both runs side by side."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("virtual time", no_wrap=True)
    for column in ("hardware collectives", "software collectives", "speed-up"):
        table.add_column(column, justify="right")

    def add_times(name: str, mine: float, theirs: float) -> None:
        table.add_row(name, f"{mine:,.1f} us", f"{theirs:,.1f} us", f"{theirs / mine:.2f} x")

    for name in OPERATIONS:
        add_times(f"{name}, mean", hardware.operation_us[name], software.operation_us[name])
    add_times("elapsed, communication only", hardware.elapsed_us, software.elapsed_us)
    add_times("elapsed, with measured compute", hardware.with_compute_us, software.with_compute_us)
    table.add_row(
        "share of communication",
        f"{hardware.communication_share:.1%}",
        f"{software.communication_share:.1%}",
        "",
    )
    table.add_section()
    for fidelity in FIDELITIES:
        mine, theirs = hardware.elapsed_ps[fidelity], software.elapsed_ps[fidelity]
        table.add_row(f"elapsed at fidelity {fidelity}, ps", f"{mine:,}", f"{theirs:,}", "")
    table.add_row("cycles simulated", f"{hardware.simulated_cycles:,}", f"{software.simulated_cycles:,}", "")
    for fidelity in FIDELITIES:
        here, there = hardware.wall_seconds[fidelity], software.wall_seconds[fidelity]
        table.add_row(f"wall time at fidelity {fidelity}", f"{here:.2f} s", f"{there:.2f} s", "")
    return table


def check_centroids(folder: Path) -> None:
    """Compare the centroids of both runs with the sequential program's.

    Raises
    ------
    DemoError
        Naming the run and the first cluster that differs.
    """
    result = kmeans_sequential.cluster(kmeans_sequential.read_points(DATA), clusters=10, seed=1)
    expected = kmeans_sequential.centroid_lines(result.centroids)
    centroid_file(folder, "sequential").write_text(expected)
    for name in ("hardware", "software"):
        found = centroid_file(folder, name).read_text()
        if found == expected:
            continue
        for number, (left, right) in enumerate(zip(found.splitlines(), expected.splitlines(), strict=False)):
            if left != right:
                raise DemoError(f"{name} collectives: centroid {number} is not the sequential program's")
        raise DemoError(f"{name} collectives: the number of centroids is not the sequential program's")


def main() -> int:
    """Run the demonstration; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", default="spirit")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--folder", type=Path, default=Path("build/demo"), help="where results go")
    options = parser.parse_args()
    console = Console()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        binary = build(folder)
        runs = {}
        for name in ("hardware", "software"):
            print(f"[demo] k-means, {options.ranks} ranks of {options.machine}, {name} collectives ...")
            runs[name] = run_all(binary, folder, name, options)
        hardware, software = runs["hardware"], runs["software"]
        print("[demo] sequential k-means, to check the centroids against ...")
        check_centroids(folder)

        title = f"k-means of 1,797 digits: {options.ranks} ranks of {options.machine}"
        console.print()
        console.print(as_table(hardware, software, title))
        (folder / "demo.json").write_text(json.dumps([asdict(hardware), asdict(software)], indent=2) + "\n")
        page = write_page(folder, title)
        console.print("Centroids: the same with hardware collectives, software collectives and the sequential program.")
        console.print("Fidelities: cycle and rtl agree on every virtual time, to the picosecond.")
        console.print(f"Report:    {page}", soft_wrap=True)
        console.print(f"Figures:   {folder / 'demo.json'}", soft_wrap=True)
        if hardware.elapsed_us >= software.elapsed_us:
            raise DemoError("hardware collectives are not faster")
    except (DemoError, subprocess.CalledProcessError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
