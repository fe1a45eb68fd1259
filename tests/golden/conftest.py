"""Compare stored and hashed data with golden files, and rewrite these on purpose.

`DRAGOMAN_WRITE_GOLDEN=1 pytest tests/golden` writes the files in `expected` again. A changed file
is a changed format, key or option: the commit that changes it gives the reason, and the effect on
stored data.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent / "expected"
ADVICE = "If the change is meant, run: DRAGOMAN_WRITE_GOLDEN=1 pytest tests/golden"


@pytest.fixture(scope="session")
def same_lines() -> Callable[[str, Iterable[str]], None]:
    """Return a function that compares lines, in any order, with a golden file."""

    def compare(name: str, found: Iterable[str]) -> None:
        lines = sorted(found)
        _compare(EXPECTED / name, lines, "".join(f"{line}\n" for line in lines), str.splitlines)

    return compare


@pytest.fixture(scope="session")
def same_json() -> Callable[[str, object], None]:
    """Return a function that compares a JSON value with the golden file of a name."""

    def compare(name: str, found: object) -> None:
        text = _written(found)
        lines = _leaves(json.loads(text))
        _compare(EXPECTED / name, lines, f"{text}\n", lambda old: _leaves(json.loads(old)))

    return compare


def _compare(path: Path, found: list[str], text: str, read: Callable[[str], Iterable[str]]) -> None:
    if os.environ.get("DRAGOMAN_WRITE_GOLDEN") == "1":
        path.write_text(text, "utf-8")
    before, now = Counter(read(path.read_text("utf-8"))), Counter(found)
    gone = [f"- {line}" for line in (before - now).elements()]
    new = [f"+ {line}" for line in (now - before).elements()]
    if gone or new:
        changes = "\n".join(sorted([*gone, *new], key=lambda line: (line[2:], line)))
        pytest.fail(f"{path.name} has changed:\n{changes}\n{ADVICE}", pytrace=False)


def _written(value: object, depth: int = 2) -> str:
    """Return a value as JSON, with separate lines for the content of its outer objects."""
    if depth and isinstance(value, dict) and value:
        lines = [f"{json.dumps(key)}: {_written(value[key], depth - 1)}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + "\n}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _leaves(value: object, place: str = "") -> list[str]:
    """Return a line for each value within a JSON value, with its place."""
    if isinstance(value, dict) and value:
        return [leaf for key in value for leaf in _leaves(value[key], f"{place}/{key}")]
    if isinstance(value, list) and value:
        return [leaf for at, each in enumerate(value) for leaf in _leaves(each, f"{place}/{at}")]
    return [f"{place} = {json.dumps(value, ensure_ascii=False)}"]
