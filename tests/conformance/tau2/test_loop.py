"""Our loop against every scripted run of the reference's orchestrator in the truth folder."""

import asyncio
import gzip
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.minimum import at_least

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS, DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.protocols import (
    Limits,
    Provenance,
    Session,
    SessionInput,
    SessionReply,
    TurnProtocol,
)
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import Scored
from dragoman.core.tools import Role, ToolCall, Toolset
from dragoman.scoring.judges import AssumeMet
from dragoman.scoring.reward import Scorer
from dragoman.simulation.orchestrator import Conversation, ConversationIO

FILE = "orchestrator.jsonl.gz"
SHOWN = 160
WORDS: Mapping[Role, str] = {"agent": "AssistantMessage", "user": "UserMessage"}
EXHAUSTED: Mapping[Role, str] = {
    "agent": "Anything else?",
    "user": "(script exhausted) ###STOP###",
}
ROLES: Mapping[Role, str] = {"agent": "assistant", "user": "user"}
PLAIN = ConversationIO(
    {"agent": IdentityChannel(), "user": IdentityChannel()},
    {"agent": IdentityView(), "user": IdentityView()},
)

Record = dict[str, Any]


class Scripted:
    """A participant that plays a script and notes what kinds of messages reached it."""

    def __init__(self, side: Role, script: Sequence[Record]) -> None:
        self._side = side
        self._script = iter(script)
        self._count = 0
        self.inputs: list[str] = []

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - a script
        self.inputs.append(self._kind(heard))
        entry = next(self._script, {"text": EXHAUSTED[self._side]})
        return SessionReply(self._reply(entry))

    async def close(self) -> None: ...

    def _reply(self, entry: Record) -> Reply:
        if "calls" not in entry:
            return text_reply(entry["text"])
        self._count += 1
        calls = (
            ToolCall(f"{self._side}_{self._count}_{index}", name, arguments, self._side)
            for index, (name, arguments) in enumerate(entry["calls"])
        )
        return ToolCallReply(tuple(calls), entry.get("text"))

    def _kind(self, heard: Sequence[SessionInput]) -> str:
        if not heard:
            return "NoneType"
        if isinstance(heard[0], TextReply):
            return WORDS["user" if self._side == "agent" else "agent"]
        return "ToolMessage" if len(heard) == 1 else "MultiToolMessage"


def records(folder: Path) -> Iterator[Record]:
    path = folder / "tau2" / FILE
    if not path.exists():
        if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
            pytest.fail(f"{path} is absent")
        pytest.skip(f"{path} is absent: nothing to compare with")
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


def load(data: Path, name: str) -> DomainSuite:
    domain = ALL_DOMAINS[name]
    folder = data / "tau2" / (domain.folder or name)

    def read(file: str) -> bytes:
        raw = folder / file
        return (
            raw.read_bytes()
            if raw.exists()
            else gzip.decompress((folder / f"{file}.gz").read_bytes())
        )

    return DomainSuite(f"tau2:{name}", read, Provenance("tau2-bench", "MIT", "", ""), domain)


def as_messages(events: Sequence[Event]) -> list[Record]:
    messages: list[Record] = []
    content: str | None
    names: list[str] | None
    for event in events:
        if not isinstance(event, Message):
            messages.append(
                {
                    "role": "tool",
                    "content": event.content[:SHOWN],
                    "tool_calls": None,
                    "requestor": ROLES[event.by],
                    "error": event.error,
                }
            )
            continue
        match event.reply:
            case ToolCallReply(calls=calls, text=text):
                content, names = text, [call.name for call in calls]
            case TextReply(utterance=utterance):
                content, names = utterance.intended[:SHOWN], None
            case _:
                continue
        messages.append(
            {
                "role": ROLES[event.by],
                "content": content,
                "tool_calls": names,
                "requestor": None,
                "error": None,
            }
        )
    return messages


def test_every_scripted_run_goes_as_it_went_in_the_reference(
    data_folder: Path, truth_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suites: dict[str, DomainSuite] = {}
    left_out: Counter[str] = Counter()
    count = 0
    for record in records(truth_folder):
        name = f"{record['domain']}-solo" if record["solo"] else record["domain"]
        if name not in suites:
            suites[name] = load(data_folder, name)
        compare(suites[name], record)
        left_out.update(not_compared(record))
        count += 1
    with capsys.disabled():
        print(f"\n  {FILE}: {count} records compared", end="")
        for what, times in left_out.items():
            print(f"\n    left out: {times} {what}", end="")
    assert count >= at_least(21)


def not_compared(record: Record) -> Iterator[str]:
    """Yield what a recorded run leaves without comparison."""
    if "exception" in record:
        yield "steps and rewards of runs that an exception ended (compared: a fault, and what was said)"
    elif record["user_inputs"] is None:
        yield "inputs of a user who takes no part (solo)"
    if record.get("reward_note"):
        yield "notes in the reference's own words"


def compare(suite: DomainSuite, record: Record) -> None:
    where = record["scenario"]
    task = next(task for task in suite.tasks if task.id == record["task_id"])
    options = record["options"]
    limits = Limits(options.get("max_steps", 100), options.get("max_errors", 10))
    environment = suite.factory(TAU2_RULES)(task)
    turn_protocol: TurnProtocol = suite.turn_protocol(task, environment, TAU2_RULES, limits)
    if options.get("validate_communication"):
        turn_protocol = HalfDuplex(environment, TAU2_RULES, limits, checks_communication=True)
    sessions: dict[Role, Scripted] = {
        "agent": Scripted("agent", record["agent_script"]),
        "user": Scripted("user", record["user_script"]),
    }
    played: dict[Role, Session] = {side: sessions[side] for side in turn_protocol.sides}
    episode = asyncio.run(
        Conversation(environment, played, PLAIN, time.monotonic).run(turn_protocol)
    )
    if "exception" in record:
        assert episode.is_fault, where
        assert said(as_messages(episode.events)) == said(record["messages"]), where
        return
    opening = [ROLES[event.by] for event in turn_protocol.opening()]
    assert opening == record["agent_init_history"], where
    assert episode.ending.reason == record["termination_reason"], where
    assert (episode.steps, episode.errors) == (record["step_count"], record["num_errors"]), where
    assert as_messages(episode.events) == record["messages"], where
    assert sessions["agent"].inputs == record["agent_inputs"], where
    if record["user_inputs"] is not None:
        assert sessions["user"].inputs == record["user_inputs"], where
    assert rewarded(suite, record["task_id"], episode) == Scored(record["reward"]), where


def said(messages: Sequence[Record]) -> list[tuple[str, str]]:
    return [(entry["role"], entry["content"]) for entry in messages if entry["content"]]


def rewarded(suite: DomainSuite, task_id: str, episode: Episode) -> object:
    task = next(task for task in suite.tasks if task.id == task_id)
    scorer = Scorer(suite.factory(TAU2_RULES), TAU2_RULES, AssumeMet())
    return asyncio.run(scorer.score(task, episode)).reward
