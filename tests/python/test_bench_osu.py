# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench osu`: each benchmark measures what its name says, and no figure is better than its bound."""

import pytest

import tidings
from tidings.bench.osu import Figure
from tidings.errors import UserError


def _measured(
    *benchmarks: str, machine: str = "spirit", ranks: int = 4, least_bytes: int = 1, most_bytes: int = 1 << 16
) -> dict[tuple[str, int], Figure]:
    rows = tidings.bench_osu(
        machine,
        benchmarks=benchmarks,
        ranks=ranks,
        least_bytes=least_bytes,
        most_bytes=most_bytes,
        iterations=2,
    )
    return {(row.benchmark, row.bytes): row for row in rows}


@pytest.mark.parametrize("machine", ["spirit", "mesh8x8", "crossbar"])
def test_no_figure_is_better_than_its_bound(machine: str) -> None:
    found = _measured(machine=machine, least_bytes=8, most_bytes=512)
    assert {row.family for row in found.values()} == {
        "point-to-point",
        "collective",
        "nonblocking collective",
        "one-sided",
    }
    for row in found.values():
        assert row.bound is not None
        better = row.value > row.bound if row.unit in ("MB/s", "1/s") else row.value < row.bound
        assert not better, row


def test_latency_and_bandwidth_grow_with_the_bytes() -> None:
    found = _measured("latency", "bw", "bibw", most_bytes=1 << 16)
    latencies = [found["latency", 1 << bit].value for bit in range(17)]
    assert latencies[16] > latencies[12] > latencies[8] > 0
    large = found["bw", 1 << 16]
    assert large.of_bound is not None
    assert 0.05 < large.of_bound < 1
    assert large.value > found["bw", 1 << 12].value
    assert found["bibw", 1 << 16].value > large.value
    assert found["bw", 64].value < large.value


def test_messages_of_more_pairs_come_at_a_higher_rate() -> None:
    one = _measured("mbw_mr", ranks=2, least_bytes=8, most_bytes=8)["mbw_mr", 8]
    four = _measured("mbw_mr", ranks=8, least_bytes=8, most_bytes=8)["mbw_mr", 8]
    assert four.value > 2 * one.value


def test_collectives_tell_the_spread_and_nonblocking_ones_the_overlap() -> None:
    found = _measured("bcast", "ibcast", "iallreduce", least_bytes=64, most_bytes=64)
    bcast, ibcast = found["bcast", 64], found["ibcast", 64]
    assert bcast.least is not None
    assert bcast.most is not None
    assert bcast.least <= bcast.value <= bcast.most
    assert bcast.overlap is None
    assert ibcast.overlap is not None
    assert 0 <= ibcast.overlap <= 100


@pytest.mark.parametrize("machine", ["spirit", "mesh8x8"])
@pytest.mark.parametrize("benchmark", ["iallreduce", "ibcast", "ireduce"])
def test_engines_work_on_long_vectors_while_ranks_compute_and_messages_do_not(machine: str, benchmark: str) -> None:
    size = 1 << 16
    by_engine, by_messages = (
        next(
            iter(
                tidings.bench_osu(
                    machine,
                    benchmarks=[benchmark],
                    ranks=4,
                    least_bytes=size,
                    most_bytes=size,
                    iterations=1,
                    collectives=kind,
                )
            )
        )
        for kind in ("hardware", "software")
    )
    assert by_engine.overlap is not None
    assert by_messages.overlap is not None
    assert by_engine.overlap > 80
    if benchmark != "ireduce":  # whose ranks need not wait until the root has everything
        assert by_messages.overlap < 30


def test_engines_beat_messages_in_a_barrier() -> None:
    by_engine, by_messages = (
        next(iter(tidings.bench_osu(benchmarks=["barrier"], ranks=8, collectives=kind))).value
        for kind in ("hardware", "software")
    )
    assert by_engine < by_messages


def test_benchmark_of_one_size_is_measured_with_it() -> None:
    assert set(_measured("fop_latency", "cas_latency", least_bytes=1, most_bytes=64)) == {
        ("fop_latency", 8),
        ("cas_latency", 8),
    }


def test_graph_has_no_bound() -> None:
    found = _measured("latency", machine="star", least_bytes=8, most_bytes=8)
    assert found["latency", 8].bound is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmarks": ["latencies"]}, "there is no benchmark 'latencies'; there are latency, bw"),
        ({"ranks": 1}, "messages need two"),
        ({"least_bytes": 8, "most_bytes": 4}, "the least first"),
    ],
)
def test_wrong_request_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        tidings.bench_osu(**options)  # type: ignore[arg-type]
