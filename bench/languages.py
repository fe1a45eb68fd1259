"""Cost of a conversation in another language, with gold on both sides.

Only the conversation loop runs. Gold itself costs almost nothing, so the share of the language is
as large as it can be.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence

from bench.measuring import measured
from msgspec.structs import replace

from dragoman.composition.conditions.language_artifacts import surface_of
from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import EMPTY_TREE, to_labels
from dragoman.conditions.language.tool_views import localized_view
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.config.environment import data_folder
from dragoman.core.errors import DataError
from dragoman.core.protocols import Limits, Session, SessionStart, Suite, ToolView
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import Role
from dragoman.simulation.orchestrator import Conversation, ConversationIO
from dragoman.simulation.participants.oracle import GoldAgent, GoldUser

LANGUAGES = ("vi", "th", "id")
SIDES: tuple[Role, ...] = ("agent", "user")
ROUNDS = 15
PULLED = "seataubench"


def print_languages(suite: Suite) -> None:
    """Print the CPU time of a conversation in English and in each other language."""
    domain = suite.name.partition(":")[2]
    try:
        surfaces = {code: surface_of(domain, code, PULLED, data_folder()) for code in LANGUAGES}
    except DataError as error:
        print(f"  languages not measured: {error}")
        return
    plain = IdentityView()
    english = _cost(suite, suite.tasks, dict.fromkeys(SIDES, plain))
    print(f"  gold in en            {english * 1e3:.3f} ms CPU each")
    for code, surface in surfaces.items():
        tasks = [_labelled(task, surface) for task in suite.tasks]
        views = _views(surface)
        first = _round(suite, tasks, views)
        again = _cost(suite, tasks, views)
        print(
            f"  gold in {code}            {again * 1e3:.3f} ms CPU each, "
            f"{again / english:.2f} times ({first / english:.2f} times before results are remembered)"
        )


def _cost(suite: Suite, tasks: Sequence[Task], views: Mapping[Role, ToolView]) -> float:
    """Return the CPU seconds of a conversation: the smallest mean of several rounds."""
    return min(_round(suite, tasks, views) for _ in range(ROUNDS))


def _round(suite: Suite, tasks: Sequence[Task], views: Mapping[Role, ToolView]) -> float:
    with measured() as spent:
        asyncio.run(_play_all(suite, tasks, views))
        return spent()[1] / len(tasks)


async def _play_all(suite: Suite, tasks: Sequence[Task], views: Mapping[Role, ToolView]) -> None:
    make = suite.factory(DEFAULT_RULES)
    channels = dict.fromkeys(SIDES, IdentityChannel())
    for task in tasks:
        environment = make(task)
        turn_protocol = suite.turn_protocol(task, environment, DEFAULT_RULES, Limits())
        sessions: dict[Role, Session] = {
            "agent": await GoldAgent().open(SessionStart(task, "agent", 0)),
            "user": await GoldUser().open(SessionStart(task, "user", 0)),
        }
        surfaces = ConversationIO(channels, views)
        await Conversation(environment, sessions, surfaces, time.monotonic).run(turn_protocol)


def _views(surface: DomainSurface) -> dict[Role, ToolView]:
    return {
        side: localized_view({tool.name: surface for tool in surface.tools.get(side, ())}, side)
        for side in SIDES
    }


def _labelled(task: Task, surface: DomainSurface) -> Task:
    """Return a task whose plan uses labels."""
    if task.criteria is None or task.criteria.actions is None:
        return task
    actions = tuple(_labelled_action(action, surface) for action in task.criteria.actions)
    return replace(task, criteria=replace(task.criteria, actions=actions))


def _labelled_action(action: Action, surface: DomainSurface) -> Action:
    tree = surface.arguments[action.by][action.name]
    arguments = {
        name: to_labels(value, tree.fields.get(name, EMPTY_TREE))
        for name, value in action.arguments.items()
    }
    return replace(action, arguments=arguments)
