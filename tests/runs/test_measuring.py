"""Measures of stored conversations: only missing and broken ones are taken again."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.setup import build_setup, scoring_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import UsageError
from dragoman.core.measures import (
    CountedItem,
    MeasureResult,
    MeasureSetting,
    MetricDefinition,
    ScoringContext,
    Total,
)
from dragoman.core.scores import METRIC_VERSION
from dragoman.dataframes.results import run_figures
from dragoman.runs.jobs import resume_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.measure_runner import Choice, measure_locally, measure_settings
from dragoman.runs.runner import MeasureRequest, PlayedRun, play, score, start
from dragoman.scoring.language_detection import _load_fasttext_model
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.store.run_file import FILE
from dragoman.store.run_store import open_run

MISRECOGNIZED = RunConfig("sample:shop", ("literal",), voices=("text", "simulated:30"))


def played(folder: Path, config: RunConfig) -> PlayedRun:
    return play(start(build_setup(config), folder), lambda *_: None)


def stored(folder: Path) -> dict[tuple[str, str, str], MeasureResult]:
    """Return the counts of measures by condition, task and measure."""
    with open_run(folder, write=False) as store:
        return {
            (cell.condition.label, cell.task, entry.measure): entry
            for cell in store.cells()
            for entry in store.measured().get(cell.key, ())
        }


def changed(folder: Path, query: str) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(query)
    connection.close()


class Moody:
    """A judged measure that fails on request, and records the conversations that it saw."""

    name = "mood"
    version = "1"
    judge = "judge@1"
    rules = ""
    figures: tuple[MetricDefinition, ...] = (Total("seen", ("seen",)),)

    def __init__(self, *failing: str) -> None:
        self.failing = failing
        self.asked: list[str] = []

    def applies(self, setting: MeasureSetting) -> bool:
        return not setting.is_spoken

    async def measure(self, case: ScoringContext) -> MeasureResult:
        self.asked.append(case.task.id)
        if case.task.id in self.failing:
            return MeasureResult(self.name, self.version, self.judge, unscored="judge failed: gone")
        return MeasureResult(self.name, self.version, self.judge, counts={"seen": 1})


def take(folder: Path, *measures: Moody | CountMeasure, choice: Choice = "open") -> int:
    with open_run(folder, write=True) as store:
        setup = scoring_setup(read_manifest(store).config)
        return asyncio.run(measure_locally(setup, store, measures, lambda: None, choice))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("misheard") / "run", MISRECOGNIZED).folder


@pytest.fixture
def folder(run: Path, tmp_path: Path) -> Path:
    """A copy of a finished run in which users are misrecognized."""
    (tmp_path / "run").mkdir()
    with (
        sqlite3.connect(run / FILE) as source,
        sqlite3.connect(tmp_path / "run" / FILE) as copy,
    ):
        source.backup(copy)
    return tmp_path / "run"


def test_a_spoken_run_ends_with_its_hearing_measured_and_text_has_none(run: Path) -> None:
    found = stored(run)
    assert {condition for condition, _, _ in found} == {"en/simulated:30/none"}
    assert {measure for _, _, measure in found} == {"hearing", "values", "clarity", "timing"}
    assert len(found) == 20
    heard = [entry.counts for key, entry in found.items() if key[2] == "hearing"]
    assert sum(counts["word errors"] for counts in heard) > 0
    with open_run(run, write=False) as store:
        rows = run_figures(store, "dragoman-2", "none").measures
        described = measure_settings(read_manifest(store))
    words = sum(counts["words"] for counts in heard)
    (row,) = (row for row in rows if row.figure == "word errors")
    assert (row.n, row.unscored) == (words, 0)
    assert row.value == sum(counts["word errors"] for counts in heard) / words
    assert described == {"en/simulated:30/none": MeasureSetting(is_spoken=True)}


def test_a_run_counts_the_measures_that_its_grid_names_and_a_resumed_one_what_is_missing(
    tmp_path: Path,
) -> None:
    config = RunConfig("sample:shop", ("gold",), measures=("effort", "safety"))
    folder = played(tmp_path / "run", config).folder
    before = stored(folder)
    assert {measure for _, _, measure in before} == {"effort", "safety"}
    changed(folder, "DELETE FROM scores WHERE metric LIKE 'safety%'")
    assert {measure for _, _, measure in stored(folder)} == {"effort"}
    play(resume_job(folder), lambda *_: None)
    assert stored(folder) == before


def test_a_measure_that_does_not_exist_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    config = RunConfig("sample:shop", ("gold",), measures=("efort",))
    with pytest.raises(UsageError, match="unknown measure 'efort': choose reward, "):
        played(tmp_path / "run", config)
    assert not (tmp_path / "run").exists()


def test_a_run_of_an_offline_agent_has_stated_response_times_and_its_text_has_none(
    run: Path,
) -> None:
    timed = [entry for key, entry in stored(run).items() if key[2] == "timing"]
    assert not any(entry.unscored for entry in timed)
    assert sum(entry.counts["responses"] for entry in timed) > 0
    assert all(entry.counts["stated"] == entry.counts["responses"] for entry in timed)
    with open_run(run, write=False) as store:
        texts = {cell.key for cell in store.cells() if cell.condition.voice == "text"}
        rows = run_figures(store, "dragoman-2", "none").measures
        played = {key: msgspec.json.encode(episode) for key, _, episode in store.episodes()}
    assert texts
    assert {key for key, episode in played.items() if b'"latency"' in episode} == set(
        played
    ) - texts
    values = {row.figure: (row.value, row.n) for row in rows if row.measure == "timing"}
    assert values["spoken over the caller per task"] == (None, 0)
    assert values["responses of a stated time"][0] == 1.0


def test_a_run_of_before_gets_its_measures_when_it_is_scored(folder: Path) -> None:
    before = stored(folder)
    changed(folder, "DELETE FROM scores WHERE rules = ''")
    changed(folder, "DELETE FROM meta WHERE name LIKE 'measure %'")
    assert stored(folder) == {}
    with open_run(folder, write=False) as store:
        rows = run_figures(store, "dragoman-2", "none").measures
    assert {row.measure for row in rows} == {"reward"}

    score(folder, MeasureRequest(), lambda: None)

    assert stored(folder) == before


def test_one_measure_is_taken_alone_and_only_where_it_is_missing(folder: Path) -> None:
    before = stored(folder)
    changed(
        folder,
        "DELETE FROM scores WHERE rules = '' AND id NOT IN "
        "(SELECT min(id) FROM scores WHERE metric LIKE 'hearing-%')",
    )
    (first,) = stored(folder)
    reported: list[None] = []

    score(folder, MeasureRequest(measures=("hearing",)), lambda: reported.append(None))

    assert len(reported) == 4
    assert stored(folder) == {key: entry for key, entry in before.items() if key[2] == "hearing"}
    assert first in stored(folder)


@pytest.mark.slow
def test_scoring_by_a_measure_leaves_the_rewards_reading_as_it_was(folder: Path) -> None:
    result = score(folder, MeasureRequest({"judge": "rule"}, ("hearing",)), lambda: None)
    assert (result.rules, result.judge) == ("dragoman-2", "none")
    with open_run(folder, write=False) as store:
        assert store.scorings() == (("dragoman-2", "none"),)
        assert len(store.scores("dragoman-2", "none", METRIC_VERSION)) == 10


def test_what_a_judge_left_open_is_asked_again_alone(folder: Path) -> None:
    failing, answering = Moody("two-swaps"), Moody()
    assert take(folder, failing) == 5
    (open_one,) = (entry for entry in stored(folder).values() if entry.unscored)
    assert open_one.unscored == "judge failed: gone"

    assert take(folder, answering) == 1

    assert answering.asked == ["two-swaps"]
    assert all(not entry.unscored for entry in stored(folder).values())
    assert take(folder, answering) == 0
    assert take(folder, answering, choice="all") == 5


def test_a_measure_that_breaks_leaves_its_reason_and_the_others_stand(folder: Path) -> None:
    def broken(case: ScoringContext) -> Iterator[CountedItem]:
        yield CountedItem({"tasks": 1 // len(case.episode.source)}, 0)  # type: ignore[arg-type]

    def sound(case: ScoringContext) -> Iterator[CountedItem]:
        yield CountedItem({"events": len(case.episode.events)})

    one, other = CountMeasure("broken", "1", broken, ()), CountMeasure("sound", "1", sound, ())
    assert take(folder, one, other) == 10
    found = stored(folder)
    reasons = {entry.unscored for key, entry in found.items() if key[2] == "broken"}
    assert len(reasons) == 1
    assert reasons.pop().startswith("scoring broke: TypeError")
    assert all(entry.counts["events"] for key, entry in found.items() if key[2] == "sound")


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (float("nan"), "counts 'odd' as nan, which is not a number"),
        (float("inf"), "counts 'odd' as inf, which is not a number"),
    ],
)
def test_what_is_no_number_is_unscored_and_the_run_stays_readable(
    folder: Path, count: float, why: str
) -> None:
    def odd(_case: ScoringContext) -> Iterator[CountedItem]:
        yield CountedItem({"odd": count}, 0)

    take(folder, CountMeasure("odd", "1", odd, ()))
    reasons = {entry.unscored for key, entry in stored(folder).items() if key[2] == "odd"}
    assert reasons == {f"the measure {why}"}


def test_a_measure_that_answers_under_another_name_is_unscored(folder: Path) -> None:
    class Other(Moody):
        async def measure(self, case: ScoringContext) -> MeasureResult:
            return MeasureResult("hearing", "1", counts={"words": len(case.task.id)})

    before = stored(folder)
    take(folder, Other())
    after = stored(folder)
    assert {key: entry for key, entry in after.items() if key[2] == "hearing"} == {
        key: entry for key, entry in before.items() if key[2] == "hearing"
    }
    assert all("answers as" in entry.unscored for key, entry in after.items() if key[2] == "mood")


def test_a_measure_may_replay_what_happened(folder: Path) -> None:
    def replayed(case: ScoringContext) -> Iterator[CountedItem]:
        environment = case.factory(case.task)
        yield CountedItem({"tools": len(environment.tools("agent").tools)})

    assert take(folder, CountMeasure("tools", "1", replayed, ())) == 10
    assert {
        entry.counts.get("tools", 0) > 0
        for key, entry in stored(folder).items()
        if key[2] == "tools"
    } == {True}


def test_without_the_extra_a_run_in_other_languages_says_why_they_are_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fasttext", None)
    _load_fasttext_model.cache_clear()
    config = RunConfig(
        "sample:shop",
        ("gold",),
        tasks=("two-swaps",),
        languages=("vi",),
        scenarios=("interaction",),
    )
    result = played(tmp_path / "run", config)
    why = "language detection is an extra: pip install 'dragoman[language]'"
    assert result.unmeasured == {"language": why}
    assert stored(result.folder) == {}
    with pytest.raises(UsageError, match="language detection is an extra"):
        score(result.folder, MeasureRequest(measures=("language",)), lambda: None)
