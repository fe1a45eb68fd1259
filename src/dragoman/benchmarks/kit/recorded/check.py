"""Judging by the suite that a task is of."""

from collections.abc import Mapping

from dragoman.core.episodes import Episode
from dragoman.core.protocols import Check
from dragoman.core.scores import ComponentScore
from dragoman.core.tasks import Task


class JoinedCheck:
    """Judges each task as its own suite does."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        """Take the checks by the ids of tasks."""
        self._checks = checks

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the components of a finished conversation's reward, with their evidence."""
        return self._checks[task.id].components(task, episode)
