"""What an agent's words want of the user: something to be told, a yes, or nothing."""

from collections.abc import Iterator

from dragoman.core.language.phrasebook import Phrasebook

_OPENING_WORDS, _OPENING_SIGNS = 1, 8
"""What may stand before a no with which an answer begins: "Oh no", "Sorry, no"."""


def wants_told(text: str, phrases: Phrasebook) -> bool:
    """Whether words want something to be told, or spelled: neither a yes alone nor further wishes."""
    return any(_wants_told(each, phrases) for each in _sentences(text, phrases))


def only_closes(text: str, phrases: Phrasebook) -> bool:
    """Whether all that words want is to know of further wishes."""
    wanting = [each for each in _sentences(text, phrases) if phrases.hears.request.search(each)]
    return bool(wanting) and all(phrases.hears.closing.search(each) for each in wanting)


def begins_with_no(text: str, phrases: Phrasebook) -> bool:
    """Whether a text says no before it says anything else."""
    refused = phrases.hears.refused.search(text)
    if refused is None:
        return False
    before = text[: refused.start()]
    return len(before.split()) <= _OPENING_WORDS and len(before) <= _OPENING_SIGNS


def _sentences(text: str, phrases: Phrasebook) -> Iterator[str]:
    return (each for each in phrases.writing.sentence_break.split(text) if each and each.strip())


def _wants_told(sentence: str, phrases: Phrasebook) -> bool:
    hears = phrases.hears
    if hears.spell.search(sentence):
        return True
    if not hears.request.search(sentence) or hears.closing.search(sentence):
        return False
    leave = hears.consent.search(sentence)
    if leave is None:
        return True
    # "Which one would you like?" wants to be told, "Shall I say what it costs?" wants a yes.
    asked = hears.open_question.search(sentence)
    return asked is not None and asked.start() < leave.start()
