# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The coprocessor and the crossbar of Ziavras 2006 in cycles: its structure as parameters, and what follows from it.

The engines of Tidings are others. This model shows which structure the paper's measurements are of. It follows the
bus between processor, memory and coprocessor cycle by cycle, and adds the stages behind it. A coprocessor's neighbours
do not slow it down: two packets never want the same output at the same time.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

#: Fields of a packet's first word, from its highest bit on (Figure 6).
HEADER_BITS = {"dpid": 8, "type": 3, "length": 5, "offset": 8, "address": 8}
#: What a header's type says (Table 4).
PACKET_TYPES = {"PUT-1": 0b001, "PUT-n": 0b010, "GET": 0b011}
#: Words of a packet before its payload; those of a GET are its own header, and that of the PUT that answers it.
HEADER_WORDS = {"PUT-1": 1, "PUT-n": 1, "GET": 2}
#: MOVEs of a PUT or GET: an operand each, the opcode beside the first (Table 3).
_WORD_OPERANDS, _BYTE_OPERANDS = 2, 3
#: A word of the Data FIFO is an operand; three bytes are a word of the Data8 FIFO.
_MOVES = _WORD_OPERANDS + _BYTE_OPERANDS


@dataclass(frozen=True)
class Coprocessor:
    """Cycles and words of the paper's parts. A value is printed there, unless it says that it is fitted or assumed."""

    enable: int = 1  #: the interface logic in place of the processor: section 4.3
    fetch_to_execute: int = 3  #: IF, ID and OR before EX1: section 2.2.1
    execute: int = 2  #: EX1 and EX2 of PUT and GET: section 2.2.1
    lookup: int = 1  #: Table 2
    registration: int = 2  #: Table 2
    deregistration: int = 3  #: Table 2
    drain: int = 4  #: wait until the network is empty: section 2.2.2
    combine: int = 2  #: the wires of all coprocessors and of the router: section 4.3
    crossbar: int = 2  #: section 4.3
    read: int = 1  #: block RAM
    #: Until a word is seen behind a FIFO with two clocks. Fitted to Table 8; two flip-flops in a row take as many.
    fifo: int = 2
    #: Least cycles for which a burst holds the bus. Fitted to Table 9's rows of up to 8 words.
    burst: int = 8
    #: What a total exchange takes beside all that. Fitted to Table 9; the paper does not say what it is.
    exchange: int = 14
    #: Words of a PUT in a total exchange: the largest power of two that a packet holds. Assumed, as all sizes are such.
    exchange_words: int = 16
    instruction_fifo: int = 64  #: Table 5, as those that follow; in words
    data_fifo: int = 64
    data8_fifo: int = 64
    head_fifo: int = 16
    task_fifo: int = 16
    in_fifo: int = 512  #: never full here: a word leaves per cycle
    out_fifo: int = 512  #: likewise

    # ------------------------------------------------------------ operations of one coprocessor, and a barrier

    def barrier(self) -> int:
        """Return the cycles of a barrier alone: it acts in the stage EX1."""
        return self.enable + self.fetch_to_execute + self.drain

    def registered(self) -> int:
        """Return the cycles of a registration and a barrier: the pipeline waits for the table."""
        return self.registration + self.barrier()

    def deregistered(self) -> int:
        """Return the cycles of a deregistration and a barrier."""
        return self.deregistration + self.barrier()

    def put(self, words: int) -> int:
        """Return the cycles of a PUT and a barrier. A PUT of one word takes the same way."""
        return self._last_read([words]) + self._memory_to_barrier()

    def get(self, words: int) -> int:
        """Return the cycles of a GET and a barrier."""
        request = self.enable + _MOVES + self.fetch_to_execute + self.execute + self._network()
        # The packet controller takes its first word, and the second is the header of the PUT that answers it.
        controller = HEADER_WORDS["GET"]
        # That is executed as others are; it needs no fetch.
        answer = self.fetch_to_execute - 1 + self.execute + self.fifo
        return request + controller + answer + words + self._memory_to_barrier()

    def alone(self, cycles: int) -> int:
        """Return what section 4.3 leaves of a measurement."""
        return cycles - self.enable - self.barrier() - self.combine - self.crossbar

    # ------------------------------------------------------------ total exchange

    def total_exchange(self, slots: int, words: int) -> int:
        """Return the cycles in which each of the slots PUTs words to each, itself included, and a barrier."""
        whole, rest = divmod(words, self.exchange_words)
        sizes = [self.exchange_words] * whole + ([rest] if rest else [])
        return self._last_read(sizes * slots) + self._memory_to_barrier() + self.exchange

    # ------------------------------------------------------------ parts of these

    def _network(self) -> int:
        """Return the cycles from the Out FIFO to the In FIFO, both included: with the input memory these are three."""
        return 3 * self.fifo + self.crossbar

    def _memory_to_barrier(self) -> int:
        """Return the cycles from the read of the last word until everybody has met."""
        return self.read + self._network() + self.fifo + self.combine + self.drain

    def _last_read(self, sizes: Sequence[int]) -> int:
        """Return when the last word of PUTs of these sizes has been read.

        MOVEs and reads share the bus. MOVEs go first if there is room for them: "practically in every clock cycle as
        long as there is space in the data bus FIFO" (section 4.3). Words that come do not use it: with them, one port
        could not do what Table 9 shows.
        """
        to_memory = self.fetch_to_execute + self.execute + self.fifo
        moves = _MOVES * len(sizes) + 1  # the last one is the barrier's
        moved = 0  # MOVEs so far
        waiting: deque[int] = deque()  # when each PUT behind the MOVEs can be executed
        tasks: deque[int] = deque()  # when each task can be read
        begun = executed = 0  # PUTs whose words are being read, and that have left the pipeline
        reading = left = 0  # words of the task that is read, and cycles of its burst
        cycle = self.enable
        last = cycle
        while begun < len(sizes) or left:
            if waiting and cycle >= waiting[0] and len(tasks) < min(self.task_fifo, self.head_fifo):
                # A PUT takes two cycles in the pipeline.
                tasks.append(waiting.popleft() + to_memory - self.fetch_to_execute)
                executed += 1
                if waiting:
                    waiting[0] = max(waiting[0], cycle + self.execute)
            if moved < moves and self._room(moved, executed):
                moved += 1
                if moved % _MOVES == 0:
                    waiting.append(cycle + 1 + self.fetch_to_execute)
            else:
                if not left and tasks and cycle >= tasks[0]:
                    tasks.popleft()
                    reading = sizes[begun]
                    left = max(reading, self.burst)
                    begun += 1
                if left:
                    left -= 1
                    reading -= 1
                    if reading == 0:
                        last = cycle + 1
            cycle += 1
        return last

    def _room(self, moved: int, executed: int) -> bool:
        """Return whether there is room for the next MOVE, if as many PUTs have been executed."""
        put, operand = divmod(moved, _MOVES)
        held = put - executed
        if operand == 0 and held >= self.instruction_fifo:
            return False
        if operand < _WORD_OPERANDS:
            return held * _WORD_OPERANDS + operand < self.data_fifo
        return held < self.data8_fifo


def cluster_gap_us(slots: int, words: int) -> float:
    """Return microseconds per word of a total exchange on a cluster with an Ethernet of 1 Gbit/s: a model.

    Each of the other slots costs the latency that section 4.3 cites for two-sided messages on Gigabit Ethernet, 40 to
    50 us, and the words are sent one after another at the rate of the link. What a processor sends itself is not sent.
    """
    latency_us, word_us = 45.0, 32 / 1000
    return (slots - 1) * (latency_us + words * word_us) / (slots * words)
