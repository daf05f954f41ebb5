# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The schema of machine files, ``rtl/machine/node.toml``: what each key means and allows."""

import dataclasses
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tidings.layout import share_folder


@dataclass(frozen=True)
class Rule:
    """What a field of a machine file means and allows."""

    meaning: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    power_of_two: bool = False
    or_zero: bool = False
    pattern: str = ""
    whole_kHz: bool = False
    source: str = ""

    def allowed(self) -> str:
        """Describe the allowed values."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        parts = ["a power of two"] if self.power_of_two else []
        if self.or_zero and parts:
            parts = [f"0, or {parts[0]}"]
        if self.above is not None:
            parts.append(f"more than {_number(self.above)}")
        if self.low is not None:
            parts.append(f"at least {_number(self.low)}")
        if self.high is not None:
            parts.append(f"at most {_number(self.high)}")
        if self.whole_kHz:
            parts.append("a whole number of kHz")
        if self.pattern:
            parts.append(f"of the form {self.pattern}")
        return " and ".join(parts)

    def accepts(self, value: object) -> bool:
        """Tell whether a value of the right type is allowed."""
        if isinstance(value, str):
            return (
                value.isprintable()
                and (not self.choices or value in self.choices)
                and (not self.pattern or re.fullmatch(self.pattern, value) is not None)
            )
        if not isinstance(value, int | float) or (self.or_zero and value == 0):
            return True
        return (
            (isinstance(value, int) or math.isfinite(value))
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (not self.power_of_two or (isinstance(value, int) and value > 0 and value & (value - 1) == 0))
            and (not self.whole_kHz or math.isclose(value * 1000, round(value * 1000), rel_tol=1e-12))
        )


def _number(limit: float) -> str:
    return f"{limit:g}" if isinstance(limit, float) else f"{limit:,}"


@dataclass(frozen=True)
class Parameter:
    """One parameter of the schema.

    Attributes
    ----------
    kind : type
        Of the value in a machine file.
    rule : Rule
        What it means and allows.
    default : object
        None if a machine file must have the key.
    fixed : bool
        It is no key of machine files.
    rtl : str or None
        Field of the hardware's configuration.
    config : str or None
        Field of the simulator's configuration.
    scale : int or None
        What the value is multiplied by for that field.
    counted : str or None
        The work whose count the value follows from; see `tidings.machines.work`.
    draw : tuple
        Values that `tidings verify` draws from.
    """

    kind: Any
    rule: Rule
    default: Any
    fixed: bool
    rtl: str | None
    config: str | None
    scale: int | None
    counted: str | None
    draw: tuple[Any, ...]

    def number(self, value: Any) -> int | float:
        """Return a value of a machine file as hardware and simulator count it."""
        if self.rule.choices:
            return self.rule.choices.index(value)
        if isinstance(value, tuple):
            mask: int = sum({1 << slot for slot in value})
            return mask
        number: int | float = value
        if self.scale is not None:
            number = round(float(value) * self.scale)
        elif self.rtl:
            number = int(value)
        return number


@cache
def schema() -> Mapping[str, Mapping[str, Parameter]]:
    """Return all parameters by section and key, in the order of the schema."""
    with (share_folder() / "rtl" / "machine" / "node.toml").open("rb") as file:
        tables = tomllib.load(file)
    fixed = {p["rtl"]: p["built"] for keys in tables.values() for p in keys.values() if p.get("fixed")}
    return {section: {key: _parameter(p, fixed) for key, p in keys.items()} for section, keys in tables.items()}


def _parameter(table: Mapping[str, Any], fixed: Mapping[str, int]) -> Parameter:
    """Turn a table of the schema into a parameter; limits by fixed parameters become numbers."""
    kind: Any = {"bool": bool, "int": int, "float": float, "choice": str, "slots": tuple[int, ...]}[table["type"]]
    choices = tuple(table.get("choices", ()))
    low, high = table.get("low"), table.get("high")
    if "at_least" in table:
        low = max(table["low"], _limit(table["at_least"], fixed))
    if "at_most" in table:
        high = min(table["high"], _limit(table["at_most"], fixed))
    flags = {flag: table.get(flag, False) for flag in ("power_of_two", "or_zero", "whole_kHz")}
    texts = {text: table.get(text, "") for text in ("unit", "source")}
    rule = Rule(table["meaning"], low=low, high=high, above=table.get("above"), choices=choices, **texts, **flags)
    default = table.get("default")
    draw = table.get("draw") or choices or ((False, True) if kind is bool else [default] * isinstance(default, list))
    return Parameter(
        kind=kind,
        rule=rule,
        default=tuple(default) if isinstance(default, list) else default,
        fixed=table.get("fixed", False) or "counted" in table,
        rtl=table.get("rtl"),
        config=table.get("config"),
        scale=table.get("scale"),
        counted=table.get("counted"),
        draw=tuple(tuple(value) if isinstance(value, list) else kind(value) for value in draw),
    )


def _limit(expression: str, fixed: Mapping[str, int]) -> int:
    """Return the value of ``factor * name + number``, of which only the name must be there."""
    parts = re.fullmatch(r"(?:(\d+) \* )?(\w+)(?: \+ (\d+))?", expression)
    assert parts is not None, expression
    return int(parts[1] or 1) * fixed[parts[2]] + int(parts[3] or 0)


def rule_of(field: "dataclasses.Field[Any]") -> Rule:
    """Return the rule that a field of the schema was declared with."""
    rule: Rule = field.metadata["rule"]
    return rule
