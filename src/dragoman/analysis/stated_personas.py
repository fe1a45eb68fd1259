"""pass^1 of one cell by the persona that each of its tasks states of its user.

The tasks of one persona are other tasks than those of the next, so that these figures are not paired:
a difference between them is also one between tasks.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.pass_hat import pass_hat
from dragoman.core.conditions import NONE, Condition
from dragoman.core.personas import stated_persona
from dragoman.core.scores import Verdict


class StatedFigure(msgspec.Struct, frozen=True):
    """pass^1 over the tasks of a cell that state one persona.

    Attributes:
        persona: The persona, as `task:hard`.
        tasks: How many tasks entered.
        left_out: How many did not: a trial was not decided, or none was played.
        value: None where no task entered.
        interval: 95 % over tasks.
    """

    persona: str
    tasks: int
    left_out: int
    value: float | None
    interval: Interval | None


def persona_shown(condition: Condition, task: str) -> str:
    """Return who the user of a conversation is: the condition's persona, or else the task's.

    Args:
        condition: The conversation's.
        task: The id of its task.
    """
    own = condition.persona
    return own if own != NONE else stated_persona(task) or NONE


def stated_figures(
    condition: Condition, rewards: Mapping[str, Sequence[Verdict | None]]
) -> tuple[StatedFigure, ...]:
    """Return pass^1 of a cell by the personas of its tasks; nothing where these state none.

    Args:
        condition: The cell's. A cell with a card has no figures: its users are the card's.
        rewards: The rewards of every planned trial, by task.
    """
    if condition.persona != NONE:
        return ()
    groups: dict[str, dict[str, Sequence[Verdict | None]]] = {}
    for task, row in rewards.items():
        if persona := stated_persona(task):
            groups.setdefault(persona, {})[task] = row
    return tuple(
        _figure(persona, rows)
        for persona, rows in sorted(groups.items(), key=lambda group: _rank(group[0]))
    )


def _figure(persona: str, rows: Mapping[str, Sequence[Verdict | None]]) -> StatedFigure:
    found = pass_hat(rows, max(map(len, rows.values())))
    first = found.figures[0]
    return StatedFigure(persona, first.tasks, found.left_out, first.value, first.interval)


_ORDER = ("task:none", "task:easy", "task:hard")


def _rank(persona: str) -> tuple[int, str]:
    """Return the place of a persona: nobody in particular first, then those of the source."""
    return (_ORDER.index(persona) if persona in _ORDER else len(_ORDER), persona)
