# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What pages name is there, and every page can be reached."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli_support import ROOT

PAGES = sorted((ROOT / "docs").glob("*.md"))
#: Where a path in a page may begin, from the root of the repository.
FOLDERS = r"docs|drivers|examples|lib|machines|python|rtl|scripts|sim|tests"


def module_of(path: Path) -> Any:
    """Import a script of the documentation."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


figures = module_of(ROOT / "docs" / "figures.py")
FIGURES = [figure for page in figures.pages() for figure in figures.figures(page)]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def files_named(page: Path) -> set[str]:
    """Return the paths of files that a page names in code; other words in code are not paths."""
    return set(re.findall(rf"`((?:{FOLDERS})/[\w./-]+\.\w+)`", text_of(page)))


def exists(path: str) -> bool:
    """Tell whether a file is there; NAME stands for any name."""
    return any(ROOT.glob(path.replace("NAME", "*")))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    assert [path for path in sorted(files_named(page)) if not exists(path)] == []


def test_each_recipe_lists_its_files() -> None:
    recipes = re.split(r"^### ", text_of(ROOT / "CONTRIBUTING.md").partition("## How to add")[2], flags=re.MULTILINE)
    named = {recipe.splitlines()[0]: files_named_in(recipe) for recipe in recipes[1:]}
    assert len(named) > 9
    assert [name for name, files in named.items() if not files] == []


def files_named_in(text: str) -> list[str]:
    return re.findall(rf"`(?:{FOLDERS})/[\w./-]+`", text)


def test_the_readme_links_every_page() -> None:
    linked = set(re.findall(r"\]\(docs/([\w-]+\.md)", text_of(ROOT / "README.md")))
    assert linked == {page.name for page in PAGES}


def test_the_overview_links_every_page() -> None:
    overview = text_of(ROOT / "docs" / "index.md").partition("```{toctree}")[0]
    linked = set(re.findall(r"\]\(([\w-]+\.md)", overview))
    assert linked == {page.name for page in PAGES} - {"index.md"}


def test_the_page_of_the_cycle_model_names_each_module_without_a_file() -> None:
    twins = {path.stem for path in (ROOT / "sim" / "cycle").iterdir()}
    modules = {path.stem for path in (ROOT / "rtl").glob("*/*.sv")}
    page = text_of(ROOT / "sim" / "cycle" / "README.md").partition("| RTL module | in |")[2].partition("\n\n")[0]
    named = {name for row in page.splitlines() for name in re.findall(r"`([\w]+)`", row.split("|")[1] if row else "")}
    assert named == modules - twins


def test_the_catalogue_of_the_rtl_has_a_row_for_each_module() -> None:
    modules = {path.stem for path in (ROOT / "rtl").glob("*/*.sv")}
    rows = re.findall(r"^\| \[`(\w+)`\]", text_of(ROOT / "rtl" / "README.md"), re.MULTILINE)
    assert sorted(rows) == sorted(modules)


@pytest.mark.parametrize(
    "figure",
    [figure for figure in FIGURES if figure.kind == ""],
    ids=lambda figure: f"{figure.page.name}-{figure.command[:40]}",
)
def test_a_figure_is_what_its_command_prints(figure: Any) -> None:
    assert figure.made() == figure.content


def test_every_table_of_figures_has_the_command_that_prints_it() -> None:
    # Decisions quote what was found when they were taken.
    without = []
    for page in set(figures.pages()) - {ROOT / "docs" / "decisions.md"}:
        rest = text_of(page)
        for figure in figures.figures(page):
            rest = rest.replace(figure.content, "")
        rows = [line.strip("| ").split(" | ") for line in rest.splitlines() if line.startswith("|")]
        for row in rows:
            if sum(bool(re.fullmatch(r"[\d.,]{2,}( ?%| MHz)?", cell)) for cell in row) > 1:
                without.append(f"{page.name}: {row}")
    assert without == []


def test_a_figure_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- begin: echo one -->\n<!-- end -->\nbetween\n"
        "<!-- begin: echo two | tr o 0 -->\n```\n$ echo two\nold\n```\n<!-- end -->\n"
        "<!-- begin, by hand: false -->\nkept\n<!-- end -->\n"
    )
    done = subprocess.run([sys.executable, ROOT / "docs" / "figures.py", page], check=True, capture_output=True)
    assert b"left as it is: false" in done.stdout
    assert page.read_text() == (
        "before\n<!-- begin: echo one -->\none\n<!-- end -->\nbetween\n"
        "<!-- begin: echo two | tr o 0 -->\n```\n$ echo two\ntw0\n```\n<!-- end -->\n"
        "<!-- begin, by hand: false -->\nkept\n<!-- end -->\n"
    )


def test_a_command_that_fails_leaves_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- begin: false | cat -->\nold\n<!-- end -->\n")
    done = subprocess.run([sys.executable, ROOT / "docs" / "figures.py", page], check=False, capture_output=True)
    assert done.returncode != 0
    assert "old" in page.read_text()


def build_site(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    options: list[str | Path] = [
        "--quiet",
        "--fail-on-warning",
        "--builder",
        "html",
        "--doctree-dir",
        folder / "doctrees",
    ]
    command: list[str | Path] = [sys.executable, "-m", "sphinx", *options, ROOT / "docs", folder / "html"]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = build_site(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for page in PAGES:
        assert (tmp_path / "html" / f"{page.stem}.html").exists()


def test_a_system_without_doxygen_is_told_so_in_one_line(tmp_path: Path) -> None:
    done = build_site(tmp_path, PATH=str(Path(sys.executable).parent))
    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "[docs] doxygen is not installed, and the page of the driver needs it: make setup installs it"
    ]


def test_pictures_are_as_they_are_drawn_now() -> None:
    pictures = module_of(ROOT / "docs" / "pictures" / "draw.py").PICTURES
    assert len(pictures) > 2
    for name, draw in pictures.items():
        assert (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8") == draw(), name
