"""The values that a user's words state: what a task knows, and what identifies something by its form."""

from functools import lru_cache

from dragoman.core.tasks import Task
from dragoman.core.texts.entities import EntityKind, entities_in, occurs
from dragoman.core.texts.said_values import texts_of
from dragoman.scoring.identifying import squeeze
from dragoman.scoring.speech_accuracy import spaced

_MIN_SIGNS = 2
"""Shorter values stand in too many texts that say nothing of them."""

_MIN_DIGITS = 3
"""Digits by which a word that no task knows is taken for an id."""

IDENTIFYING: frozenset[EntityKind] = frozenset({"email", "phone", "code"})
"""What is known to be misread by its signs; numbers and dates may mean something else."""


def known_values(task: Task) -> tuple[str, ...]:
    """Return what a task's user may have to say: facts, and what the plan's calls have."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    facts = (fact.value for fact in task.scenario.facts)
    planned = (value for action in actions for value in texts_of(action.arguments))
    values = dict.fromkeys((*facts, *planned))
    return tuple(value for value in values if len(value) >= _MIN_SIGNS)


@lru_cache(maxsize=256)
def stated_values(known: tuple[str, ...], text: str, language: str) -> tuple[str, ...]:
    """Return the known values that a text states, and ids, telephone numbers and addresses beside them.

    What was found is kept for a while: several measures look at the same messages.
    """
    words = spaced(text, language)
    stated = (value for value in known if occurs(value, words))
    beside = tuple(filter(is_long, identifiers(text, language)))
    if not beside:
        return tuple(stated)
    # "7700 900913, so +44 7700 900913" states one number.
    wholes = (*squeezed(known), *map(squeeze, beside))
    parts = {each for each in beside if any(_is_part(squeeze(each), whole) for whole in wholes)}
    right = squeezed(known)
    others = (each for each in beside if each not in parts and squeeze(each) not in right)
    return (*stated, *others)


def _is_part(value: str, whole: str) -> bool:
    return value in whole and value != whole


@lru_cache(maxsize=256)
def identifiers(text: str, language: str) -> tuple[str, ...]:
    """Return what identifies something by its form, whether a task knows it or not."""
    found = entities_in(spaced(text, language))
    return tuple(each.text for each in found if each.kind in IDENTIFYING)


def is_long(value: str) -> bool:
    """Whether a value has enough digits for an id, or is an e-mail address."""
    return "@" in value or sum(map(str.isdigit, value)) >= _MIN_DIGITS


@lru_cache(maxsize=16)
def squeezed(known: tuple[str, ...]) -> frozenset[str]:
    """Return known values as `squeeze` writes them."""
    return frozenset(map(squeeze, known))


@lru_cache(maxsize=1024)
def key_of(value: str) -> str:
    """Return what all writings of a stated value have in common."""
    return squeeze(value) or value
