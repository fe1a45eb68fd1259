"""Our checks of conversations and of final answers against every record of the reference.

Prints the number of compared records per file and of records excluded from a comparison; comparing
none is a failure. Works on any folder of the same format: set DRAGOMAN_TRUTH and DRAGOMAN_DATA.
"""

import asyncio
import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.minimum import at_least

from dragoman.benchmarks.bfcl.agentic_suite import answer_fault, normalize_answer
from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_python_calls
from dragoman.benchmarks.bfcl.multi_turn_check import TurnProgress, check_turns, judge_conversation
from dragoman.benchmarks.bfcl.multi_turn_entries import (
    MULTI_TURN,
    MultiTurnEntry,
    load_long_texts,
    load_multi_turn,
    toolsets,
)
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    Expectations,
    PlayedTurn,
    entry_environment,
)
from dragoman.benchmarks.bfcl.multi_turn_suite import FixedTurns
from dragoman.benchmarks.bfcl.prompts import PromptTexts, read_prompt_texts
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.upstream_data import PROMPTS
from dragoman.benchmarks.bfcl.verdicts import Judged, compare_with_reference
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode
from dragoman.core.protocols import SessionInput, SessionReply
from dragoman.core.replies import Reply, ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, Toolset
from dragoman.simulation.orchestrator import Conversation, ConversationIO

Record = dict[str, Any]
Entries = Mapping[str, MultiTurnEntry]


@pytest.fixture(scope="module")
def texts(read_bfcl: Callable[[str], bytes]) -> PromptTexts:
    return read_prompt_texts(read_bfcl(PROMPTS))


@pytest.fixture(scope="module")
def long(read_bfcl: Callable[[str], bytes]) -> LongTexts:
    return load_long_texts(read_bfcl)


@pytest.fixture(scope="module")
def entries(read_bfcl: Callable[[str], bytes], texts: PromptTexts) -> Entries:
    return {
        entry.task.id: entry
        for category in MULTI_TURN
        for entry in load_multi_turn(category, read_bfcl, texts)
    }


@pytest.fixture(scope="module")
def expectations(long: LongTexts) -> Expectations:
    return Expectations(long)


def records(folder: Path, name: str) -> Iterator[Record]:
    path = folder / "bfcl" / f"{name}.jsonl.gz"
    if not path.exists():
        reason = f"{path} is absent: nothing to compare with"
        if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    yield from map(json.loads, gzip.decompress(path.read_bytes()).splitlines())


def calls_of(text: str) -> tuple[ToolCall, ...]:
    """Return the calls of a recorded text; a text that is not Python was answered with an error."""
    try:
        return read_python_calls(text, DEFAULT_RULES)
    except UnreadableError as error:
        return (ToolCall("", text.partition("(")[0], {}, malformed=str(error)),)


def played(turns: Sequence[Sequence[Sequence[str]]]) -> list[PlayedTurn]:
    return [
        PlayedTurn(tuple(call for step in turn for text in step for call in calls_of(text)))
        for turn in turns
    ]


def gold(entry: MultiTurnEntry) -> list[PlayedTurn]:
    return [PlayedTurn(calls) for calls in entry.gold]


def judged(
    entry: MultiTurnEntry, turns: Sequence[PlayedTurn], known: Expectations, rules: BfclRules
) -> Judged:
    course = TurnProgress(len(turns), len(entry.gold))
    return check_turns(course, known.compare(entry, turns), rules)


def as_recorded(result: Judged) -> Record:
    if result.fault is None:
        return {"official_valid": True}
    fault = result.fault
    found: Record = {"official_valid": False, "error_type": fault.error_type}
    if fault.turn is not None:
        found["failed_turn"] = fault.turn
    if fault.of_class:
        found |= {"class": fault.of_class, "diff_attrs": list(fault.attributes)}
    if fault.missing:
        found["missing"] = list(fault.missing)
    return found


VERDICT = ("official_valid", "error_type", "failed_turn", "class", "diff_attrs", "missing")


def test_every_recorded_conversation_is_judged_as_recorded(
    entries: Entries,
    expectations: Expectations,
    truth_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    counted: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    differing = []
    for record in records(truth_folder, "multi_turn"):
        entry, turns = entries[record["id"]], played(record["turns"])
        found = as_recorded(judged(entry, turns, expectations, BFCL_V4))
        judgement = compare_with_reference(
            partial(judged, entry, turns, expectations), DEFAULT_RULES
        )
        decided[judgement.decided_by] += judgement.reference is not None
        expected = {key: record[key] for key in VERDICT if key in record}
        counted[record.get("error_type", "valid")] += 1
        if found != expected:
            differing.append((record["id"], record["mutation"], expected, found))
    with capsys.disabled():
        print(f"\n  multi_turn: {counted.total()} records compared", dict(counted))
        print("    where our own rules decide otherwise:", dict(+decided), end="")
    assert counted.total() >= at_least(2413)
    assert differing == []


def test_the_expected_calls_of_every_entry_are_valid_in_any_order_and_at_the_same_time(
    entries: Entries, expectations: Expectations
) -> None:
    order = [*entries.values(), *entries.values()]
    random.Random(7).shuffle(order)  # noqa: S311 - an order, no secret

    def is_valid(entry: MultiTurnEntry) -> bool:
        return all(
            judged(entry, gold(entry), expectations, rules).valid
            for rules in (BFCL_V4, DEFAULT_RULES)
        )

    with ThreadPoolExecutor(4) as threads:
        valid = list(threads.map(is_valid, order))
    assert [entry.task.id for entry, good in zip(order, valid, strict=True) if not good] == []
    assert len(valid) == 1600


NONE = ToolCallReply(())


class Knowing:
    """Makes the expected calls of each turn in one reply, then says that it is done."""

    def __init__(self, entry: MultiTurnEntry) -> None:
        self._replies: Iterator[Reply] = iter(
            [
                reply
                for calls in entry.gold
                for reply in (ToolCallReply(calls), text_reply("Done."))
                if reply != NONE
            ]
        )

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - it knows
        return SessionReply(next(self._replies))

    async def close(self) -> None:
        pass


def test_the_expected_calls_played_through_the_loop_are_valid_in_every_entry(
    entries: Entries, expectations: Expectations, texts: PromptTexts, long: LongTexts
) -> None:
    async def played_out(entry: MultiTurnEntry) -> Episode:
        environment = entry_environment(entry, long)
        surfaces = ConversationIO(
            {"agent": IdentityChannel(), "user": IdentityChannel()},
            {"agent": IdentityView(), "user": IdentityView()},
        )
        talk = Conversation(environment, {"agent": Knowing(entry)}, surfaces, lambda: 0.0)
        shown = toolsets(entry, texts)
        return await talk.run(FixedTurns(entry.task.turns, shown, DEFAULT_RULES))

    faulty = []
    for entry in entries.values():
        episode = asyncio.run(played_out(entry))
        stored = msgspec.json.decode(msgspec.json.encode(episode), type=Episode)
        for rules in (BFCL_V4, DEFAULT_RULES):
            judgement = judge_conversation(entry, expectations, stored, rules)
            if judgement.outcome != Judged() or judgement.reference is not None:
                faulty.append((entry.task.id, judgement))
    assert faulty == []
    assert len(entries) == 800


def test_every_final_answer_is_judged_as_recorded(
    truth_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count, ours = 0, 0
    for record in records(truth_folder, "agentic"):
        fault = answer_fault(record["response"], record["ground_truth"], BFCL_V4)
        assert (fault is None) == record["official_valid"], record
        own = answer_fault(record["response"], record["ground_truth"], DEFAULT_RULES)
        ours += (own is None) != (fault is None)
        count += 1
    with capsys.disabled():
        print(f"\n  agentic: {count} records compared; our own rules differ on {ours}", end="")
    assert count >= at_least(891)


def test_every_answer_is_standardized_as_recorded(
    truth_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 0
    for record in records(truth_folder, "standardize"):
        if record["kind"] == "agentic":
            assert normalize_answer(record["in"], BFCL_V4) == record["out"], record["in"]
            count += 1
    with capsys.disabled():
        print(f"\n  standardize, answers: {count} records compared", end="")
    assert count >= at_least(71)
