"""What an agent on a voice call is told: to mirror the language, to distrust what it hears, to be clear.

One text for each language beside this module; all say the same. Who hears the audio itself is told so
in place of a recognizer that mishears.
"""

import importlib.resources

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key

VERSION = "dragoman-voice-1"
"""The version of all texts; a changed text is a new version."""

VERSION_ITSELF = "dragoman-voice-itself-1"
"""That of the texts for agents that hear the audio themselves."""

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


def voice_prompt(language: str = "en", *, hears_itself: bool = False) -> VoicePrompt:
    """Return the prompt in a language.

    Args:
        language: Its tag.
        hears_itself: Whether the agent is given the audio in place of a transcript.

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
    place = f"prompts/itself/{primary}.md" if hears_itself else f"prompts/{primary}.md"
    text = importlib.resources.files(__package__).joinpath(place).read_text("utf-8").strip()
    return VoicePrompt(VERSION_ITSELF if hears_itself else VERSION, primary, text)
