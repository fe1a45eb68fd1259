"""Preflight: one exchange of a few planned conversations, to find endpoints that do not answer.

It sends the first requests of the run: the same task, prompt, draw and seed, through the same
channels, so that cached replies are not paid twice. The run keeps only the usage of a preflight.
"""

from collections.abc import Awaitable, Iterable, Mapping, Sequence

import msgspec

from dragoman.composition.external_access import uses_network
from dragoman.composition.setup import Setup
from dragoman.config.run_config import RunConfig
from dragoman.core.audio import MemoryAudioStore
from dragoman.core.costs import Cost, cost_of, total_cost
from dragoman.core.episodes import FAULTS, Episode
from dragoman.core.errors import JudgeError, ParticipantError, RunHalted
from dragoman.core.protocols import JudgeContext, Judgement
from dragoman.core.usage import Usage, total_usage
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import Cell

MANY = 100
"""Number of planned conversations with endpoints from which a run begins with a preflight."""

STEPS = 3
"""Number of steps of a conversation: the user's first words, and the agent's answer to them."""

RETRY_SECONDS = 30.0
"""Seconds of retries for an endpoint that is down or refuses.

A run waits longer, because more is at stake.
"""

_ATTEMPT = -1
"""Attempt number of the conversations of a preflight.

Servers that store conversations by id can distinguish them from those of the run.
"""

PURPOSE = "preflight"
"""Purpose of the usage in the run's ledger."""

_BROKEN = FAULTS | {"timeout"}


class PreflightResult(msgspec.Struct, frozen=True):
    """The usage of a preflight in which all participants answered, in total and by cell key."""

    conversations: int
    usage: tuple[Usage, ...]
    cost: Cost | None
    by_cell: Mapping[str, tuple[Usage, ...]] = {}


class PreflightFailedError(RunHalted):
    """A participant or judge did not answer in a preflight; `tried` is the usage until then."""

    def __init__(self, why: str, tried: PreflightResult) -> None:
        super().__init__(why)
        self.tried = tried


def count_asking(config: RunConfig, cells: Sequence[Cell]) -> int:
    """Return how many of these conversations ask an endpoint, for playing or judging."""
    always = (config.user, config.judge, config.user_judge, *config.asr, *config.speakers)
    if any(map(uses_network, always)):
        return len(cells)
    return sum(uses_network(cell.agent.resolved_by) for cell in cells)


def shorten_config(config: RunConfig) -> RunConfig:
    """Return a configuration with short conversations and short waits."""
    return msgspec.structs.replace(
        config, max_steps=STEPS, patience=min(config.patience, RETRY_SECONDS)
    )


def sample_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Return the first conversation of every agent and of every condition.

    Conversations that follow another one are not included.
    """
    agents: set[str] = set()
    conditions: set[str] = set()
    chosen = []
    for cell in cells:
        if cell.before or (cell.agent.name in agents and cell.condition.label in conditions):
            continue
        agents.add(cell.agent.name)
        conditions.add(cell.condition.label)
        chosen.append(cell)
    return chosen


def with_planned_draws(planned: Sequence[Cell], own: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a preflight's setup, with the draws of the planned cells."""
    return [
        msgspec.structs.replace(mine, key=meant.key, own_seed=meant.own_seed)
        for meant, mine in zip(planned, own, strict=True)
    ]


async def run_preflight(setup: Setup, cells: Sequence[Cell]) -> PreflightResult:
    """Play the beginnings of these conversations and ask the judges once.

    Args:
        setup: A separate setup with the configuration of `shorten_config`; the function closes it.
        cells: The conversations.

    Raises:
        PreflightFailedError: If a participant or judge does not answer, with its name and the
            reason.
    """
    player = Player(setup, MemoryAudioStore())
    used: dict[str, list[Usage]] = {}
    episode: Episode | None = None
    try:
        for cell in cells:
            episode = await player.converse(cell, _ATTEMPT)
            used[cell.key] = list(episode.usage)
            _require_unbroken(cell, episode)
        if episode is not None:
            await _ask_judges(setup, cells[-1], episode, used[cells[-1].key])
    except RunHalted as error:
        raise PreflightFailedError(str(error), _preflight_result(setup, used)) from error
    finally:
        await setup.close()
    return _preflight_result(setup, used)


def _require_unbroken(cell: Cell, episode: Episode) -> None:
    ending = episode.ending
    if ending.reason in _BROKEN:
        where = f"{cell.agent.name} with {cell.user.name}, {cell.condition.label}"
        what = ending.reason.replace("_", " ")
        raise RunHalted(f"{where}, task {cell.task.id}: {what}: {ending.detail}")


def _preflight_result(setup: Setup, used: Mapping[str, Sequence[Usage]]) -> PreflightResult:
    """Return the usage of conversations, by cell key, and its cost."""
    usage = [each for entries in used.values() for each in entries]
    costs = [cost_of(each, setup.prices.price_of) for each in usage]
    by_cell = {key: _as_preflight(entries) for key, entries in used.items() if entries}
    return PreflightResult(len(used), total_usage(usage), total_cost(costs), by_cell)


def _as_preflight(entries: Iterable[Usage]) -> tuple[Usage, ...]:
    return total_usage(msgspec.structs.replace(each, purpose=PURPOSE) for each in entries)


async def _ask_judges(setup: Setup, cell: Cell, episode: Episode, used: list[Usage]) -> None:
    """Ask each judge that costs money about one conversation, and add its usage.

    Raises:
        RunHalted: If a judge gives no judgement.
    """
    case, statements = (
        JudgeContext(cell.task.id, f"preflight-{cell.spec_key}"),
        ("The agent was polite.",),
    )
    asked: list[tuple[str, Awaitable[Judgement]]] = []
    if setup.judge is not None and setup.judge.costs:
        asking_it = setup.judge.judge(statements, episode.events, case)
        asked.append((f"judge {setup.judge.name}", asking_it))
    if setup.users is not None and (users := setup.users.judge) is not None:
        asking_it = users.judge(statements, episode.events, case, cell.task.wanted)
        asked.append((f"judge of users {users.name}", asking_it))
    for who, judging in asked:
        try:
            usage = (await judging).usage
        except (JudgeError, ParticipantError) as error:
            used += [error.usage] if isinstance(error.usage, Usage) else []
            raise RunHalted(f"{who}: {error}") from error
        used += [] if usage is None else [usage]
