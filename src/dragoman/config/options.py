"""Option metadata, declared once, with the option's field.

The command line, grid files, `dragoman.run` and the table of keys in `docs/reference/grid.md` are
made from it.
"""

from functools import cache
from typing import Annotated, Literal, get_args, get_origin

import msgspec

Command = Literal["resume", "score", "check", "attribute"]


class Option(msgspec.Struct, frozen=True):
    """Description of a configuration field that users set.

    Attributes:
        help: One line without a full stop.
        value: Placeholder for the value on the command line.
        example: A value in the syntax of a grid file.
        default: Meaning of an empty default.
        singular: The name for one value of a list; "" if the field does not take a list.
        flag: The name on the command line, if it is neither the singular nor the field's name.
        old_flag: An older name on the command line, which is still accepted.
        commas: Whether one text on the command line may hold several values, separated by commas.
        axis: Whether every value is played with every value of the other axes.
        is_path: Whether the value names a file or folder.
        is_above_zero: Whether the value must be above 0.
        commands: The commands in addition to `run` that take the option.
        anew: Those of `commands` that start from the option's default and not from the value that
            the run was started with.
    """

    help: str
    value: str
    example: str
    default: str = ""
    singular: str = ""
    flag: str = ""
    old_flag: str = ""
    commas: bool = False
    axis: bool = False
    is_path: bool = False
    is_above_zero: bool = False
    commands: tuple[Command, ...] = ()
    anew: tuple[Command, ...] = ()


class Key(msgspec.Struct, frozen=True):
    """A field of a record with its option."""

    name: str
    kind: object
    default: object
    option: Option

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return get_origin(self.kind) is tuple

    @property
    def is_required(self) -> bool:
        """Whether a run cannot start without it."""
        return self.default is ...

    @property
    def spellings(self) -> tuple[str, ...]:
        """The names that grid files and Python may use."""
        return tuple(dict.fromkeys(filter(None, (self.name, self.option.singular))))

    @property
    def flag(self) -> str:
        """The name on the command line."""
        name = (self.option.flag or self.option.singular or self.name).replace("_", "-")
        return f"--{name}/--no-{name}" if self.kind is bool else f"--{name}"

    @property
    def flags(self) -> tuple[str, ...]:
        """The names that the command line accepts, the shown one first."""
        return (self.flag, f"--{self.option.old_flag}") if self.option.old_flag else (self.flag,)

    @property
    def shown_default(self) -> str:
        """The default for display; "" if a reader needs no statement of it."""
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        if isinstance(self.default, int | float):
            return f"{self.default:g}"
        return (
            self.default if isinstance(self.default, str) and self.default else self.option.default
        )

    def summary(self, default: str | None = None) -> str:
        """Return the line that help shows.

        `default` replaces the default of the option.
        """
        shown = self.shown_default if default is None else default
        said = f"{self.option.help} [{shown}]" if shown else self.option.help
        if not self.is_list:
            return f"{said}."
        return f"{said}; {'several by commas' if self.option.commas else 'repeatable'}."


@cache
def keys_of(record: type[msgspec.Struct]) -> tuple[Key, ...]:
    """Return the options of a record in the order of its fields.

    Fields without an option are omitted.
    """
    first_default = len(record.__struct_fields__) - len(record.__struct_defaults__)
    found = []
    for place, name in enumerate(record.__struct_fields__):
        declared = next(
            each.__annotations__[name]
            for each in record.__mro__
            if name in getattr(each, "__annotations__", ())
        )
        if get_origin(declared) is not Annotated:
            continue
        kind, option = get_args(declared)
        default: object = (
            record.__struct_defaults__[place - first_default] if place >= first_default else ...
        )
        # A default that a record must always write is made by a factory.
        made = getattr(default, "factory", None)
        default = default if made is None else made()
        found.append(Key(name, kind, default, option))
    return tuple(found)
