# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Message passing in hardware: run unmodified MPI programs on simulated networks and engines."""

from tidings.api.benchmarks import (
    bench_collectives,
    bench_library,
    bench_links,
    bench_osu,
    bench_programs,
    bench_report,
    bench_rma,
    bench_simulator,
    bench_soft_core,
    bench_traffic,
)
from tidings.api.collectives import (
    analyze_collective,
    compare_algorithms,
    compare_with_paper,
    list_algorithms,
    word_schedules,
)
from tidings.api.machines import (
    check_machine,
    check_random_machines,
    list_machines,
    machine,
    synthesize,
    verify_machines,
)
from tidings.api.runs import (
    compare,
    compile_program,
    load_events,
    run,
    sweep,
    whatif,
    write_perfetto,
    write_report,
)
from tidings.errors import RunError, UserError

__version__: str


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: what reads it takes half the time of ``import tidings``."""
    if name != "__version__":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib.metadata import version

    return version("tidings")


__all__ = [
    "RunError",
    "UserError",
    "analyze_collective",
    "bench_collectives",
    "bench_library",
    "bench_links",
    "bench_osu",
    "bench_programs",
    "bench_report",
    "bench_rma",
    "bench_simulator",
    "bench_soft_core",
    "bench_traffic",
    "check_machine",
    "check_random_machines",
    "compare",
    "compare_algorithms",
    "compare_with_paper",
    "compile_program",
    "list_algorithms",
    "list_machines",
    "load_events",
    "machine",
    "run",
    "sweep",
    "synthesize",
    "verify_machines",
    "whatif",
    "word_schedules",
    "write_perfetto",
    "write_report",
]
