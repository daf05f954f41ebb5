# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pages are written in plain sentences: what of this a machine can check."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_support import ROOT

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
LONGEST_SENTENCE = 40
LONGEST_LINE = 100

_COUNTED = "bit|call|child|copy|credit|cycle|file|flit|hop|instruction|method|module|packet|process|round|row|time|word"
_PER = "collective|context|cycle|dimension|endpoint|flit|flit-hop|hop|link|machine|message|node|packet|port|rank|slot"
#: What reads as translated, and what to write instead.
STALE = {
    r"\bso many\b": "N, or the number",
    rf"(?<!each )(?<!the )(?<!every )\b(?:{_COUNTED})s? an? (?:{_PER})\b"
    r"(?! (?:later|more|behind|before|after|with|that|of|has|is|does)\b)": "per",
    r"\b(?:ns|ps|µs|ms|MHz|LUTs|cycles/s) an? \w+": "per",
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
