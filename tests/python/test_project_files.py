# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What people who pick the project up look for says what is true."""

import os
import re
from importlib import metadata

from packaging.specifiers import SpecifierSet

import tidings
from cli_support import ROOT


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_continuous_integration_runs_what_ci_run_runs() -> None:
    steps = re.findall(r"^ +- run: (.*)$", text_of(".github/workflows/ci.yml"), re.MULTILINE)
    assert steps[-1] == ".ci/run"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_continuous_integration_runs_on_the_systems_that_setup_names() -> None:
    images = re.search(r"image: \[(.*)\]", text_of(".github/workflows/ci.yml"))
    assert images is not None
    named = {image.strip(' "').replace(":", " ").title() for image in images[1].split(",")}
    said = " ".join(text_of("scripts/setup.sh").replace("#", "").split())
    assert named == {"Debian 12", "Debian 13", "Ubuntu 24.04"}
    for system in named:
        assert system in said


def test_every_package_of_the_lock_takes_the_oldest_python_of_these_systems() -> None:
    """Debian 12 has 3.11.2, and a lock made with a later 3.11 may name a package that wants more."""
    locked = re.findall(r"^([\w.-]+)==(\S+)$", text_of("requirements.txt"), re.MULTILINE)
    assert len(locked) > 50
    wanted = {name: metadata.distribution(name).metadata["Requires-Python"] or "" for name, _ in locked}
    assert [name for name, python in wanted.items() if "3.11.2" not in SpecifierSet(python)] == []


def test_hooks_before_a_commit_call_tools_that_are_there() -> None:
    entries = re.findall(r"entry: (\S+)", text_of(".pre-commit-config.yaml"))
    assert len(entries) > 4
    for entry in entries:
        assert os.access(ROOT / entry, os.X_OK), entry


def test_citation_names_this_version_and_licence() -> None:
    assert f"\nversion: {tidings.__version__}\n" in text_of("CITATION.cff")
    assert "\nlicense: Apache-2.0\n" in text_of("CITATION.cff")


def test_container_is_one_of_the_systems_that_are_tried() -> None:
    image = re.search(r"^FROM docker\.io/library/(\S+)$", text_of("Containerfile"), re.MULTILINE)
    assert image is not None
    assert image[1] in text_of(".github/workflows/ci.yml")


def test_every_link_and_badge_of_the_readme_leads_somewhere() -> None:
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text_of("README.md"))]
    files = [target for target in targets if target and "://" not in target]
    assert len(files) > 10
    assert [file for file in files if not (ROOT / file).exists()] == []
