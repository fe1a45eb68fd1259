"""Reader of grid files (TOML configuration of a run) and keyword options; it names unknown keys."""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import msgspec

from dragoman.config.options import Command, Key, keys_of
from dragoman.config.run_config import RunConfig, RunRequest
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import MOST_BYTES, load_toml
from dragoman.registry.suites import default_rules_of
from dragoman.store.safe_files import read_bounded


def load_config(path: Path) -> RunConfig:
    """Read a grid file.

    Raises:
        UsageError: As in `read_grid` and `build_run_request`.
    """
    return build_run_request(read_grid(path), str(path)).config


def read_grid(path: Path) -> dict[str, object]:
    """Return the options of a grid file by field name, without a check of their types.

    Raises:
        UsageError: For an error in the file; the message names the file, and for an unknown key the
            nearest known one.
    """
    try:
        content = load_toml(read_bounded(path, MOST_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the grid file ({error.strerror}): name a suite or a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file ({error})") from error
    try:
        return by_field(content, "key")
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def by_field(
    given: Mapping[str, object], noun: str, command: Command | None = None
) -> dict[str, object]:
    """Return options by field name; a value under a singular name becomes a list of one.

    A value of None counts as not given.

    Args:
        given: The options, under any of their names.
        noun: The word for an option in error messages ("key", "option").
        command: The command that takes the options, if it is not `run`.

    Raises:
        UsageError: For an unknown name, an option that is given under two names, or a single value
            under a plural name.
    """
    found: dict[str, object] = {}
    known = {
        name: key
        for key in keys_of(RunRequest)
        if command is None or command in key.option.commands
        for name in key.spellings
    }
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"unknown {noun} {name!r}{hint}")
        key = known[name]
        if value is None:
            continue
        if key.name in found:
            raise UsageError(f"{' and '.join(key.spellings)} are the same: give one of them")
        found[key.name] = _value(key, name, value)
    return found


def _value(key: Key, name: str, value: object) -> object:
    if isinstance(value, PurePath) and key.option.is_path:
        return str(value)
    if not key.is_list:
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    if name == key.option.singular:
        return (value,)
    raise UsageError(
        f"{name} must be a list, such as {key.option.example}, not {value!r}: "
        f"one value is {key.option.singular} = {value!r}"
    )


def build_run_request(fields: Mapping[str, object], where: str = "") -> RunRequest:
    """Return the run that options ask for.

    Args:
        fields: The options by field name.
        where: The source of the options, for error messages.

    Raises:
        UsageError: For a value of the wrong type, or a missing one.
    """
    given = dict(fields)
    suite = given.get("suite")
    if "rules" not in given and isinstance(suite, str):
        given["rules"] = default_rules_of(suite)
    try:
        return msgspec.convert(given, RunRequest)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where or 'not a run'}: {error}") from error
