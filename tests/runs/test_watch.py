"""Messages about a run that stands still."""

import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from dragoman.cli.run_console import stall_notice, stall_notices
from dragoman.composition.setup import build_setup
from dragoman.conditions.voice.layer import LiveVoice
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Event
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.progress import AwaitedParty, Party
from dragoman.core.protocols import JudgeContext, Judgement
from dragoman.registry.participants import resolve_object
from dragoman.runs.in_flight import InFlightConversation, InFlightRegistry
from dragoman.runs.jobs import Job, start_job
from dragoman.runs.plan import Cell, plan_cells
from dragoman.runs.runner import play
from dragoman.speech.embedded.language_model import LanguageModel
from dragoman.speech.embedded.recognizer import SuiteRecognizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

DEADLINE_S = 10


def job(folder: Path, agent: object, concurrency: int = 1) -> Job:
    tasks = ("too-late", "two-swaps")
    config = RunConfig("sample:shop", ("mine",), tasks=tasks, concurrency=concurrency)
    return start_job(build_setup(config, {"mine": resolve_object(agent)}), folder, 0.0)


def test_a_watch_knows_what_conversations_wait_for_while_they_last(tmp_path: Path) -> None:
    watch = InFlightRegistry()
    seen: list[list[tuple[str, str]]] = []

    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        seen.append([(entry.cell.task.id, entry.what) for entry in watch.stalled(0)])
        assert watch.stalled(60) == []
        return "I cannot help you with that."

    played = job(tmp_path / "run", agent)
    play(played, lambda *_: None, watch=watch)

    assert sorted(entry for (entry,) in seen) == [
        ("too-late", "the agent's reply"),
        ("two-swaps", "the agent's reply"),
    ]
    assert watch.stalled(0) == []


def test_a_run_that_stands_still_says_which_conversations_wait_for_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors, watch = io.StringIO(), InFlightRegistry()
    monkeypatch.setattr(sys, "stderr", errors)

    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        deadline = time.monotonic() + DEADLINE_S
        while "the agent's reply" not in errors.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
        return "I cannot help you with that."

    with stall_notices(watch, is_on=True, silence=0.01, every=0.001):
        play(job(tmp_path / "run", agent), lambda *_: None, watch=watch)

    # On a slow machine, the run may have waited for something else before.
    line = next(line for line in errors.getvalue().splitlines() if "the agent's reply" in line)
    assert "1 conversation in flight, waiting: task " in line
    assert "for the agent's reply (" in line
    assert "--timeout" in line


def test_a_notice_names_the_first_conversations_and_counts_the_rest(tmp_path: Path) -> None:
    watch = InFlightRegistry()
    lines: list[str] = []

    async def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        lines.append(stall_notice(watch.stalled(0) * 2))
        return "I cannot help you with that."

    play(job(tmp_path / "run", agent, concurrency=2), lambda *_: None, watch=watch)

    assert any(line.endswith("; and 1 more (see --timeout)") for line in lines)


def _waiting(
    awaited: AwaitedParty, agent: str = "mine", seconds: float = 40.0
) -> InFlightConversation:
    cell = next(
        iter(plan_cells(build_setup(RunConfig("sample:shop", ("gold",), tasks=("too-late",)))))
    )
    return InFlightConversation(renamed(cell, agent), awaited, seconds)


def renamed(cell: Cell, agent: str) -> Cell:
    return msgspec.structs.replace(cell, agent=msgspec.structs.replace(cell.agent, name=agent))


MODEL = "compatible/any?base_url=http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("awaited", "agent", "said"),
    [
        (AwaitedParty("agent"), "mine", "for the agent's reply (mine, 40.0 s) (see --timeout)"),
        (
            AwaitedParty("agent"),
            MODEL,
            f"for the agent's reply ({MODEL}, 40.0 s) (see --read-timeout)",
        ),
        (AwaitedParty("user"), MODEL, "for the user's reply (gold, 40.0 s) (see --timeout)"),
        (AwaitedParty("tool", "pay"), MODEL, "for calling pay (40.0 s) (see --timeout)"),
        (
            AwaitedParty("judge", MODEL),
            "gold",
            f"for the judge ({MODEL}, 40.0 s) (see --read-timeout)",
        ),
        (
            AwaitedParty("recognizer", "deepgram/nova-3"),
            MODEL,
            "for words to be heard (deepgram/nova-3, 40.0 s) (see --read-timeout)",
        ),
        (
            AwaitedParty("recognizer", "pocketsphinx:mixed"),
            MODEL,
            (
                "for words to be heard (pocketsphinx:mixed, 40.0 s) (see --concurrency: this "
                "machine can synthesize and recognize fewer at a time)"
            ),
        ),
        (
            AwaitedParty("recognizer being built", "pocketsphinx:mixed"),
            MODEL,
            (
                "for a recognizer that is being built, once (pocketsphinx:mixed, 40.0 s) (a built "
                "recognizer is cached; --asr understood does not need one)"
            ),
        ),
    ],
)
def test_a_notice_names_who_is_awaited_and_what_helps(
    awaited: AwaitedParty, agent: str, said: str
) -> None:
    line = stall_notice([_waiting(awaited, agent)])

    assert line == f"no reply for 40.0 s: 1 conversation in flight, waiting: task too-late {said}"


def test_every_party_has_words_and_an_option() -> None:
    for party in get_args(Party):
        line = stall_notice([_waiting(AwaitedParty(party, "somebody"))])
        assert line.endswith(")")
        assert " for " in line


def test_a_recognizer_that_is_being_built_is_named_and_not_the_endpoint(tmp_path: Path) -> None:
    watch = InFlightRegistry()
    seen: set[Party] = set()

    class Slow(SuiteRecognizer):
        """Looks at the watch while its language model is made, and makes none."""

        async def _model(self) -> LanguageModel:
            seen.update(entry.awaited.party for entry in watch.stalled(0))
            raise ParticipantError("no model here")

    config = RunConfig("courier", ("literal",), limit=1, voices=("studio",), asr=("generic",))
    setup = build_setup(config)
    assert setup.voices is not None
    ((label, voiced),) = setup.voices.conditions.items()
    assert isinstance(voiced, LiveVoice)
    slow = Slow("", None, tmp_path, SpeechWorkerPool(1))
    users = tuple(msgspec.structs.replace(path, listener=slow) for path in voiced.users)
    setup.voices.conditions[label] = msgspec.structs.replace(voiced, users=users)

    played = start_job(setup, tmp_path / "run", 0.0)
    play(played, lambda *_: None, watch=watch)

    assert seen == {"recognizer being built"}


def test_a_judge_that_is_asked_is_whom_a_conversation_waits_for(tmp_path: Path) -> None:
    watch = InFlightRegistry()
    seen: set[AwaitedParty] = set()

    class Judge:
        """Looks at the watch, and judges nothing."""

        name = MODEL
        assumes = False
        costs = True

        async def judge(
            self,
            assertions: Sequence[str],  # noqa: ARG002 - the shape of a judge
            events: Sequence[Event],  # noqa: ARG002
            case: JudgeContext,  # noqa: ARG002
        ) -> Judgement:
            seen.update(entry.awaited for entry in watch.stalled(0))
            raise JudgeError("no judgement")

    setup = build_setup(RunConfig("sample:shop", ("gold",)))
    setup = msgspec.structs.replace(setup, judge=Judge())
    play(start_job(setup, tmp_path / "run", 0.0), lambda *_: None, watch=watch)

    assert AwaitedParty("judge", MODEL) in seen
