"""Values that no record can carry, from an agent or tool, end only their conversation."""

import asyncio
import importlib
import re
import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode, Message, executed_calls
from dragoman.core.replies import ToolCallReply
from dragoman.core.scores import METRIC_VERSION, Score, Scored, Unscored
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.store.run_store import open_run

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "own_suite"

Outcomes = dict[str, tuple[Episode, Score]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that agents are imported from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("px", "lending", "lending.suite"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def agent(here: Path, source: str) -> None:
    (here / "px.py").write_text(textwrap.dedent(source), "utf-8")


def played(config: RunConfig, folder: Path) -> Outcomes:
    """Play a run and return its conversations by task."""
    job = start_job(build_setup(config), folder, 0.0)
    with job.store:
        pending = pending_cells(job.cells, job.store)
        asyncio.run(execute(job.setup, pending, job.store, lambda *_: None))
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-2", "none", METRIC_VERSION)
        episodes = {key: episode for key, _, episode in store.episodes()}
        return {cell.task: (episodes[cell.key], scores[cell.key]) for cell in store.cells()}


ODD = {
    "half a character": r"'\ud83d\ude00'",
    "a key of two": "{(1, 2): 3}",
    "a key of nothing": "{None: 1}",
    "a key that is true": "{True: 1}",
    "an imaginary number": "1j",
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_arguments_that_no_record_carries_are_malformed_and_judged_as_they_were_written(
    here: Path, pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    text = f"[calculate_triangle_area(base={value}, height=5)]"
    agent(
        here,
        f"""
        def agent(messages, tools):
            right = "[math.factorial(number=5)]"
            return right if "factorial" in messages[-1]["content"] else {text!r}
        """,
    )
    tasks = ("simple_python_0", "simple_python_1")

    outcomes = played(
        RunConfig("bfcl:simple_python", ("px:agent?calls=python",), tasks=tasks), here / "run"
    )

    odd, odd_score = outcomes["simple_python_0"]
    (reply,) = [
        event.reply for event in odd.events if isinstance(event, Message) and event.by == "agent"
    ]
    assert isinstance(reply, ToolCallReply)
    assert reply.text == text
    assert [call.arguments for call in reply.calls] == [{}]
    assert "cannot carry" in reply.calls[0].malformed
    assert odd_score.reward == Scored(0.0)
    (part,) = odd_score.components
    assert part.evidence[0].subject.startswith("type_error")
    assert outcomes["simple_python_1"][1].reward == Scored(1.0)


@pytest.fixture
def lending(here: Path) -> Callable[[str, str], None]:
    """Return a function that installs the own-suite example with one text replaced."""

    def install(right: str, wrong: str) -> None:
        shutil.copytree(EXAMPLE / "lending", here / "lending")
        suite = here / "lending" / "suite.py"
        text = suite.read_text("utf-8")
        assert right in text
        suite.write_text(text.replace(right, wrong, 1), "utf-8")
        about = here / "lending-0.1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lending\nVersion: 0.1\n")
        (about / "entry_points.txt").write_text(
            "[dragoman.benchmarks]\nlending = lending.suite:suite\n"
        )
        importlib.invalidate_caches()

    return install


FIND = "for number, book in self._books.shared.records.items():"


@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        (f"if 'Bread' in title: raise RuntimeError('no\\nshelf')\n        {FIND}", "no shelf"),
        (f"if 'Bread' in title: return {{}}\n        {FIND}", "returned dict, not text"),
    ],
)
def test_a_tool_of_ones_own_suite_that_breaks_ends_its_own_conversation_only(
    lending: Callable[[str, str], None], here: Path, wrong: str, reported: str
) -> None:
    lending(FIND, wrong)

    outcomes = played(RunConfig("lending", ("gold",), concurrency=1), here / "run")

    broken, score = outcomes["lent-already"]
    assert broken.ending.reason == "code_error"
    assert reported in broken.ending.detail
    assert re.search(r"\((suite|environment)\.py, line \d+\)$", broken.ending.detail)
    assert "\n" not in broken.ending.detail
    assert isinstance(score.reward, Unscored)
    assert outcomes["fiftieth-not-fifteenth"][1].reward == Scored(1.0)


@pytest.mark.parametrize("user_action", ["return", "raise ToolError"])
def test_what_a_tool_answers_is_escaped_where_no_record_carries_it(
    lending: Callable[[str, str], None], here: Path, user_action: str
) -> None:
    lending("return number", f"{user_action}(number + '\\ud83d')")

    outcomes = played(RunConfig("lending", ("gold",)), here / "run")

    episode, _ = outcomes["fiftieth-not-fifteenth"]
    results = [result for _, result in executed_calls(episode.events) if result is not None]
    assert results[0].content.endswith("B2\\ud83d")
    assert episode.ending.reason == "user_stop"


def test_an_agent_that_cancels_its_own_task_ends_its_own_conversation_only(here: Path) -> None:
    agent(
        here,
        """
        import asyncio
        seen = []
        async def agent(messages, tools):
            seen.append(1)
            if len(seen) == 1:
                asyncio.current_task().cancel()
                await asyncio.sleep(0)
            return "I cannot help you with that."
        """,
    )

    outcomes = played(RunConfig("sample:shop", ("px:agent",), concurrency=1), here / "run")

    endings = [episode.ending for episode, _ in outcomes.values()]
    assert [ending.detail for ending in endings if ending.reason == "code_error"] == [
        "px:agent cancelled itself"
    ]
    assert len(endings) == 5
