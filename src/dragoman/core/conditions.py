"""The cell of the grid that a conversation runs under."""

import msgspec


class Condition(msgspec.Struct, frozen=True):
    """Language, voice and persona of one cell; the defaults are plain English text."""

    language: str = "en"
    voice: str = "text"
    persona: str = "none"

    @property
    def label(self) -> str:
        """The short name of the condition in tables, for example `en/text/none`."""
        return f"{self.language}/{self.voice}/{self.persona}"


def language_of(label: str) -> str:
    """Return the language of the condition with that label."""
    return label.split("/", maxsplit=1)[0]
