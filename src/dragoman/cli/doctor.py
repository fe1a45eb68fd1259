"""Implementation of `dragoman doctor`: the installation, the configuration, and repairs."""

import platform
import textwrap
from collections.abc import Sequence

from dragoman.cli.output import console, mode, print_json, print_line
from dragoman.cli.system_checks import (
    DoctorFinding,
    FindingState,
    check_data,
    check_installation,
    check_keys,
    check_prices,
    check_storage,
)
from dragoman.cli.usage import today
from dragoman.core.version import VERSION

PARTS = {
    "installed": "extras and speech engines",
    "keys": "set the keys that you use (export NAME=...); values are not shown",
    "data": "benchmark data; every file is hashed",
    "prices": "prices for computing costs",
    "storage": "caches, disk space, limits",
    "model": "results of tiny requests to its endpoint",
}
_MARKS: dict[FindingState, str] = {"ok": "ok", "missing": "-", "old": "OLD", "wrong": "WRONG"}


def diagnose(*, as_json: bool) -> int:
    """Print all findings; return 1 if something is wrong, 0 if something is only missing."""
    found = [
        *check_installation(),
        *check_keys(),
        *check_data(),
        check_prices(today()),
        *check_storage(),
    ]
    machine = f"dragoman {VERSION}, Python {platform.python_version()}, {platform.platform()}"
    if as_json:
        print_json({"machine": machine, "findings": found})
    else:
        print_line(machine)
        _print(found)
        print_line(_summary(found))
    return 1 if any(each.state == "wrong" for each in found) else 0


def diagnose_model(model: str, seconds: float, *, as_json: bool) -> int:
    """Print the findings of tiny requests to a model's endpoint.

    Args:
        model: The model, as agents are named.
        seconds: The longest wait for each answer.
        as_json: Whether to print records.

    Returns:
        0 if words and a tool call work and nothing is wrong, otherwise 1.
    """
    from dragoman.cli.endpoint_checks import check_model

    found = check_model(model, seconds, _announce)
    if as_json:
        print_json({"model": model, "findings": found})
    else:
        _print(found)
        print_line(_summary_of_model(found))
    return 1 if any(each.state == "wrong" for each in found) else 0


def _announce(what: str) -> None:
    """Print the current request to stderr: loading a model may take long."""
    if mode() != "quiet":
        print_line(f"asking for {what}", to_stderr=True)


def _summary_of_model(found: Sequence[DoctorFinding]) -> str:
    wrong = [each.subject for each in found if each.state == "wrong"]
    if wrong:
        return f"wrong: {', '.join(wrong)}"
    return "words and tool calls work; missing things (-) are optional"


def _print(found: Sequence[DoctorFinding]) -> None:
    width = console().width
    widest = max(len(each.subject) for each in found)
    for part, about in PARTS.items():
        if not any(each.part == part for each in found):
            continue
        print(f"\n{part}: {about}")
        for each in found:
            if each.part == part:
                head = f"{_MARKS[each.state]:<5}  {each.subject:<{widest}}  "
                for line in _hanging_lines(head, each.found, width):
                    print_line(line)
    if any(each.todo for each in found):
        print("\nTo do")
    for each in found:
        if each.todo:
            for line in _hanging_lines(f"{each.subject}: ", each.todo, width):
                print_line(line)


def _hanging_lines(head: str, text: str, width: int) -> list[str]:
    """Return a text behind its head in lines of whole words, the further ones indented."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _summary(found: Sequence[DoctorFinding]) -> str:
    """Return a summary line; missing things matter only to the features that need them."""
    wrong = [each.subject for each in found if each.state == "wrong"]
    if wrong:
        return f"wrong: {', '.join(wrong)}"
    return "no problems; missing things (-) are needed only for the features that use them"
