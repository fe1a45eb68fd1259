"""What an agent receives of a transcript, and what the record keeps of it."""

import msgspec

from dragoman.conditions.voice.inverse_text_normalization import NORMALIZER, normalized_transcript
from dragoman.core.speech import NORMALIZED, NORMALIZER_SETTING, WORDS, TranscriptForm


class TranscriptTexts(msgspec.Struct, frozen=True):
    """One transcript before and after inverse text normalization.

    Attributes:
        raw: The words as they were recognized.
        normalized: The same with values written as people type them.
        normalizer: The rules by which they were written.
    """

    raw: str
    normalized: str
    normalizer: str = NORMALIZER

    @property
    def settings(self) -> dict[str, object]:
        """What the record of recognition keeps."""
        return {
            WORDS: self.raw,
            NORMALIZED: self.normalized,
            NORMALIZER_SETTING: self.normalizer,
        }

    def received(self, form: TranscriptForm) -> str:
        """Return the text that the agent receives."""
        return self.raw if form == "raw" else self.normalized


def transcript_texts(transcript: str, language: str) -> TranscriptTexts:
    """Return a raw transcript together with its normalized text.

    Args:
        transcript: What a recognizer wrote.
        language: Its tag.
    """
    return TranscriptTexts(transcript, normalized_transcript(transcript, language))


def key_parts(form: TranscriptForm) -> tuple[str, ...]:
    """Return what a choice of transcript adds to content keys: nothing where it is the default."""
    return () if form == "normalized" else (form,)
