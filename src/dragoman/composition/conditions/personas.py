"""Persona layers of users, and user-profile layers of agents.

The persona `task` leaves users to the persona that each task states. It adds nothing, so that its
cells equal those of `none` and of a run without the option. Other packages add personas as entry
points in the group `dragoman.personas`. Each entry point is the path of a persona card, under the
card's name. An agent gets no profile (`0`), the persona's (`1`), or one that is inferred (`2`,
`2+rules`, `2+PROVIDER/MODEL`).
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
    stated_persona_heading,
)
from dragoman.conditions.persona.profile_inference import RULES
from dragoman.conditions.persona.user_profile_layer import (
    inferred_profile_layer,
    profile_layer,
    rule_inferred_profile_layer,
    stated_profile_layer,
)
from dragoman.core.conditions import (
    ENGLISH,
    EXPOSURE,
    JOIN,
    NONE,
    UNEXPOSED,
    Condition,
    Surface,
    made_by_label,
)
from dragoman.core.errors import DataError, UnplayableConditionError, UsageError
from dragoman.core.layers import Layer
from dragoman.core.personas import BY_TASK, OF_TASK, Persona, stated_persona
from dragoman.core.tasks import Task
from dragoman.core.texts.user_cues import cue_languages
from dragoman.models.prices import strip_price
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.entry_points import find_entry_points, load_entry_point
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.participants import ResolvedParticipant
from dragoman.simulation.phrasebooks import find_misleading_phrases, shipped_phrasebook

ENTRY_POINTS = "dragoman.personas"


def expand_personas(conditions: Sequence[Condition], names: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every persona.

    Raises:
        UsageError: If a persona does not exist.
        DataError: If a file is not a persona card.
    """
    cards = resolve_personas(names or (NONE,))
    return tuple(condition.with_axes(**{AXIS: name}) for condition in conditions for name in cards)


def resolve_personas(names: Sequence[str]) -> dict[str, PersonaProfile]:
    """Return the persona cards of those names or files, by name.

    Raises:
        UsageError: If a persona does not exist, or two have one name.
        DataError: If a file is not a persona card.
    """
    cards: dict[str, PersonaProfile] = {}
    for name in dict.fromkeys(NONE if name == BY_TASK else name for name in names):
        card = _read_profile(name)
        if card.name in cards:
            raise UsageError(f"--persona {name}: another card is called {card.name}")
        cards[card.name] = card
    return cards


def require_no_contradiction(conditions: Iterable[Condition], tasks: Sequence[Task]) -> None:
    """Raise UsageError if a persona card would contradict personas that tasks state.

    Raises:
        UsageError: If a task states a persona; the message lists the stated personas.
    """
    card = next((each.persona for each in conditions if each.persona != NONE), None)
    stating = [task for task in tasks if task.scenario.persona]
    if card is None or not stating:
        return
    names = (stated_persona(task.id).removeprefix(OF_TASK) or "unnamed" for task in stating)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(Counter(names).items()))
    raise UsageError(
        f"--persona {card}: {len(stating)} of {len(tasks)} tasks of {tasks[0].suite} state a "
        "persona of their "
        f"own ({counts}), which a card would contradict: leave --persona out for figures by "
        "these, or "
        "choose others with --tasks"
    )


def persona_layers(
    conditions: Sequence[Condition],
    names: Sequence[str],
    unplayable: dict[str, str] | None = None,
) -> dict[str, Layer]:
    """Return the layers of conditions that have a persona, by label.

    Args:
        conditions: The conditions that are played.
        names: The names and files of a run's persona cards.
        unplayable: Receives, by label, the reason why a card has no texts for a condition; None
            raises an error.

    Raises:
        UsageError: If a card does not exist.
        DataError: If a file is not a persona card, or participants without a model would misread
            its phrases.
    """
    cards = resolve_personas(names)
    with_persona = (each for each in conditions if each.persona != NONE)
    return made_by_label(
        with_persona, lambda each: persona_layer(persona_of(each, cards, "tasks")), unplayable
    )


def persona_of(
    condition: Condition, cards: Mapping[str, PersonaProfile], surface: Surface
) -> Persona:
    """Return a condition's persona in the language of a surface.

    Raises:
        UnplayableConditionError: If its card has no texts in that language.
        DataError: If participants without a model would misread its phrases.
    """
    localized = condition.localized
    is_reported = localized is not None and surface in localized.surfaces
    language = localized.languages[0] if localized is not None and is_reported else ENGLISH
    card = cards.get(condition.persona) or _read_profile(condition.persona)
    persona = card.persona(language)
    book = shipped_phrasebook(language)
    amiss = (
        [] if book is None else find_misleading_phrases(persona.user_behavior.persona_phrases, book)
    )
    if amiss:
        raise DataError(f"persona {card.name} [{language}]: {amiss[0]}")
    return persona


def persona_names() -> dict[str, str]:
    """Return every persona's name with a line about it."""
    shipped = {name: _about(find_profile(name)) for name in BUNDLED_PROFILES}
    added = {entry.name: f"from {entry.value}" for entry in find_entry_points(ENTRY_POINTS)}
    return {
        BY_TASK: "the persona that each task states; adds nothing (the default)",
        **shipped,
        **added,
        "FILE.toml": "a card of your own",
    }


def _read_profile(name: str) -> PersonaProfile:
    for entry in () if name in BUNDLED_PROFILES else find_entry_points(ENTRY_POINTS, name):
        path = load_entry_point(entry, f"persona {name!r}")
        if not isinstance(path, Path) or path.stem != name:
            raise UsageError(f"persona {name!r}: {entry.value} must be a path to {name}.toml")
        return read_profile(path)
    return find_profile(name)


def _about(card: PersonaProfile) -> str:
    traits = card.traits
    return (
        f"{card.about} (expertise {traits.expertise}, ambiguity {traits.ambiguity}, verbosity "
        f"{traits.verbosity}, tolerance {traits.tolerance})"
    )


STATED_PROFILE = "1"
INFERRED_PROFILE = "2"
BY_MODEL = f"{INFERRED_PROFILE}{JOIN}"
"""The prefix of a model's name for profile inference.

This model infers the user profile in place of the agent's own model.
"""
BY_RULES = f"{BY_MODEL}{RULES}"


def expand_user_profiles(
    conditions: Sequence[Condition], values: Sequence[str]
) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every exposure of user profiles.

    Raises:
        UsageError: If a value is not an exposure.
    """
    values = [strip_price(value) for value in values]
    for value in values:
        _require_known(value)
    return tuple(
        condition.with_axes(**{EXPOSURE: value})
        for condition in conditions
        for value in dict.fromkeys(values or (UNEXPOSED,))
    )


def user_profile_layers(
    conditions: Sequence[Condition],
    personas: Sequence[str],
    connections: ModelClients,
    tasks: Sequence[Task] = (),
    unplayable: dict[str, str] | None = None,
) -> dict[str, Layer]:
    """Return the layers of conditions in which the agent gets a user profile, by label.

    Args:
        conditions: The conditions that are played.
        personas: The names and files of a run's persona cards.
        connections: The resources that the models of the run share.
        tasks: All tasks of the suite; they may state a persona.
        unplayable: Receives, by label, the reason why a condition's language has no profile; None
            raises an error.

    Raises:
        UsageError: If a card or a model does not exist.
        DataError: If a file is not a persona card.
    """
    cards = resolve_personas(personas)
    stated = {task.id: task.scenario.persona for task in tasks if task.scenario.persona}

    def layer(condition: Condition) -> Layer:
        value = condition.axis(EXPOSURE)
        if value == STATED_PROFILE:
            card = persona_of(condition, cards, "policy")
            by_task = stated and condition.persona == NONE
            return _stated_layer(condition, card, stated) if by_task else profile_layer(card)
        if value == BY_RULES:
            return rule_inferred_profile_layer(_find_user_languages(condition))
        return _inference_layer(value, connections)

    for condition in conditions:
        _require_known(condition.axis(EXPOSURE))
    exposed = (each for each in conditions if each.axis(EXPOSURE) != UNEXPOSED)
    return made_by_label(exposed, layer, unplayable)


def _stated_layer(condition: Condition, card: Persona, stated: Mapping[str, str]) -> Layer:
    """Return the layer that gives agents the persona that each task states.

    If both the agent's policy and the tasks are in the language, the agent gets the persona as the
    translated task states it.
    """
    localized = condition.localized
    surfaces = () if localized is None else localized.surfaces
    language = localized.languages[0] if localized is not None and "policy" in surfaces else ENGLISH
    as_told = {"policy", "tasks"} <= {*surfaces}
    return stated_profile_layer(card, stated_persona_heading(language), {} if as_told else stated)


def lacks_model(agent: ResolvedParticipant, condition: Condition) -> str:
    """Return why an agent cannot be played under a condition; "" if it can."""
    if condition.axis(EXPOSURE) != INFERRED_PROFILE or agent.model is not None:
        return ""
    return (
        f"the agent's own model infers the user profile, and {agent.name} has no known model: "
        f"--exposure {BY_MODEL}PROVIDER/MODEL names one, {BY_RULES} needs none"
    )


def _find_user_languages(condition: Condition) -> tuple[str, ...]:
    """Return the languages in which a condition's user speaks: its own, then English.

    English is included because the user's instructions are in English if only the conversation is
    in another language.

    Raises:
        UnplayableConditionError: If the rules have no words for a language.
    """
    localized = condition.localized
    is_spoken = localized is not None and {"conversation", "tasks"} & {*localized.surfaces}
    own = localized.languages[0] if localized is not None and is_spoken else ENGLISH
    if own not in cue_languages():
        raise UnplayableConditionError(
            f"--exposure {BY_RULES}: the rules know no words of {own}: they know "
            f"{', '.join(cue_languages())}",
            f"--exposure {BY_MODEL}PROVIDER/MODEL",
        )
    return tuple(dict.fromkeys((own, ENGLISH)))


def _inference_layer(value: str, connections: ModelClients) -> Layer:
    if value == INFERRED_PROFILE:
        return inferred_profile_layer(None, "")
    model, identity = resolve_chat_model(value.removeprefix(BY_MODEL), connections)
    return inferred_profile_layer(model, identity)


def _require_known(value: str) -> None:
    is_model = value.startswith(BY_MODEL) and "/" in value.removeprefix(BY_MODEL)
    if value not in {UNEXPOSED, STATED_PROFILE, INFERRED_PROFILE, BY_RULES} and not is_model:
        raise UsageError(
            f"--exposure {value}: choose {UNEXPOSED} (nothing), {STATED_PROFILE} (the card), "
            f"{INFERRED_PROFILE} "
            f"(inferred by the agent's own model), {BY_RULES} (inferred by rules) or "
            f"{BY_MODEL}PROVIDER/MODEL"
        )
