# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Results as data frames."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    import pandas as pd
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


class Rows(Sequence[Row], Generic[Row]):
    """Results of one kind: a sequence of dataclasses that is a data frame as well."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)

    @property
    def frame(self) -> "pd.DataFrame":
        """The results as a data frame: a row per result, a column per field and property."""
        return frame_of(self.as_json())

    def as_json(self) -> list[dict[str, Any]]:
        """Return the results as JSON's values: fields, and properties behind them."""
        return [values_of(row) for row in self._rows]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> "Rows[Row]": ...
    def __getitem__(self, index: int | slice) -> "Row | Rows[Row]":
        return Rows(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        return self.frame.to_html()


def values_of(row: "DataclassInstance") -> dict[str, Any]:
    """Return the fields of a dataclass, and its properties behind them."""
    properties = [name for name, member in vars(type(row)).items() if isinstance(member, property)]
    return dataclasses.asdict(row) | {name: getattr(row, name) for name in properties}


def frame_of(rows: "Iterable[dict[str, Any]]", index: str | list[str] | None = None) -> "pd.DataFrame":
    """Return a data frame with a row per dictionary, on request with columns as its index."""
    # Imported here: it takes half a second, which the command line has not to give.
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    return frame if index is None or frame.empty else frame.set_index(index)
