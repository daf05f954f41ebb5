# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""One message passing engine among modelled neighbours, and eight of them as a tree, over both sorts of links."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
import pytest
from harness.clock import start
from harness.packets import Kind
from harness.runner import run
from mpe_model import (
    ELEMENTS,
    NO_LINK,
    Bench,
    Collective,
    Combine,
    Command,
    Elements,
    Engine,
    Link,
    Neighbour,
    Shaping,
    combine,
    random_elements,
    words_of,
)

SOURCE, DESTINATION = 0x1000, 0x8000
FLOATING_COMBINES = (Combine.SUM, Combine.MIN, Combine.MAX)


async def begin(dut: Any, seed: int, **options: Any) -> Bench:
    """Reset the engines and return their surroundings."""
    bench = Bench(dut, seed, **options)
    await start(dut)
    return bench


def combines_of(element: int) -> tuple[Combine, ...]:
    """Return what an element type can be combined with."""
    return FLOATING_COMBINES if element >= 2 else tuple(Combine)


@dataclass
class Expected:
    """What one collective must bring: words to the parent, to every child, and into memory."""

    up: list[int]
    down: list[int]
    memory: list[int]


def prepare(engine: Engine, neighbours: list[Neighbour], command: Command, rng: np.random.Generator) -> Expected:
    """Put a collective's contributions into memory and into the neighbours' mouths."""
    operation, count = command.operation, command.count
    root = command.parent == NO_LINK
    head = [command.descriptor]
    up: list[int] = []
    down: list[int] = []
    memory: list[int] = []
    if operation in (Collective.REDUCE, Collective.ALLREDUCE):
        result = random_elements(rng, command.element, count)
        engine.store(command.source, result)
        for link in command.child_links():
            contribution = random_elements(rng, command.element, count)
            neighbours[link].to_send.extend(head + words_of(contribution))
            result = combine(command.combine, result, contribution)
        if root:
            memory = words_of(result)
        else:
            up = head + words_of(result)
        if operation == Collective.ALLREDUCE:
            if not root:
                memory = words_of(random_elements(rng, command.element, count))
                neighbours[command.parent].to_send.extend(head + memory)
            down = head + memory
    elif operation == Collective.BROADCAST:
        words = words_of(random_elements(rng, 0, count))
        down = head + words
        if root:
            engine.store(command.source, np.array(words, dtype=np.uint32))
        else:
            neighbours[command.parent].to_send.extend(down)
            memory = words
    else:
        for link in command.child_links():
            neighbours[link].to_send.extend(head)
        down = head
        if not root:
            up = head
            neighbours[command.parent].to_send.extend(head)
    return Expected(up, down, memory)


class Script:
    """Runs a sequence of collectives on engine 0 and checks each when the engine says that it is complete."""

    def __init__(self, bench: Bench, seed: int, direct: Sequence[int] = (0, 0, 0, 0)) -> None:
        """Surround engine 0; `direct` has a mask of the direct links of each context."""
        self.bench = bench
        self.engine = bench.engines[0]
        self.contexts = [bench.surround(context, mask) for context, mask in enumerate(direct)]
        self.neighbours = self.contexts[0]
        self.rng = np.random.default_rng(seed)
        self.commands: list[tuple[Command, Expected]] = []
        self.sent: list[list[list[int]]] = [[[] for _ in range(8)] for _ in self.contexts]
        self.engine.on_done = self.check

    def add(self, command: Command) -> None:
        """Queue a collective."""
        self.commands.append((command, prepare(self.engine, self.contexts[command.context], command, self.rng)))
        self.engine.commands.append(command)

    def check(self, number: int) -> None:
        """Check that all words of a collective have been sent and written, and nothing else."""
        command, expected = self.commands[number]
        to_send = self.sent[command.context]
        if command.parent != NO_LINK:
            to_send[command.parent] += expected.up
        for link in command.child_links():
            if command.operation != Collective.REDUCE:
                to_send[link] += expected.down
        for neighbours, sent_to in zip(self.contexts, self.sent, strict=True):
            for neighbour, sent in zip(neighbours, sent_to, strict=True):
                assert neighbour.received == sent, f"{neighbour.engine_link} after collective {number}: {command}"
        addresses = [command.destination + 4 * index for index in range(len(expected.memory))]
        assert self.engine.writes == list(zip(addresses, expected.memory, strict=True)), f"{command}"
        self.engine.writes.clear()

    async def finish(self, limit: int = 20_000) -> None:
        """Run until every collective is complete and the engine has come to rest; check the credits."""
        await self.bench.run_until(lambda: len(self.engine.done) == len(self.commands), limit)
        await self.bench.run_until(lambda: not self.engine.busy and not self.engine.credits, limit)
        assert self.engine.status.failed == 0
        for neighbour in itertools.chain(*self.contexts):
            assert not neighbour.to_send
            # What has not been told yet is less than a quarter of the buffer.
            assert neighbour.room > self.bench.buffer_words * 3 // 4


def random_command(rng: random.Random, number: int, largest: int) -> Command:
    """Return any collective with any place in the tree."""
    links = rng.sample(range(8), rng.randint(1, 5))
    root = rng.random() < 0.4
    element = rng.randrange(4)
    return Command(
        operation=rng.choice(list(Collective)),
        descriptor=rng.getrandbits(32),
        element=element,
        combine=rng.choice(combines_of(element)),
        parent=NO_LINK if root else links[0],
        children=sum(1 << link for link in links[0 if root else 1 :]),
        source=SOURCE + number * 0x800,
        destination=DESTINATION + number * 0x800,
        count=rng.choice((0, 1, 2, 3, rng.randint(4, 40), rng.randint(40, largest))),
        context=rng.randrange(4),
    )


@cocotb.test()
async def reduces_every_element_type_with_every_operation(dut: Any) -> None:
    bench = await begin(dut, 1)
    script = Script(bench, 1)
    number = 0
    for element in range(len(ELEMENTS)):
        for operation in combines_of(element):
            script.add(
                Command(
                    Collective.ALLREDUCE,
                    descriptor=0xABC0_0000 + number,
                    element=element,
                    combine=operation,
                    parent=NO_LINK if number % 2 else 7,
                    children=0b0100_1001,
                    source=SOURCE + 0x400 * number,
                    destination=DESTINATION,
                    count=101,
                )
            )
            number += 1
    await script.finish()


@cocotb.test()
async def counts_from_none_to_many_are_complete_at_every_place_in_the_tree(dut: Any) -> None:
    bench = await begin(dut, 2)
    script = Script(bench, 2)
    places = ((NO_LINK, 0b11), (NO_LINK, 0), (2, 0b1000_0000), (2, 0))
    for number, (operation, (parent, children), count) in enumerate(
        itertools.product(Collective, places, (0, 1, 2, 15, 16, 17, 150))
    ):
        script.add(
            Command(
                operation,
                descriptor=number,
                element=number % 4,
                parent=parent,
                children=children,
                source=SOURCE + 0x600 * (number % 8),
                destination=DESTINATION,
                count=count,
            )
        )
        await script.finish()


@cocotb.test()
async def mixed_collectives_follow_each_other_under_idle_and_back_pressure(dut: Any) -> None:
    bench = await begin(dut, 3)
    script = Script(bench, 3)
    rng = random.Random(3)
    for batch in range(20):
        bench.shaping = Shaping.random(rng)
        for number in range(6):
            script.add(replace(random_command(rng, number, 120), descriptor=batch << 8 | number))
        await script.finish(60_000)


@cocotb.test()
async def no_packet_starts_before_the_neighbour_has_room(dut: Any) -> None:
    bench = await begin(dut, 4)
    script = Script(bench, 4)
    child = script.neighbours[3]
    child.returns_credits = False
    script.add(Command(Collective.BROADCAST, 1, children=0b1000, source=SOURCE, count=3 * bench.buffer_words))
    await bench.run(6 * bench.buffer_words)
    # The bench has checked every packet; all that fits has been sent, but for a last packet that is too large.
    assert bench.buffer_words - bench.packet_words < len(child.received) <= bench.buffer_words
    assert not script.engine.busy or bench.engines[0].status.completed == 0
    child.returns_credits = True
    await script.finish()


@cocotb.test()
async def a_word_goes_on_while_later_ones_are_far_away(dut: Any) -> None:
    bench = await begin(dut, 5)
    script = Script(bench, 5)
    child, parent = script.neighbours[0], script.neighbours[1]
    script.add(Command(Collective.REDUCE, 7, parent=1, children=0b1, source=SOURCE, destination=DESTINATION, count=30))
    script.add(Command(Collective.BROADCAST, 8, parent=1, children=0b1, destination=DESTINATION, count=30))
    late = [child.to_send.pop() for _ in range(20)]
    held = [parent.to_send.pop() for _ in range(20)]
    await bench.run(200)
    assert len(parent.received) == 11
    child.to_send.extend(reversed(late))
    await bench.run(200)
    assert len(child.received) == 11
    parent.to_send.extend(reversed(held))
    await script.finish()


@cocotb.test()
async def a_waiting_engine_is_not_busy(dut: Any) -> None:
    bench = await begin(dut, 6)
    script = Script(bench, 6)
    child = script.neighbours[0]
    script.add(Command(Collective.REDUCE, 7, children=0b1, source=SOURCE, destination=DESTINATION, count=40))
    held = list(child.to_send)
    child.to_send.clear()
    await bench.run(200)
    assert not bench.engines[0].busy
    child.to_send.extend(held)
    await script.finish()


@cocotb.test()
async def a_stream_flows_at_one_word_a_cycle(dut: Any) -> None:
    bench = await begin(dut, 7, memory_latency=8)
    script = Script(bench, 7)
    for number, element in enumerate((0, 1, 2, 3)):
        count = 200 if element in (0, 2) else 100
        command = Command(
            Collective.REDUCE, number, element=element, parent=1, children=0b1, source=SOURCE, count=count
        )
        script.add(command)
        before = bench.cycle
        await script.finish()
        # A packet has 3 cycles of header and choice; the rest is latency and small packets at the beginning.
        assert bench.cycle - before < 200 * (bench.packet_words + 3) // bench.packet_words + 120


@cocotb.test()
async def a_descriptor_goes_on_four_cycles_after_it_came(dut: Any) -> None:
    bench = await begin(dut, 15)
    script = Script(bench, 15)
    script.add(Command(Collective.BARRIER, 7, parent=1, children=0b1))
    descriptor = script.neighbours[0].to_send.pop()
    await bench.run(20)
    script.engine.arrivals.append((bench.cycle, 0, descriptor))
    arrival = bench.cycle
    script.neighbours[0].room -= 1
    await script.finish()
    # Stored, read, compared, chosen for a packet: the header is there in the cycle after.
    assert [cycle - arrival for cycle, packet in script.engine.packets if packet.dst_node == 101] == [4]


@cocotb.test()
async def words_that_wait_in_one_context_are_not_in_the_way_of_another(dut: Any) -> None:
    bench = await begin(dut, 17)
    script = Script(bench, 17)
    # Full buffers at the same link, for a collective that nobody has started.
    early = Command(Collective.BROADCAST, 9, parent=2, destination=DESTINATION, count=bench.buffer_words, context=3)
    expected = prepare(script.engine, script.contexts[3], early, script.rng)
    await bench.run(4 * bench.buffer_words)
    assert script.contexts[3][2].room == 0
    script.add(Command(Collective.BROADCAST, 8, parent=2, children=1, destination=DESTINATION, count=40, context=1))
    await bench.run_until(lambda: len(script.engine.done) == 1, 1000)
    script.commands.append((early, expected))
    script.engine.commands.append(early)
    await script.finish()


@cocotb.test()
async def results_go_down_while_contributions_are_coming_up(dut: Any) -> None:
    bench = await begin(dut, 8)
    script = Script(bench, 8)
    child = script.neighbours[0]
    script.add(Command(Collective.ALLREDUCE, 7, children=0b1, source=SOURCE, destination=DESTINATION, count=50))
    held = [child.to_send.pop() for _ in range(25)]
    await bench.run(200)
    assert len(child.received) == 26
    child.to_send.extend(reversed(held))
    await script.finish()


@cocotb.test()
async def a_differing_descriptor_of_a_child_stops_the_engine(dut: Any) -> None:
    bench = await begin(dut, 9)
    neighbours = bench.surround()
    engine = bench.engines[0]
    engine.commands.extend(
        Command(Collective.REDUCE, 5, parent=1, children=0b1100, source=SOURCE, count=20) for _ in range(2)
    )
    neighbours[2].to_send.extend([5, 1, 2, 3])
    neighbours[3].to_send.extend([6, 1, 2, 3])
    await bench.run(300)
    status = engine.status
    assert (status.mismatch, status.link, status.received, status.failed) == (True, 3, 6, 1)
    assert status.completed == 0
    assert neighbours[1].received == []
    assert not engine.busy


@cocotb.test()
async def a_differing_descriptor_of_the_parent_stops_the_engine(dut: Any) -> None:
    bench = await begin(dut, 10)
    neighbours = bench.surround(2)
    engine = bench.engines[0]
    engine.commands.append(
        Command(Collective.BROADCAST, 5, parent=6, children=0b1, destination=DESTINATION, count=3, context=2)
    )
    neighbours[6].to_send.extend([9, 1, 2, 3])
    await bench.run(300)
    status = engine.status
    assert (status.mismatch, status.link, status.received, status.failed) == (True, 6, 9, 1)
    assert status.context == 2
    assert neighbours[0].received == []
    assert engine.writes == []
    assert not engine.busy


@cocotb.test()
async def a_command_too_many_is_refused_and_told(dut: Any) -> None:
    bench = await begin(dut, 11)
    neighbours = bench.surround()
    engine = bench.engines[0]
    engine.force_commands = True
    engine.commands.extend(Command(Collective.BARRIER, number, children=0b1) for number in range(4))
    await bench.run(20)
    assert (engine.status.overflow, engine.status.failed) == (True, 1)
    # The one under way and the two in the queue are not disturbed.
    neighbours[0].to_send.extend(range(3))
    await bench.run(100)
    assert engine.status.completed == 3
    assert not engine.status.mismatch


def binomial(node: int, root: int, dimensions: int = 3) -> tuple[int, int]:
    """Return parent link and children mask of a node of a hypercube's binomial tree; link d flips bit d."""
    relative = node ^ root
    lowest = (relative & -relative).bit_length() - 1 if relative else dimensions
    return (lowest if relative else NO_LINK), (1 << lowest) - 1


def tree_result(command: Command, contributions: list[Elements], node: int, root: int) -> Elements:
    """Return the combination of a node's subtree, in the order that the engines promise."""
    total = contributions[node]
    _, children = binomial(node, root)
    for link in range(3):
        if children >> link & 1:
            total = combine(command.combine, total, tree_result(command, contributions, node ^ 1 << link, root))
    return total


def exchange_result(command: Command, contributions: list[Elements]) -> Elements:
    """Return the outcome of an exchange on the hypercube, the lower node's operand first in each round."""
    for dimension in (1, 0, 2) if command.swap & 1 else (0, 1, 2):
        contributions = [
            combine(command.combine, contributions[node & ~(1 << dimension)], contributions[node | 1 << dimension])
            for node in range(8)
        ]
    assert all(words_of(result) == words_of(contributions[0]) for result in contributions)
    return contributions[0]


async def run_on_tree(bench: Bench, rng: random.Random, seed: int, commands: int, largest: int) -> None:
    """Run random collectives with random roots on eight engines, a few at once, and check all results."""
    numbers = np.random.default_rng(seed)
    for batch in range(0, commands, 4):
        expectations: list[tuple[int, int, list[int]]] = []
        for number in range(4):
            root = rng.randrange(8)
            element = rng.randrange(4)
            count = rng.choice((0, 1, 2, 3, rng.randint(4, largest)))
            operation = rng.choice(list(Collective))
            common = Command(
                operation,
                descriptor=batch + number,
                element=element,
                combine=rng.choice(combines_of(element)),
                source=SOURCE + 0x800 * number,
                destination=DESTINATION + 0x800 * number,
                count=count,
                context=rng.randrange(bench.contexts),
            )
            if operation in (Collective.BARRIER, Collective.ALLREDUCE) and rng.random() < 0.5:
                count = rng.choice((0, 1, rng.randint(2, bench.packet_words // 2)))
                common = replace(common, exchange=True, swap=rng.randrange(16), count=count)
            is_broadcast = operation == Collective.BROADCAST
            contributions = [random_elements(numbers, 0 if is_broadcast else element, count) for _ in range(8)]
            if common.exchange:
                result = exchange_result(common, contributions)
            else:
                result = contributions[root] if is_broadcast else tree_result(common, contributions, root, root)
            for node, engine in enumerate(bench.engines):
                parent, children = (NO_LINK, 0b111) if common.exchange else binomial(node, root)
                engine.store(common.source, contributions[node])
                engine.commands.append(replace(common, parent=parent, children=children))
                gets = {
                    Collective.BARRIER: False,
                    Collective.BROADCAST: node != root,
                    Collective.REDUCE: node == root,
                    Collective.ALLREDUCE: True,
                }[operation]
                if gets:
                    expectations.append((node, common.destination, words_of(result)))
        await bench.run_until(
            lambda total=batch + 4: all(engine.status.completed == total for engine in bench.engines),  # type: ignore[misc]
            50_000,
        )
        for node, address, words in expectations:
            assert bench.engines[node].load(address, len(words)) == words
    await bench.run_until(lambda: not any(engine.busy or engine.credits for engine in bench.engines), 1000)
    for (_, _), outstanding in bench.outstanding.items():
        assert 0 <= outstanding < bench.buffer_words // 4


def hypercube(bench: Bench, direct: int = 0) -> None:
    """Connect eight engines as a hypercube, in all contexts: link d leads to the node that differs in bit d.

    `direct` has a bit for each dimension in which the engines are joined port to port.
    """
    for node, contexts in enumerate(bench.links):
        for links, dimension in itertools.product(contexts, range(3)):
            links[dimension] = Link(node ^ 1 << dimension, dimension, bool(direct >> dimension & 1))
    bench.connect()


@cocotb.test()
async def a_tree_of_eight_agrees_whatever_the_root(dut: Any) -> None:
    bench = await begin(dut, 12)
    hypercube(bench)
    await run_on_tree(bench, random.Random(12), 12, 32, 150)


@cocotb.test()
async def a_tree_of_eight_agrees_under_idle_and_back_pressure(dut: Any) -> None:
    bench = await begin(dut, 13, network_latency=20, memory_latency=8)
    hypercube(bench)
    bench.shaping = Shaping(0.5, 0.3, 0.6, 0.6, 0.7, 0.8)
    await run_on_tree(bench, random.Random(13), 13, 24, 60)


@cocotb.test()
async def engines_with_direct_links_agree_under_idle_and_back_pressure(dut: Any) -> None:
    bench = await begin(dut, 22, network_latency=20, memory_latency=8)
    hypercube(bench, direct=0b111)
    bench.shaping = Shaping(0.5, 0.3, 0.6, 0.6, 0.7, 0.8, lane_ready=0.5, tap=0.8)
    await run_on_tree(bench, random.Random(22), 22, 32, 100)
    for engine in bench.engines:
        assert not any(packet.kind == Kind.STREAM for _, packet in engine.packets)
        assert engine.lane_packets
        assert any(packet.ports.bit_count() > 1 for _, packet in engine.direct)


@cocotb.test()
async def direct_and_other_links_mix_in_a_tree(dut: Any) -> None:
    bench = await begin(dut, 23)
    hypercube(bench, direct=0b101)
    await run_on_tree(bench, random.Random(23), 23, 16, 100)


@cocotb.test()
async def a_neighbour_behind_a_direct_link_gets_the_same_words_as_any_other(dut: Any) -> None:
    bench = await begin(dut, 21)
    script = Script(bench, 21, direct=(0b11_1111, 0b01_0110, 0b10_1000, 0))
    rng = random.Random(21)
    for batch in range(12):
        bench.shaping = Shaping.random(rng)
        for number in range(6):
            script.add(replace(random_command(rng, number, 120), descriptor=batch << 8 | number))
        await script.finish(60_000)
    assert script.engine.lane_packets
    assert any(packet.ports.bit_count() > 1 for _, packet in script.engine.direct)


@cocotb.test()
async def a_long_allreduce_lives_on_returned_credits(dut: Any) -> None:
    bench = await begin(dut, 16, network_latency=80)
    hypercube(bench)
    count = 3 * bench.buffer_words // 2
    numbers = np.random.default_rng(16)
    contributions = [random_elements(numbers, 3, count) for _ in bench.engines]
    common = Command(Collective.ALLREDUCE, 3, element=3, source=SOURCE, destination=DESTINATION, count=count)
    for node, engine in enumerate(bench.engines):
        parent, children = binomial(node, 5)
        engine.store(SOURCE, contributions[node])
        engine.commands.append(replace(common, parent=parent, children=children))
    # The root takes three streams through one port.
    await bench.run_until(lambda: all(engine.done for engine in bench.engines), 1500 + 10 * count)
    expected = words_of(tree_result(common, contributions, 5, 5))
    for engine in bench.engines:
        assert engine.load(DESTINATION, 2 * count) == expected


@cocotb.test()
async def a_barrier_lets_nobody_go_before_the_last_has_come(dut: Any) -> None:
    bench = await begin(dut, 14)
    hypercube(bench)
    for node, engine in enumerate(bench.engines[:7]):
        parent, children = binomial(node, 0)
        engine.commands.append(Command(Collective.BARRIER, 1, parent=parent, children=children))
    await bench.run(300)
    assert not any(engine.done for engine in bench.engines)
    parent, children = binomial(7, 0)
    bench.engines[7].commands.append(Command(Collective.BARRIER, 1, parent=parent, children=children))
    await bench.run_until(lambda: all(engine.done for engine in bench.engines), 300)
    kinds = [packet.kind for engine in bench.engines for _, packet in engine.packets]
    assert kinds == [Kind.STREAM] * 14


@cocotb.test()
async def an_exchange_is_over_after_one_latency_a_round(dut: Any) -> None:
    latency = 80
    bench = await begin(dut, 18, network_latency=latency)
    hypercube(bench)
    barrier = Command(Collective.BARRIER, 1, children=0b111, exchange=True)
    for engine in bench.engines:
        engine.commands.append(barrier)
    begun = bench.cycle
    await bench.run_until(lambda: all(engine.done for engine in bench.engines), 1000)
    # Beside the latency a round is a packet of three words and four cycles from the descriptor to the next packet.
    assert bench.cycle - begun <= 3 * (latency + 7) + 8
    assert all([packet.length for _, packet in engine.packets] == [1, 1, 1] for engine in bench.engines)


@cocotb.test()
async def an_exchange_waits_for_the_last(dut: Any) -> None:
    bench = await begin(dut, 19)
    hypercube(bench)
    barrier = Command(Collective.BARRIER, 1, children=0b111, exchange=True)
    for engine in bench.engines[:7]:
        engine.commands.append(barrier)
    await bench.run(300)
    assert not any(engine.done for engine in bench.engines)
    bench.engines[7].commands.append(barrier)
    await bench.run_until(lambda: all(engine.done for engine in bench.engines), 300)


@cocotb.test()
async def a_differing_descriptor_stops_an_exchange(dut: Any) -> None:
    bench = await begin(dut, 20)
    neighbours = bench.surround()
    engine = bench.engines[0]
    engine.commands.append(Command(Collective.ALLREDUCE, 5, children=0b101, source=SOURCE, count=4, exchange=True))
    neighbours[0].to_send.extend([5, 1, 2, 3, 4])
    neighbours[2].to_send.extend([6, 1, 2, 3, 4])
    await bench.run(300)
    status = engine.status
    assert (status.mismatch, status.link, status.received, status.completed) == (True, 2, 6, 0)
    assert neighbours[0].received == [5, 0, 0, 0, 0]
    assert not engine.busy


@pytest.mark.parametrize(
    ("buffer_words", "packet_words", "combine_ports", "stages", "direct_links"),
    [
        pytest.param(64, 16, 1, 4, 6, id="small buffers that wrap and fill often, one child a pass, direct links"),
        pytest.param(512, 64, 3, 3, 0, id="sizes of a machine, three children a pass, shorter adder"),
    ],
)
def test_mpe(buffer_words: int, packet_words: int, combine_ports: int, stages: int, direct_links: int) -> None:
    folder = Path(__file__).parent
    run(
        "mpe_bench",
        __file__,
        {
            "MpeBufferWords": buffer_words,
            "MpePacketWords": packet_words,
            "MpeCombinePorts": combine_ports,
            "FpuStages": stages,
            "DirectLinks": direct_links,
        },
        optimise="-O1",
        test_filter=None if direct_links else r"^((?!direct).)*$",
        extra_sources=[
            folder / "mpe_bench_pkg.sv",
            folder.parent / "harness" / "clock_gate.sv",
            folder / "mpe_bench.sv",
            folder / "mpe_bench.vlt",
        ],
    )
