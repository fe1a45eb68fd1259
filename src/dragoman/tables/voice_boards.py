"""The grid of voices of stored runs: one board over one or several, by one scoring."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.voice.board import VoiceBoard, voice_board
from dragoman.analysis.voice.ways import is_spoken
from dragoman.core.conditions import TEXT
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import NO_LEADERBOARD, Leaderboard
from dragoman.core.leaderboard import spoken_leaderboard as spoken_part
from dragoman.store.run_store import RunStore
from dragoman.tables.leaderboard import leaderboard_of
from dragoman.tables.outcomes import outcomes
from dragoman.tables.scored_runs import run_facts, scored_runs, stored_digests, task_digests


class VoiceResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    board: VoiceBoard
    facts: tuple[tuple[str, str], ...]


def voice_results(folders: Sequence[Path], rules: str | None, judge: str | None) -> VoiceResults:
    """Return the board of all runs together.

    Raises:
        UsageError: Where nobody spoke in them, a conversation is in two of them, or they were not
            scored alike.
        StoreError: Where a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    rows = [row for run in runs for row in run.outcomes]
    if not is_spoken(rows):
        raise UsageError(
            f"{', '.join(str(run.folder) for run in runs)}: nobody spoke: play with --voice"
        )
    declared = {name: entry for run in runs for name, entry in run.declared.items()}
    board = spoken_leaderboard(row.suite for row in rows)
    scoring = runs[0].scoring
    return VoiceResults(
        voice_board(rows, task_digests(runs), declared, scoring, board), run_facts(runs)
    )


def spoken_leaderboard(suites: Iterable[str]) -> Leaderboard:
    """Return how aggregates of suites are made that are spoken; of several benchmarks there are none."""
    names = {suite.partition(":")[0] for suite in suites}
    found = leaderboard_of(names.pop()) if len(names) == 1 else None
    return NO_LEADERBOARD if found is None else spoken_part(found)


def stored_board(store: RunStore, rules: str, judge: str) -> VoiceBoard | None:
    """Return the board of one run by one scoring; None where nobody spoke in it."""
    if not any(cell.condition.voice != TEXT for cell in store.cells()):
        return None
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    board = spoken_leaderboard(row.suite for row in rows)
    return voice_board(rows, stored_digests(store), store.declared(), (rules, judge), board)
