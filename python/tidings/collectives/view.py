# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is printed of collectives."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table

from tidings import _core
from tidings.collectives.measurement import ELEMENTS, Result, Study


def algorithm_rows() -> Iterator[dict[str, str]]:
    """Yield what is said of each algorithm of the library."""
    for algorithm in _core.algorithms():
        yield {
            "collective": algorithm.collective,
            "algorithm": algorithm.name,
            "carried_out_by": "engine or messages" if algorithm.in_engine else "messages",
            "messages_need": ", ".join(algorithm.requirements),
            "meaning": algorithm.meaning,
        }


def algorithms() -> Table:
    """Return a table of the library's algorithms."""
    table = Table(box=None, pad_edge=False)
    for heading in ("collective", "algorithm", "engine", "messages need", "what it does"):
        table.add_column(heading, overflow="fold")
    for row in algorithm_rows():
        engine = "yes" if row["carried_out_by"].startswith("engine") else ""
        table.add_row(row["collective"], row["algorithm"], engine, row["messages_need"], row["meaning"])
    return table


def tables(study: Study) -> Iterator[RenderableType]:
    """Yield a table an operation, and what could not be measured."""
    machine = study.machine
    adder = ELEMENTS[study.element][0]
    yield (
        f"{machine.name}: {machine.shape}, L = {machine.hop_cycles}, "
        f"{machine.fabric.clock_MHz:g} MHz; sums of {study.element}, A = {adder}"
    )
    for operation, results in groupby(study.results, lambda result: result.operation):
        yield ""
        found = list(results)
        yield _streams(operation, found) if found[0].vectors > 1 else _times(operation, found)
    reasons: dict[tuple[str, str], list[int]] = {}
    for case, reason in study.left_out:
        nodes = reasons.setdefault((case.tree, reason), [])
        if case.nodes not in nodes:
            nodes.append(case.nodes)
    if reasons:
        yield ""
    for (tree, reason), nodes in reasons.items():
        yield f"left out: {tree}, {', '.join(map(str, nodes))} nodes: {reason}"


def _times(operation: str, results: list[Result]) -> Table:
    table = _table(operation)
    vectors = any(result.words for result in results)
    known = any(result.published is not None for result in results)
    headings = ["words"] * vectors
    headings += ["cycles", "us", "bound", "ratio", "tree's bound", "ratio"]
    targets = any(result.target is not None for result in results)
    headings += ["tight bound", "target", "met"] * targets
    headings += ["Gao 2013, us"] * known
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        cells = [f"{result.words:,}"] * vectors
        cells += [f"{result.cycles:,}", f"{result.us:,.2f}", f"{result.bound:,}", f"{result.ratio:.2f}"]
        cells += [f"{result.tree_bound:,}", f"{result.cycles / result.tree_bound:.2f}"]
        if targets:
            cells += ["", "", ""] if result.target is None else _target(result)
        cells += ["" if result.published is None else f"{result.published:,.2f}"] * known
        table.add_row(f"{result.nodes}", result.tree, *cells)
    return table


def _target(result: Result) -> list[str]:
    return [f"{result.tight_bound:,}", f"{result.target:,}", "yes" if result.within_target else "no"]


def _streams(operation: str, results: list[Result]) -> Table:
    table = _table(f"{operation}, {results[0].vectors} vectors one after the other")
    known = any(result.published is not None for result in results)
    headings = ["words", "cycles", "cycles/vector", "words/cycle", "of link rate", "Mbit/s"]
    headings += ["Gao 2013, Mbit/s"] * known
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        cells = [f"{result.words:,}", f"{result.cycles:,}", f"{result.vector_cycles:,.1f}"]
        cells += [f"{result.words_per_cycle:.4f}", f"{result.rate_share:.1%}", f"{result.mbps:,.0f}"]
        cells += ["" if result.published is None else f"{result.published:,.0f}"] * known
        table.add_row(f"{result.nodes}", result.tree, *cells)
    return table


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("tree", no_wrap=True)
    return table
