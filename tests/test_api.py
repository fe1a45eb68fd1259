"""Dragoman from Python: a run gives frames, an error is one exception with one line."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest

import dragoman
from dragoman.core.errors import DataError, DragomanError, StoreError, UsageError

Messages = list[dict[str, Any]]
Tools = list[dict[str, Any]]
Cli = Callable[..., CompletedProcess[str]]

LINE_IS_DEAD = asyncio.Event()


def helpless(messages: Messages, tools: Tools) -> str:
    assert messages
    assert tools
    return "I cannot help you with that."


async def helpless_later(messages: Messages, tools: Tools) -> dict[str, object]:
    await asyncio.sleep(0)
    return {"content": helpless(messages, tools)}


def cut_off(messages: Messages, tools: Tools) -> str:
    if LINE_IS_DEAD.is_set():
        raise ConnectionError("the line is dead")
    return helpless(messages, tools)


class Parrot:
    """A participant of one's own, from the package's protocols."""

    name = "parrot"

    async def open(self, opening: Any) -> Any:  # noqa: ANN401 - as loosely typed as users write
        from dragoman.simulation.participants.oracle import SilentAgent

        return await SilentAgent().open(opening)


@pytest.fixture
def dead_line() -> Iterator[asyncio.Event]:
    """Make `cut_off` fail until it is cleared."""
    LINE_IS_DEAD.set()
    yield LINE_IS_DEAD
    LINE_IS_DEAD.clear()


@pytest.fixture
def command(tmp_path: Path, in_process: Cli) -> Cli:
    """Run the command line in the folder of the run."""

    def call(*arguments: object) -> CompletedProcess[str]:
        cache = str(tmp_path / "no-cache")
        return in_process(*arguments, cwd=tmp_path, XDG_CACHE_HOME=cache)

    return call


def test_a_run_with_a_function_gives_frames(tmp_path: Path) -> None:
    result = dragoman.run("sample:shop", agent=helpless, trials=2, out=tmp_path / "mine")

    assert isinstance(result, dragoman.RunResult)
    assert result.folder == tmp_path / "mine"
    cells, episodes, scores = result.cells, result.episodes, result.scores
    assert isinstance(cells, pl.DataFrame)
    assert cells["k"].to_list() == [1, 2]
    assert cells["agent"].unique().to_list() == [f"{__name__}:helpless"]
    assert cells["tasks"].unique().to_list() == [2]
    assert cells["left_out"].unique().to_list() == [3]
    assert isinstance(episodes, pl.DataFrame)
    assert episodes.height == 10
    assert set(episodes["ending"]) == {"user_stop"}
    assert isinstance(scores, pl.DataFrame)
    assert scores.height == 10 * 5


def test_the_columns_of_the_frames_have_their_types_whatever_the_run_holds(
    tmp_path: Path, dead_line: asyncio.Event
) -> None:
    assert dead_line.is_set()
    broken = dragoman.run("sample:shop", agent=cut_off, out=tmp_path / "broken")
    whole = dragoman.run("sample:shop", agent="gold", judge="assume-met", out=tmp_path / "whole")

    for frame in ("cells", "episodes"):
        assert getattr(broken, frame).schema == getattr(whole, frame).schema
    cells = whole.cells.schema
    assert {name: cells[name] for name in ("k", "pass_hat", "low", "high", "tasks", "assumed")} == {
        "k": pl.Int64,
        "pass_hat": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "tasks": pl.Int64,
        "assumed": pl.Boolean,
    }
    episodes = whole.episodes.schema
    assert episodes["reward"] == pl.Float64
    assert episodes["unscored"] == pl.String
    assert whole.scores.schema["value"] == pl.Float64


def test_undecided_components_are_a_list_of_names_even_where_there_are_none(tmp_path: Path) -> None:
    result = dragoman.run("sample:shop", "gold", judge="assume-met", out=tmp_path / "mine")

    assert result.episodes.schema["undecided"] == pl.List(pl.String)


def test_no_score_at_all_gives_an_empty_frame_with_the_same_columns(
    tmp_path: Path, dead_line: asyncio.Event
) -> None:
    assert dead_line.is_set()
    broken = dragoman.run("sample:shop", agent=cut_off, out=tmp_path / "broken")
    whole = dragoman.run("sample:shop", agent="gold", out=tmp_path / "whole")

    assert broken.scores.height == 0
    assert broken.scores.schema == whole.scores.schema


def test_figures_in_the_frame_are_those_of_the_command_line(tmp_path: Path, command: Cli) -> None:
    frame = dragoman.run("sample:shop", "gold", judge="rule", out=tmp_path / "mine").cells

    done = command("run", "sample:shop", "--agent", "gold", "--judge", "rule", "--json")

    (cell,) = json.loads(done.stdout)["cells"]
    (row,) = frame.to_dicts()
    assert row["pass_hat"] == cell["pass_hat"]["1"]
    assert [row["low"], row["high"]] == cell["interval"]["1"]
    assert [row["missing_fail"], row["missing_pass"]] == cell["bounds"]["1"]
    assert (row["tasks"], row["left_out"]) == (cell["tasks"], cell["left_out"])


def test_several_agents_of_all_kinds_are_cells_of_one_run(tmp_path: Path) -> None:
    result = dragoman.run(
        "sample:shop",
        agent=["gold", helpless, helpless_later, Parrot()],
        limit=2,
        out=tmp_path / "mine",
    )

    assert result.cells["agent"].to_list() == [
        "gold",
        f"{__name__}:helpless",
        f"{__name__}:helpless_later",
        f"{__name__}:Parrot",
    ]
    assert result.episodes.height == 8
    assert result.episodes["ending"].unique().to_list() == ["user_stop"]


def test_a_run_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    async def notebook() -> dragoman.RunResult:
        return dragoman.run("sample:shop", agent=helpless_later, out=tmp_path / "mine")

    result = asyncio.run(notebook())

    assert result.episodes["ending"].to_list() == ["user_stop"] * 5


def test_an_error_inside_a_running_event_loop_is_the_same_error(tmp_path: Path) -> None:
    async def notebook() -> None:
        (tmp_path / "mine").write_text("in the way")
        dragoman.run("sample:shop", agent=helpless, out=tmp_path / "mine")

    with pytest.raises(StoreError, match="mine"):
        asyncio.run(notebook())


def test_resume_tries_again_what_broke(tmp_path: Path, dead_line: asyncio.Event) -> None:
    broken = dragoman.run("sample:shop", agent=cut_off, out=tmp_path / "mine")
    assert broken.cells["infrastructure_errors"].to_list() == [5]
    assert broken.episodes["reward"].to_list() == [None] * 5
    dead_line.clear()

    mended = dragoman.resume(tmp_path / "mine")

    assert mended.cells["infrastructure_errors"].to_list() == [0]
    assert mended.episodes["ending"].to_list() == ["user_stop"] * 5


def test_resume_plays_again_where_the_simulated_user_failed(tmp_path: Path) -> None:
    script = tmp_path / "user.json"
    script.write_text(
        '{"*": [{"content": "How may I assist you today?"}, {"content": "###STOP###"}]}'
    )
    user = f"scripted/{script}"
    played = dragoman.run("sample:shop", agent="silent", user=user, out=tmp_path / "mine")
    assert played.episodes["invalid"].to_list() == [["goal_kept"]] * 5
    assert played.cells["invalid"].to_list() == [5]

    resumed = dragoman.resume(tmp_path / "mine", retry_invalid=True)
    assert resumed.episodes["invalid"].to_list() == [["goal_kept"]] * 5
    unchecked = dragoman.run("sample:shop", agent="silent", out=tmp_path / "other")
    assert unchecked.episodes["invalid"].to_list() == [None] * 5
    assert unchecked.cells["invalid"].to_list() == [None]


def test_a_finished_run_is_loaded_as_it_was(tmp_path: Path) -> None:
    result = dragoman.run("sample:shop", agent="gold", judge="rule", out=tmp_path / "mine")

    loaded = dragoman.load(str(tmp_path / "mine"))

    assert (loaded.rules, loaded.judge) == (result.rules, result.judge)
    for frame in ("cells", "episodes", "scores"):
        assert getattr(loaded, frame).equals(getattr(result, frame))


def test_a_run_of_a_function_is_scored_again_by_the_command_line_and_loaded_so(
    tmp_path: Path, command: Cli
) -> None:
    dragoman.run("sample:shop", agent=helpless, out=tmp_path / "mine")

    done = command("score", "mine", "--judge", "assume-met", "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cells"][0]["tasks"] == 5
    assert dragoman.load(tmp_path / "mine", judge="none").cells["tasks"].to_list() == [2]
    again = dragoman.load(tmp_path / "mine", judge="assume-met")
    assert again.cells["tasks"].to_list() == [5]
    assert again.cells["assumed"].to_list() == [True]


def test_a_run_of_a_function_is_shown_and_reported_by_the_command_line(
    tmp_path: Path, command: Cli
) -> None:
    dragoman.run("sample:shop", agent=helpless, out=tmp_path / "mine")

    assert "I cannot help you" in command("show", "mine", "too-late").stdout
    assert command("report", "mine").returncode == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"suite": "no:suite", "agent": "gold"}, UsageError, "no:suite"),
        ({"suite": "sample:shop"}, UsageError, "no agent"),
        ({"suite": "sample:shop", "agent": "nobody"}, UsageError, "nobody"),
        ({"suite": "sample:shop", "agent": 3}, UsageError, "neither a function"),
        ({"suite": "sample:shop", "agent": "gold", "trials": 0}, UsageError, "trials"),
        ({"suite": "sample:shop", "agent": "gold", "tasks": ["999"]}, UsageError, "999"),
        ({"suite": "sample:shop", "agent": "gold", "judge": "me"}, UsageError, "me"),
        ({"suite": "tau2:retail", "agent": "gold"}, DataError, "dragoman data pull tau2"),
    ],
)
def test_a_mistake_is_one_exception_with_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    error: type[DragomanError],
    words: str,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    with pytest.raises(error, match=words) as caught:
        dragoman.run(**options, out=tmp_path / "mine")

    assert "\n" not in str(caught.value)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "options",
    [{"trials": "3"}, {"trials": True}, {"trials": 1.5}, {"tasks": "too-late"}, {"limit": "all"}],
)
def test_an_argument_of_the_wrong_type_is_named(tmp_path: Path, options: dict[str, Any]) -> None:
    (name,) = options

    with pytest.raises(UsageError, match=name):
        dragoman.run("sample:shop", "gold", out=tmp_path / "mine", **options)


def test_two_agents_made_by_one_function_are_two_cells(tmp_path: Path) -> None:
    def saying(words: str) -> Callable[[Messages, Tools], str]:
        return lambda *_: words

    result = dragoman.run(
        "sample:shop", agent=[saying("No."), saying("Never.")], limit=1, out=tmp_path / "mine"
    )

    assert result.cells.height == 2


def test_loading_or_resuming_what_is_no_run_says_so(tmp_path: Path) -> None:
    for call in (dragoman.load, dragoman.resume):
        with pytest.raises(StoreError, match="no run here"):
            call(tmp_path / "nothing")


def test_a_run_is_known_by_its_folder_when_it_is_printed(tmp_path: Path) -> None:
    result = dragoman.run("sample:shop", "silent", limit=1, out=tmp_path / "mine")

    assert str(tmp_path / "mine") in repr(result)


def test_on_bfcl_a_function_is_told_nothing_but_the_question(
    pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    roles: list[list[str]] = []

    def listening(messages: Messages, tools: Tools) -> str:
        assert tools
        roles.append([message["role"] for message in messages])
        return "No function serves that."

    result = dragoman.run("bfcl:irrelevance", agent=listening, limit=3, out=tmp_path / "run")

    assert roles == [["user"]] * 3
    assert result.cells["pass_hat"].to_list() == [1.0]
