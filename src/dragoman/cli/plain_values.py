"""Conversion of plain command-line values without pydantic.

Newer versions of typer convert each value by a pydantic adapter. Loading pydantic costs more than
the rest of a short command. Texts, paths, numbers and lists of them that are written plainly are
converted here. Other values go to typer, with its checks and its messages.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import typer
from typer.core import TyperCommand

_INTEGER = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")

_Convert = Callable[[str], object]

_CONVERTERS: Mapping[object, _Convert] = {
    str: lambda text: text,
    Path: Path,
    int: lambda text: int(text) if _INTEGER.fullmatch(text) else None,
    float: lambda text: float(text) if _DECIMAL.fullmatch(text) else None,
    bool: lambda _: None,
}
"""By type the function that converts a plain text; it returns None for other texts."""


class PlainCommand(TyperCommand):
    """A command whose plain values are converted without pydantic."""

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 - classes that typer does not export
        """Return the parameters, including the help option."""
        found = super().get_params(ctx)
        for parameter in found:
            _convert_plainly(parameter)
        return found


def _convert_plainly(parameter: Any) -> None:  # noqa: ANN401 - a class that typer does not export
    """Convert a parameter's plain values here; older versions of typer do not load pydantic."""
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or getattr(parameter, "_runtime_param", parameter) is not None:
        return
    kind = _element_type(descriptor.annotation)
    if kind in _CONVERTERS and not _is_checked(descriptor.parameter_info):
        parameter._runtime_param = _PlainValues(parameter, kind)  # noqa: SLF001 - see above


def _is_checked(about: Any) -> bool:  # noqa: ANN401 - typer's
    """Return whether a parameter has checks of its own, which typer makes."""
    if about.parser is not None or about.path_type is not None or about.clamp:
        return True
    return bool(about.exists or about.writable or about.resolve_path or about.allow_dash)


def _element_type(annotation: object) -> Any:  # noqa: ANN401 - any type
    """Return the type of one value: of a list the elements' type, of an optional value its type."""
    if get_origin(annotation) in {list, Union, UnionType}:
        kinds = [each for each in get_args(annotation) if each is not NoneType]
        return _element_type(kinds[0]) if len(kinds) == 1 else None
    return annotation


class _PlainValues:
    """A replacement of the converter that typer would build with pydantic."""

    def __init__(self, parameter: Any, kind: type) -> None:  # noqa: ANN401 - typer's
        about = parameter.type_descriptor.parameter_info
        self._parameter = parameter
        self._kind = kind
        self._range = (about.min, about.max)

    def coerce(self, value: Any, param: Any, ctx: typer.Context) -> Any:  # noqa: ANN401 - as typer's has it
        """Return a value of the command line, or a default, in its type."""
        is_list = param.multiple or param.nargs == -1
        if value is None:
            return () if is_list else None
        if is_list and not isinstance(value, list | tuple):
            return self._by_typer(value, ctx)
        found = [self._plain(each) for each in (value if is_list else [value])]
        if any(each is None for each in found):
            return self._by_typer(value, ctx)
        return found if is_list else found[0]

    def _plain(self, value: object) -> object:
        """Return one value in its type; None if it is not plain or out of range."""
        found = _CONVERTERS[self._kind](value) if isinstance(value, str) else value
        if not isinstance(found, self._kind) or isinstance(found, bool):
            return None
        low, high = self._range
        is_outside = isinstance(found, int | float) and (
            (low is not None and found < low) or (high is not None and found > high)
        )
        return None if is_outside else found

    def _by_typer(self, value: object, ctx: typer.Context) -> object:
        self._parameter._runtime_param = None  # noqa: SLF001 - typer builds its own
        return self._parameter.get_runtime_param().coerce(value, param=self._parameter, ctx=ctx)
