"""What is said aloud: spoken form, synthesis, line, recognition, and the text that was heard.

One object per conversation and direction. What it draws follows from its seed and the number of the
utterance alone, so that several recognizers can be given the same audio.
"""

import asyncio
from typing import Literal

import msgspec

from dragoman.conditions.voice.lines.channel_effects import apply
from dragoman.conditions.voice.lines.kinds import Effect
from dragoman.conditions.voice.spoken.form import spoken_form
from dragoman.conditions.voice.spoken.hesitations import Hesitation, hesitant
from dragoman.conditions.voice.spoken.spelling import DEFAULT_STYLE, SpokenStyle
from dragoman.conditions.voice.transcript_forms import key_parts, transcript_texts
from dragoman.core.conditions import ITSELF
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.core.speech import SYNTHESIS, UNDERSTOOD, Stage, TranscriptForm, Utterance
from dragoman.core.stop_tokens import MARKER
from dragoman.core.usage import Usage, total_usage
from dragoman.core.voice.audio import Audio
from dragoman.core.voice.sounds import Sounds
from dragoman.core.waiting.awaited import AwaitedParty, BuiltAtFirstUse

RECOGNITION = "recognition"


Listener = Recognizer | Literal["itself"] | None
"""What hears; None for one who understands what was meant, `itself` where who is spoken to hears."""


class VoicePath(msgspec.Struct, frozen=True):
    """One direction between mouth and ear.

    Attributes:
        language: What is spoken.
        speaker: The voice.
        effects: What the line does.
        listener: What hears.
        style: How values are spelled.
        hesitation: How who speaks hesitates; None for one who does not.
        transcript: What who listens receives of a recognizer's transcript.
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
        """The content key of everything that can change what is heard."""
        effects = msgspec.to_builtins(self.effects)
        listener = "" if self.listener is None else self.listener
        key = listener if isinstance(listener, str) else listener.identity
        said = () if self.hesitation is None else (self.hesitation,)
        received = () if isinstance(listener, str) else key_parts(self.transcript)
        return content_key(
            self.language, self.speaker.identity, effects, key, self.style, *said, *received
        )


def without_markers(text: str) -> str:
    """Return what is said of a text: all but the signs that are for the harness."""
    return MARKER.sub("", text).strip()


class SaidAloud(msgspec.Struct, frozen=True):
    """What left the mouth, in words and as sound, what was done to speak, and what that consumed."""

    text: str
    audio: Audio
    stages: tuple[Stage, ...]
    usage: tuple[Usage, ...] = ()


async def said_aloud(path: VoicePath, spoken: str, seed: int) -> SaidAloud:
    """Have the voice of a path say words in spoken form.

    Raises:
        ParticipantError: Where the voice broke.
        UsageError: For a language that it does not speak, or without the extra `voice`.
    """
    made = await path.speaker.speak(spoken, path.language, seed)
    usage = () if made.usage is None else (made.usage,)
    return SaidAloud(spoken, made.audio, (Stage(SYNTHESIS, path.speaker.name, seed),), usage)


_LINE = AwaitedParty("line")


class VoiceChannel:
    """Carries the words of one side of one conversation by voice."""

    def __init__(self, path: VoicePath, sounds: Sounds, seed: int) -> None:
        self._path = path
        self._sounds = sounds
        self._seed = seed
        self._count = 0
        self._usage: list[Usage] = []
        self._awaited = _LINE

    @property
    def awaited(self) -> AwaitedParty:
        """Who speaks or listens now: a recognizer may have to be built first."""
        listener: object = self._path.listener
        is_built = isinstance(listener, BuiltAtFirstUse) and listener.is_being_built
        if is_built and self._awaited.party == "recognizer":
            return AwaitedParty("recognizer being built", self._awaited.name)
        return self._awaited

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with what was spoken and heard, its audio and what happened to it.

        Raises:
            ParticipantError: Where an engine broke.
        """
        path = self._path
        number, self._count = self._count, self._count + 1
        seed = derive_seed(str(self._seed), f"utterance-{number}")
        words = without_markers(utterance.intended)
        self._awaited = AwaitedParty("voice", path.speaker.name)
        said = await self._said_aloud(utterance, words, seed)
        self._usage += said.usage
        self._awaited = _LINE
        arrived, stages = await asyncio.to_thread(apply, said.audio, path.effects, seed)
        heard, recognition = await self._heard(arrived, words)
        return Utterance(
            intended=utterance.intended,
            spoken=said.text,
            heard=heard,
            audio=await asyncio.to_thread(self._sounds.keep, arrived),
            clean_audio=await asyncio.to_thread(self._sounds.keep, said.audio),
            stages=(*said.stages, *stages, recognition),
        )

    async def _said_aloud(self, utterance: Utterance, words: str, seed: int) -> SaidAloud:
        """Return what leaves the mouth: of the path's voice, or of who has spoken already."""
        if (own := utterance.clean_audio) is not None and utterance.stages:
            sound = await asyncio.to_thread(self._sounds.sound, own)
            return SaidAloud(words, sound, utterance.stages)
        path = self._path
        spoken = spoken_form(words, path.language, path.style)
        if path.hesitation is not None:
            spoken = hesitant(spoken, path.hesitation, seed)
        return await said_aloud(path, spoken, seed)

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what synthesis and recognition consumed since this was last asked."""
        usage, self._usage = total_usage(self._usage), []
        return usage

    async def _heard(self, audio: Audio, meant: str) -> tuple[str | None, Stage]:
        """Return the text that reaches the listener, None for the audio, and who listened to which words."""
        listener = self._path.listener
        if listener is None:
            return meant, Stage(RECOGNITION, UNDERSTOOD)
        if isinstance(listener, str):
            return None, Stage(RECOGNITION, ITSELF)
        self._awaited = AwaitedParty("recognizer", listener.name)
        transcript = await listener.transcribe(audio, self._path.language)
        self._awaited = _LINE
        self._usage += [transcript.usage] if transcript.usage is not None else []
        texts = transcript_texts(transcript.text, self._path.language)
        stage = Stage(RECOGNITION, listener.name, settings=texts.settings)
        return texts.received(self._path.transcript), stage
