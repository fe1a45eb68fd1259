"""Which reader finds the values of a set, by the name of the matcher that the set records."""

from dragoman.core.errors import UsageError
from dragoman.core.value_matching.matcher import MATCHER
from dragoman.curation.speech.reading.earlier import EarlierReader
from dragoman.curation.speech.reading.how import ValueReader
from dragoman.curation.speech.reading.matched import MatchedReader
from dragoman.store.audio_set_format import UNRECORDED_MATCHER

EARLIER_MATCHER = UNRECORDED_MATCHER
"""The rules before the value matcher."""

KNOWN_MATCHERS = (MATCHER, EARLIER_MATCHER)


def reader_of(matcher: str, language: str) -> ValueReader:
    """Return what finds values by the rules of a matcher.

    Raises:
        UsageError: Where this version does not know it.
    """
    if matcher not in KNOWN_MATCHERS:
        raise UsageError(f"its values were found by {matcher!r:.80}, which is unknown here")
    return EarlierReader() if matcher == EARLIER_MATCHER else MatchedReader(language)
