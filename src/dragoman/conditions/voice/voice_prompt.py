"""What an agent on a voice call is told: to mirror the language, to distrust what it hears, to be clear.

One text for each language beside this module; all say the same.
"""

import importlib.resources

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key

VERSION = "dragoman-voice-1"
"""The version of all texts; a changed text is a new version."""

LANGUAGES = ("en", "id", "th", "tl", "vi", "zh")


class VoicePrompt(msgspec.Struct, frozen=True):
    """The text that stands before an agent's other instructions; name and digest go into keys."""

    name: str
    language: str
    text: str

    @property
    def digest(self) -> str:
        """The content hash of the text."""
        return content_key(self.text)


def voice_prompt(language: str = "en") -> VoicePrompt:
    """Return the prompt in a language.

    Raises:
        UsageError: Where there is none.
    """
    primary = language.replace("_", "-").split("-")[0].casefold()
    if primary not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UsageError(
            f"conversations in {language!r} cannot be spoken: what agents are told of a call is there "
            f"in {known}"
        )
    text = importlib.resources.files(__package__).joinpath(f"prompts/{primary}.md")
    return VoicePrompt(VERSION, primary, text.read_text("utf-8").strip())
