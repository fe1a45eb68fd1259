"""Stored runs as reports and figures show them."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.api_calls.board import ApiBoard, api_board
from dragoman.analysis.blame import BLAME
from dragoman.analysis.cells import Outcome, summarize
from dragoman.analysis.mm_tau.board import mm_tau_boards
from dragoman.core.apis.metrics import CALLS
from dragoman.core.conditions import EXPOSURE, NONE, UNEXPOSED
from dragoman.core.measures import REWARD
from dragoman.core.scores import NO_JUDGE
from dragoman.models.prices import PriceTable
from dragoman.report.mm_tau_figures import MmTauPage, mm_tau_page
from dragoman.report.view_model import RunInvocation, RunView, reproduction_steps
from dragoman.runs.jobs import Manifest, read_manifest, stored_prices
from dragoman.store.run_store import RunStore, open_run
from dragoman.tables.caveats import caveats, users_of
from dragoman.tables.losses import losses_among
from dragoman.tables.manifest_facts import facts_of
from dragoman.tables.outcomes import chosen_scoring, outcomes
from dragoman.tables.scored_runs import stored_digests
from dragoman.tables.voice_boards import stored_board


def run_views(
    folders: Sequence[Path],
    rules: str | None = None,
    judge: str | None = None,
    prices: PriceTable | None = None,
    *,
    heads_only: bool = False,
) -> tuple[RunView, ...]:
    """Return runs as a report shows them, of the newest scoring if none is named.

    Args:
        folders: Of runs; those of one name are told apart by their whole paths.
        rules: The rule set that they were scored by.
        judge: The judge.
        prices: What models cost; None for what each run was started with.
        heads_only: Without what was said: enough for figures.

    Raises:
        StoreError: Where a run cannot be read, or was not scored so.
    """
    names = [folder.absolute().name for folder in folders]
    if len(set(names)) < len(names):
        names = list(map(str, folders))
    views = (_view(folder, rules, judge, prices, heads_only=heads_only) for folder in folders)
    return tuple(
        msgspec.structs.replace(view, name=name) for view, name in zip(views, names, strict=True)
    )


def _view(
    folder: Path,
    rules: str | None,
    judge: str | None,
    prices: PriceTable | None,
    *,
    heads_only: bool,
) -> RunView:
    with open_run(folder, write=False) as store:
        manifest = read_manifest(store)
        rules, judge = chosen_scoring(store, rules, judge)
        heads = tuple(outcomes(store, rules, judge, heads_only=True))
        return RunView(
            name=folder.absolute().name,
            facts=(
                *facts_of(
                    manifest,
                    users_of(store),
                    (rules, judge),
                    (each for row in heads for each in row.measures),
                ),
                ("prices", (prices or stored_prices(store)).as_of),
            ),
            cells=summarize(
                heads,
                rules,
                judge,
                (prices or stored_prices(store)).price_of,
                manifest.preflight,
            ),
            outcomes=heads
            if heads_only
            else tuple(outcomes(store, rules, judge, heads_only=False)),
            tasks={f"{task.suite}/{task.id}": task for task in store.tasks().values()},
            provenance=(manifest.provenance,),
            declared=store.declared(),
            warnings=caveats(store),
            voices=stored_board(store, rules, judge),
            personas=_personas(store, heads, (rules, judge)),
            apis=_apis(store, heads),
            losses=losses_among(store, heads),
            steps=tuple(reproduction_steps(_played(folder, manifest, (rules, judge), heads))),
        )


def _personas(
    store: RunStore, rows: Sequence[Outcome], scoring: tuple[str, str]
) -> MmTauPage | None:
    """Return the metrics of personas and exposures; None where users are nobody and agents told nothing."""
    conditions = {row.condition for row in rows}
    if all(each.persona == NONE and each.axis(EXPOSURE) == UNEXPOSED for each in conditions):
        return None
    return mm_tau_page(mm_tau_boards(rows, stored_digests(store), scoring), ())


def _apis(store: RunStore, rows: Sequence[Outcome]) -> ApiBoard | None:
    """Return the board of calls of web APIs; None where none were counted."""
    if not any(each.measure == CALLS for row in rows for each in row.measures):
        return None
    labels = {(task.suite, task.id): task.labels for task in store.tasks().values()}
    board = api_board(rows, labels, "macro")
    return board if board.groups else None


def _played(
    folder: Path, manifest: Manifest, scoring: tuple[str, str], rows: Sequence[Outcome]
) -> RunInvocation:
    import tomlkit

    rules, judge = scoring
    is_imported = manifest.imported is not msgspec.UNSET
    counted = {each.measure for row in rows for each in row.measures if each.judge == NO_JUDGE}
    return RunInvocation(
        folder.absolute().name,
        "" if is_imported else tomlkit.dumps(msgspec.to_builtins(manifest.config)),
        manifest.dragoman,
        rules,
        "" if judge == manifest.judge else judge,
        tuple(sorted(counted - {REWARD, BLAME})),
    )
