"""The words that announce a hand-over to a person."""

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.simulation.phrases import english


def is_hand_over(said: str, phrases: Phrasebook) -> bool:
    """Whether an agent announces, in the words that policies prescribe, that it hands over.

    Policies are not translated everywhere: the English words count in every language.
    """
    return any(book.hears.hand_over.search(said) for book in (phrases, english()))
