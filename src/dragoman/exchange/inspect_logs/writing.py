"""Writes the logs: zip files of JSON in Inspect's layout, one conversation in memory at a time."""

import functools
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cells import CellKey, Outcome
from dragoman.core.episodes import Episode
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.exchange.inspect_logs.log import CellLog, header_of, reductions_of, start_of
from dragoman.exchange.inspect_logs.messages import Json
from dragoman.exchange.inspect_logs.samples import NO_TIME, SampleSource, sample_of, time_text
from dragoman.exchange.placing import place_file
from dragoman.runs.jobs import read_manifest, spec_keys, stored_prices
from dragoman.runs.plan import conversation_seed
from dragoman.store.run_store import RunStore, StoredCell
from dragoman.tables.outcomes import run_figures

_encode = msgspec.json.Encoder().encode


class _Run:
    """An open run, read by one scoring, a conversation at a time."""

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
        """Yield what was played of the planned conversations."""
        for cell in cells:
            episode = self.store.episode(cell.key)
            if episode is None:
                continue
            outcome = Outcome(
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
        scoring: By which rules and judge.
        folder: Where to; made where it is missing.
        agent: Only this agent's; None for all.

    Raises:
        StoreError: Where a file cannot be written.
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
        place_file(path, functools.partial(_write, run=run, log=log, cells=planned[key]))
        files.append(path)
    return tuple(files)


def _name(log: CellLog) -> str:
    """Return a name as Inspect gives it: when, what, which; programs sort by it."""
    created = time_text(log.manifest.created) or NO_TIME
    when = re.sub(r"[^0-9T]", "-", created.partition(".")[0].removesuffix("+00:00"))
    cell = log.cell
    what = re.sub(r"[^A-Za-z0-9]+", "-", f"{cell.suite}-{cell.condition.label}-{cell.agent}")
    return f"{when}-00-00_{what[:120].strip('-')}_{log.key[:22]}.eval"


def _write(path: Path, run: _Run, log: CellLog, cells: Sequence[StoredCell]) -> None:
    summaries: list[Json] = []
    reduced: dict[str, list[float]] = {}
    times: list[float] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", _encode(start_of(log)))
        for source, episode in run.played(cells):
            sample = sample_of(source, episode, run.price_of)
            name = f"samples/{source.outcome.task}_epoch_{source.outcome.trial + 1}.json"
            archive.writestr(name, _encode(sample.whole))
            summaries.append(sample.summary)
            times += (episode.started, episode.started + episode.seconds)
            if (value := decided(source.outcome)) is not None:
                reduced.setdefault(source.outcome.task, []).append(value)
        listed = _encode(summaries)
        archive.writestr("_journal/summaries/1.json", listed)
        archive.writestr("summaries.json", listed)
        archive.writestr("reductions.json", _encode(reductions_of(reduced)))
        archive.writestr("header.json", _encode(header_of(log, reduced, times, run.price_of)))


def decided(outcome: Outcome) -> float | None:
    """Return a reward that enters means; None where there is none."""
    reward = None if outcome.score is None else outcome.score.reward
    return reward.value if isinstance(reward, Scored) and not reward.undecided else None
