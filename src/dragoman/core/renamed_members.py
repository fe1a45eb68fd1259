"""Old names of fields, arguments and methods of public classes, with a warning.

Version 0.3 removes them, together with the old paths.
"""

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import msgspec

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class _RenamedFieldsMeta(msgspec.StructMeta):
    """Metaclass of records that accept some fields under their old names."""

    def __call__(cls, *args: object, **fields: object) -> object:  # noqa: N805 - a metaclass
        """Return a record; a field under its old name sets the field with the new one."""
        _rename(fields, RENAMED_FIELDS.get(cls.__name__, {}), cls.__name__)
        return super().__call__(*args, **fields)


RENAMED_FIELDS = {
    "Episode": {"briefed": "instruction_updates"},
    "Layer": {
        "briefing": "instruction_source",
        "conductor": "turn_protocol",
        "manner": "user_behavior",
    },
    "Scenario": {"deeds": "user_actions"},
    "SessionStart": {"manner": "user_behavior"},
}
"""Old and new names of fields, by public record."""


class RenamedFields(msgspec.Struct, frozen=True, metaclass=_RenamedFieldsMeta):
    """A record that accepts and returns some fields under their old names too."""

    if not TYPE_CHECKING:  # a type checker would otherwise allow every name

        def __getattr__(self, name: str) -> object:
            new = RENAMED_FIELDS.get(type(self).__name__, {}).get(name)
            if new is None:
                message = f"{type(self).__name__!r} object has no attribute {name!r}"
                raise AttributeError(message, name=name, obj=self)
            _warn(f"{type(self).__name__}.{name}", new)
            return getattr(self, new)


def renamed_arguments(
    **new_names: str,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Return a decorator that lets a function accept arguments under their old names too."""

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def call(*args: _Arguments.args, **arguments: _Arguments.kwargs) -> _Result:
            _rename(arguments, new_names, function.__qualname__.removesuffix(".__init__"))
            return function(*args, **arguments)

        return call

    return decorate


def renamed_method(owner: object, old: str, new: str) -> Callable[..., object]:
    """Return a method of another package's object; warn if it has its old name."""
    found: Callable[..., object] | None = getattr(owner, new, None)
    if found is None:
        found = getattr(owner, old)
        _warn(f"{type(owner).__name__}.{old}", new)
    return found


def _rename(arguments: dict[str, object], new_names: dict[str, str], owner: str) -> None:
    for old in new_names.keys() & arguments.keys():
        _warn(f"{owner}({old}=)", new_names[old], stacklevel=4)
        arguments[new_names[old]] = arguments.pop(old)


def _warn(old: str, new: str, stacklevel: int = 3) -> None:
    warnings.warn(
        f"{old} is now {new}; the old name goes with Dragoman 0.3",
        DeprecationWarning,
        stacklevel=stacklevel,
    )
