# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Registers and packed structures: what the classes that ``rtl/generate.py`` makes have in common."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class BitField:
    """Bits of a word.

    Attributes
    ----------
    name : str
        As in RTL and C++.
    lsb, width : int
        Where they are.
    kind : type
        What they are: a number, a truth value, an enumeration or another structure.
    readable, writable, clears : bool
        Of a register: software can read them, writing them has an effect, writing one clears them.
    """

    name: str
    lsb: int
    width: int
    kind: "type[int | PackedStruct]"
    readable: bool = True
    writable: bool = True
    clears: bool = False


class PackedStruct:
    """Fields in one word, which may be wide."""

    FIELDS: ClassVar[tuple[BitField, ...]]

    def encode(self) -> int:
        """Return the word.

        Raises
        ------
        ValueError
            If a value does not fit its field.
        """
        word = 0
        for field in self.FIELDS:
            value = getattr(self, field.name)
            bits = value.encode() if isinstance(value, PackedStruct) else int(value)
            if not 0 <= bits < 1 << field.width:
                message = f"{type(self).__name__}.{field.name} has {field.width} bits: {bits:#x} does not fit"
                raise ValueError(message)
            word |= bits << field.lsb
        return word

    @classmethod
    def decode(cls, word: int) -> Self:
        """Return the fields of a word.

        Raises
        ------
        ValueError
            If a field is an enumeration that does not have its value.
        """
        values: dict[str, Any] = {}
        for field in cls.FIELDS:
            bits = word >> field.lsb & ((1 << field.width) - 1)
            values[field.name] = field.kind.decode(bits) if issubclass(field.kind, PackedStruct) else field.kind(bits)
        return cls(**values)


class Register(PackedStruct):
    """A register of a slot, or an array of equal ones."""

    NAME: ClassVar[str]
    ADDRESS: ClassVar[int]
    DIMENSIONS: ClassVar[tuple[int, ...]] = ()
    STRIDES: ClassVar[tuple[int, ...]] = ()

    @classmethod
    def at(cls, *indices: int) -> int:
        """Return the address in bytes; of an array, that of the element with these indices.

        Raises
        ------
        IndexError
            If there is no such element.
        """
        if len(indices) != len(cls.DIMENSIONS) or not all(
            0 <= index < size for index, size in zip(indices, cls.DIMENSIONS, strict=True)
        ):
            message = f"{cls.NAME} has the dimensions {cls.DIMENSIONS}: there is no element {indices}"
            raise IndexError(message)
        return cls.ADDRESS + sum(index * stride for index, stride in zip(indices, cls.STRIDES, strict=True))

    @classmethod
    def holds(cls, address: int) -> bool:
        """Return whether this is the address of one of these."""
        span = cls.DIMENSIONS[0] * cls.STRIDES[0] if cls.DIMENSIONS else 4
        stride = cls.STRIDES[-1] if cls.STRIDES else 4
        return cls.ADDRESS <= address < cls.ADDRESS + span and (address - cls.ADDRESS) % stride == 0
