"""Implementation of `dragoman init`: asks what to run and writes a grid file."""

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote

import msgspec
import tomlkit

from dragoman.cli.output import print_line
from dragoman.composition.grid_files import build_run_request
from dragoman.composition.setup import build_setup, grid_of
from dragoman.config.options import Key, keys_of
from dragoman.config.run_config import RunConfig, RunRequest
from dragoman.core.errors import DataError, DragomanError, UsageError
from dragoman.registry.suites import load_suite


def ask_for_line(question: str) -> str:
    """Return a typed answer to a question; the question goes to standard error.

    Raises:
        UsageError: If the input has ended.
    """
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        print(file=sys.stderr)
        raise UsageError("the input ended: answer by options, or take the defaults with --yes")
    return line


_WIDTH = 78

_HEAD = """\
# A grid: every agent is played under every condition, on every task.
#
#   dragoman run {name} --dry-run    what would be played
#   dragoman run {name}              play it
#
# The same names are options of `dragoman run`, which go before these.
"""
_REST = "# Further options. These lines are off; their values are examples."


def grid_text(name: str, chosen: Mapping[str, object]) -> str:
    """Return the text of a grid file.

    Args:
        name: The file's name, for the comment at its top.
        chosen: Values by the names of fields; lists as lists.
    """
    keys = {key.name: key for key in keys_of(RunRequest)}
    on = [_entry(keys[field], value) for field, value in chosen.items()]
    off = [_off(key) for field, key in keys.items() if field not in chosen]
    return "\n".join((_HEAD.format(name=name), *on, f"{_REST}\n", *off))


def _entry(key: Key, value: object) -> str:
    return f"{_about(key)}\n{key.name} = {tomlkit.item(value).as_string()}\n"


def _off(key: Key) -> str:
    return f"{_about(key)}\n# {key.name} = {key.option.example}\n"


def _about(key: Key) -> str:
    usual = f" [{key.shown_default}]" if key.shown_default else ""
    return textwrap.fill(
        f"{key.option.help}{usual}.",
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


class GridQuestion(msgspec.Struct, frozen=True):
    """One question: its field, its words and its default answer.

    `kinds` is the kind of `dragoman list` names that answers come from.
    """

    field: str
    words: str
    default: str
    kinds: str = ""


EVERY, USUAL = "all", "usual"
"""Answers for which the file has no entry: the defaults hold."""

QUESTIONS = (
    GridQuestion("suite", "Suite", "courier", "suites"),
    GridQuestion("agents", "Agents, by commas (PROVIDER/MODEL for a model)", "careful", "agents"),
    GridQuestion(
        "user", "User (usual: the oracle's own for gold, otherwise offline)", USUAL, "users"
    ),
    GridQuestion("judge", "Judge of natural-language assertions", "none", "judges"),
    GridQuestion("languages", "Languages, by commas", "en", "languages"),
    GridQuestion("voices", "Channels, by commas (text, or a voice channel)", "text", "voices"),
    GridQuestion("trials", "Trials of each task", "1"),
    GridQuestion("limit", "Number of tasks (or all)", "5"),
)
SCENARIOS = GridQuestion("scenarios", "Scenario: what is localized", "interaction", "scenarios")

_NUMBERS = frozenset({"trials", "limit"})
_UNSAID = {"languages": ["en"], "voices": ["text"]}
"""Default answers, which the file does not repeat."""


def make_grid(path: Path, given: Mapping[str, str], ask: Callable[[str], str] | None) -> None:
    """Write a grid file and print the next step.

    Args:
        path: The file.
        given: Answers that options gave, by the names of fields.
        ask: Returns a typed answer to a question; None to take the defaults.

    Raises:
        UsageError: If the file exists, or an answer names something that does not exist.
    """
    if path.exists():
        raise UsageError(f"{path} exists and is not replaced: name another file")
    chosen = _collect_answers(given, ask)
    config = build_run_request(
        {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}
    ).config
    obstacle = _obstacle(config)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(grid_text(quote(str(path)), chosen))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error
    print_line(f"written: {path}")
    if obstacle:
        print_line(f"before a run: {obstacle}")
    print_line(f"next: dragoman run {quote(str(path))} --dry-run, then without --dry-run")


def _collect_answers(
    given: Mapping[str, str], ask: Callable[[str], str] | None
) -> dict[str, object]:
    """Return by field the given value, the answer or the default."""
    chosen: dict[str, object] = {}
    for question in QUESTIONS:
        value = _value(question, _answer(question, given, ask))
        if value in (_UNSAID.get(question.field), EVERY, USUAL):
            continue
        chosen[question.field] = value
        if question.field == "languages":
            chosen["scenarios"] = _value(SCENARIOS, _answer(SCENARIOS, given, ask))
    return chosen


def _answer(
    question: GridQuestion, given: Mapping[str, str], ask: Callable[[str], str] | None
) -> str:
    if question.field in given:
        return given[question.field]
    if ask is None:
        return question.default
    listed = f"; `dragoman list {question.kinds}`" if question.kinds else ""
    return ask(f"{question.words}{listed} [{question.default}]: ").strip() or question.default


def _value(question: GridQuestion, answer: str) -> object:
    """Return an answer as a value of the field.

    Raises:
        UsageError: If an answer to a numeric question is not a number.
    """
    key = next(each for each in keys_of(RunConfig) if each.name == question.field)
    if key.is_list:
        return [name.strip() for name in answer.split(",") if name.strip()]
    if question.field not in _NUMBERS or answer == EVERY:
        return answer
    if not answer.isascii() or not answer.isdigit():
        raise UsageError(f"{question.words}: a number, not {answer!r}")
    return int(answer)


def _obstacle(config: RunConfig) -> str:
    """Return what must be done before a run of the grid can begin; "" for nothing.

    Raises:
        UsageError: For a suite, language or channel that does not exist: no file would fix that.
    """
    try:
        grid_of(config, load_suite(config.suite))
        build_setup(config)
    except DataError as error:
        return str(error)
    except UsageError as error:
        # Of agents a key, a server or a package may be missing that comes later.
        if _is_of_an_agent(config):
            return str(error)
        raise
    except DragomanError as error:
        return str(error)
    return ""


def _is_of_an_agent(config: RunConfig) -> bool:
    """Return whether the grid itself is valid, so that only a participant was refused."""
    try:
        grid_of(config, load_suite(config.suite))
    except DragomanError:
        return False
    return any("/" in name or ":" in name for name in (*config.agents, config.user, config.judge))
