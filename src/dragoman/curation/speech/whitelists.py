"""What a user may be asked to confirm of one message: topics and their canonical values."""

from collections.abc import Sequence

import msgspec

from dragoman.core.voice.clarifications import by_topic
from dragoman.curation.speech.messages import StatedValue


class MessageWhitelist(msgspec.Struct, frozen=True, omit_defaults=True):
    """The topics of one message.

    Attributes:
        topics: Values by the parameters that they are for.
        named: The same after a model renamed topics and dropped what was not said; None for no model,
            or where its answer could not be used.
        why: Why it could not.
    """

    topics: dict[str, str]
    named: dict[str, str] | None = None
    why: str = ""

    @property
    def allowed(self) -> dict[str, str]:
        """The topics that count."""
        return self.topics if self.named is None else self.named


def topics_of(values: Sequence[StatedValue]) -> dict[str, str]:
    """Return what a message states by topic; a parameter with several values gets numbers: `city_2`."""
    return by_topic((each.topic, each.value) for each in values)
