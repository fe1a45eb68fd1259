"""A run as data frames: their joins, their completeness, and a true page about them."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import dragoman
from dragoman.core.episodes import Message
from dragoman.core.errors import StoreError
from dragoman.core.replies import TextReply
from dragoman.dataframes.frame_columns import CONVERSATION
from dragoman.store.run_store import open_run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "frames.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dragoman.RunResult:
    """A run in two languages, with and without ASR errors, in which some agents fail."""
    return dragoman.run(
        "courier",
        agent=["literal", "lexical"],
        language=["en", "vi"],
        scenario="domain",
        voice=["text", "simulated:10"],
        limit=1,
        out=tmp_path_factory.mktemp("frames") / "run",
    )


def documented(frame: str) -> dict[str, str]:
    """Return the columns of a frame with their types as the page has them."""
    part = PAGE.read_text("utf-8").partition(f"\n## {frame}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([\w()]+) \|", part, re.MULTILINE))


OF_CONVERSATIONS = {
    "episodes",
    "turns",
    "utterances",
    "calls",
    "scores",
    "consumed",
    "counts",
    "errors",
}
ELSEWHERE = {"voices", "mm_tau"}


def test_the_page_has_every_frame_and_column_with_its_type(run: dragoman.RunResult) -> None:
    axes = {"language", "scenario", "partition", "voice", "recognizer", "persona"}
    assert set(documented("Columns that join frames")) == set(CONVERSATION)
    for name in set(run.frames) - ELSEWHERE:
        schema = {column: str(kind) for column, kind in run.frames[name].schema.items()}
        own = {column: kind for column, kind in schema.items() if column not in axes}
        shared = documented("Columns that join frames") if name in OF_CONVERSATIONS else {}
        assert own == {**shared, **documented(name)}, name
        if name not in {"comparisons", "pairs", "losses"}:
            assert axes <= set(schema), name


def test_the_page_has_every_attribute_of_a_run(run: dragoman.RunResult) -> None:
    part = PAGE.read_text("utf-8").partition("\n## What a run returns\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
    assert sorted(named) == sorted(name for name in dir(run) if not name.startswith("_"))


def test_a_frame_is_read_once_and_all_names_are_offered(run: dragoman.RunResult) -> None:
    frames = dragoman.frames(run.folder)
    assert frames.turns is frames["turns"]
    assert set(frames) <= set(dir(frames))
    assert len(frames) == len(list(frames))
    with pytest.raises(KeyError):
        frames["walks"]
    with pytest.raises(AttributeError, match="choose of cells"):
        _ = frames.walks


def test_frames_are_of_the_scoring_that_is_named(tmp_path: Path) -> None:
    run = dragoman.run("sample:shop", "gold", limit=1, judge="rule", out=tmp_path / "run")
    assert dragoman.frames(run, judge="rule").episodes["judge"].to_list() == ["rule-1"]
    with pytest.raises(StoreError, match="not scored like that"):
        dragoman.frames(run, judge="none")


def test_turns_utterances_and_calls_are_all_that_happened(run: dragoman.RunResult) -> None:
    frames = run.frames
    with open_run(run.folder, write=False) as store:
        episodes = {key: (attempt, episode) for key, attempt, episode in store.episodes()}
    assert len(episodes) == 8
    for key, (attempt, episode) in episodes.items():
        own = pl.col("key") == key
        moves = [place for place, event in enumerate(episode.events) if isinstance(event, Message)]
        said = [
            event.reply.utterance
            for event in episode.events
            if isinstance(event, Message) and isinstance(event.reply, TextReply)
        ]
        turns, spoken = frames.turns.filter(own), frames.utterances.filter(own)
        assert turns["event"].to_list() == moves
        assert set(turns["attempt"]) == {attempt}
        assert spoken["intended"].to_list() == [each.intended for each in said]
        assert spoken["received"].to_list() == [each.received for each in said]
        results = frames.calls.filter(own)["result_event"].drop_nulls().to_list()
        assert sorted([*moves, *results]) == list(range(len(episode.events)))


def test_what_was_misrecognized_stands_beside_what_was_meant(run: dragoman.RunResult) -> None:
    lines = run.frames.utterances
    heard = lines.filter(voice="simulated:10", by="user").drop_nulls("heard")
    assert heard.filter(pl.col("heard") != pl.col("spoken")).height > 0
    assert heard["heard"].equals(heard["received"].rename("heard"))
    assert lines.filter(voice="text")["heard"].null_count() == lines.filter(voice="text").height


def test_calls_have_what_was_executed_and_what_the_caller_wrote(run: dragoman.RunResult) -> None:
    calls = run.frames.calls
    assert (
        calls.filter(language="en")
        .filter(pl.col("arguments") != pl.col("written_arguments"))
        .is_empty()
    )
    localized = calls.filter(language="vi")
    assert localized["shown_result"].drop_nulls().len() > 0
    for row in localized.to_dicts():
        assert isinstance(json.loads(row["arguments"]), dict)
        assert isinstance(json.loads(row["written_arguments"]), dict)


def test_every_conversation_joins_by_its_key(run: dragoman.RunResult) -> None:
    frames = run.frames
    assert frames.episodes["key"].n_unique() == frames.episodes.height == 8
    for name in OF_CONVERSATIONS - {"episodes"}:
        assert frames[name].join(frames.episodes, on="key", how="anti").is_empty(), name
    assert set(frames.episodes["standing"]) == {"pass", "fail"}
    lost = frames.comparisons.filter(agent_b="lexical", k=1)
    assert set(lost["run_a"]) == {"run"}
