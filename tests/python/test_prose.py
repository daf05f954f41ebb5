# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pages are written in plain sentences: what of this a machine can check."""

import importlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from cli_support import ROOT
from tidings.cli import _COMMANDS

#: Pages whose sentences are checked.
PAGES = sorted(
    {
        *(ROOT / "docs").glob("*.md"),
        *(
            ROOT / name
            for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "rtl/README.md", "sim/cycle/README.md")
        ),
    }
)
#: Sources whose comments and texts are checked too; generated figures and what programs print are not.
SOURCES = subprocess.run(
    [
        "git",
        "ls-files",
        "drivers",
        "examples",
        "lib",
        "machines",
        "python",
        "rtl",
        "scripts",
        "sim",
        "tests",
        "Makefile",
    ],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.split()
SOURCE_ENDS = (".c", ".cpp", ".h", ".py", ".rdl", ".sh", ".sv", ".toml", "Makefile")
LONGEST_SENTENCE = 40
LONGEST_LINE = 100

_COUNTED = (
    "bit|board|byte|call|child|copy|credit|cycle|endpoint|file|flit|hop|instruction|line|LUT|method|module|packet|port|"
    "process|register|round|row|second|slot|time|word"
)
_PER = (
    "board|channel|collective|command|context|core|cycle|dimension|endpoint|flit|flit-hop|FPGA|hop|line|link|load|"
    "machine|message|network|node|packet|port|rank|router|second|slot"
)
#: What reads as translated, and what to write instead.
STALE = {
    r"\bso many\b": "N, or the number",
    rf"(?<!each )(?<!the )(?<!every )(?<!an )(?<!a )(?<!waveforms )(?<!rules )(?<!its )(?<!that )"
    rf"\b(?:{_COUNTED})s? an? (?:{_PER})\b"
    r"(?! (?:later|more|behind|before|after|with|that|of|has|is|does|saturated)\b)": "per",
    r"\b(?:ns|ps|µs|us|ms|MHz|MB|MiB|KiB|LUTs|cycles/s|flits/s) an? \w+": "per",
}


def blocks(page: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs and list items with the number of their first line; no code, tables, headings or comments."""
    code = False
    first = 0
    lines: list[str] = []
    for number, line in enumerate([*page.splitlines(), ""], start=1):
        text = line.strip()
        fence = text.startswith(("```", ":::"))
        left_out = code or fence or not text or text.startswith(("|", "#", "<!--", "[![", "!["))
        code ^= fence
        item = re.match(r"(?:[-*]|\d+\.|:[\w -]+:)\s+(.*)", text)
        if (left_out or item) and lines:
            yield first, " ".join(lines)
            lines = []
        if left_out:
            continue
        if not lines:
            first = number
        lines.append(item[1] if item else text)


def sentences(block: str) -> list[str]:
    """Return the sentences of a block, with each piece of code as one word and without the targets of links."""
    plain = re.sub(r"`[^`]*`", "Code", block)
    plain = re.sub(r"\]\([^)]*\)", "]", plain)
    return re.split(r"(?<=[.!?])[)*”\"]*\s+(?=[^a-z])", plain)


def words(sentence: str) -> int:
    """Return how many words a sentence has."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_is_longer_than_forty_words(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    too_long = [
        f"line {line}: {words(sentence)} words: {sentence}"
        for line, block in blocks(text)
        for sentence in sentences(block)
        if words(sentence) > LONGEST_SENTENCE
    ]
    assert too_long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_rates_and_numbers_are_written_in_plain_english(page: Path) -> None:
    found = [
        f"{line}: {match[0]!r}: write {instead}"
        for line, block in blocks(page.read_text(encoding="utf-8"))
        for pattern, instead in STALE.items()
        for match in re.finditer(pattern, block)
    ]
    assert found == []


def test_sources_say_rates_and_numbers_in_plain_english() -> None:
    found = [
        f"{name}: {match[0]!r}: write {instead}"
        for name in SOURCES
        if name.endswith(SOURCE_ENDS) and name != "tests/python/test_prose.py"
        for text in [(ROOT / name).read_text(encoding="utf-8")]
        for pattern, instead in STALE.items()
        for match in re.finditer(pattern, text)
    ]
    assert found == []


def help_texts() -> Iterator[tuple[str, str]]:
    """Yield the help of each command and of each of its options."""
    for group, name, place, _ in _COMMANDS:
        module, _, function = place.partition(".")
        command = getattr(importlib.import_module(f"tidings.cli.{module}"), function)
        for paragraph in (command.__doc__ or "").partition("For example:")[0].split("\n\n"):
            yield f"{group} {name}", " ".join(paragraph.split())
        for option, hint in get_type_hints(command, include_extras=True).items():
            yield f"{group} {name} {option}", next((info.help or "" for info in get_args(hint)[1:]), "")


def test_help_has_whole_sentences_of_at_most_forty_words() -> None:
    problems = [
        f"{place}: {text}"
        for place, text in help_texts()
        if text
        and (not text.endswith((".", ":", "?")) or any(words(one) > LONGEST_SENTENCE for one in sentences(text)))
    ]
    assert problems == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_short_enough_to_read(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = False
    long = []
    for number, line in enumerate(text.splitlines(), start=1):
        code ^= line.startswith("```")
        # Tables, badges and code keep their lines; a line without a space between its parts cannot be broken.
        breaks = " " in re.sub(r"`[^`]*`", "Code", line).strip()
        if not code and breaks and len(line) > LONGEST_LINE and not line.startswith(("#", "|", "[![", "<!--", "![")):
            long.append(f"{number}: {len(line)} characters")
    assert long == []


def test_every_decision_has_a_status_and_a_date() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    said = r".*\n\nStatus: (accepted|superseded by [\w ]+), 20\d\d-\d\d-\d\d\.\n"
    assert len(sections) > 40
    assert [section.splitlines()[0] for section in sections if not re.match(said, section)] == []
