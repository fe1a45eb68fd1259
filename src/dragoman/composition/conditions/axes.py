"""Registry of further axes and their layers, built-in or from other packages.

A layer is made by a function of an axis' value and the suite, `core.layers.MakeLayer`. Other
packages add such functions as entry points in the group `dragoman.layers`, named by the axis.
`--axis NAME=VALUE` sets the axis.
"""

import importlib
from collections.abc import Mapping, Sequence
from itertools import product
from typing import cast

from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.core.layers import Layer, MakeLayer
from dragoman.core.protocols import Suite
from dragoman.registry.entry_points import find_entry_points, load_entry_point

ENTRY_POINTS = "dragoman.layers"

BUNDLED: Mapping[str, str] = {}
"""Bundled layers: the function of each axis, as `module:function`."""

OWN_OPTIONS = {
    "language": "--language",
    "scenario": "--scenario",
    "partition": "--partition-seed",
    "voice": "--voice",
    "recognizer": "--asr",
    "clarify": "--clarify",
    "persona": "--persona",
    "exposure": "--exposure",
}


def layer_names() -> dict[str, str]:
    """Return the axes that `--axis` sets, with a line about each."""
    added = {entry.name: f"from {entry.value}" for entry in find_entry_points(ENTRY_POINTS)}
    return {**BUNDLED, **added}


def expand_axes(conditions: Sequence[Condition], settings: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every value of every axis that is set.

    Args:
        conditions: The grid so far.
        settings: Settings of the form `NAME=VALUE`; several values of one axis are played one after
            the other.

    Raises:
        UsageError: If a setting is malformed, or an axis has no layer.
    """
    values: dict[str, dict[str, None]] = {}
    for setting in settings:
        name, mark, value = setting.partition("=")
        if not (name and mark and value):
            raise UsageError(f"--axis {setting}: write NAME=VALUE")
        _require_known(name)
        values.setdefault(name, {})[value] = None
    return tuple(
        condition.with_axes(**dict(zip(values, chosen, strict=True)))
        for condition in conditions
        for chosen in product(*values.values())
    )


def further_layers(conditions: Sequence[Condition], suite: Suite) -> dict[tuple[str, str], Layer]:
    """Return the layers of axes that have no option of their own, by axis and value.

    Raises:
        UsageError: If a layer does not know a value.
    """
    wanted = dict.fromkeys(
        pair
        for condition in conditions
        if not suite.not_applicable(condition)
        for pair in condition.axes
        if pair[0] not in OWN_OPTIONS
    )
    return {(axis, value): _make(axis)(value, suite) for axis, value in wanted}


def _require_known(name: str) -> None:
    if name in OWN_OPTIONS:
        raise UsageError(f"--axis {name}: it has an option of its own, {OWN_OPTIONS[name]}")
    if name not in layer_names():
        known = ", ".join(layer_names()) or f"none is installed (entry points {ENTRY_POINTS!r})"
        raise UsageError(f"--axis {name}: no such axis: choose of {known}")


def _make(axis: str) -> MakeLayer:
    if axis in BUNDLED:
        module, _, attribute = BUNDLED[axis].partition(":")
        return cast("MakeLayer", getattr(importlib.import_module(module), attribute))
    for entry in find_entry_points(ENTRY_POINTS, axis):
        return cast("MakeLayer", load_entry_point(entry, f"axis {axis!r}"))
    raise UsageError(f"axis {axis!r}: what realises it is not installed")
