"""Scores a run's stored conversations again, with other rules or another judge."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Literal

from dragoman.core.episodes import Episode
from dragoman.core.errors import StoreError
from dragoman.core.scores import METRIC_VERSION, USER_JUDGE, Score, Scored
from dragoman.runs.collector import rare_collection
from dragoman.runs.player import score_safely
from dragoman.scoring.reward import Scorer
from dragoman.store.run import RunStore, StoredScore
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

Stored = tuple[str, int, Episode]
Choice = Literal["missing", "open", "all"]


async def rescore(
    setup: Setup, store: RunStore, on_done: Callable[[], None], choice: Choice = "open"
) -> int:
    """Score stored conversations under the setup's rules and judge.

    `choice` says which: those without a score ("missing"), those and the ones that a judge left open
    ("open"), or "all".

    Returns:
        How many conversations were scored.
    """
    scorer = Scorer(
        setup.suite.factory(setup.rules), setup.rules, setup.judge, setup.users, setup.check
    )
    tasks = {task.id: task for task in setup.tasks}
    for name, task in store.tasks().items():
        if name not in tasks or tasks[name].digest != task.digest:
            raise StoreError(f"{store.folder}: task {name} has changed since this run was played")
    places = {cell.key: cell for cell in store.cells()}
    localizations = {entry.label: setup.localization(entry) for entry in setup.conditions}
    known = store.scores(setup.rules.name, scorer.judge_name, METRIC_VERSION)
    closed = {key for key, score in known.items() if _is_closed(score, choice)}
    todo = store.episodes(leaving_out=closed)
    counts = [0]

    async def work(rows: Iterator[Stored], writer: Writer) -> None:
        for key, attempt, episode in rows:
            cell = places[key]
            localization = localizations[cell.condition]
            score = await score_safely(scorer, tasks[cell.task], episode, localization, key)
            await writer.put(StoredScore(key, attempt, score))
            counts[0] += 1
            on_done()

    with rare_collection():
        async with Writer(store) as writer, asyncio.TaskGroup() as group:
            for _ in range(setup.config.concurrency if setup.scoring_costs else 1):
                group.create_task(work(todo, writer))
    return counts[0]


def _is_closed(score: Score, choice: Choice) -> bool:
    if choice != "open":
        return choice == "missing"
    if USER_JUDGE in score.judge and any(entry.met is None for entry in score.simulator):
        return False
    return isinstance(score.reward, Scored) and not score.reward.undecided
