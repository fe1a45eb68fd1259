"""A user whose words were recorded: what an audio set holds is played, and anything else is said live.

Nothing is spoken or heard again where a message is in the set, so that a whole grid has one audio.
"""

import asyncio
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import msgspec

from dragoman.conditions.voice.mishearing.channel import SIMULATED as SIMULATION
from dragoman.conditions.voice.mishearing.channel import SimulatedChannel, SimulatedPath
from dragoman.conditions.voice.transcript_forms import TranscriptTexts, key_parts
from dragoman.conditions.voice.voice_channel import RECOGNITION, VoiceChannel, VoicePath
from dragoman.core.conditions import ITSELF, SIMULATED
from dragoman.core.errors import DataError, ParticipantError
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.layers import Talk
from dragoman.core.protocols import Channel
from dragoman.core.speech import UNDERSTOOD, AudioRef, Stage, TranscriptForm, Utterance
from dragoman.core.tools import Role
from dragoman.core.usage import Usage
from dragoman.core.voice.recordings import RecordedMessage, Recordings
from dragoman.core.voice.sounds import Sounds

Live = Mapping[str, VoicePath] | SimulatedPath | None
"""How words are said that were not recorded: by the voice's name, or misheard without a voice; None
where a set holds every word that can be said."""


class RecordedSounds:
    """The audio of a set, put where a run keeps its own: each once, and not before it is heard."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._kept: WeakKeyDictionary[Sounds, set[str]] = WeakKeyDictionary()

    async def keep(self, audio: AudioRef, sounds: Sounds) -> None:
        """See that a run has audio of the set.

        Raises:
            DataError: Where its file is missing or damaged.
            StoreError: Where it cannot be written.
        """
        kept = self._kept.setdefault(sounds, set())
        if audio.sha256 not in kept:
            sound = await asyncio.to_thread(self._recordings.sound, audio)
            await asyncio.to_thread(sounds.keep, sound)
            kept.add(audio.sha256)


class RecordedVoice(msgspec.Struct, frozen=True):
    """One condition in which users' words are those of a set.

    Attributes:
        label: Its name in tables.
        recordings: The set.
        sounds: Its audio.
        listener: The recognizer's name; `understood` and `itself` as elsewhere.
        live: How words are said that the set does not hold.
        prompt: What the agent is told beside its other instructions.
        record: What a run keeps of it.
        transcript: What the agent receives of a recognizer's transcript.
    """

    label: str
    recordings: Recordings
    sounds: RecordedSounds
    listener: str
    live: Live
    prompt: str
    record: dict[str, object]
    transcript: TranscriptForm = "normalized"

    @property
    def identity(self) -> str:
        """The content key of everything that can change what is heard."""
        live: object = self.live
        if isinstance(self.live, SimulatedPath):
            live = (self.live.identity, self.live.style)
        elif self.live is not None:
            live = {name: path.identity for name, path in self.live.items()}
        received = () if self.listener in {UNDERSTOOD, ITSELF} else key_parts(self.transcript)
        return content_key(
            "recorded-1", self.recordings.digest, self.listener, live, self.prompt, *received
        )

    def texts(self, message: RecordedMessage) -> TranscriptTexts:
        """Return what the recognizer wrote of a message."""
        found = message.heard[self.listener]
        return TranscriptTexts(found.words, found.text, self.recordings.normalizer)

    def channel(self, talk: Talk, side: Role) -> Channel | None:
        """Return the channel of what a user says in one conversation; an agent is understood."""
        return None if side == "agent" else RecordedChannel(self, talk)


class RecordedChannel:
    """Carries the words of the user of one conversation."""

    def __init__(self, voice: RecordedVoice, talk: Talk) -> None:
        self._voice = voice
        self._talk = talk
        self._messages = list(voice.recordings.of(talk.task.id))
        self._speaker = next((each.speaker for each in self._messages if each.speaker), "")
        # What a benchmark itself says of new functions is no user's, and arrives as it is written.
        self._unspoken = {
            text for turn in talk.task.turns if turn.adds_tools for text in turn.messages
        }
        self._live: Channel | None = None

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance as it was recorded, or else as it is said and heard now.

        Raises:
            ParticipantError: Where recorded audio is damaged, an engine broke, or nobody can say it.
        """
        said = utterance.intended
        message = next((each for each in self._messages if each.text == said), None)
        if message is not None:
            self._messages.remove(message)
            return await self._recorded(message)
        return utterance if said in self._unspoken else await self._spoken(utterance)

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what was consumed live since this was last asked."""
        return () if self._live is None else self._live.take_usage()

    async def _recorded(self, message: RecordedMessage) -> Utterance:
        listener = self._voice.listener
        if listener.startswith(SIMULATED):
            texts = self._voice.texts(message)
            stage = Stage(SIMULATION, listener, settings={"simulated": True, **texts.settings})
            received = texts.received(self._voice.transcript)
            return Utterance(message.text, message.said, received, stages=(stage,))
        heard, stage = _heard(message, self._voice)
        return Utterance(
            intended=message.text,
            spoken=message.said,
            heard=heard,
            audio=await self._kept(message.audio),
            stages=(*message.stages, stage),
        )

    async def _kept(self, audio: AudioRef | None) -> AudioRef | None:
        if audio is not None:
            try:
                await self._voice.sounds.keep(audio, self._talk.sounds)
            except DataError as error:
                raise ParticipantError(str(error)) from error
        return audio

    async def _spoken(self, utterance: Utterance) -> Utterance:
        if self._live is None:
            self._live = self._opened(self._voice.live)
        return await self._live.carry(utterance)

    def _opened(self, live: Live) -> Channel:
        seed = derive_seed(self._talk.key, "user")
        if isinstance(live, SimulatedPath):
            return SimulatedChannel(live, seed)
        if not live:
            raise ParticipantError("these words are not in the audio set, and nobody can say them")
        path = live.get(self._speaker) or next(iter(live.values()))
        return VoiceChannel(path, self._talk.sounds, seed)


def _heard(message: RecordedMessage, voice: RecordedVoice) -> tuple[str | None, Stage]:
    """Return the text that reaches the agent, None for the audio, and who listened to which words."""
    listener = voice.listener
    if listener == UNDERSTOOD:
        return message.text, Stage(RECOGNITION, UNDERSTOOD)
    if listener == ITSELF:
        # Where there was nothing to say there is nothing to hear.
        return None if message.audio else "", Stage(RECOGNITION, ITSELF)
    texts = voice.texts(message)
    return texts.received(voice.transcript), Stage(RECOGNITION, listener, settings=texts.settings)
