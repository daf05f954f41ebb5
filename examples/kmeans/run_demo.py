# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: k-means on eight FPGA nodes, with hardware and with software collectives.

Builds ``kmeans.c``, runs it on a machine at fidelity ``rtl`` with both kinds of collectives, checks the centroids
against ``kmeans_sequential.py``, and prints one table. A JSON file and an HTML report with a plot are written beside
it. The exit status is not zero where the centroids differ or hardware collectives are not faster.

Each kind runs twice: without compute time, so that the figures of communication are the same on every computer, and
with the compute time measured here and scaled to the machine's processor, for the share of communication.
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

import demo_report
import kmeans_sequential
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "digits.csv"
OPERATIONS = ("MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Barrier")


class DemoError(Exception):
    """The demonstration did not come out as it must."""


@dataclass(frozen=True)
class Run:
    """One run of the program on the machine. Times are of virtual time.

    Attributes
    ----------
    elapsed_us
        From start to end of the program, without compute time.
    operation_us
        Mean time of each operation, without compute time.
    with_compute_us
        From start to end of the program, with the measured compute time.
    communication_share
        Share of the ranks' time spent in MPI, with the measured compute time.
    simulated_cycles, wall_seconds
        Cost of the run without compute time.
    """

    collectives: str
    elapsed_us: float
    operation_us: dict[str, float]
    with_compute_us: float
    communication_share: float
    simulated_cycles: int
    wall_seconds: float


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


def run_once(binary: Path, folder: Path, collectives: str, compute: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run the program; returns the JSON of ``tidings run``."""
    report = folder / f"{collectives}-{compute}.json"
    machine = ["-n", str(options.ranks), "-m", options.machine, "--fidelity", "rtl"]
    modes = ["--collectives", collectives, "--compute", compute, "--quiet", "--json", str(report)]
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


def run_both(binary: Path, folder: Path, collectives: str, options: argparse.Namespace) -> Run:
    """Run the program without and with compute time."""
    bare = run_once(binary, folder, collectives, "none", options)
    full = run_once(binary, folder, collectives, "measured", options)
    return Run(
        collectives=collectives,
        elapsed_us=bare["elapsed_ps"] / 1e6,
        operation_us={name: bare["operations"][name]["mean_ps"] / 1e6 for name in OPERATIONS},
        with_compute_us=full["elapsed_ps"] / 1e6,
        communication_share=full["communication_share"],
        simulated_cycles=bare["simulated_cycles"],
        wall_seconds=bare["wall_seconds"],
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
    table.add_row("cycles simulated", f"{hardware.simulated_cycles:,}", f"{software.simulated_cycles:,}", "")
    table.add_row("simulated in (wall)", f"{hardware.wall_seconds:.1f} s", f"{software.wall_seconds:.1f} s", "")
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
            runs[name] = run_both(binary, folder, name, options)
        hardware, software = runs["hardware"], runs["software"]
        print("[demo] sequential k-means, to check the centroids against ...")
        check_centroids(folder)

        title = f"k-means of 1,797 digits: {options.ranks} ranks of {options.machine}, fidelity rtl"
        console.print()
        console.print(as_table(hardware, software, title))
        (folder / "demo.json").write_text(json.dumps([asdict(hardware), asdict(software)], indent=2) + "\n")
        page = folder / "demo.html"
        page.write_text(demo_report.page(title, hardware.__dict__, software.__dict__))
        console.print("Centroids: the same with hardware collectives, software collectives and the sequential program.")
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
