"""Stored runs as reports and figures show them, with the facts of their manifest."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.analysis.failure_attribution import ATTRIBUTION
from dragoman.core.measures import REWARD, MeasureResult
from dragoman.core.scores import NO_JUDGE
from dragoman.dataframes.comparisons import drops_among
from dragoman.dataframes.interpretation_warnings import (
    described_users,
    interpretation_warnings,
    users_of,
)
from dragoman.dataframes.overviews import overview_of
from dragoman.dataframes.paper_tables import cells_table
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.dataframes.run_failures import kept_failures
from dragoman.models.prices import PriceTable
from dragoman.report.capabilities import StoredResults
from dragoman.report.catalog import sections
from dragoman.report.formatting import not_played_lines
from dragoman.report.pass_tables import TableCell, TableLayout
from dragoman.report.text_tables import PaperTable
from dragoman.report.view_model import RunInvocation, RunView, reproduction_steps
from dragoman.runs.manifest import Manifest, read_manifest, stored_prices
from dragoman.store.run_store import open_run, peek_run


def manifest_facts(
    manifest: Manifest,
    users: dict[str, str],
    scoring: tuple[str, str],
    measures: Iterable[MeasureResult] = (),
) -> tuple[tuple[str, str], ...]:
    """Return the facts of a run: its configuration and its scoring.

    Args:
        manifest: Its manifest.
        users: User simulators by agent.
        scoring: Rules and judge of its scores.
        measures: The measure results of the run.
    """
    config, (rules, judge) = manifest.config, scoring
    created = datetime.fromtimestamp(manifest.created).astimezone()
    return (
        ("suite", config.suite),
        ("agents", ", ".join(config.agents)),
        ("user", described_users(users) or config.user or "nobody"),
        ("played under", config.rules),
        ("prompts of models", manifest.prompts),
        ("scored by", f"rules {rules}, judge {judge}"),
        ("trials", str(config.trials)),
        ("seed", str(config.seed)),
        ("limits", f"{config.max_steps} steps, {config.max_errors} tool errors"),
        ("started", created.isoformat(timespec="seconds")),
        ("dragoman", manifest.dragoman),
        ("python", manifest.python),
        ("measures", ", ".join(_measures(measures))),
        *_describe_recognition(manifest),
        *(("not played", line) for line in not_played_lines(manifest.not_applicable)),
        ("data", f"{manifest.provenance.source} ({manifest.provenance.digest})"),
    )


def _measures(counted: Iterable[MeasureResult]) -> Iterator[str]:
    """Yield what was counted, each measure in its version and by its judge."""
    found = {(each.measure, each.version, each.judge): None for each in counted}
    for measure, version, judge in found:
        yield f"{measure} {version}" + ("" if judge == NO_JUDGE else f" by {judge}")


def _describe_recognition(manifest: Manifest) -> Iterator[tuple[str, str]]:
    recognizers = dict.fromkeys(
        str(voice["recognizer"]) for voice in manifest.voices.values() if voice.get("recognizer")
    )
    if recognizers:
        yield "recognizers", ", ".join(recognizers)
    transcripts = dict.fromkeys(
        str(voice["transcript"]) for voice in manifest.voices.values() if voice.get("transcript")
    )
    if transcripts:
        yield "agents receive", ", ".join(f"{form} transcripts" for form in transcripts)
    clarified = dict.fromkeys(judge for judge in manifest.clarified.values() if judge)
    if clarified:
        yield "clarifications by", ", ".join(clarified)


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
        folders: Folders of runs; runs with the same name are distinguished by their full paths.
        rules: The rule set that they were scored by.
        judge: The judge.
        prices: Prices of models; None for the prices that each run was started with.
        heads_only: Whether to read only the data for figures, without messages.

    Raises:
        StoreError: If a run cannot be read, or has no such scoring.
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
        kept = kept_failures(store, rules, judge)
        price_of = (prices or stored_prices(store)).price_of
        cells = summarize(heads, rules, judge, price_of, manifest.preflight)
        return RunView(
            name=folder.absolute().name,
            facts=(
                *manifest_facts(
                    manifest,
                    users_of(store),
                    (rules, judge),
                    (each for row in heads for each in row.measures),
                ),
                ("prices", (prices or stored_prices(store)).as_of),
            ),
            cells=cells,
            overview=overview_of(store, heads, cells),
            table=_table(cells, (rules, judge)),
            outcomes=heads,
            reader=None if heads_only else partial(_read_conversations, folder, heads),
            tasks={f"{task.suite}/{task.id}": task for task in store.tasks().values()},
            provenance=(manifest.provenance,),
            declared=store.declared(),
            warnings=interpretation_warnings(store),
            parts=dict(_parts(StoredResults(store, rules, judge, heads))),
            drops=drops_among(store, heads) if kept is None else kept.drops,
            steps=tuple(
                reproduction_steps(_describe_invocation(folder, manifest, (rules, judge), heads))
            ),
        )


def _table(cells: Sequence[CellSummary], scoring: tuple[str, str]) -> PaperTable | None:
    """Return the table of a run as `dragoman table` has it; None without a decided task."""
    if not any(cell.result.tasks for cell in cells):
        return None
    return cells_table(tuple(map(TableCell, cells)), TableLayout(), scoring)


def _read_conversations(
    folder: Path, heads: Sequence[ConversationResult], wanted: Sequence[bool]
) -> Iterator[ConversationResult]:
    """Yield outcomes in their order; those that are wanted are read with their events.

    One that was played since the others were read has none.
    """
    marked = zip(heads, wanted, strict=True)
    unwanted = {row.key for row, is_wanted in marked if not is_wanted or row.episode is None}
    with peek_run(folder) as store:
        found = store.episodes(leaving_out=unwanted)
        for row in heads:
            if row.key in unwanted:
                yield row
                continue
            episode = next((each for key, _, each in found if key == row.key), row.episode)
            yield msgspec.structs.replace(row, episode=episode)


def _parts(results: StoredResults) -> Iterator[tuple[str, object]]:
    """Yield what each section of the catalog shows of a run, by the section's key."""
    for section in sections():
        part = section.part(results)
        if part is not None:
            yield section.key, part


def _describe_invocation(
    folder: Path, manifest: Manifest, scoring: tuple[str, str], rows: Sequence[ConversationResult]
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
        tuple(sorted(counted - {REWARD, ATTRIBUTION})),
    )
