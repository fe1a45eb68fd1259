"""What a user may be asked to confirm of one message: topics and their canonical values."""

from collections.abc import Sequence

from dragoman.core.clarifications import by_topic
from dragoman.curation.speech.messages import StatedValue


def topics_of(values: Sequence[StatedValue]) -> dict[str, str]:
    """Return what a message states by topic; a parameter with several values gets numbers: `city_2`."""
    return by_topic((each.topic, each.value) for each in values)
