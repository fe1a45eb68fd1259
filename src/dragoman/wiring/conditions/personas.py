"""Names of personas become cards, and conditions their layers.

`task` leaves users to the persona that each task states. It adds nothing, so that its cells are those
of `none` and of a run without the option.

Other packages add cards as entry points in the group `dragoman.personas`: the path of a card, by its name.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.conditions.persona.persona_profiles import (
    AXIS,
    BUNDLED_PROFILES,
    PersonaProfile,
    find_profile,
    persona_layer,
    read_profile,
)
from dragoman.core.conditions import ENGLISH, NONE, Condition, Surface
from dragoman.core.errors import DataError, UsageError
from dragoman.core.layers import Layer
from dragoman.core.personas import BY_TASK, OF_TASK, Persona, stated_persona
from dragoman.core.tasks import Task
from dragoman.simulation.phrasebooks import misleading_sayings, shipped_phrasebook
from dragoman.wiring.plug_ins import added_under, load_entry

ENTRY_POINTS = "dragoman.personas"


def over_personas(conditions: Sequence[Condition], names: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every persona.

    Raises:
        UsageError: For a persona that does not exist.
        DataError: Where a card is none.
    """
    cards = cards_named(names or (NONE,))
    return tuple(condition.with_axes(**{AXIS: name}) for condition in conditions for name in cards)


def cards_named(names: Sequence[str]) -> dict[str, PersonaProfile]:
    """Return the cards of those names or files, by name.

    Raises:
        UsageError: For one that does not exist, or two of one name.
        DataError: Where a file is no card.
    """
    cards: dict[str, PersonaProfile] = {}
    for name in dict.fromkeys(NONE if name == BY_TASK else name for name in names):
        card = _card(name)
        if card.name in cards:
            raise UsageError(f"--persona {name}: another card is called {card.name}")
        cards[card.name] = card
    return cards


def require_no_contradiction(conditions: Iterable[Condition], tasks: Sequence[Task]) -> None:
    """Refuse a card where the tasks that are played say already who their user is.

    Raises:
        UsageError: Where one does, with what the tasks state.
    """
    card = next((each.persona for each in conditions if each.persona != NONE), None)
    stating = [task for task in tasks if task.scenario.persona]
    if card is None or not stating:
        return
    names = (stated_persona(task.id).removeprefix(OF_TASK) or "unnamed" for task in stating)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(Counter(names).items()))
    raise UsageError(
        f"--persona {card}: {len(stating)} of {len(tasks)} tasks of {tasks[0].suite} state a persona of their "
        f"own ({counts}), which a card would contradict: leave --persona out for figures by these, or "
        "choose others with --tasks"
    )


def persona_layers(conditions: Sequence[Condition], names: Sequence[str]) -> dict[str, Layer]:
    """Return by label the layers of conditions that have a persona.

    Args:
        conditions: Those that are played.
        names: The names and files of a run's cards.

    Raises:
        UsageError: For a card that does not exist, or has no texts in a condition's language.
        DataError: Where a card is none, or says what participants without a model take amiss.
    """
    cards = cards_named(names)
    return {
        condition.label: persona_layer(persona_of(condition, cards, "tasks"))
        for condition in conditions
        if condition.persona != NONE
    }


def persona_of(
    condition: Condition, cards: Mapping[str, PersonaProfile], surface: Surface
) -> Persona:
    """Return a condition's persona in the language of a surface.

    Raises:
        UsageError: Where its card has no texts in it.
        DataError: Where its sayings are taken amiss.
    """
    localized = condition.localized
    is_told = localized is not None and surface in localized.surfaces
    language = localized.languages[0] if localized is not None and is_told else ENGLISH
    card = cards.get(condition.persona) or _card(condition.persona)
    persona = card.persona(language)
    book = shipped_phrasebook(language)
    amiss = [] if book is None else misleading_sayings(persona.manner.sayings, book)
    if amiss:
        raise DataError(f"persona {card.name} [{language}]: {amiss[0]}")
    return persona


def persona_names() -> dict[str, str]:
    """Return every persona's name with a line about it."""
    shipped = {name: _about(find_profile(name)) for name in BUNDLED_PROFILES}
    added = {entry.name: f"from {entry.value}" for entry in added_under(ENTRY_POINTS)}
    return {
        BY_TASK: "who each task says its user is; adds nothing (what is played where none is named)",
        **shipped,
        **added,
        "FILE.toml": "a card of your own",
    }


def _card(name: str) -> PersonaProfile:
    for entry in () if name in BUNDLED_PROFILES else added_under(ENTRY_POINTS, name):
        path = load_entry(entry, f"persona {name!r}")
        if not isinstance(path, Path) or path.stem != name:
            raise UsageError(f"persona {name!r}: {entry.value} is no path of a card {name}.toml")
        return read_profile(path)
    return find_profile(name)


def _about(card: PersonaProfile) -> str:
    traits = card.traits
    return (
        f"{card.about} (expertise {traits.expertise}, ambiguity {traits.ambiguity}, verbosity "
        f"{traits.verbosity}, tolerance {traits.tolerance})"
    )
