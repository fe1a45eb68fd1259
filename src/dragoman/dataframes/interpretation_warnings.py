"""Interpretation warnings: limits of a run's results, such as scripted agents or refused calls."""

from collections.abc import Iterator, Sequence
from itertools import islice
from shlex import quote

import msgspec

from dragoman.analysis.cell_summary import CellSummary
from dragoman.analysis.persona_fidelity import fidelity_notes, persona_fidelity
from dragoman.config.agent_specs import specs_of
from dragoman.config.builtin_names import DIAGNOSTIC_AGENTS, USERS
from dragoman.core.capabilities import TakesTextCalls
from dragoman.core.conditions import ENGLISH, NONE
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import UsageError
from dragoman.core.usage import CUT_AT_END_MARK, NO_ROOM, SEPARATED_REASONING, Usage, total_usage
from dragoman.registry.participant_names import user_name
from dragoman.registry.suites import find_benchmark
from dragoman.runs.manifest import read_manifest
from dragoman.simulation.prompts import is_structured
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore

GOLD, OFFLINE = "gold", "offline"
"""The user that plays the plan, and the user that plays a task's facts or script."""

MANY_REFUSED = 100
"""Number of refused attempts from which on they are reported, if they are the majority."""

MAX_SEARCHED = 20
"""Number of conversations that are searched for a simulated user, if there is one."""


def users_of(store: RunStore) -> dict[str, str]:
    """Return by agent the user simulator that it met; empty if nobody plays the user."""
    config = read_manifest(store).config
    begun = islice(store.episodes(), MAX_SEARCHED)
    if not any(_has_user(episode) for _, _, episode in begun):
        return {}
    specs = specs_of(config.agents)
    return {agent: user_name(config.user, spec) for agent, spec in specs.items()}


def described_users(users: dict[str, str]) -> str:
    """Return the names of user simulators in one phrase, and which of them play a script."""
    names = dict.fromkeys(users.values())
    return ", ".join(f"{name} (a script, no model)" if name in USERS else name for name in names)


def interpretation_warnings(store: RunStore) -> tuple[str, ...]:
    """Return warnings on the limits of a run's figures, one sentence per affected condition."""
    return (*_of_languages(store), *_of_personas(store))


def refusal_warnings(cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Return a sentence for each endpoint that refused most attempts for lack of capacity.

    Keeping to a known limit is better than searching for it.
    """
    entries = total_usage(usage for cell in cells for usage in cell.usage)
    return tuple(filter(None, map(_describe_refusals, entries)))


def reply_warnings(cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Return the remarks on the replies of each model, one sentence for each kind and model."""
    entries = total_usage(usage for cell in cells for usage in cell.usage)
    return tuple(
        f"{entry.purpose} {entry.model}: {_REMARKS[kind].format(replies=_replies(count))}"
        for entry in entries
        for kind, count in entry.remarks.items()
        if kind in _REMARKS  # a later version may know others
    )


def _replies(count: int) -> str:
    return f"{count:,} {'reply' if count == 1 else 'replies'}"


_REMARKS: dict[str, str] = {
    SEPARATED_REASONING: (
        "reasoning stood between the words of {replies} and was separated from them, as a "
        "reasoning parser "
        "of the server does (docs/reference/providers.md)"
    ),
    CUT_AT_END_MARK: (
        "{replies} went on behind the mark that ends a turn and were cut there: the server does "
        "not stop "
        "at the model's end-of-turn token"
    ),
    "alternating_roles": (
        "its endpoint takes user and assistant by turns alone: messages of one side are put "
        "together"
    ),
    "system_as_user": "its endpoint takes no system message: the policy is the user's first "
    "message",
    "reasoning_returned": "its endpoint wants its reasoning back: every reply goes back with it",
    "reasoning_filled": (
        "its endpoint wants reasoning with every reply: (none) stands where a reply has none"
    ),
    "reasoning_left_out": "its endpoint does not take its reasoning back: replies go back without "
    "it",
    "empty_content_replaced": "its endpoint takes no empty message: (empty) stands in its place",
    "null_content_replaced": (
        "its endpoint takes no call without words: an empty text is sent with them"
    ),
    "empty_calls_filled": "its endpoint takes no call without words: (empty) is sent with them",
    "results_named": "its endpoint wants the names of functions with their results",
    "tool_choice_left_out": "its endpoint takes no tool_choice: it is omitted",
    "ids_replaced": "its endpoint takes ids of nine letters and digits: calls go back with such "
    "ids",
}
"""Sentences for each kind of remark."""


def text_call_warnings(cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Return warnings on agents whose replies look like calls in text.

    There is one sentence for each agent, with a remedy.
    """
    return tuple(
        _called_in_text(agent, [cell for cell in cells if cell.agent == agent])
        for agent in dict.fromkeys(cell.agent for cell in cells if cell.calls_in_text)
    )


def _called_in_text(agent: str, cells: Sequence[CellSummary]) -> str:
    count = sum(cell.calls_in_text for cell in cells)
    replies = (
        "1 reply looks like a tool call"
        if count == 1
        else f"{count:,} replies look like tool calls"
    )
    form = _text_form(cells[0].suite)
    further = f" Without one, --agent PROVIDER/MODEL?calls={form} asks for calls in text"
    return f"{agent}: {replies} in text: is the server's tool parser on?{further if form else ''}"


def _text_form(suite: str) -> str:
    """Return a form in which a suite's agents can be asked for calls in text.

    The result is "" if the suite does not have such a form.
    """
    try:
        benchmark = find_benchmark(suite)
    except UsageError:
        return ""
    if benchmark is None or not isinstance(benchmark, TakesTextCalls):
        return ""
    return benchmark.text_calls_form(suite)


def _describe_refusals(entry: Usage) -> str:
    refused = sum(entry.faults.get(kind, 0) for kind in NO_ROOM)
    answered = entry.calls - entry.replayed
    if refused < MANY_REFUSED or refused < answered:
        return ""
    return (
        f"{entry.purpose} {entry.model}: {refused:,} of {refused + answered:,} attempts were "
        "refused for lack of capacity; if the limit is known, set it with --rate "
        "(docs/reference/providers.md)"
    )


def _of_personas(store: RunStore) -> Iterator[str]:
    """Yield warnings on users without a persona, or that did not, or may not, keep to it.

    The warnings are given by condition, those on users that follow no persona first. The
    offline user follows a persona if tasks have their facts as data; the user that plays the
    plan never does.
    """
    if read_manifest(store).imported is not msgspec.UNSET:
        # The users of another program's persona have no card.
        return
    cells = [cell for cell in store.cells() if cell.condition.persona != NONE]
    users = users_of(store) if cells else {}
    deaf = {GOLD}
    if users and not any(is_structured(task.scenario) for task in store.tasks().values()):
        deaf.add(OFFLINE)
    found: dict[str, dict[str, None]] = {}
    for cell in cells:
        if users.get(cell.agent) in deaf:
            found.setdefault(cell.condition.label, {})[users[cell.agent]] = None
    for label, names in found.items():
        yield (
            f"{label}: the user {' and '.join(names)} recites a script and follows no persona: "
            "these "
            "figures say nothing of one"
        )
    yield from _of_cards(store, [cell for cell in cells if users.get(cell.agent, GOLD) not in deaf])


def _of_cards(store: RunStore, cells: Sequence[StoredCell]) -> Iterator[str]:
    """Yield notes on cells that do not represent their persona, or may not."""
    measured = store.measured() if cells else {}
    played = (
        ((cell.suite, cell.condition, cell.agent), measured.get(cell.key, ())) for cell in cells
    )
    yield from fidelity_notes(persona_fidelity(played), run=quote(str(store.folder)))


def _of_languages(store: RunStore) -> tuple[str, ...]:
    """Return for each condition who speaks words of another language.

    Scripts are written in English, but where tasks are told in another language that has phrases.
    Figures of who plays an English one say nothing of the language that is to be spoken.
    """
    manifest = read_manifest(store)
    localization, specs = manifest.localization_records, specs_of(manifest.config.agents)
    users = users_of(store)
    scripted: dict[tuple[str, str], dict[str, None]] = {}
    for cell in store.cells():
        label, language = cell.condition.label, cell.condition.language
        if language == ENGLISH or (label in localization and localization[label].phrases):
            continue
        place = (label, language)
        who = scripted.setdefault(place, {})
        if specs.get(cell.agent, cell.agent) in DIAGNOSTIC_AGENTS:
            who[f"agent {cell.agent}"] = None
        if users.get(cell.agent) in USERS:
            who[f"user {users[cell.agent]}"] = None
    return tuple(
        f"{label}: {' and '.join(who)} speak words of an English script, in whole or in part: "
        f"these figures say nothing of conversations in {language!r}"
        for (label, language), who in scripted.items()
        if who
    )


def _has_user(episode: Episode) -> bool:
    return any(
        isinstance(event, Message) and event.by == "user" and not event.scripted
        for event in episode.events
    )
