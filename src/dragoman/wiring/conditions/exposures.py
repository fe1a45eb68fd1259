"""What agents are told of their users becomes layers: `0`, `1`, `2`, `2+rules`, `2+PROVIDER/MODEL`."""

from collections.abc import Mapping, Sequence

from dragoman.conditions.persona.persona_profiles import stated_persona_heading
from dragoman.conditions.persona.profile_inference import RULES
from dragoman.conditions.persona.user_profile_layer import (
    inferred_profile_layer,
    profile_layer,
    rule_inferred_profile_layer,
    stated_profile_layer,
)
from dragoman.core.conditions import ENGLISH, EXPOSURE, JOIN, NONE, UNEXPOSED, Condition
from dragoman.core.errors import UsageError
from dragoman.core.layers import Layer
from dragoman.core.personas import Persona
from dragoman.core.tasks import Task
from dragoman.core.texts.user_signs import signed_languages
from dragoman.models.prices import strip_price
from dragoman.wiring.chat_models import named_chat_model
from dragoman.wiring.conditions.personas import cards_named, persona_of
from dragoman.wiring.connections import Connections
from dragoman.wiring.participants import Resolved

CARD = "1"
INFERRED = "2"
BY_MODEL = f"{INFERRED}{JOIN}"
"""Before a model's name: it infers what the agent is told, in the place of the agent's own model."""
BY_RULES = f"{BY_MODEL}{RULES}"


def over_exposures(conditions: Sequence[Condition], values: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of a grid over everything that agents may be told of their users.

    Raises:
        UsageError: For what is no exposure.
    """
    values = [strip_price(value) for value in values]
    for value in values:
        _require_known(value)
    return tuple(
        condition.with_axes(**{EXPOSURE: value})
        for condition in conditions
        for value in dict.fromkeys(values or (UNEXPOSED,))
    )


def exposure_layers(
    conditions: Sequence[Condition],
    personas: Sequence[str],
    connections: Connections,
    tasks: Sequence[Task] = (),
) -> dict[str, Layer]:
    """Return by label the layers of conditions in which the agent is told something.

    Args:
        conditions: Those that are played.
        personas: The names and files of a run's cards.
        connections: What the models of the run share.
        tasks: All tasks of the suite, which may state who their user is.

    Raises:
        UsageError: For a card or a model that does not exist.
        DataError: Where a card is none.
    """
    cards = cards_named(personas)
    stated = {task.id: task.scenario.persona for task in tasks if task.scenario.persona}
    layers: dict[str, Layer] = {}
    for condition in conditions:
        value = condition.axis(EXPOSURE)
        _require_known(value)
        if value == CARD:
            card = persona_of(condition, cards, "policy")
            by_task = stated and condition.persona == NONE
            layers[condition.label] = (
                _stated_layer(condition, card, stated) if by_task else profile_layer(card)
            )
        elif value == BY_RULES:
            layers[condition.label] = rule_inferred_profile_layer(_spoken(condition))
        elif value != UNEXPOSED:
            layers[condition.label] = _inferring(value, connections)
    return layers


def _stated_layer(condition: Condition, card: Persona, stated: Mapping[str, str]) -> Layer:
    """Return what gives agents the persona that each task states.

    Where the agent's policy is in the language in which the task is told, so is the persona.
    """
    localized = condition.localized
    surfaces = () if localized is None else localized.surfaces
    language = localized.languages[0] if localized is not None and "policy" in surfaces else ENGLISH
    as_told = {"policy", "tasks"} <= {*surfaces}
    return stated_profile_layer(card, stated_persona_heading(language), {} if as_told else stated)


def lacks_model(agent: Resolved, condition: Condition) -> str:
    """Return why an agent cannot be played under a condition; "" where it can."""
    if condition.axis(EXPOSURE) != INFERRED or agent.model is not None:
        return ""
    return (
        f"what its user is like is inferred by the agent's own model, and {agent.name} has none "
        f"that is known: --exposure {BY_MODEL}PROVIDER/MODEL names one, {BY_RULES} asks none"
    )


def _spoken(condition: Condition) -> tuple[str, ...]:
    """Return the languages in which a condition's user speaks: its own, then English.

    Where a conversation is in another language but not the tasks, its user was told in English.

    Raises:
        UsageError: Where a language has no signs.
    """
    localized = condition.localized
    is_spoken = localized is not None and {"conversation", "tasks"} & {*localized.surfaces}
    own = localized.languages[0] if localized is not None and is_spoken else ENGLISH
    if own not in signed_languages():
        raise UsageError(
            f"--exposure {BY_RULES}: the rules know no words of {own}: they know "
            f"{', '.join(signed_languages())}"
        )
    return tuple(dict.fromkeys((own, ENGLISH)))


def _inferring(value: str, connections: Connections) -> Layer:
    if value == INFERRED:
        return inferred_profile_layer(None, "")
    model, identity = named_chat_model(value.removeprefix(BY_MODEL), connections)
    return inferred_profile_layer(model, identity)


def _require_known(value: str) -> None:
    is_model = value.startswith(BY_MODEL) and "/" in value.removeprefix(BY_MODEL)
    if value not in {UNEXPOSED, CARD, INFERRED, BY_RULES} and not is_model:
        raise UsageError(
            f"--exposure {value}: choose {UNEXPOSED} (nothing), {CARD} (the card), {INFERRED} "
            f"(inferred by the agent's own model), {BY_RULES} (inferred by rules) or "
            f"{BY_MODEL}PROVIDER/MODEL"
        )
