"""Voice channels: verbalize, synthesize, apply audio effects, recognize; or simulate errors.

Each conversation and direction has one channel object. Its random draws depend only on its seed and
the number of the utterance, so that several recognizers can be given the same audio. The simulated
channel has no audio: it inserts recognition errors at a given rate.
"""

import asyncio
from typing import Literal

import msgspec

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.asr_error_simulation.token_errors import RecognitionError
from dragoman.conditions.voice.audio_effects.presets import Effect, apply_effects
from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    NORMALIZER,
    normalized_transcript,
)
from dragoman.conditions.voice.verbalization.spelling import DEFAULT_STYLE, SpokenStyle
from dragoman.conditions.voice.verbalization.spoken_form import (
    Hesitation,
    add_hesitations,
    verbalize,
)
from dragoman.core.audio import Audio, AudioStore
from dragoman.core.conditions import ITSELF
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.progress import AwaitedParty, LazilyBuilt
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.core.replies import (
    NORMALIZED,
    NORMALIZER_SETTING,
    ORACLE_ENGINE,
    SYNTHESIS,
    WORDS,
    Stage,
    TranscriptForm,
    Utterance,
)
from dragoman.core.stop_tokens import MARKER
from dragoman.core.usage import Usage, total_usage


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
        """Settings that the recognition record keeps."""
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
        transcript: The transcript of a recognizer.
        language: Its tag.
    """
    return TranscriptTexts(transcript, normalized_transcript(transcript, language))


def transcript_key_parts(form: TranscriptForm) -> tuple[str, ...]:
    """Return the part of content keys for a form of transcript; none for the default."""
    return () if form == "normalized" else (form,)


RECOGNITION = "recognition"


Listener = Recognizer | Literal["itself"] | None
"""The listener of a voice path.

None is a listener that receives the intended text; `itself` means that the addressee receives the
audio.
"""


class VoicePath(msgspec.Struct, frozen=True):
    """The settings of one direction of a voice channel.

    Attributes:
        language: The spoken language.
        speaker: The voice.
        effects: Audio effects of the channel.
        listener: The recognizer, or the agent itself.
        style: Spelling style of values.
        hesitation: Hesitation of the speaker; None for none.
        transcript: Form of a recognizer's transcript that the listener receives.
    """

    language: str
    speaker: Synthesizer
    effects: tuple[Effect, ...]
    listener: Listener
    style: SpokenStyle = DEFAULT_STYLE
    hesitation: Hesitation | None = None
    transcript: TranscriptForm = "normalized"

    @property
    def identity(self) -> str:
        """The content key of everything that can change the received text."""
        effects = msgspec.to_builtins(self.effects)
        listener = "" if self.listener is None else self.listener
        key = listener if isinstance(listener, str) else listener.identity
        said = () if self.hesitation is None else (self.hesitation,)
        received = () if isinstance(listener, str) else transcript_key_parts(self.transcript)
        return content_key(
            self.language, self.speaker.identity, effects, key, self.style, *said, *received
        )


def without_markers(text: str) -> str:
    """Return the spoken part of a text, without markers for the harness."""
    return MARKER.sub("", text).strip()


class SpokenAudio(msgspec.Struct, frozen=True):
    """The speech of a speaker: its words and sound, the stages that made it, and the usage."""

    text: str
    audio: Audio
    stages: tuple[Stage, ...]
    usage: tuple[Usage, ...] = ()


async def synthesize(path: VoicePath, spoken: str, seed: int) -> SpokenAudio:
    """Synthesize verbalized text with the voice of a path.

    Raises:
        ParticipantError: If the voice fails.
        UsageError: For a language that it does not speak, or without the extra `voice`.
    """
    made = await path.speaker.speak(spoken, path.language, seed)
    usage = () if made.usage is None else (made.usage,)
    return SpokenAudio(spoken, made.audio, (Stage(SYNTHESIS, path.speaker.name, seed),), usage)


_LINE = AwaitedParty("line")


class VoiceChannel:
    """Carries the words of one side of one conversation by voice."""

    def __init__(self, path: VoicePath, sounds: AudioStore, seed: int) -> None:
        self._path = path
        self._sounds = sounds
        self._seed = seed
        self._count = 0
        self._usage: list[Usage] = []
        self._awaited = _LINE

    @property
    def awaited(self) -> AwaitedParty:
        """The voice or recognizer that is at work now; a recognizer may have to be built first."""
        listener: object = self._path.listener
        is_built = isinstance(listener, LazilyBuilt) and listener.is_being_built
        if is_built and self._awaited.party == "recognizer":
            return AwaitedParty("recognizer being built", self._awaited.name)
        return self._awaited

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with the spoken and the received text, its audio and its stages.

        Raises:
            ParticipantError: If an engine fails.
        """
        path = self._path
        number, self._count = self._count, self._count + 1
        seed = derive_seed(str(self._seed), f"utterance-{number}")
        words = without_markers(utterance.intended)
        self._awaited = AwaitedParty("voice", path.speaker.name)
        said = await self._said_aloud(utterance, words, seed)
        self._usage += said.usage
        self._awaited = _LINE
        arrived, stages = await asyncio.to_thread(apply_effects, said.audio, path.effects, seed)
        heard, recognition = await self._heard(arrived, words)
        return Utterance(
            intended=utterance.intended,
            spoken=said.text,
            heard=heard,
            audio=await asyncio.to_thread(self._sounds.keep, arrived),
            clean_audio=await asyncio.to_thread(self._sounds.keep, said.audio),
            stages=(*said.stages, *stages, recognition),
        )

    async def _said_aloud(self, utterance: Utterance, words: str, seed: int) -> SpokenAudio:
        """Return the spoken audio: of the path's voice, or of a participant that speaks itself."""
        if (own := utterance.clean_audio) is not None and utterance.stages:
            sound = await asyncio.to_thread(self._sounds.sound, own)
            return SpokenAudio(words, sound, utterance.stages)
        path = self._path
        spoken = verbalize(words, path.language, path.style)
        if path.hesitation is not None:
            spoken = add_hesitations(spoken, path.hesitation, seed)
        return await synthesize(path, spoken, seed)

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what synthesis and recognition consumed since this was last asked."""
        usage, self._usage = total_usage(self._usage), []
        return usage

    async def _heard(self, audio: Audio, meant: str) -> tuple[str | None, Stage]:
        """Return the text that reaches the listener, and the recognition stage.

        The text is None for the audio; the stage names the recognizer and its words.
        """
        listener = self._path.listener
        if listener is None:
            return meant, Stage(RECOGNITION, ORACLE_ENGINE)
        if isinstance(listener, str):
            return None, Stage(RECOGNITION, ITSELF)
        self._awaited = AwaitedParty("recognizer", listener.name)
        transcript = await listener.transcribe(audio, self._path.language)
        self._awaited = _LINE
        self._usage += [transcript.usage] if transcript.usage is not None else []
        texts = transcript_texts(transcript.text, self._path.language)
        stage = Stage(RECOGNITION, listener.name, settings=texts.settings)
        return texts.received(self._path.transcript), stage


SIMULATED = "simulated recognition"
"""The name of the stage: nothing was synthesized, and no recognizer listened."""


class SimulatedPath(msgspec.Struct, frozen=True):
    """The settings of one direction without audio.

    Attributes:
        language: The spoken language.
        simulator: The simulator of recognition errors.
        target_wer: Mean error rate, 0 to 1.
        style: Spelling style of values.
        transcript: Form of the simulated transcript that the listener receives.
    """

    language: str
    simulator: ErrorSimulator
    target_wer: float
    style: SpokenStyle = DEFAULT_STYLE
    transcript: TranscriptForm = "normalized"

    @property
    def name(self) -> str:
        """Name in tables: simulated, the language and the requested rate."""
        return f"simulated:{self.language}:{self.target_wer:g}"

    @property
    def identity(self) -> str:
        """The content key of everything that determines the received text, except seeds.

        Raises:
            UsageError: For a language without a word list, or without the extra that has it.
        """
        parts = (
            self.name,
            self.simulator.identity(self.language),
            *transcript_key_parts(self.transcript),
        )
        return ":".join(parts)


class SimulatedChannel:
    """Carries the words of one side of one conversation with simulated hearing errors."""

    def __init__(self, path: SimulatedPath, seed: int) -> None:
        self._path = path
        self._seed = seed
        self._count = 0

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with the spoken and received text, and a record of every error.

        Raises:
            UsageError: For a language as in `SimulatedPath.identity`, and a rate outside 0 to 1.
        """
        path = self._path
        number, self._count = self._count, self._count + 1
        seed = derive_seed(str(self._seed), f"utterance-{number}")
        spoken = verbalize(without_markers(utterance.intended), path.language, path.style)
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


def _record(edit: RecognitionError) -> dict[str, object]:
    return {
        "kind": edit.kind,
        "at": edit.at,
        "said": " ".join(edit.said),
        "heard": " ".join(edit.heard),
        "distance": None if edit.distance is None else round(edit.distance, 3),
    }
