"""The memory interfaces against every recorded session of the reference.

Prints how much was compared. Texts that come from the interpreter (a missing argument, say) are
compared by their beginning only, and counted apart; comparing nothing is a failure.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conformance.minimum import at_least

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.memory_api import key_memory_text, text_memory_text
from dragoman.core.tools import ToolCall

SHOWN: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "kv": key_memory_text,
    "rec_sum": text_memory_text,
}
ACCIDENT = "Error during execution: "


def sessions(truth_folder: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(truth_folder / "bfcl" / "memory_exec.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def play(session: Mapping[str, Any], compared: Counter[str]) -> dict[str, object]:
    """Repeat a session's calls, compare each result, and return the snapshot at the end."""
    name = f"MemoryAPI_{session['backend']}"
    environment = make_environment([name], {name: session["initial_state"]})
    for index, recorded in enumerate(session["calls"]):
        result = environment.call(ToolCall(str(index), recorded["name"], recorded["args"])).content
        where = (session["session"], session["test_id"], index, recorded["name"])
        if recorded["result"].startswith(ACCIDENT):
            assert result.startswith(ACCIDENT), where
            compared["results by their beginning"] += 1
            compared["of these equal to the end"] += result == recorded["result"]
        else:
            assert result == recorded["result"], where
            compared["results"] += 1
    return environment.state()[name]


def test_every_recorded_session_is_repeated(truth_folder: Path) -> None:
    compared: Counter[str] = Counter()
    for session in sessions(truth_folder):
        shown = SHOWN[session["backend"]]
        where = (session["session"], session["test_id"])
        assert shown(session["initial_state"]) == session["initial_context_text"], where
        final = play(session, compared)
        # As texts: a snapshot keeps the order of its keys.
        assert json.dumps(final) == json.dumps(session["final_state"]), where
        assert shown(final) == session["final_context_text"], where
        compared[f"{session['backend']} sessions"] += 1
    print(", ".join(f"{count} {what}" for what, count in compared.items()))
    assert compared["results"] >= at_least(401)
    assert compared["results by their beginning"] >= 13
    assert compared["kv sessions"] >= 16
    assert compared["rec_sum sessions"] >= 11


def test_a_session_starts_from_the_snapshot_of_the_one_before(truth_folder: Path) -> None:
    kept: dict[str, object] = {}
    continued = 0
    for session in sessions(truth_folder):
        name = session["session"]
        if name in kept:
            assert session["initial_state"] == kept[name]
            continued += 1
        kept[name] = play(session, Counter())
    assert continued
