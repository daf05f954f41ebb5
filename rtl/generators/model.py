# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the readers find and the writers write: registers, packed structures, enumerations, constants and functions."""

import math
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RegisterField:
    """Bits of a register.

    Attributes
    ----------
    name, description : str
        As the source has them.
    lsb, width : int
        Where the bits are.
    reset : int
        Their value after reset.
    readable, writable : bool
        Software can read them; writing them has an effect.
    clears : bool
        Writing one clears.
    """

    name: str
    description: str
    lsb: int
    width: int
    reset: int
    readable: bool
    writable: bool
    clears: bool


@dataclass(frozen=True)
class Register:
    """A register, or an array of equal ones.

    Attributes
    ----------
    name : str
        Instances on the way from the top, joined by underscores.
    title, description : str
        As the source has them.
    block : str
        The addrmap that it is in.
    address : int
        Bytes from the start of the slot's register space, of the first element.
    dimensions, strides : tuple
        Elements in each dimension of the array, outermost first, and the bytes between them.
    fields : tuple
        Lowest first.
    """

    name: str
    title: str
    description: str
    block: str
    address: int
    dimensions: tuple[int, ...]
    strides: tuple[int, ...]
    fields: tuple[RegisterField, ...]

    @property
    def count(self) -> int:
        """Elements of the array."""
        return math.prod(self.dimensions)

    def mask(self, access: str) -> int:
        """Return the bits for which `access`, an attribute of the fields, holds."""
        return sum(((1 << f.width) - 1) << f.lsb for f in self.fields if getattr(f, access))

    @property
    def reset(self) -> int:
        """The word after reset."""
        return sum(f.reset << f.lsb for f in self.fields)


@dataclass(frozen=True)
class Enumerator:
    """One value of an enumeration; `short` is its name without the prefix that all have in common."""

    name: str
    short: str
    value: int
    description: str


@dataclass(frozen=True)
class Enumeration:
    """A ``typedef enum``."""

    name: str
    package: str
    width: int
    description: str
    values: tuple[Enumerator, ...]


@dataclass(frozen=True)
class Member:
    """A field of a packed structure.

    Attributes
    ----------
    type_name : str
        Of the typedef it was declared with, empty for plain bits.
    content : Structure, Enumeration or None
        What it is, unless it is bits.
    """

    name: str
    description: str
    lsb: int
    width: int
    type_name: str
    content: "Structure | Enumeration | None"


@dataclass(frozen=True)
class Structure:
    """A ``typedef struct packed``; `members` begin with the highest bits, as they are declared."""

    name: str
    package: str
    width: int
    description: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Constant:
    """A ``localparam``."""

    name: str
    package: str
    value: int
    description: str


@dataclass(frozen=True)
class Function:
    """A ``function`` of one enumeration whose result is an enumeration or a bit.

    Attributes
    ----------
    argument : str
        Name of the argument.
    argument_type : Enumeration
        Its type.
    result_type : Enumeration or None
        Type of the result; None is a bit.
    results : tuple
        Result for each value that the bits of the argument can have.
    """

    name: str
    package: str
    description: str
    argument: str
    argument_type: Enumeration
    result_type: Enumeration | None
    results: tuple[int, ...]


@dataclass(frozen=True)
class Package:
    """All of one SystemVerilog package, in the order of the source."""

    name: str
    description: str
    imports: tuple[str, ...] = ()
    constants: list[Constant] = field(default_factory=list)
    types: list[Structure | Enumeration] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)


def camel(name: str) -> str:
    """Turn ``mpe_command_t`` or ``mpe_command`` into ``MpeCommand``."""
    return "".join(part[:1].upper() + part[1:] for part in re.sub(r"_[te]$", "", name).split("_"))


def snake(name: str) -> str:
    """Turn ``GetReply`` into ``get_reply``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
