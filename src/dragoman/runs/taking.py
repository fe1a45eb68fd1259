"""Takes measures of one conversation: all that is known of it beside what happened, and what may break."""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from dragoman.conditions.layers import Realisation
from dragoman.core.conditions import ENGLISH, NONE, PLAIN, Condition
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, placed
from dragoman.core.facets import ExpectsValues, HasStakes
from dragoman.core.keys import named_key
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import (
    Measure,
    Measured,
    PlayedCase,
    Setting,
    misfit,
    unmeasured,
)
from dragoman.core.protocols import WorldFactory
from dragoman.core.rules import RULES
from dragoman.core.tasks import Stakes, Task
from dragoman.core.texts.carried import carried
from dragoman.scoring.measures.catalogue import Scoring
from dragoman.scoring.reward import Scorer
from dragoman.simulation.phrases import shipped_phrasebook
from dragoman.simulation.raising import stops_run
from dragoman.store.run import StoredCell
from dragoman.wiring.agents.agent_names import given_names
from dragoman.wiring.conditions.elsewhere import scored_as
from dragoman.wiring.environment import kept_out
from dragoman.wiring.setup import Setup

Take = Callable[[StoredCell, Episode, Sequence[int]], Awaitable[Sequence[Measured]]]
"""Takes measures of a conversation: those at these places among all that are asked for."""


class PlayedUnder(msgspec.Struct, frozen=True):
    """What a run was played under, as far as measures need to know.

    Attributes:
        rules: The rule set it was played by.
        settings: By the condition's label; plain English text may be absent.
        conditions: All that occur in it.
        is_imported: Whether another program played it.
    """

    rules: str
    settings: dict[str, Setting]
    conditions: tuple[Condition, ...]
    is_imported: bool = False

    def setting(self, condition: Condition) -> Setting:
        """Return what measures need to know of a condition."""
        return self.settings.get(condition.label, Setting())


def scoring_of(setup: Setup) -> Scoring:
    """Return what rewards are made with."""
    scorer = Scorer(
        setup.suite.factory(setup.rules),
        setup.rules,
        setup.judge,
        setup.users,
        setup.check,
        worlds=functools.cache(setup.suite.factory),
    )
    suite = setup.suite
    return Scoring(scorer, setup.rules, suite.stakes if isinstance(suite, HasStakes) else Stakes())


def taken_here(setup: Setup, played: PlayedUnder, measures: Sequence[Measure]) -> Take:
    """Return what takes measures in this process."""
    cases = _Cases(setup, played)

    async def take(cell: StoredCell, episode: Episode, places: Sequence[int]) -> Sequence[Measured]:
        return [await _measured(measures[at], cases, cell, episode) for at in places]

    return take


class _Cases:
    """What is known of conversations beside what happened in them."""

    def __init__(self, setup: Setup, played: PlayedUnder) -> None:
        self._played = played
        self._tasks: Mapping[str, Task] = {task.id: task for task in setup.tasks}
        self._realised: Mapping[Condition, Realisation] = {
            condition: setup.realised(
                _scored_as(condition, setup) if played.is_imported else condition
            )
            for condition in played.conditions
        }
        self._named = given_names(setup.config.agents)
        self._suite = setup.suite
        self._expects = setup.suite if isinstance(setup.suite, ExpectsValues) else None
        self._factory: WorldFactory = setup.suite.factory(RULES.find(played.rules))

    def case(self, cell: StoredCell, episode: Episode) -> PlayedCase:
        task = self._tasks[cell.task]
        realised = self._realised[cell.condition]
        realisation = realised.of(task)
        return PlayedCase(
            realisation.judged(task),
            episode,
            self._factory,
            realisation.wording(task),
            self._played.setting(cell.condition),
            named_key(cell.key, cell.agent) if cell.agent in self._named else cell.key,
            realised.phrases if cell.condition.is_localized else self._english,
            () if self._expects is None else self._expects.expected_values(task),
            lambda: realisation.policy(self._suite.policy(task, self._factory(task))),
            None if cell.condition.persona == NONE else realisation.manner.habits,
        )

    @functools.cached_property
    def _english(self) -> Phrasebook | None:
        """The phrases that the user's words are read with where nothing is localized."""
        return shipped_phrasebook(ENGLISH)


def _scored_as(condition: Condition, setup: Setup) -> Condition:
    """Return what an imported conversation is scored under, as far as its suite can be."""
    found = scored_as(condition)
    return found if found.label in setup.localizations else PLAIN


async def _measured(
    measure: Measure, cases: _Cases, cell: StoredCell, episode: Episode
) -> Measured:
    """Take one measure; one that breaks leaves the conversation unscored, with what broke."""
    try:
        found = await measure.measure(cases.case(cell, episode))
        why = misfit(measure, found)
    except RunHalted:
        raise
    except BaseException as error:
        if stops_run(error):
            raise
        # A measure of somebody else must not stop the others.
        return unmeasured(measure, f"scoring broke: {kept_out(carried(placed(error)))}")
    return unmeasured(measure, carried(why)) if why else found
