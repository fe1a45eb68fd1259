"""What conversations are listed by: where they stand in the grid, and what came of them."""

from collections.abc import Iterable

import msgspec

from dragoman.analysis.blame import BLAME
from dragoman.analysis.cells import Outcome
from dragoman.core.conditions import Condition, axis_values, condition_text
from dragoman.core.measures import Measured
from dragoman.core.scores import Standing
from dragoman.report.view import UserStanding, causes, standing, user_standing
from dragoman.report.wording import shortened
from dragoman.store.run import PlayedCell, StoredCell

MAX_CAUSE = 160
"""Characters of a cause that are told apart."""

MOST_CAUSES = 500
"""How many causes an index tells apart: what broke may be worded anew each time."""

OTHER_CAUSES = "other causes"


class Facets(msgspec.Struct, frozen=True):
    """What conversations may have in common.

    Attributes:
        suite: The suite.
        condition: The condition's label.
        stored_condition: The condition as runs store it.
        agent: The agent.
        axes: The values on the condition's axes, as tables have them.
        outcome: Where it stands.
        causes: Why it is no success.
        blame: What lost it, as `dragoman blame` found; empty where that is not known.
        user: Whether the simulated user passed its checks.
        assumed: Whether the reward rests on something assumed instead of judged.
    """

    suite: str
    condition: str
    stored_condition: str
    agent: str
    axes: dict[str, str]
    outcome: Standing = "missing"
    causes: tuple[str, ...] = ()
    blame: str = ""
    user: UserStanding = "unchecked"
    assumed: bool = False

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values on one facet, by its name in addresses."""
        match name:
            case "suite" | "agent" | "condition" | "outcome" | "user":
                return (str(getattr(self, name)),)
            case "cause":
                return self.causes
            case "blame":
                return (self.blame,) if self.blame else ()
            case _:
                return (self.axes[name],) if name in self.axes else ()


OF_OUTCOMES = ("outcome", "cause", "blame", "user")
"""The facets that say what came of a conversation."""


def names_of(found: Iterable[Facets]) -> tuple[str, ...]:
    """Return the names of all facets, those of the grid first."""
    axes = dict.fromkeys(name for each in found for name in each.axes)
    return ("suite", "agent", *axes, "condition", *OF_OUTCOMES)


class FacetMaker:
    """Makes the facets of a run's conversations; what many have in common is made once."""

    def __init__(self) -> None:
        self._planned: dict[tuple[str, Condition, str], Facets] = {}
        self._causes: set[str] = set()

    def planned(self, cell: StoredCell) -> Facets:
        """Return the facets of a conversation of which nothing is read yet."""
        place = (cell.suite, cell.condition, cell.agent)
        if place not in self._planned:
            condition = cell.condition
            self._planned[place] = Facets(
                cell.suite,
                condition.label,
                condition_text(condition),
                cell.agent,
                axis_values(condition),
            )
        return self._planned[place]

    def played(self, cell: StoredCell, found: PlayedCell) -> Facets:
        """Return the facets of a conversation that was played."""
        outcome = outcome_of(cell, found)
        return msgspec.structs.replace(
            self.planned(cell),
            outcome=standing(outcome),
            causes=tuple(self._known(cause.text) for cause in causes(outcome)),
            blame=_blame(found.measures),
            user=user_standing(outcome),
            assumed=found.score is not None and found.score.assumed,
        )

    def _known(self, cause: str) -> str:
        told = shortened(" ".join(cause.split()), MAX_CAUSE)
        if told not in self._causes:
            if len(self._causes) >= MOST_CAUSES:
                return OTHER_CAUSES
            self._causes.add(told)
        return told


def outcome_of(cell: StoredCell, found: PlayedCell) -> Outcome:
    """Return what came of a cell."""
    return Outcome(
        suite=cell.suite,
        condition=cell.condition,
        agent=cell.agent,
        task=cell.task,
        trial=cell.trial,
        episode=found.episode,
        score=found.score,
        earlier=found.earlier,
        measures=found.measures,
    )


def _blame(measures: Iterable[Measured]) -> str:
    """Return what lost a conversation, by the newest finding; "" where that is not known."""
    found = [entry for entry in measures if entry.measure == BLAME]
    return found[-1].evidence[0].subject if found and found[-1].evidence else ""
