"""Our interfaces of the multi-turn entries against every recorded session of the reference's.

A session is a start, calls and results, and the state after the last call. Texts of results must be
the recorded ones. The text of the interpreter for an accidental error is compared by its prefix.
Both are counted and printed, and also how often the whole texts agree.
"""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.minimum import at_least

from dragoman.benchmarks.bfcl.apis.environment import ApiEnvironment, make_apis
from dragoman.benchmarks.bfcl.apis.gorilla_file_system import GorillaFileSystem
from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_python_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4
from dragoman.core.tools import ToolCall

Record = dict[str, Any]

ERROR = "Error during execution: "
WITH_POSITIONALS = msgspec.structs.replace(BFCL_V4, positionals_are_bound=True)
MAX_TEXT, MAX_STATE = 600, 1500
SET_TEXT = re.compile(r"Invalid travel class")
ACCIDENT = re.compile(
    re.escape(ERROR)
    + r"""(?:\w+\.\w+\(\)\ (?:missing\ \d|got\ an\ unexpected)
      |'[^']*'$
      |'\w+'\ object\ (?:has\ no\ attribute|is\ not)
      |argument\ of\ type\ |unhashable\ type:
      |'\S+'\ not\ supported\ between|valid\ range\ for\ prec
      |time\ data\ |'in\ <string>'\ requires|float\(\)\ argument\ must
      |could\ not\ convert\ |can\ only\ concatenate|can't\ multiply\ sequence
      |unsupported\ operand|name\ '\w+'\ is\ not\ defined)""",
    re.VERBOSE,
)


def read_lines(folder: Path, name: str) -> list[Record]:
    raw = folder / "bfcl" / name
    text = raw.read_bytes() if raw.exists() else gzip.decompress(read_zipped(raw))
    return [json.loads(line) for line in text.splitlines()]


def read_zipped(path: Path) -> bytes:
    return path.with_name(f"{path.name}.gz").read_bytes()


@pytest.fixture(scope="module")
def sessions(truth_folder: Path) -> Sequence[Record]:
    return read_lines(truth_folder, "multi_turn_exec.jsonl")


@pytest.fixture(scope="module")
def begin(data_folder: Path) -> Callable[[Record], ApiEnvironment]:
    """Return a function that makes the environment in which a recorded session starts."""
    starts = {
        entry["id"]: entry["initial_config"]
        for category in ("base", "long_context")
        for entry in read_lines(data_folder, f"BFCL_v4_multi_turn_{category}.json")
    }
    texts = json.loads(gzip.decompress(read_zipped(data_folder / "bfcl" / "long_context.json")))
    long = LongTexts.convert(texts)

    def environment(session: Record) -> ApiEnvironment:
        config = starts[session["id"]] if session["kind"] == "gold" else session["initial_config"]
        texts = long if session["long_context"] else None
        return ApiEnvironment(lambda: make_apis(session["classes"], config, texts))

    return environment


def parsed(text: str) -> ToolCall:
    (call,) = read_python_calls(text, WITH_POSITIONALS)
    return call


def hashed(text: str, limit: int) -> str | Record:
    """Return a text as recorded: a long one as its hash."""
    if len(text) <= limit:
        return text
    return {"__sha1__": hashlib.sha1(text.encode()).hexdigest(), "len": len(text)}  # noqa: S324


def is_set_text(recorded: object) -> bool:
    return isinstance(recorded, str) and SET_TEXT.search(recorded) is not None


def words(text: str) -> list[str]:
    return sorted(re.findall(r"\w+", text))


def tagged(value: object) -> object:
    """Return a value as the record writes it."""
    if isinstance(value, set):
        return {"__set__": sorted(value)}
    if isinstance(value, list | tuple):
        return [tagged(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if not all(isinstance(key, str | int) for key in value):
        return repr(value)
    return {str(key): tagged(entry) for key, entry in value.items()}


def tagged_node(name: str, node: object) -> Record:
    if not isinstance(node, dict):
        return {"__file__": node}
    return {
        "__dir__": name,
        "contents": {inner: tagged_node(inner, below) for inner, below in node.items()},
    }


def state_of(api: Any) -> Record:  # noqa: ANN401 - any of the classes
    state = dict(api.state())
    if not isinstance(api, GorillaFileSystem):
        found = tagged(state)
        assert isinstance(found, dict)
        return found
    ((name, contents),) = state["root"].items()
    return {
        "long_context": state["long_context"],
        "root": tagged_node(name, contents),
        "(private)cwd": api._here.name,
    }


def as_text(state: object) -> str:
    return json.dumps(state, sort_keys=True, ensure_ascii=False)


def test_every_recorded_call_has_its_recorded_result(
    sessions: Sequence[Record],
    begin: Callable[[Record], ApiEnvironment],
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts: Counter[str] = Counter()
    differing: list[tuple[str, object, str]] = []
    for session in sessions:
        environment = begin(session)
        for text, recorded in zip(session["calls"], session["results"], strict=True):
            found = environment.call(parsed(text)).content
            kind = compared(hashed(found, MAX_TEXT), recorded)
            counts[kind] += 1
            if kind == "differing":
                differing.append((text, recorded, found[:300]))
    with capsys.disabled():
        print(f"\n  {len(sessions)} sessions, {counts.total()} calls: {dict(counts)}", end="")
    assert not differing, differing[:20]
    assert len(sessions) >= at_least(433)
    assert counts.total() >= at_least(7278)
    assert counts["explicit"] >= at_least(6878)


def compared(found: str | Record, recorded: str | Record) -> str:
    """Return how a result was compared, or that it differs."""
    if isinstance(recorded, str) and ACCIDENT.match(recorded):
        if found == recorded:
            return "accidents, agreeing even in the text"
        is_error = isinstance(found, str) and found.startswith(ERROR)
        return "accidents, agreeing in the prefix" if is_error else "differing"
    if found == recorded:
        return "explicit"
    if is_set_text(recorded) and words(str(found)) == words(str(recorded)):
        return "explicit, naming a set in another order"
    return "differing"


def test_every_recorded_session_ends_in_its_recorded_state(
    sessions: Sequence[Record],
    begin: Callable[[Record], ApiEnvironment],
    capsys: pytest.CaptureFixture[str],
) -> None:
    count = 0
    for session in sessions:
        environment = begin(session)
        for text in session["calls"]:
            environment.call(parsed(text))
        for name, recorded in session["state"].items():
            found = state_of(environment._apis[name])
            where = (session.get("id"), name, session["calls"])
            assert hashed(as_text(found), MAX_STATE) == expected(recorded), where
            count += 1
    with capsys.disabled():
        print(f"\n  {count} states", end="")
    assert count >= at_least(586)


def expected(recorded: Mapping[str, object]) -> object:
    return recorded if "__sha1__" in recorded else as_text(recorded)
