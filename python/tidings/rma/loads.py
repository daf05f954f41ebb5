# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What a single router carries if every slot offers a flit per cycle, beside what `tidings bench rma` times."""

import functools

from tidings.report.progress import Progress
from tidings.rma.measurement import Result, Study, target_of
from tidings.traffic.measurement import Traffic, measure

#: Lengths of packets in flits: the shortest, a short one, and the longest of a machine by default.
PACKETS = (1, 8, 67)
#: Traffic by the text of a row: its pattern, and the share that stays with its sender (`docs/traffic.md`).
KINDS = {"uniform load": ("uniform", 0.0), "unbalanced load": ("unbalanced", 0.5)}
#: Long packets need long windows: queues grow and shrink by many of them.
_WARMUP_CYCLES, _MEASURE_CYCLES = 20_000, 150_000
#: What arrives in time, or not, is not asked for.
_DRAIN_CYCLES = 1


def _report(progress: Progress, what: str, _: str, share: float) -> None:
    progress(what, share)


def loads(study: Study, progress: Progress) -> None:
    """Add what the router of all slots carries, in flits per slot and cycle; of a network of routers, nothing.

    The floor is what is offered, a flit per slot and cycle: a bound from above.
    """
    machine = study.machine
    if any(routers > 1 for routers in machine.topology.size):
        return
    if study.fidelity != "cycle":
        study.left_out.append(("loads", "synthetic traffic is sent to the cycle model alone: add --fidelity cycle"))
        return
    for kind, (pattern, share) in KINDS.items():
        for flits in PACKETS:
            what = f"{kind}, packets of {flits} flit{'s' * (flits > 1)}"
            traffic = Traffic(
                machine,
                pattern=pattern,
                hot_share=share,
                packet_flits=flits,
                warmup_cycles=_WARMUP_CYCLES,
                measure_cycles=_MEASURE_CYCLES,
                drain_cycles=_DRAIN_CYCLES,
            )
            carried = measure(traffic, 1.0, functools.partial(_report, progress, what)).accepted
            study.results.append(
                Result(
                    what=what,
                    slots=machine.slots,
                    words=0,
                    barrier="",
                    value=carried,
                    unit="flits/cycle",
                    us=None,
                    published=None,
                    source="",
                    floor=1.0,
                    target=target_of(what, machine.slots, 0),
                )
            )
