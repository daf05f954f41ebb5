# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is kept with the events of a run: what was run, on what, with which result, and how to repeat it."""

import datetime
import json
import shlex
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tidings import __version__, _core
from tidings.machines import change, view
from tidings.machines.configuration import configuration
from tidings.machines.file import read_machine
from tidings.report import summary
from tidings.runtime.placement import name_of
from tidings.runtime.run import Job

#: What each part of a file of events begins with: kind, rank, bytes.
CHUNK = struct.Struct("<4sIQ")


def of_run(job: Job, report: _core.RunReport) -> dict[str, Any]:
    """Return everything about a run that its events do not say, ready for JSON."""
    return {
        "version": __version__,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": command_of(job),
        "headline": summary.headline(job, report),
        "result": summary.as_json(job, report),
        "machine": {
            "name": job.machine.name,
            "summary": job.machine.summary,
            "shape": job.machine.shape,
            "values": [_row(value) for value in view.values_of(job.machine)],
            "derived": [_row(value) for value in view.derived_of(job.machine)],
            "file": change.document_of(job.machine),
            "network": network_of(job),
        },
    }


def _row(value: view.Value) -> dict[str, Any]:
    known = value.value if isinstance(value.value, (int, float, str, bool)) else str(value.value)
    return {"key": value.key, "value": known, "unit": value.unit, "meaning": value.meaning}


def command_of(job: Job) -> str:
    """Return the command that repeats a run."""
    (first, ranks), *others = job.programs
    words = ["tidings", "run", "-n", str(ranks), "-m", job.machine.name]
    for option, value, default in (
        ("--fidelity", job.fidelity, "cycle"),
        ("--rtl-nodes", ",".join(map(str, job.rtl_nodes)), ""),
        ("--threads", job.threads, None),
        ("--collectives", job.collectives, "hardware"),
        ("--algorithm", ",".join(f"{name}={way}" for name, way in job.algorithms.items()), ""),
        ("--algorithm-table", "" if job.algorithm_table is None else str(job.algorithm_table), ""),
        ("--profile", job.profile, None),
        ("--compute", job.compute, "none"),
        ("--map", None if job.map is None else name_of(job.map), None),
        ("--time-limit", job.time_limit_seconds, None),
        ("--wall-limit", job.wall_limit_seconds, None),
    ):
        if value != default:
            words += [option, str(value)]
    words += first
    for program, ranks in others:
        words += [":", "-n", str(ranks), *program]
    return shlex.join(words)


def network_of(job: Job) -> dict[str, Any]:
    """Return the routers and links that a run uses, and where ranks are: what a picture of them needs."""
    network = job.network
    links = []
    for router in range(network.routers):
        for port in range(network.ports):
            end = network.neighbour(router, port)
            if end is not None:
                links.append([router, port, end[0], network.port_name(router, port)])
    return {
        "kind": job.machine.topology.kind,
        "size": list(network.size),
        "wraps": list(network.wraps),
        "slots": network.slots,
        "hosts": network.hosts,
        "ports": network.ports,
        "names": [network.name(router) for router in range(network.routers)],
        "coordinates": [list(network.coordinates(router)) for router in range(network.routers)],
        "links": links,
        "places": list(job.places),
    }


def links_between(run: dict[str, Any], pairs: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return router and port of each link that messages take, for pairs of a sender and a receiver."""
    config = configuration(read_machine(run["machine"]["file"], Path(run["machine"]["name"])))
    network = run["machine"]["network"]
    places = network["places"]
    flows = [(number, places[sender], places[receiver], 1) for number, (sender, receiver) in enumerate(pairs)]
    found: list[list[tuple[int, int]]] = [[] for _ in pairs]
    slots = int(network["hosts"]) * int(network["slots"])
    for load in _core.step_loads(config, slots, flows):
        found[load.step] = [(link.router, link.port) for link in load.links]
    return found


def router_of(rank: int, network: dict[str, Any]) -> int:
    """Return the router that a rank sits at."""
    return int(network["places"][rank]) // int(network["slots"])


def seal(path: Path, run: dict[str, Any]) -> str:
    """Add what was run to a file of events; returns why that could not be done, or nothing."""
    text = json.dumps(run).encode()
    try:
        with path.open("ab") as file:
            file.write(CHUNK.pack(b"RUN ", 0, len(text)) + text)
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return ""
