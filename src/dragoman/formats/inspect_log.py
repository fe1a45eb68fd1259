"""Export of a run as Inspect logs: one `.eval` file for each suite, condition and agent.

A log is a zip file of JSON in Inspect's layout, written with one conversation in memory at a
time.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cell_summary import CellKey, CellSummary, ConversationResult
from dragoman.analysis.measure_metrics import MeasureRow
from dragoman.core.conditions import axis_values
from dragoman.core.content_keys import content_key
from dragoman.core.costs import PriceOf
from dragoman.core.episodes import Episode
from dragoman.core.measures import REWARD as REWARD_MEASURE
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.dataframes.results import run_figures
from dragoman.formats.inspect_samples import (
    NO_TIME,
    REWARD,
    Json,
    SampleSource,
    sample_of,
    time_text,
    usage_of,
)
from dragoman.runs.manifest import Manifest, read_manifest, spec_keys, stored_prices
from dragoman.runs.plan import conversation_seed
from dragoman.store.atomic_files import atomic_path
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore

VERSION = 2
"""Version of Inspect's format."""


class CellLog(msgspec.Struct, frozen=True):
    """Data of one log: a cell of the grid, with its figures.

    `rows` are the rows of its measures, `ids` its tasks.
    """

    manifest: Manifest
    run: str
    cell: CellSummary
    rows: tuple[MeasureRow, ...]
    ids: tuple[str, ...]

    @property
    def key(self) -> str:
        """The log's id, which differs between runs of the same cell."""
        cell = self.cell
        made = (self.manifest.created, cell.suite, cell.condition.label, cell.agent)
        return content_key(*made)


def start_of(log: CellLog) -> Json:
    """Return the part of a log that is written before the first conversation."""
    cell, config = log.cell, log.manifest.config
    axes = axis_values(cell.condition)
    return {
        "version": VERSION,
        "eval": {
            "eval_id": log.key,
            "run_id": content_key(log.manifest.created, config.seed),
            "created": time_text(log.manifest.created) or NO_TIME,
            "task": cell.suite,
            "task_id": content_key(cell.suite, cell.condition.label),
            "task_version": 0,
            "task_display_name": f"{cell.suite} {cell.condition.label}",
            "task_args": {"condition": cell.condition.label, **axes},
            "tags": ["dragoman"],
            "dataset": {
                "name": cell.suite,
                "samples": len(log.ids),
                "sample_ids": list(log.ids),
                "shuffled": False,
            },
            "model": cell.agent,
            "config": {
                "epochs": config.trials,
                "epochs_reducer": ["mean"],
                "fail_on_error": False,
                **({} if config.timeout is None else {"time_limit": round(config.timeout)}),
            },
            "packages": {"dragoman": log.manifest.dragoman},
            "metadata": {
                "run": log.run,
                "condition": cell.condition.label,
                **axes,
                "rules": cell.rules,
                "judge": cell.judge,
                "user": config.user,
                "seed": config.seed,
                "data": log.manifest.provenance.digest,
                "planned": cell.episodes + cell.missing,
                "missing": cell.missing,
                "code_errors": cell.code_errors,
                "infrastructure_errors": cell.infrastructure_errors,
            },
            "scorers": [{"name": REWARD, "metrics": [], "metadata": {}}],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
    }


def header_of(
    log: CellLog,
    reduced: Mapping[str, Sequence[float]],
    times: Sequence[float],
    price_of: PriceOf,
) -> Json:
    """Return the header at the end of a log: status, figures and usage.

    Args:
        log: The log.
        reduced: Decided rewards by task.
        times: Times at which conversations began and ended, in seconds since 1970.
        price_of: Function that returns prices of models.
    """
    cell = log.cell
    used = usage_of(cell.usage, price_of)
    return {
        **start_of(log),
        "status": "cancelled" if cell.missing else "success",
        "results": {
            "total_samples": cell.episodes + cell.missing,
            "completed_samples": cell.answered,
            "logged_samples": cell.episodes,
            "scores": [_reward(cell, reduced), *_measures(log.rows)],
        },
        "stats": {
            "started_at": time_text(min(times, default=0)) or "",
            "completed_at": time_text(max(times, default=0)) or "",
            **used,
        },
    }


def reductions_of(reduced: Mapping[str, Sequence[float]]) -> list[Json]:
    """Return the mean reward of each task over its trials."""
    samples = [
        {"sample_id": task, "value": sum(rewards) / len(rewards)}
        for task, rewards in reduced.items()
        if rewards
    ]
    return [{"scorer": REWARD, "reducer": "mean", "samples": samples}]


def _reward(cell: CellSummary, reduced: Mapping[str, Sequence[float]]) -> Json:
    metrics: dict[str, Json] = {}
    for figure in cell.result.figures:
        if figure.value is not None:
            record: Json = {"tasks": figure.tasks, "missing_fail": figure.bounds.low}
            record["missing_pass"] = figure.bounds.high
            if figure.interval is not None:
                record |= {"low": figure.interval.low, "high": figure.interval.high}
            name = f"pass^{figure.k}"
            metrics[name] = {"name": name, "value": figure.value, "metadata": record}
    scored = sum(map(len, reduced.values()))
    return {
        "name": REWARD,
        "scorer": REWARD,
        "reducer": "mean",
        "scored_samples": scored,
        "unscored_samples": cell.answered - scored,
        "metrics": metrics,
    }


def _measures(rows: Iterable[MeasureRow]) -> list[Json]:
    """Return the figures of measures, one per entry; those without a value are excluded."""
    found: dict[tuple[str, str], dict[str, Json]] = {}
    for row in rows:
        if row.measure != REWARD_MEASURE and row.value is not None:
            name = ", ".join(filter(None, (row.figure, row.part, row.averaging)))
            most = {} if row.most is None else {"most": row.most}
            metric: Json = {"name": name, "value": row.value, "metadata": {"n": row.n, **most}}
            found.setdefault((row.measure, row.judge), {})[name] = metric
    return [
        {"name": measure, "scorer": measure, "metrics": metrics, "metadata": {"judge": judge}}
        for (measure, judge), metrics in found.items()
    ]


_encode = msgspec.json.Encoder().encode

_LEVEL = 3
"""Level of compression: a quarter less CPU for the whole export than level 6, 9 % larger files."""


class _Run:
    """An open run, read under one scoring, one conversation at a time."""

    def __init__(self, store: RunStore, scoring: tuple[str, str]) -> None:
        self.store = store
        self.manifest = read_manifest(store)
        self.price_of = stored_prices(store).price_of
        self.tasks = store.tasks()
        self._spec_key = spec_keys(self.manifest)
        self._scores = store.scores(*scoring, METRIC_VERSION)
        self._earlier = store.earlier_usage(*scoring, METRIC_VERSION)
        self._measured = store.measured()

    def played(self, cells: Sequence[StoredCell]) -> Iterator[tuple[SampleSource, Episode]]:
        """Yield the played ones of the planned conversations."""
        for cell in cells:
            episode = self.store.episode(cell.key)
            if episode is None:
                continue
            outcome = ConversationResult(
                *(cell.suite, cell.condition, cell.agent, cell.task, cell.trial),
                episode=episode,
                score=self._scores.get(cell.key),
                earlier=self._earlier.get(cell.key, ()),
                measures=self._measured.get(cell.key, ()),
            )
            seed = conversation_seed(self._spec_key(cell))
            task = self.tasks.get(cell.task)
            yield SampleSource(cell.key, outcome, task, seed, self.manifest.config.limits), episode


def write_inspect_logs(
    store: RunStore, scoring: tuple[str, str], folder: Path, agent: str | None = None
) -> tuple[Path, ...]:
    """Write one `.eval` log for each suite, condition and agent, and return the files.

    Args:
        store: The run.
        scoring: The rules and the judge.
        folder: The folder; it is made if it is missing.
        agent: Name of the only agent; None for all.

    Raises:
        StoreError: If a file cannot be written.
    """
    run = _Run(store, scoring)
    figures = run_figures(store, *scoring)
    planned: dict[CellKey, list[StoredCell]] = {}
    for each in store.cells():
        planned.setdefault((each.suite, each.condition, each.agent), []).append(each)
    files = []
    for cell in figures.cells:
        key = (cell.suite, cell.condition, cell.agent)
        if agent not in {None, cell.agent}:
            continue
        rows = tuple(
            row for row in figures.measures if (row.suite, row.condition, row.agent) == key
        )
        ids = tuple(dict.fromkeys(each.task for each in planned[key]))
        log = CellLog(run.manifest, store.folder.absolute().name, cell, rows, ids)
        path = folder / _name(log)
        with atomic_path(path, zipfile.LargeZipFile) as draft:
            _write(draft, run, log, planned[key])
        files.append(path)
    return tuple(files)


def _name(log: CellLog) -> str:
    """Return a file name in Inspect's form, time first, so that programs sort logs by time."""
    created = time_text(log.manifest.created) or NO_TIME
    when = re.sub(r"[^0-9T]", "-", created.partition(".")[0].removesuffix("+00:00"))
    cell = log.cell
    what = re.sub(r"[^A-Za-z0-9]+", "-", f"{cell.suite}-{cell.condition.label}-{cell.agent}")
    return f"{when}-00-00_{what[:120].strip('-')}_{log.key[:22]}.eval"


def _write(path: Path, run: _Run, log: CellLog, cells: Sequence[StoredCell]) -> None:
    summaries: list[Json] = []
    reduced: dict[str, list[float]] = {}
    times: list[float] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        archive.writestr("_journal/start.json", _encode(start_of(log)))
        for source, episode in run.played(cells):
            sample = sample_of(source, episode, run.price_of)
            name = f"samples/{source.outcome.task}_epoch_{source.outcome.trial + 1}.json"
            archive.writestr(name, _encode(sample.whole))
            summaries.append(sample.summary)
            times += (episode.started, episode.started + episode.seconds)
            if (value := decided_reward(source.outcome)) is not None:
                reduced.setdefault(source.outcome.task, []).append(value)
        listed = _encode(summaries)
        archive.writestr("_journal/summaries/1.json", listed)
        archive.writestr("summaries.json", listed)
        archive.writestr("reductions.json", _encode(reductions_of(reduced)))
        archive.writestr("header.json", _encode(header_of(log, reduced, times, run.price_of)))


def decided_reward(outcome: ConversationResult) -> float | None:
    """Return the reward if means count it; None otherwise."""
    reward = None if outcome.score is None else outcome.score.reward
    return reward.value if isinstance(reward, Scored) and not reward.undecided else None
