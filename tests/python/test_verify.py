# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The RTL and the cycle model are the same on random machines, and a failure would be found and made small."""

import dataclasses
import fnmatch
import importlib.util
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import vcd.reader
from tidings.generated.packets import NO_LINK
from tidings.generated.registers import MpeCommand

from cli_support import Tidings
from tidings import _core
from tidings.bit_fields import BitField, PackedStruct, Register
from tidings.build.verilated_node import Variant, library, node_model
from tidings.generated import packets, registers
from tidings.machines.configuration import node_parameters
from tidings.machines.draw import random_machine
from tidings.machines.file import (
    SECTIONS,
    Barrier,
    Link,
    Machine,
    Memory,
    Mpe,
    Rma,
    Router,
    Stream,
    Topology,
    can_have_wires,
)
from tidings.verify import campaign, comparison, coverage, shrink, waves
from tidings.verify.comparison import Case, Difference, Failure, Stop
from tidings.verify.engine_uses import ENGINE_KINDS
from tidings.verify.plans import Grid
from tidings.verify.script import Access, Operation
from tidings.verify.writer import STATIC_KINDS, ScriptWriter, all_kinds

ROOT = Path(__file__).resolve().parents[2]
SEED = 11
#: Engines that no machine has by default are in no slot.
_WITHOUT: dict[str, Any] = {name: SECTIONS[name]() for name in ENGINE_KINDS}


def _machine(kind: str, dimensions: int, slots: int, arbiter: str) -> Machine:
    """Return a machine whose node tests/sim/build_libraries.py compiles too."""
    return dataclasses.replace(
        random_machine(random.Random(SEED)),
        topology=Topology(kind, slots, (2,) * dimensions),
        router=Router(8, 16, arbiter),
        rma=Rma(8),
        mpe=Mpe(128),
        memory=Memory(1, 1),
        link=Link(1),
        **_WITHOUT | {"barrier": Barrier((0,) if can_have_wires(kind, dimensions, reliable=False) else ())},
    )


def _graph() -> Machine:
    """Return routers that are joined in a circle with a chord, one of them without slots."""
    links = ((0, 1), (1, 2, 3), (2, 3), (3, 4), (4, 0), (1, 4))
    machine = _machine("mesh", 0, 2, "round-robin")
    return dataclasses.replace(
        machine,
        topology=Topology("graph", 2, routers=5, hosts=4, links=links),
        router=Router(8, 16, "round-robin", routes=0),
        mpe=Mpe(128, wide_elements=False),
    )


KINDS = [
    _machine("mesh", 2, 1, "round-robin"),
    _machine("torus", 3, 1, "fixed-priority"),
    dataclasses.replace(
        _machine("torus", 1, 1, "round-robin"),
        mpe=Mpe(128, direct_links=False),
        rma=Rma(8, names=256, atomics=True, packet_words=256),
    ),
    _graph(),
]
#: Engines that no machine has by default.
ENGINES: dict[str, Any] = {name: SECTIONS[name](slots=(0,)) for name in ENGINE_KINDS}
# A router in a row combines what comes from both sides with its own.
ENGINES |= {"alltoall": dataclasses.replace(ENGINES["alltoall"], adders=2)}
if ENGINES:
    KINDS.append(dataclasses.replace(_machine("mesh", 1, 1, "round-robin"), **ENGINES))
MESH, RING = KINDS[0], KINDS[2]


def _library(machine: Machine, *, waves: bool = False) -> Path:
    model = node_model(node_parameters(machine), Variant(assertions=True, quick=True, waves=waves), ROOT)
    return library(model, "node for tests", sources=ROOT)


def _waves_library(machine: Machine) -> Path:
    return _library(machine, waves=True)


def _resized(machine: Machine, *size: int) -> Machine:
    return dataclasses.replace(machine, topology=dataclasses.replace(machine.topology, size=size))


def _script(ranks: int, operations: int) -> list[Operation]:
    return ScriptWriter(random.Random(SEED)).draw(ranks, operations)


def test_rtl_and_cycle_model_are_equal_on_thirty_random_machines() -> None:
    totals, failure = campaign.run(
        KINDS,
        _library,
        count=30,
        seed=SEED,
        hops=500_000,
        complete_within=4_000_000,
        progress=lambda machines, hops: None,
    )
    assert failure is None, f"seed {SEED}: {failure.finding}"
    assert totals.machines >= 30
    # One kind of five can have them, and a quarter of its machines do.
    assert totals.with_reliable_links > 1
    assert totals.flit_hops >= 500_000
    assert campaign.missing(totals, KINDS) == []
    unseen = [name for name in coverage.all_bins() if not totals.coverage.seen[name]]
    stale = [pattern for pattern in coverage.UNDRAWN if not fnmatch.filter(unseen, pattern)]
    assert stale == [], "a reason is given why these are not drawn, and they are"
    assert totals.bus_reads > 100
    assert totals.interrupts > 100


def test_rtl_whose_parts_sleep_is_equal_too() -> None:
    """Users' nodes skip parts that sleep; those with assertions do not. Names are what `rma` has to wake up for."""

    def sleeping(machine: Machine) -> Path:
        return library(
            node_model(node_parameters(machine), Variant(quick=True), ROOT), "node that sleeps", sources=ROOT
        )

    kind = dataclasses.replace(_resized(RING, 4), name="ring that sleeps")
    totals, failure = campaign.run(
        [kind], sleeping, count=3, seed=SEED, hops=0, progress=lambda machines, hops: None, vary_machines=False
    )
    assert failure is None, f"seed {SEED}: {failure.finding}"
    assert totals.coverage.seen["machine read rma_name_result.found=1"]


def atomic_turns() -> list[Case]:
    """Return comparisons of atomic accesses that come close behind GETs and one another."""
    return [
        Case(_resized(RING, 4), seed, ScriptWriter(random.Random(seed)).draw_atomic_turns(4, 200))
        for seed in range(SEED, SEED + 4)
    ]


def test_atomic_accesses_close_behind_gets_and_one_another_are_equal_too() -> None:
    totals = comparison.Totals()
    for case in atomic_turns():
        failure = comparison.compare(case, _library, totals)
        assert failure is None, f"seed {case.seed}: {failure.finding}"
    assert totals.coverage.seen["machine packet get.atomic=1"]


def test_networks_of_stream_beside_static_switches_are_equal_too() -> None:
    """Its packets turn, are longer than the store, and stand still where nobody reads them, while words cross."""
    kind = dataclasses.replace(
        _machine("mesh", 2, 1, "round-robin"),
        name="network of stream beside static switches",
        router=Router(4, 8, "round-robin", turn_cycle=True),
        stream=Stream(slots=(0,), network="own", store_words=18),
        alltoall=ENGINES["alltoall"],
    )
    totals, failure = campaign.run([kind], _library, count=4, seed=SEED, hops=0, progress=lambda machines, hops: None)
    assert failure is None, f"seed {SEED}: {failure.finding}"
    seen = totals.coverage.seen
    assert seen["machine read stream_sizes.own_network=1"]
    assert seen["machine read stream_status.available=high"]
    assert seen["machine read stream_status.ready=0"]
    assert not seen["machine read stream_error.overflow=1"], "words wait for room instead"


def test_switches_along_three_dimensions_behave_like_the_twins() -> None:
    kind = dataclasses.replace(
        _machine("torus", 3, 1, "round-robin"),
        alltoall=dataclasses.replace(ENGINES["alltoall"], adders=6, buffer_words=16),
    )
    totals, failure = campaign.run([kind], _library, count=4, seed=SEED, hops=0, progress=lambda machines, hops: None)
    assert failure is None, f"seed {SEED}: {failure.finding}"
    seen = totals.coverage.seen
    assert seen["machine read alltoall_sizes.ports=6"]


def test_each_reason_why_something_is_not_drawn_is_of_something_that_there_is() -> None:
    for pattern in coverage.UNDRAWN:
        assert fnmatch.filter(coverage.all_bins(), pattern), pattern


def test_a_field_that_is_new_is_missing_until_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    class New(Register):
        NAME = "new"
        ADDRESS = 0x7F0
        FIELDS = (BitField("level", 0, 2, int), BitField("write_only", 8, 16, int, readable=False))

    covered = coverage.Coverage()
    covered.seen.update(coverage.all_bins())
    features = ("static_routes", "direct_links", "network", "slots", "narrow", "names", "atomics", "many_names")
    assert covered.missing(features) == []
    monkeypatch.setattr(registers, "REGISTERS", (*registers.REGISTERS, New))
    written = {f"write new.level={value}" for value in range(4)} | {f"write new.write_only={v}" for v in ("0", "other")}
    read = {f"read new.level={value}" for value in range(4)} | {"read new"}
    assert set(covered.missing(features)) == {f"{who} {what}" for who in coverage.SUBJECTS for what in written | read}
    accesses = [(True, 0x7F0, 2 | 5 << 8), (False, 0x7F0, 1)]
    covered.see_accesses("node", accesses)
    drawn = {"write new.level=2", "write new.write_only=other", "read new.level=1", "read new"}
    assert set(covered.missing(features)) & {f"node {what}" for what in drawn} == set()


def test_what_info_holds_is_known_of_every_kind_of_packet_that_uses_it() -> None:
    structures = {
        structure
        for name, structure in vars(packets).items()
        if name.endswith("Info") and issubclass(structure, PackedStruct)
    }
    assert structures == set(coverage.INFOS.values())


def test_a_packet_covers_what_its_own_kind_says_and_no_second_word_that_it_does_not_have() -> None:
    put = packets.Header0(packets.Kind.PUT).encode()
    info = packets.PutInfo(ack=True, region=200).encode()
    covered = coverage.Coverage()
    covered.see_packets("node", [(put, None)])
    assert not any(covered.seen[f"node packet header1.{name}=0"] for name in ("src_slot", "info", "length"))
    covered.see_packets("node", [(put, packets.Header1(info=info).encode())])
    seen = {name for name, count in covered.seen.items() if count}
    assert seen >= {f"node packet {name}" for name in ("header0.kind=put", "put.ack=1", "put.region=high")}
    assert not any(name.startswith("node packet get") for name in seen)


def test_nodes_of_grids_are_compiled_once_for_these_tests_and_those_of_the_simulator() -> None:
    spec = importlib.util.spec_from_file_location("build_libraries", ROOT / "tests" / "sim" / "build_libraries.py")
    assert spec is not None
    assert spec.loader is not None
    build_libraries = sys.modules["build_libraries"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_libraries)
    tested = Variant(assertions=True, quick=True)
    others = [node_model(machine.parameters(), tested, ROOT) for machine in build_libraries.MACHINES]
    for kind in (MESH, KINDS[1]):
        assert node_model(node_parameters(kind), tested, ROOT) in others


def test_scripts_see_every_kind_of_operation() -> None:
    writer = ScriptWriter(random.Random(SEED))
    engines = dict.fromkeys(["mpe", *ENGINE_KINDS], range(8))
    scripts = [writer.draw(8, campaign.OPERATIONS, routes=16, ports=5, engines=engines) for _ in range(10)]
    of_engines = {kind for kinds in ENGINE_KINDS.values() for kind in kinds}
    assert {operation.kind for script in scripts for operation in script} >= {*all_kinds(), *STATIC_KINDS, *of_engines}


def test_one_of_the_kinds_that_are_drawn_has_links() -> None:
    for seed in range(200):
        assert any(kind.ports for kind in campaign.draw_kinds(random.Random(seed), 1)), f"seed {seed}"


def test_flit_hops_of_a_crossbar_are_refused(tidings: Tidings, tmp_path: Path) -> None:
    crossbar = (ROOT / "machines" / "crossbar.toml").read_text()
    (tmp_path / "mine.toml").write_text(crossbar)
    result = tidings("verify", "-m", "mine.toml", "--hops", "1000")
    assert result.returncode != 0
    assert "is a crossbar, which has no links" in result.stderr


def test_a_folder_that_is_not_there_is_told_before_anything_is_compared(tidings: Tidings) -> None:
    result = tidings("verify", "-m", "spirit", "--out", "nowhere/failure.json")
    assert result.returncode != 0
    assert "the folder nowhere does not exist" in result.stderr
    assert "building" not in result.stderr


# ---------------------------------------------------------------- what fails on both sides


def test_a_command_that_never_completes_is_a_failure_that_says_what_waits() -> None:
    """A barrier of two ranks that only one of them enters."""
    script = [operation for operation in _script(4, 1) if operation.kind == "set-up"]
    command = MpeCommand(parent=NO_LINK, children=0b11)  # a barrier at the root
    script.append(Operation("barrier", 0, True, [Access(0, 0, True, MpeCommand.at(), command.encode())]))
    failure = comparison.compare(Case(_resized(MESH, 2, 2), SEED, script), _library)
    assert failure is not None
    assert isinstance(failure.finding, Stop)
    assert failure.finding.node == 0
    assert failure.finding.reason == "nothing moves any more, and commands wait: rank 0: 0 of 1 collective complete"


# ---------------------------------------------------------------- small failures


def test_a_failure_is_made_small_and_can_be_replayed(tmp_path: Path) -> None:
    """It needs one PUT to another rank."""
    machine = dataclasses.replace(_resized(MESH, 4, 3), link=Link(5), memory=Memory(1, 9))

    def find(case: Case) -> Failure | None:
        puts = [
            access
            for operation in case.script
            if operation.kind == "put"
            for access in operation.accesses
            if access.to is not None and access.to != access.rank
        ]
        return Failure(case, Difference(7, 1, "port 0", "flit.data", 1, 2)) if puts else None

    failure = find(Case(machine, SEED, _script(12, 100)))
    assert failure is not None
    small = shrink.shrink(failure, find, sys.maxsize).case
    assert [operation.kind for operation in small.script] == ["put"]
    assert small.machine.routers == 2
    assert small.machine.link == Link(1)
    assert small.machine.memory.latency_cycles == 1
    path = tmp_path / "failure.json"
    comparison.write(path, small)
    assert comparison.read(path) == small


def test_random_packets_that_a_failure_does_not_need_are_left_out() -> None:
    """It needs packets 5 and 700."""

    def find(case: Case) -> Failure | None:
        assert case.packets is not None
        return Failure(case, Stop(9, 0, "")) if {5, 700} <= set(case.packets) else None

    failure = Failure(Case(MESH, SEED, [], 4000, list(range(1000))), Stop(9, 0, ""))
    assert shrink.shrink(failure, find, sys.maxsize).case.packets == [5, 700]


def test_packets_that_are_left_out_are_not_sent_to_the_node() -> None:
    totals = comparison.Totals()
    assert comparison.compare(Case(MESH, SEED, [], 1000, [0, 1, 2]), _library, totals) is None
    assert sum(totals.seen[kind] for kind in comparison.packet_kinds()) == 3


@pytest.mark.parametrize("wide", [True, False])
def test_what_one_member_of_a_drawn_reduction_refuses_none_begins(wide: bool) -> None:
    """A member that only sends knows neither elements nor halves of them: it would wait for a sum for ever."""
    grid = Grid((2, 2), 1, wraps=False, direct_links=False, adders=4, wide_elements=wide)
    ranks = range(4)
    script = ScriptWriter(random.Random(SEED)).draw(4, 400, grid=grid, engines={"mpe": ranks, "alltoall": ranks})
    sums, start = registers.AlltoallSums, registers.AlltoallStart
    elements = set()
    for operation in script:
        last: dict[int, Any] = {}
        begun = []
        for access in operation.accesses:
            if not access.write:
                continue
            if access.address == sums.at():
                last[access.rank] = sums.decode(access.data)
            elif access.address == start.at() and access.data and last[access.rank].summands.bit_count() > 1:
                begun.append((access.rank, last[access.rank].element, access.data))
        final = {rank: (element, words) for rank, element, words in begun}.values()
        assert len(set(final)) <= 1, operation
        for element, words in final:
            elements.add(element)
            assert not packets.is_wide(packets.Element(element)) or (wide and words % 2 == 0), operation
    assert elements == ({0, 1, 2, 3} if wide else {0, 2})


@pytest.mark.parametrize(
    "finding",
    [Difference(7, 1, "port 0", "flit.data", 1, 2), Stop(7, 1, "a command waits", _core.StopKind.WAITING)],
    ids=["difference", "waiting"],
)
def test_what_fails_in_another_way_is_not_the_same_failure(finding: Difference | Stop) -> None:
    def find(case: Case) -> Failure:
        return Failure(case, Stop(1, 0, "it does not come to rest", _core.StopKind.BUSY))

    failure = Failure(Case(MESH, SEED, _script(4, 10)), finding)
    assert shrink.shrink(failure, find, sys.maxsize) == failure


# ---------------------------------------------------------------- waveforms


def _changes(path: Path) -> dict[str, list[tuple[int, str]]]:
    """Return the changes of each signal of a VCD file: time and binary digits."""
    names: dict[str, str] = {}
    widths: dict[str, int] = {}
    scopes: list[str] = []
    changes: dict[str, list[tuple[int, str]]] = defaultdict(list)
    time = 0
    with path.open("rb") as file:
        for token in vcd.reader.tokenize(file):
            match token.kind:
                case vcd.reader.TokenKind.SCOPE:
                    scopes.append(token.scope.ident)
                case vcd.reader.TokenKind.UPSCOPE:
                    scopes.pop()
                case vcd.reader.TokenKind.VAR:
                    names[token.var.id_code] = ".".join([*scopes, token.var.reference])
                    widths[token.var.id_code] = token.var.size
                case vcd.reader.TokenKind.CHANGE_TIME:
                    time = token.time_change
                case vcd.reader.TokenKind.CHANGE_SCALAR:
                    changes[names[token.scalar_change.id_code]].append((time, str(token.scalar_change.value)))
                case vcd.reader.TokenKind.CHANGE_VECTOR:
                    value = token.vector_change.value
                    width = widths[token.vector_change.id_code]
                    digits = f"{value:0{width}b}" if isinstance(value, int) else value
                    changes[names[token.vector_change.id_code]].append((time, digits))
                case _:
                    pass
    return changes


def test_waveforms_of_both_sides_have_the_ports_of_the_node_around_the_failure(tmp_path: Path) -> None:
    """The library is one that tests/sim/build_libraries.py compiles too."""
    case = Case(_resized(RING, 4), SEED, _script(4, 60))
    finding = Difference(cycle=800, node=2, place="port 0", field="flit.data", expected=1, got=2)
    for number, of_fabric in enumerate((False, True)):
        failure = Failure(case, dataclasses.replace(finding, of_fabric=of_fabric))
        rtl, cycle = waves.record(failure, _waves_library, tmp_path / f"failure{number}.json")
        assert rtl.stat().st_size > 10_000
        changes = _changes(cycle)
        assert {name for name in changes if name.count(".") == 1} >= {
            f"node_2.{name}"
            for name in ("clk_i", "flit_valid_i", "flit_o", "credit_o", "bus_i", "interrupt_o", "memory_write_o")
        }
        times = [time for signal in changes.values() for time, _ in signal]
        begin, end = (waves.time_of(case, cycle) for cycle in (400, 840))
        assert begin <= min(times) < waves.time_of(case, 500)
        assert waves.time_of(case, 800) < max(times) <= end
        # A flit is there exactly where it is valid, in the vector as in the fields of its port.
        valid = dict(changes["node_2.port0.flit_valid_o"])
        data = dict(changes["node_2.port0.flit_o.data"])
        assert "1" in valid.values()
        assert all(("x" not in data[time]) == (value == "1") for time, value in valid.items())
