"""Checks of simulated users over real scenarios: false positives in valid behaviour."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.tau2.messages import decode_messages
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Instructions, Scenario, Task
from dragoman.scoring.simulator_validity import user_evidence

pytestmark = pytest.mark.slow

FIRST_PERSON = (
    (r"\b[Yy]ou(?: are|'re)\b", "I am"),
    (r"\b[Yy]our\b", "my"),
    (r"\b[Yy]ou\b", "I"),
)
"""Substitutions from a scenario's second person to the user's first person."""


class Record(msgspec.Struct):
    """The fields of a task's record that the checks need."""

    id: str
    user_scenario: Scenario


def read(path: Path) -> bytes:
    zipped = path.with_name(f"{path.name}.gz")
    return path.read_bytes() if path.exists() else gzip.decompress(zipped.read_bytes())


def tasks_of(folder: Path) -> tuple[Task, ...]:
    records = msgspec.json.decode(read(folder / "tasks.json"), type=list[Record])
    return tuple(Task(record.id, folder.name, "", record.user_scenario) for record in records)


def spoken(text: str) -> str:
    for pattern, words in FIRST_PERSON:
        text = re.sub(pattern, words, text)
    return text


def run_json(script: Instructions) -> Episode:
    """Return a conversation in which the user tells its reason and its facts, and leaves."""
    asks = Message("agent", text_reply("Thank you. Is there anything else I can help you with?"))
    events: list[Event] = []
    for text in (script.reason_for_call, script.known_info):
        events += [Message("user", text_reply(spoken(text or "Nothing."))), asks]
    events.append(Message("user", text_reply("###STOP###")))
    return Episode(tuple(events), Termination("user_stop"), 0, 0)


def script_of(task: Task) -> Instructions:
    assert isinstance(task.scenario.instructions, Instructions)
    return task.scenario.instructions


def failed(task: Task, episode: Episode, language: str) -> list[str]:
    evidence = user_evidence(task, episode, language)
    return [entry.subject for entry in evidence if entry.met is False]


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_no_user_that_tells_its_scenario_is_flagged(data_folder: Path, domain: str) -> None:
    tasks = tasks_of(data_folder / "tau2" / domain)
    assert len(tasks) >= 50
    flagged = {task.id: failed(task, run_json(script_of(task)), "en") for task in tasks}
    assert {name: checks for name, checks in flagged.items() if checks} == {}


@pytest.mark.parametrize("domain", ["airline", "retail"])
@pytest.mark.parametrize("language", ["id", "th", "tl", "vi", "zh"])
def test_no_user_that_speaks_its_own_language_is_flagged(
    data_folder: Path, domain: str, language: str
) -> None:
    tasks = tasks_of(data_folder / "seataubench" / domain / language)
    flagged = {task.id: failed(task, run_json(script_of(task)), language) for task in tasks}
    assert len(flagged) >= 50
    assert {name: checks for name, checks in flagged.items() if checks} == {}


@pytest.mark.parametrize(
    ("language", "to_english", "to_foreign"),
    [
        ("id", 157, 157),
        ("th", 164, 164),
        ("tl", 161, 157),
        ("vi", 163, 157),
        ("zh", 153, 164),  # a short Chinese message with names and identifiers is mostly Latin
    ],
)
def test_nearly_every_user_that_speaks_another_language_is_flagged(
    data_folder: Path, language: str, to_english: int, to_foreign: int
) -> None:
    flagged: Counter[str] = Counter()
    for domain in ("airline", "retail"):
        english = {task.id: task for task in tasks_of(data_folder / "tau2" / domain)}
        for foreign in tasks_of(data_folder / "seataubench" / domain / language):
            asked = english[foreign.id]
            flagged["users"] += 1
            flagged["to English"] += "own_language" in failed(
                asked, run_json(script_of(foreign)), "en"
            )
            flagged["to foreign"] += "own_language" in failed(
                foreign, run_json(script_of(asked)), language
            )
    assert flagged == {"users": 164, "to English": to_english, "to foreign": to_foreign}


def trajectories(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (
            "airline",
            {
                ("transfer_stop", "not_ended_early"): 9,
                ("communicate_by_user_only", "nothing_invented"): 4,
            },
        ),
        (
            "retail",
            {
                ("transfer_stop", "not_ended_early"): 20,
                ("communicate_by_user_only", "nothing_invented"): 4,
            },
        ),
        ("telecom", {("transfer_stop", "not_ended_early"): 20}),
    ],
)
def test_in_recorded_trajectories_only_what_was_made_to_be_wrong_is_flagged(
    data_folder: Path, truth_folder: Path, domain: str, expected: dict[tuple[str, str], int]
) -> None:
    tasks = {task.id: task for task in tasks_of(data_folder / "tau2" / domain)}
    found: Counter[tuple[str, str]] = Counter()
    for record in trajectories(truth_folder / "tau2" / f"eval_{domain}.jsonl.gz"):
        messages = [msgspec.Raw(json.dumps(entry).encode()) for entry in record["messages"]]
        is_stop = record["termination_reason"] == "user_stop"
        ending = Termination("user_stop" if is_stop else "max_steps")
        episode = Episode(decode_messages(messages, domain), ending, 0, 0)
        checks = failed(tasks[record["task_id"]], episode, "en")
        found.update((record["variant"], check) for check in checks)
    assert found == expected
