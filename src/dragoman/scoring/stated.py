"""The values that a user's words state: what a task knows, and what identifies something by its form."""

from collections.abc import Iterator, Sequence
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
    return (*stated, *(each for each in _identifiers(words) if not _is_part(each, known)))


def key_of(value: str) -> str:
    """Return what all writings of a stated value have in common."""
    return squeeze(value) or value


def _identifiers(words: str) -> Iterator[str]:
    """Yield what identifies something by its form, whether the task knows it or not."""
    for found in entities_in(words):
        is_long = sum(map(str.isdigit, found.text)) >= _MIN_DIGITS
        if found.kind in IDENTIFYING and (is_long or found.kind == "email"):
            yield found.text


def _is_part(value: str, known: Sequence[str]) -> bool:
    return any(squeeze(value) in squeeze(whole) for whole in known)
