"""Caveats that are shown with figures: endpoints that refused most requests."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.core.usage import RemarkKind, Usage
from dragoman.dataframes.interpretation_warnings import refusal_warnings, reply_warnings
from dragoman.dataframes.results import summary
from dragoman.models.prices import NO_PRICES
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run

MODEL = "compatible/model"


def reported(folder: Path, used: Usage) -> tuple[str, ...]:
    """Return the caveats of a run of two conversations with this usage in each."""
    config = RunConfig("shop", ("a",))
    made = Manifest("0", "3", 1.0, config, "none", "p", sample_suite().provenance)
    cells = tuple(StoredCell(f"{at:032x}", "shop", PLAIN, "a", f"t{at}", 0) for at in range(2))
    played = [
        StoredEpisode(
            cell.key,
            0,
            Episode((), Termination("user_stop"), 2, 0, usage=(used,), started=1.0, seconds=1.0),
            Score("dragoman-1", "none", Scored(1.0), ()),
        )
        for cell in cells
    ]
    with create_run(folder / "run", NewRun(msgspec.json.encode(made), cells, {}), played) as store:
        summaries = summary(store, "dragoman-1", "none", NO_PRICES)
        return (*refusal_warnings(summaries), *reply_warnings(summaries))


def test_an_endpoint_that_refused_most_attempts_is_told_with_what_helps(tmp_path: Path) -> None:
    (line,) = reported(tmp_path, Usage("agent", MODEL, 40, faults={"rate_limited": 50, "cut": 9}))

    assert line.startswith(f"agent {MODEL}: 100 of 180 attempts were refused for lack of capacity")
    assert "--rate" in line


def test_what_is_to_be_said_of_replies_is_said_once_by_model(tmp_path: Path) -> None:
    lines = reported(
        tmp_path,
        Usage("user", MODEL, 4, remarks={"separated_reasoning": 2, "alternating_roles": 1}),
    )

    roles, reasoning = lines
    assert reasoning.startswith(
        f"user {MODEL}: reasoning stood between the words of 4 replies and was separated from them"
    )
    assert roles.startswith(f"user {MODEL}: its endpoint takes user and assistant by turns alone")


@pytest.mark.parametrize("kind", get_args(RemarkKind))
def test_every_kind_of_remark_has_a_sentence(tmp_path: Path, kind: str) -> None:
    (line,) = reported(tmp_path, Usage("agent", MODEL, 2, remarks={kind: 1}))
    assert line.startswith(f"agent {MODEL}: ")


@pytest.mark.parametrize(
    "used",
    [
        Usage("agent", MODEL, 60, faults={"rate_limited": 50}),
        Usage("agent", MODEL, 4, faults={"overloaded": 40}),
        Usage("agent", MODEL, 40, faults={"cut": 60}),
        Usage("agent", MODEL, 40),
    ],
    ids=["fewer than were answered", "few", "broken and not refused", "none"],
)
def test_other_faults_and_few_refusals_are_not(tmp_path: Path, used: Usage) -> None:
    assert reported(tmp_path, used) == ()
