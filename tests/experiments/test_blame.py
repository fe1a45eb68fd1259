"""Failure attribution of small real runs, with exact results."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from dragoman.analysis.failure_attribution import ATTRIBUTION, Counterfactuals, failure_source
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import RequestsRefused, RunHalted, UsageError
from dragoman.core.protocols import Session, SessionInput, SessionReply, SessionStart
from dragoman.core.replies import ToolCallReply
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.core.tools import ToolCall, Toolset
from dragoman.experiments.failure_attribution import FOLDER, attribute_failures
from dragoman.runs.jobs import resume_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.runner import MeasureRequest, play, score, start
from dragoman.simulation.participants.oracle import GoldAgent, LiteralAgent
from dragoman.store.run_plan import NewRun
from dragoman.store.run_store import create_run, open_run

SPOKEN = {"voices": ("telephone",), "asr": ("understood",), "speakers": ("us",)}


class Altering:
    """Plays the reference plan, but alters every call."""

    name = "altering"

    def __init__(self, alter: Callable[[ToolCall], ToolCall]) -> None:
        self._alter = alter

    async def open(self, opening: SessionStart) -> "AlteringSession":
        return AlteringSession(await GoldAgent().open(opening), self._alter)


class AlteringSession:
    def __init__(self, session: Session, alter: Callable[[ToolCall], ToolCall]) -> None:
        self._session = session
        self._alter = alter

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        answer = await self._session.reply(heard, tools)
        if not isinstance(answer.reply, ToolCallReply):
            return answer
        calls = tuple(map(self._alter, answer.reply.calls))
        return msgspec.structs.replace(answer, reply=ToolCallReply(calls))

    async def close(self) -> None:
        await self._session.close()


def without_signs(call: ToolCall) -> ToolCall:
    """Return a call that names orders without their number sign."""
    order = str(call.arguments.get("order_id", "")).removeprefix("#")
    arguments = call.arguments | ({"order_id": order} if order else {})
    return msgspec.structs.replace(call, arguments=arguments)


def of_another_tool(call: ToolCall) -> ToolCall:
    return msgspec.structs.replace(call, name="cancel_pending_order")


def as_text(call: ToolCall) -> ToolCall:
    """Return a call whose numbers and truths are texts."""
    arguments = {
        name: str(value) if isinstance(value, int | float) else value
        for name, value in call.arguments.items()
    }
    return msgspec.structs.replace(call, arguments=arguments)


def writes_nothing_of_use(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
    return "[nothing_of_the_kind()]"


def calls_the_first_tool(messages: object, tools: list[dict[str, dict[str, str]]]) -> object:  # noqa: ARG001 - an agent's signature
    return {"tool_calls": [{"name": tools[0]["function"]["name"], "arguments": {}}]}


class Deaf:
    """An agent that plays the plan with values in text, and does not understand audio."""

    name = "deaf"
    hears_audio = True

    async def open(self, opening: SessionStart) -> Session:
        return await LiteralAgent().open(opening)


wrong_form = Altering(without_signs)
wrong_tool = Altering(of_another_tool)
untyped = Altering(as_text)
WRONG_FORM, WRONG_TOOL = f"{__name__}:wrong_form", f"{__name__}:wrong_tool"
DEAF = f"{__name__}:Deaf"
UNTYPED, EAGER = f"{__name__}:untyped", f"{__name__}:calls_the_first_tool"


@pytest.fixture
def in_bfcl(pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache with BFCL's data as that of this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    return pulled_bfcl


def played(folder: Path, **fields: object) -> Path:
    config = msgspec.structs.replace(RunConfig("sample:shop", ("literal",)), **fields)
    return play(start(build_setup(config), folder), lambda *_: None).folder


def verdicts(folder: Path) -> dict[tuple[str, str], float]:
    """Return the verdicts by condition and task."""
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-2", "none", METRIC_VERSION)
        return {
            (cell.condition.label, cell.task): reward.value
            for cell in store.cells()
            if isinstance(reward := scores[cell.key].reward, Scored)
        }


def failure_sources(run: Path) -> dict[tuple[str, str], str]:
    """Return the failure sources by agent and task."""
    return {
        (row.agent, row.task): row.failure_source for row in attribute_failures(run, lambda: None)
    }


def stored(run: Path) -> dict[tuple[str, str], str]:
    """Return the stored failure sources by agent and task."""
    with open_run(run, write=False) as store:
        return {
            (cell.agent, cell.task): entry.evidence[0].subject
            for cell in store.cells()
            for entry in store.measured().get(cell.key, ())
            if entry.measure == ATTRIBUTION and entry.evidence
        }


def conversations(folder: Path) -> list[Episode]:
    with open_run(folder, write=False) as store:
        return [episode for _, _, episode in store.episodes()]


def test_of_a_run_that_lost_no_conversation_nobody_is_blamed(tmp_path: Path) -> None:
    run = played(tmp_path / "run", agents=("gold",), tasks=("two-swaps",))
    with pytest.raises(UsageError, match="no conversation failed"):
        attribute_failures(run, lambda: None)
    assert stored(run) == {}


@pytest.mark.slow
def test_simulated_errors_are_blamed_where_the_words_that_were_meant_pass(tmp_path: Path) -> None:
    tasks = ("larger-jacket", "two-swaps")
    run = played(tmp_path / "run", voices=("simulated:90",), tasks=tasks)
    assert set(verdicts(run).values()) == {0}
    assert failure_sources(run) == {("literal", task): "mishearing" for task in tasks}
    assert stored(run) == failure_sources(run)


@pytest.mark.slow
def test_what_is_lost_with_the_words_that_were_meant_is_not_blamed_on_simulated_errors(
    tmp_path: Path,
) -> None:
    tasks = ("larger-jacket", "two-swaps")
    run = played(tmp_path / "run", agents=(WRONG_FORM,), voices=("simulated:10",), tasks=tasks)
    assert failure_sources(run) == {(WRONG_FORM, task): "arguments" for task in tasks}


@pytest.mark.parametrize("condition", [{}, pytest.param(SPOKEN, marks=pytest.mark.nightly)])
def test_an_agent_that_fills_its_calls_wrongly_is_told_from_one_that_calls_what_is_wrong(
    tmp_path: Path, condition: dict[str, object]
) -> None:
    tasks = ("larger-jacket", "two-swaps")
    agents = (WRONG_FORM, WRONG_TOOL)
    run = played(tmp_path / "run", agents=agents, user="gold", tasks=tasks, **condition)

    expected = {
        **{(WRONG_FORM, task): "arguments" for task in tasks},
        **{(WRONG_TOOL, task): "agent" for task in tasks},
    }
    assert failure_sources(run) == expected
    assert stored(run) == expected
    (folder,) = (run / FOLDER).iterdir()
    assert folder.name.startswith("canonical-")
    changed = [
        call
        for episode in conversations(folder)
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
        if call.sent is not None
    ]
    assert changed
    for call in changed:
        assert call.sent is not None
        assert call.arguments["order_id"] == f"#{call.sent['order_id']}"


def test_a_stopped_search_is_gone_on_with(tmp_path: Path) -> None:
    tasks = ("larger-jacket", "two-swaps", "too-late")
    run = played(tmp_path / "run", agents=(WRONG_TOOL,), user="gold", tasks=tasks, concurrency=1)
    steps: list[None] = []

    def stop_after_the_first() -> None:
        steps.append(None)
        raise RunHalted("enough for today")

    with pytest.raises(RunHalted):
        attribute_failures(run, stop_after_the_first)
    (folder,) = (run / FOLDER).iterdir()
    with open_run(folder, write=False) as store:
        planned = len(store.cells())
    begun = len(conversations(folder))
    assert 0 < begun < planned

    more: list[None] = []
    attribute_failures(run, lambda: more.append(None))
    assert len(more) == planned - begun
    assert [*(run / FOLDER).iterdir()] == [folder]


def test_replays_that_an_endpoint_refuses_leave_the_failure_source_unknown(tmp_path: Path) -> None:
    tasks = ("larger-jacket", "two-swaps")
    run = played(tmp_path / "run", agents=(WRONG_TOOL,), user="gold", tasks=tasks, concurrency=1)
    refusals: list[str] = []

    def refuse() -> None:
        raise RequestsRefused("the endpoint refuses (status 400): no such conversation")

    found = attribute_failures(run, refuse, on_refused=refusals.append)

    assert refusals == ["the endpoint refuses (status 400): no such conversation"]
    assert len(found) == len(tasks)
    assert "unknown" in {each.failure_source for each in found}


def test_what_an_older_version_began_is_gone_on_with_and_scored(tmp_path: Path) -> None:
    run = played(tmp_path / "run", agents=(WRONG_FORM,), user="gold", tasks=("two-swaps",))
    attribute_failures(run, lambda: None)
    (begun,) = (run / FOLDER).iterdir()
    with open_run(begun, write=False) as store:
        manifest, cells, tasks = store.manifest(), store.cells(), store.tasks()
    older = json.loads(manifest)
    del older["is_explicit"]
    place = {"condition": "en/text/none", "agent": "?", "task": "two-swaps", "trial": 0}
    older["config"] |= {"agents": [WRONG_FORM], "canonical_arguments": True, "places": [place]}
    folder = tmp_path / "older"
    create_run(folder, NewRun(msgspec.json.encode(older), cells, tasks)).close()

    play(resume_job(folder, trust=True), lambda *_: None)

    assert len(conversations(folder)) == 1
    score(folder, MeasureRequest({"rules": "tau2-1.0.1"}, trust=True), lambda: None)
    with open_run(folder, write=False) as store:
        assert len(store.scorings()) == 2


def test_what_is_only_lost_with_another_reply_is_not_the_arguments(tmp_path: Path) -> None:
    run = played(tmp_path / "run", agents=("silent",), tasks=("two-swaps", "too-late"))
    assert set(failure_sources(run).values()) == {"agent"}


def test_what_cannot_be_judged_with_canonical_arguments_is_unknown(tmp_path: Path) -> None:
    run = played(tmp_path / "run", agents=(WRONG_FORM,), user="gold", tasks=("return-poles",))
    assert failure_sources(run) == {(WRONG_FORM, "return-poles"): "unknown"}


def test_a_run_that_was_played_elsewhere_is_not_played_again(tmp_path: Path) -> None:
    with open_run(played(tmp_path / "run", limit=1), write=False) as store:
        manifest = msgspec.structs.replace(read_manifest(store), imported={})
        new = NewRun(msgspec.json.encode(manifest), store.cells(), store.tasks())
    create_run(tmp_path / "imported", new).close()
    with pytest.raises(UsageError, match="an imported run cannot be played again"):
        attribute_failures(tmp_path / "imported", lambda: None)


@pytest.mark.slow
def test_in_another_language_too_wrong_values_are_told_from_wrong_tools(
    in_languages: Path, tmp_path: Path
) -> None:
    assert in_languages.is_dir()
    run = played(
        tmp_path / "run",
        suite="tau2:retail",
        agents=(WRONG_FORM, WRONG_TOOL),
        user="gold",
        languages=("th",),
        scenarios=("domain",),
        tasks=("0", "1"),
    )
    assert set(verdicts(run)) == {("th:domain/text/none", task) for task in ("0", "1")}
    assert failure_sources(run) == {
        **{(WRONG_FORM, task): "arguments" for task in ("0", "1")},
        **{(WRONG_TOOL, task): "agent" for task in ("0", "1")},
    }


@pytest.mark.parametrize(
    ("suite", "task"),
    [("bfcl:simple_python", "simple_python_0"), ("bfcl:multi_turn_base", "multi_turn_base_1")],
)
def test_where_calls_are_judged_too_wrong_values_are_told_from_wrong_tools(
    in_bfcl: Path, tmp_path: Path, suite: str, task: str
) -> None:
    assert in_bfcl.is_dir()
    run = played(tmp_path / "run", suite=suite, agents=(UNTYPED, WRONG_TOOL), tasks=(task,))
    assert failure_sources(run) == {(UNTYPED, task): "arguments", (WRONG_TOOL, task): "agent"}


def test_calls_that_are_written_as_text_are_unknown(in_bfcl: Path, tmp_path: Path) -> None:
    assert in_bfcl.is_dir()
    agent = f"{__name__}:writes_nothing_of_use?calls=python"
    task = "simple_python_0"
    run = played(tmp_path / "run", suite="bfcl:simple_python", agents=(agent,), tasks=(task,))
    assert failure_sources(run) == {(agent, task): "unknown"}
    assert not (run / FOLDER).exists()


def test_where_the_plan_has_no_calls_the_agent_did_too_much(in_bfcl: Path, tmp_path: Path) -> None:
    assert in_bfcl.is_dir()
    task = "irrelevance_0"
    run = played(tmp_path / "run", suite="bfcl:irrelevance", agents=(EAGER,), tasks=(task,))
    assert failure_sources(run) == {(EAGER, task): "agent"}
    assert not (run / FOLDER).exists()


@pytest.mark.slow
@pytest.mark.speech
def test_only_what_decides_is_played_again(tmp_path: Path) -> None:
    run = played(
        tmp_path / "run",
        agents=(WRONG_FORM, "gold"),
        user="gold",
        tasks=("larger-jacket", "two-swaps"),
        trials=2,
        voices=("text", "telephone"),
        asr=("understood",),
        speakers=("us",),
    )
    steps: list[None] = []
    rows = attribute_failures(run, lambda: steps.append(None))
    assert len(rows) == len(steps) == 8
    (folder,) = (run / FOLDER).iterdir()
    assert len(conversations(folder)) == 8


@pytest.mark.slow
@pytest.mark.speech
def test_who_is_given_the_audio_and_passes_with_words_has_misrecognized(tmp_path: Path) -> None:
    run = played(
        tmp_path / "run",
        suite="courier:easy",
        agents=(DEAF,),
        tasks=("saturday-morning",),
        voices=("telephone",),
        asr=("itself",),
        speakers=("us",),
    )
    assert failure_sources(run) == {(DEAF, "saturday-morning"): "hearing"}
    again = {condition for each in (run / FOLDER).iterdir() for condition, _ in verdicts(each)}
    assert again == {"en/telephone+understood/none", "en/studio+itself/none"}


@pytest.mark.slow
@pytest.mark.speech
@pytest.mark.nightly
def test_what_the_line_or_the_listener_lost_is_named_as_the_counterfactuals_say(
    tmp_path: Path,
) -> None:
    tasks = ("fifteen-or-fifty", "where-is-my-parcel")
    run = played(
        tmp_path / "run",
        suite="courier:easy",
        tasks=tasks,
        voices=("text", "bad-line"),
        asr=("generic",),
        speakers=("us",),
    )
    reached = verdicts(run)
    assert {reached["en/text/none", task] for task in tasks} == {1.0}
    lost = [task for task in tasks if reached["en/bad-line+generic/none", task] == 0.0]
    assert lost

    steps: list[None] = []
    rows = attribute_failures(run, lambda: steps.append(None))

    assert steps
    assert [row.task for row in rows] == lost
    assert stored(run) == {(row.agent, row.task): row.failure_source for row in rows}
    again = {
        place: reward
        for folder in (run / FOLDER).iterdir()
        for place, reward in verdicts(folder).items()
    }
    assert {condition for condition, _ in again} == {
        "en/bad-line+understood/none",
        "en/studio+generic/none",
    }
    for row in rows:
        understood = again["en/bad-line+understood/none", row.task] == 1.0
        clean = again["en/studio+generic/none", row.task] == 1.0
        assert row.failure_source == failure_source(Counterfactuals(understood, clean))
        assert row.failure_source in {"line", "speech"}

    more: list[None] = []
    assert attribute_failures(run, lambda: more.append(None)) == rows
    assert more == []


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["bfcl:simple_python", "bfcl:multi_turn_base"])
def test_where_questions_may_be_answered_every_lost_entry_has_a_stage(
    in_bfcl: Path, tmp_path: Path, suite: str
) -> None:
    assert in_bfcl.is_dir()
    run = played(
        tmp_path / "run",
        suite=suite,
        agents=("careful", "literal"),
        voices=("simulated:30",),
        clarify=("rule",),
        limit=4,
    )
    lost = {key for key, value in verdicts(run).items() if value < 1}
    found = failure_sources(run)
    assert ("literal" in {agent for agent, _ in found}, len(lost) > 1) == (True, True)
    assert set(found.values()) == {"mishearing"}
