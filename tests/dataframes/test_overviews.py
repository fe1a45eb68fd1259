"""The totals of a stored run's answer: what it cost, where that is known."""

from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN
from dragoman.core.content_keys import content_key
from dragoman.core.costs import FREE, Cost
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.dataframes.overviews import run_overview
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run


@pytest.mark.parametrize(
    ("imported", "cost", "note"),
    [
        (msgspec.UNSET, FREE, ""),
        ({}, None, "the imported files name no usage of models"),
    ],
)
def test_conversations_without_usage_are_free_unless_they_are_imported(
    tmp_path: Path,
    imported: dict[str, msgspec.Raw] | msgspec.UnsetType,
    cost: Cost | None,
    note: str,
) -> None:
    config = RunConfig("shop", ("a",))
    made = Manifest(
        "0", "3", 1.0, config, "none", "p", sample_suite().provenance, imported=imported
    )
    cell = StoredCell(content_key("t"), "shop", PLAIN, "a", "t", 0)
    new = NewRun(msgspec.json.encode(made), (cell,), {})
    episode = Episode((), Termination("user_stop"), 1, 0)
    score = Score("dragoman-1", "none", Scored(1.0), ())

    with create_run(tmp_path / "run", new) as store:
        store.put([StoredEpisode(cell.key, 0, episode, score)])
        totals = run_overview(store, "dragoman-1", "none").totals

    assert (totals.cost, totals.cost_note) == (cost, note)
