# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`crosspoint_router`: order, ownership, timing, that a full output is in nobody's way, and multicast."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import cocotb
import pytest
from harness.clock import start
from harness.flits import FlitPorts, FlitSink, FlitSource
from harness.packets import Flit, Kind, flits_of
from harness.runner import run
from harness.signals import unsigned
from tidings.generated.packets import SLOT_ID_WIDTH, Header0, RouteEntry, RouteWrite

#: Slots that one write to a static route names.
GROUP = 1 << SLOT_ID_WIDTH


class Bench:
    """A router with a source and a sink at each slot."""

    def __init__(self, dut: Any, seed: int = 1) -> None:
        def parameter(name: str) -> int:
            return int(getattr(dut, name).value.to_unsigned())

        self.dut = dut
        self.slots = parameter("NumSlots")
        self.classes = parameter("NumClasses")
        self.room = parameter("SlotBufferFlits")
        self.crosspoint = parameter("CrosspointFlits")
        self.held = parameter("VoqFlits") + self.crosspoint
        self.routes = parameter("NumRoutes")
        self.longest = parameter("StaticFlits")
        self.refused = 0
        places = [self.room] * self.classes
        self.ports = FlitPorts(
            dut,
            [FlitSource(places, seed * 1000 + slot) for slot in range(self.slots)],
            [FlitSink(places, seed * 1000 + 500 + slot) for slot in range(self.slots)],
        )
        self.sources = self.ports.sources
        self.sinks = self.ports.sinks

    @classmethod
    async def start(cls, dut: Any, seed: int = 1) -> Bench:
        """Reset the router."""
        bench = cls(dut, seed)
        bench.ports.clear_inputs()
        dut.route_write_valid_i.value = 0
        dut.route_write_i.value = 0
        await start(dut)
        bench.ports.every_cycle.append(bench._count_refused)
        return bench

    def _count_refused(self, _cycle: int) -> None:
        self.refused += unsigned(self.dut.route_refused_o)

    async def route(self, route: int, slots: int) -> None:
        """Let a static route lead to the slots of a mask; slot 0 alone writes, each group of slots by itself."""
        for group in range((self.slots - 1) // GROUP + 1):
            ports = (slots >> GROUP * group) % (1 << GROUP) | group << GROUP
            self.dut.route_write_i.value = RouteWrite(route, RouteEntry(ports=ports)).encode()
            self.dut.route_write_valid_i.value = 1
            await self.ports.step()
            self.dut.route_write_valid_i.value = 0

    def multicast(self, source: int, route: int, words: int, tag: int = 0) -> None:
        """Queue a packet along a static route; `tag` fills the source's field."""
        header = Header0(Kind.STATIC_MESSAGE, dst_node=route, src_node=tag << 6 | source).encode()
        self.sources[source].send(flits_of([header, *range(words - 1)], 0))

    def send(self, source: int, slot: int, words: int, vc: int = 0, tag: int = 0) -> None:
        """Queue a packet; `tag` fills the source's field."""
        header = Header0(
            dst_slot=slot % (1 << SLOT_ID_WIDTH), dst_node=slot >> SLOT_ID_WIDTH, src_node=tag << 6 | source
        ).encode()
        self.sources[source].send(flits_of([header, *range(words - 1)], vc))

    async def drain(self, limit: int = 20_000) -> None:
        """Let everything arrive, then check that nothing is left or lost."""
        await self.ports.until(lambda: all(source.empty for source in self.sources), limit)
        await self.ports.until(lambda: all(source.credits == source.initial for source in self.sources), limit)
        for sink in self.sinks:
            sink.backpressure = 0.0
        await self.ports.step(self.held * self.slots + 10)
        assert self.dut.busy_o.value == 0
        assert not any(sink.mid_packet for sink in self.sinks), "a packet has no tail"


@cocotb.test()
async def a_flit_in_an_idle_router_costs_one_cycle_and_its_credit_comes_back_at_once(dut: Any) -> None:
    bench = await Bench.start(dut)
    for source in range(bench.slots):
        for slot in range(bench.slots):
            sent, received = len(bench.sources[source].sent), len(bench.sinks[slot].flits)
            bench.send(source, slot, 3)
            await bench.ports.step(8)
            written = [cycle for cycle, _ in bench.sources[source].sent[sent:]]
            assert [cycle for cycle, _ in bench.sinks[slot].flits[received:]] == [cycle + 1 for cycle in written]
            assert written == list(range(written[0], written[0] + 3))
    await bench.drain()


@cocotb.test()
async def a_slot_that_does_not_exist_means_slot_0(dut: Any) -> None:
    bench = await Bench.start(dut)
    wrong = range(bench.slots, max(1 << SLOT_ID_WIDTH, 1 << (bench.slots - 1).bit_length()))
    for slot in wrong:
        bench.send(0, slot, 1)
    await bench.drain()
    assert len(bench.sinks[0].packets) == len(wrong)


@cocotb.test()
async def a_full_output_slows_no_flow_to_another_one(dut: Any) -> None:
    """Slot 1 sends to slot 0, which takes nothing, as many flits as the queues hold; then to slot 2 at full rate."""
    bench = await Bench.start(dut)
    bench.sinks[0].backpressure = 1.0
    for _ in range(bench.held - bench.room):
        bench.send(1, 0, 1)
    await bench.ports.step(2 * bench.held + 10)
    assert len(bench.sinks[0].flits) == bench.room
    for _ in range(10):
        bench.send(1, 2, 5)
    await bench.ports.until(lambda: len(bench.sinks[2].packets) == 10, 100)
    cycles = [cycle for cycle, _ in bench.sinks[2].flits]
    assert cycles == list(range(cycles[0], cycles[0] + 50))
    assert len(bench.sinks[0].flits) == bench.room
    bench.sinks[0].backpressure = 0.0
    await bench.drain()


@cocotb.test()
async def inputs_share_an_output_evenly_and_packets_stay_whole(dut: Any) -> None:
    bench = await Bench.start(dut)
    for source in range(bench.slots):
        for _ in range(20):
            bench.send(source, 2, 3)
    await bench.ports.until(lambda: len(bench.sinks[2].packets) == 10 * bench.slots, 2000)
    counts: dict[int, int] = defaultdict(int)
    for packet in bench.sinks[2].packets:
        counts[Header0.decode(packet.words[0]).src_node & 63] += 1
    assert max(counts.values()) - min(counts.values()) <= 2
    cycles = [cycle for cycle, _ in bench.sinks[2].flits]
    assert cycles == list(range(cycles[0], cycles[0] + len(cycles))), "the output stood still"
    await bench.drain()


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.5, 0.0), (0.0, 0.6), (0.3, 0.7)])
async def random_packets_arrive_once_whole_and_in_order(dut: Any, pressure: tuple[float, float]) -> None:
    bench = await Bench.start(dut, seed=3)
    rng = random.Random(str(pressure))
    for source, sink in zip(bench.sources, bench.sinks, strict=True):
        source.idle, sink.backpressure = pressure
    wanted: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for tag in range(60):
        for source in range(bench.slots):
            slot, vc, words = rng.randrange(bench.slots), rng.randrange(bench.classes), rng.choice([1, 2, 5, 20])
            bench.send(source, slot, words, vc, tag)
            wanted[source, slot, vc].append((tag, words))
    await bench.drain()
    assert _arrived(bench) == wanted


@cocotb.test()
@cocotb.parametrize(words_and_load=[(1, 0.98), (8, 0.95)])
async def sources_that_never_rest_keep_all_outputs_busy(dut: Any, words_and_load: tuple[int, float]) -> None:
    """Uniform traffic: the load that the router carries at most, and that of `docs/traffic.md` at least."""
    words, load = words_and_load
    bench = await Bench.start(dut)
    rng = random.Random(words)
    settle, window = 300, 700
    for source in range(bench.slots):
        for _ in range((settle + window) // words):
            bench.send(source, rng.randrange(bench.slots), words)
    for _ in range(settle + window):
        await bench.ports.step()
    passed = sum(cycle >= settle for sink in bench.sinks for cycle, _ in sink.flits)
    bench.dut._log.info("carries %.3f", passed / (bench.slots * window))
    assert passed >= load * bench.slots * window


@cocotb.test()
async def reset_in_the_middle_of_packets_leaves_nothing_behind(dut: Any) -> None:
    bench = await Bench.start(dut)
    for source in range(bench.slots):
        bench.sinks[source].backpressure = 1.0
        bench.send(source, 0, 40)
    await bench.ports.step(30)
    bench = await Bench.start(dut)
    assert dut.flit_valid_o.value == 0
    bench.sources[0].send([Flit(Header0(dst_slot=1).encode(), True, 0)])
    await bench.drain()
    assert len(bench.sinks[1].packets) == 1


@cocotb.test()
async def a_static_packet_leaves_to_all_slots_of_its_route_at_once(dut: Any) -> None:
    bench = await Bench.start(dut)
    slots = [0, bench.slots - 1]
    await bench.route(1, sum(1 << slot for slot in slots))
    bench.multicast(1, 1, bench.longest)
    await bench.drain()
    for slot in slots:
        packet = bench.sinks[slot].packets[0]
        # The line, the lookup, and a cycle each in the queue and on the bus.
        assert packet.first_cycle == bench.sources[1].sent[0][0] + 4
        assert packet.last_cycle == packet.first_cycle + bench.longest - 1
        assert packet.words[1:] == tuple(range(bench.longest - 1))
    assert sum(len(sink.packets) for sink in bench.sinks) == len(slots)
    assert bench.refused == 0


@cocotb.test()
async def a_static_packet_without_a_route_is_dropped_and_the_next_passes(dut: Any) -> None:
    bench = await Bench.start(dut)
    await bench.route(2, 0)
    for route in (1, 2, bench.routes):
        bench.multicast(0, route, 3)
    bench.send(0, 1, 2)
    await bench.drain()
    assert bench.refused == 3
    assert [len(sink.packets) for sink in bench.sinks] == [int(slot == 1) for slot in range(bench.slots)]


@cocotb.test()
async def a_fork_waits_for_room_for_all_of_it_at_each_of_its_slots_and_replies_pass(dut: Any) -> None:
    bench = await Bench.start(dut)
    await bench.route(1, 0b011)
    bench.sinks[0].backpressure = 1.0
    # Slot 0 is full, and its crosspoint has room for all but one flit of the longest fork.
    bench.send(2, 0, bench.room + bench.crosspoint - bench.longest + 1)
    await bench.ports.step(4 * bench.room)
    bench.multicast(2, 1, 2)
    bench.send(2, 1, 2)
    bench.send(2, 1, 1, vc=1)
    await bench.ports.step(4 * bench.held)
    assert [packet.vc for packet in bench.sinks[1].packets] == [1]
    bench.sinks[0].backpressure = 0.0
    await bench.drain()
    kinds = [Header0.decode(packet.words[0]).kind for packet in bench.sinks[1].packets if packet.vc == 0]
    assert kinds == [Kind.STATIC_MESSAGE, Header0().kind]


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.5, 0.0), (0.0, 0.6), (0.3, 0.7)])
async def static_packets_of_all_sources_reach_all_their_slots_once_and_in_order(
    dut: Any, pressure: tuple[float, float]
) -> None:
    """All send to overlapping sets of slots: what would wait in a circle if forks began without room."""
    bench = await Bench.start(dut, seed=4)
    rng = random.Random(str(pressure))
    masks = [(1 << bench.slots) - 1, *(rng.randrange(1, 1 << bench.slots) for _ in range(bench.routes - 1))]
    for route, mask in enumerate(masks):
        await bench.route(route, mask)
    for source, sink in zip(bench.sources, bench.sinks, strict=True):
        source.idle, sink.backpressure = pressure
    wanted: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for tag in range(60):
        for source in range(bench.slots):
            if rng.random() < 0.5:
                route, words = rng.randrange(bench.routes), rng.randint(1, bench.longest)
                bench.multicast(source, route, words, tag)
                slots, vc = [slot for slot in range(bench.slots) if masks[route] >> slot & 1], 0
            else:
                slot, vc, words = rng.randrange(bench.slots), rng.randrange(bench.classes), rng.choice([1, 2, 5, 20])
                bench.send(source, slot, words, vc, tag)
                slots = [slot]
            for slot in slots:
                wanted[source, slot, vc].append((tag, words))
    await bench.drain()
    assert _arrived(bench) == wanted


def _arrived(bench: Bench) -> dict[tuple[int, int, int], list[tuple[int, int]]]:
    """Return tags and words of the packets of each source, slot and class, in order; their words are checked."""
    got: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for slot, sink in enumerate(bench.sinks):
        for packet in sink.packets:
            sender = Header0.decode(packet.words[0]).src_node
            assert packet.words[1:] == tuple(range(len(packet.words) - 1))
            got[sender & 63, slot, packet.vc].append((sender >> 6, len(packet.words)))
    return got


@pytest.mark.parametrize(
    "parameters",
    [
        {"NumSlots": 4, "NumClasses": 2, "SlotBufferFlits": 4, "VoqFlits": 32, "CrosspointFlits": 4},
        {"NumSlots": 3, "NumClasses": 1, "SlotBufferFlits": 4, "VoqFlits": 8, "CrosspointFlits": 8, "FullestFirst": 1},
        {"NumSlots": 20, "NumClasses": 1, "SlotBufferFlits": 4, "VoqFlits": 32, "CrosspointFlits": 4},
        {
            "NumSlots": 4,
            "NumClasses": 2,
            "SlotBufferFlits": 4,
            "VoqFlits": 8,
            "CrosspointFlits": 8,
            "NumRoutes": 4,
            "StaticFlits": 6,
        },
    ],
    ids=["two_classes", "fullest_first", "many_slots", "multicast"],
)
def test_crosspoint_router(parameters: dict[str, int]) -> None:
    left_out = "never_rest" if "NumRoutes" in parameters else "static_packet|fork|never_rest"
    run("crosspoint_router", __file__, parameters, test_filter=rf"^(?!.*({left_out}))")


def test_crosspoint_router_of_32_slots_carries_its_load() -> None:
    buffers = {"SlotBufferFlits": 16, "VoqFlits": 64, "CrosspointFlits": 16}
    run("crosspoint_router", __file__, {"NumSlots": 32, "NumClasses": 1} | buffers, test_filter="never_rest")


def test_crosspoint_router_of_18_slots_has_routes_to_slots_of_both_groups() -> None:
    buffers = {"SlotBufferFlits": 4, "VoqFlits": 8, "CrosspointFlits": 8, "NumRoutes": 4, "StaticFlits": 6}
    run("crosspoint_router", __file__, {"NumSlots": 18, "NumClasses": 1} | buffers, test_filter="static_packet")
