# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What pages name is there, and every page can be reached."""

import re
from pathlib import Path

import pytest

from cli_support import ROOT

PAGES = sorted((ROOT / "docs").glob("*.md"))
#: Where a path in a page may begin, from the root of the repository.
FOLDERS = r"docs|drivers|examples|lib|machines|python|rtl|scripts|sim|tests"


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
