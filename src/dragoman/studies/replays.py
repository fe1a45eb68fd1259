"""Plays chosen conversations of a run's grid, or of one beside it, in folders under the run."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.composition.setup import build_setup
from dragoman.config.agent_specs import agent_text
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.content_keys import content_key
from dragoman.core.scores import Scored, is_success
from dragoman.runs.jobs import Job, resume_job
from dragoman.runs.plan import GridPlace
from dragoman.runs.runner import play, start
from dragoman.store.run_file import FILE as FILE_OF_RUN
from dragoman.store.run_store import open_run
from dragoman.tables.outcomes import outcomes

Verdicts = dict[GridPlace, bool | None]
"""Which conversations succeeded; None where that is not known."""


NO_CHANGES: Mapping[str, object] = {}


class Replays(msgspec.Struct, frozen=True):
    """What the counterfactuals of one run are played with and may reach, and where they lie.

    `waiting` are options of waiting that differ from the run's: where they lie does not depend on them.
    """

    folder: Path
    config: RunConfig
    on_done: Callable[[], None]
    reached: Collection[str]
    waiting: Mapping[str, object] = NO_CHANGES

    def play(self, stage: str, places: Collection[GridPlace]) -> list[Outcome]:
        """Play these conversations, unless they were, and return what came of them.

        Args:
            stage: What is made perfect, for the name of the folder.
            places: Where they stand.
        """
        if not places:
            return []
        played = play(self._job(stage, places), lambda *_: self.on_done())
        with open_run(played.folder, write=False) as store:
            return list(outcomes(store, played.rules, played.judge, heads_only=False))

    def _job(self, stage: str, places: Collection[GridPlace]) -> Job:
        """Return the run of these conversations: begun before and stopped, it is gone on with."""
        config = _of_these(self.config, places)
        folder = self.folder / f"{stage}-{content_key(config, tuple(places))[:16]}"
        if (folder / FILE_OF_RUN).exists():
            return resume_job(folder, self.waiting, vouched=self.reached)
        conditions = dict.fromkeys(place.condition for place in places)
        config = validated_config(msgspec.structs.replace(config, **self.waiting))
        return start(build_setup(config, conditions=tuple(conditions)), folder, places)


def verdicts(rows: Iterable[Outcome]) -> Verdicts:
    """Return which conversations succeeded, by their places."""
    return {place_of(row): has_passed(row) for row in rows}


def place_of(row: Outcome) -> GridPlace:
    """Return where a conversation stands in its grid."""
    return GridPlace(row.condition, row.agent, row.task, row.trial)


def has_passed(row: Outcome) -> bool | None:
    """Return whether a conversation succeeded; None where that is not known."""
    if row.score is None or not isinstance(row.score.reward, Scored):
        return None
    return is_success(row.score.reward.value)


def _of_these(config: RunConfig, places: Collection[GridPlace]) -> RunConfig:
    """Return a run's configuration with the tasks and agents of these places alone."""
    return validated_config(
        msgspec.structs.replace(
            config,
            tasks=tuple(dict.fromkeys(place.task for place in places)),
            limit=None,
            agents=tuple(dict.fromkeys(agent_text(config.agents, place.agent) for place in places)),
        )
    )
