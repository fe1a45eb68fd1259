"""A channel without audio: what is said is misheard at a rate, in place of voice, line and recognizer."""

import asyncio

import msgspec

from dragoman.conditions.voice.mishearing.kinds import Edit
from dragoman.conditions.voice.mishearing.simulator import ErrorSimulator
from dragoman.conditions.voice.spoken.form import spoken_form
from dragoman.conditions.voice.spoken.spelling import DEFAULT_STYLE, SpokenStyle
from dragoman.conditions.voice.transcript_forms import key_parts, transcript_texts
from dragoman.conditions.voice.voice_channel import without_markers
from dragoman.core.keys import derive_seed
from dragoman.core.speech import Stage, TranscriptForm, Utterance
from dragoman.core.usage import Usage

SIMULATED = "simulated recognition"
"""The name of the stage: nothing was synthesized, and no recognizer listened."""


class SimulatedPath(msgspec.Struct, frozen=True):
    """One direction without audio.

    Attributes:
        language: What is spoken.
        simulator: What mishears.
        target_wer: The error rate on average, 0 to 1.
        style: How values are spelled.
        transcript: What the listener receives of what was misheard.
    """

    language: str
    simulator: ErrorSimulator
    target_wer: float
    style: SpokenStyle = DEFAULT_STYLE
    transcript: TranscriptForm = "normalized"

    @property
    def name(self) -> str:
        """What tables call it: simulated, the language and the rate asked for."""
        return f"simulated:{self.language}:{self.target_wer:g}"

    @property
    def identity(self) -> str:
        """The content key of everything that decides what is heard, but for seeds.

        Raises:
            UsageError: For a language without a word list, or without the extra that has it.
        """
        parts = (self.name, self.simulator.identity(self.language), *key_parts(self.transcript))
        return ":".join(parts)


class SimulatedChannel:
    """Carries the words of one side of one conversation with simulated hearing errors."""

    def __init__(self, path: SimulatedPath, seed: int) -> None:
        self._path = path
        self._seed = seed
        self._count = 0

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with what was spoken and heard, and every error on record.

        Raises:
            UsageError: For a language as in `SimulatedPath.identity`, and a rate outside 0 to 1.
        """
        path = self._path
        number, self._count = self._count, self._count + 1
        seed = derive_seed(str(self._seed), f"utterance-{number}")
        spoken = spoken_form(without_markers(utterance.intended), path.language, path.style)
        heard = await asyncio.to_thread(
            path.simulator.simulate, spoken, path.language, path.target_wer, seed
        )
        texts = transcript_texts(heard.text, path.language)
        settings: dict[str, object] = {
            "simulated": True,
            **texts.settings,
            "identity": path.identity,
            "target_wer": path.target_wer,
            "units": heard.units,
            "errors": heard.errors,
            "edits": [_record(edit) for edit in heard.edits],
        }
        return Utterance(
            intended=utterance.intended,
            spoken=spoken,
            heard=texts.received(path.transcript),
            stages=(Stage(SIMULATED, path.name, seed, settings),),
        )

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing: no model and no service takes part."""
        return ()


def _record(edit: Edit) -> dict[str, object]:
    return {
        "kind": edit.kind,
        "at": edit.at,
        "said": " ".join(edit.said),
        "heard": " ".join(edit.heard),
        "distance": None if edit.distance is None else round(edit.distance, 3),
    }
