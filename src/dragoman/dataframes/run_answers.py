"""The answer of a run with its caveats and causes: read from what is stored, or from the cache."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.dataframes.interpretation_warnings import (
    described_users,
    interpretation_warnings,
    refusal_warnings,
    reply_warnings,
    text_call_warnings,
    users_of,
)
from dragoman.dataframes.overviews import overview_of
from dragoman.dataframes.results import agreement, outcomes
from dragoman.dataframes.run_failures import MIN_KEPT, keep_value, kept_value
from dragoman.report.formatting import unreadable
from dragoman.report.overview import RunOverview
from dragoman.report.summary import FailureGroup, ending_lines, failure_groups, list_failures
from dragoman.runs.manifest import read_manifest, stored_prices
from dragoman.store.run_store import RunStore

_KIND = "answer"


class RunAnswer(msgspec.Struct, frozen=True):
    """The summary of a run for a terminal.

    Attributes:
        overview: The answer as a record.
        users: The user simulators in words; "" if nobody plays the user.
        endings: Endings of conversations that did not end by themselves.
        warnings: Warnings to read before one trusts a figure.
        causes: The conversations that failed, by cause and stage.
        recorded: Numbers of recorded verdicts that were compared and that agree; None without any.
    """

    overview: RunOverview
    users: str
    endings: tuple[str, ...]
    warnings: tuple[str, ...]
    causes: tuple[FailureGroup, ...]
    recorded: tuple[int, int] | None


def answer_among(
    store: RunStore,
    scoring: tuple[str, str],
    rows: Sequence[ConversationResult],
    cells: Sequence[CellSummary],
) -> RunAnswer:
    """Return the answer of a run whose conversations are read and whose cells are summarized."""
    found = agreement(store, *scoring)
    return RunAnswer(
        overview=overview_of(store, rows, cells),
        users=described_users(users_of(store)),
        endings=tuple(ending_lines(cells)),
        warnings=(
            *(unreadable(cell) for cell in cells if cell.is_mostly_unreadable),
            *run_warnings(store, cells),
        ),
        causes=tuple(failure_groups(list_failures(rows))),
        recorded=None if found is None else (found.compared, found.agreeing),
    )


def run_answer(store: RunStore, rules: str, judge: str) -> RunAnswer:
    """Return the answer of a run, and keep it for the next look."""
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    price_of, preflight = stored_prices(store).price_of, read_manifest(store).preflight
    cells = summarize(rows, rules, judge, price_of, preflight)
    made = answer_among(store, (rules, judge), rows, cells)
    if len(rows) >= MIN_KEPT:
        keep_value(store, (rules, judge), _KIND, made)
    return made


def kept_answer(store: RunStore, rules: str, judge: str) -> RunAnswer | None:
    """Return the answer that the cache has; None if it has none for what is stored now."""
    return kept_value(store, (rules, judge), _KIND, RunAnswer)


def run_warnings(store: RunStore, cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Return what one should know before one trusts a figure of a run."""
    return (
        *interpretation_warnings(store),
        *refusal_warnings(cells),
        *reply_warnings(cells),
        *text_call_warnings(cells),
    )
