"""Voice layer: live voices, recorded audio sets or simulated errors, and the voice prompt.

Recorded messages are neither synthesized nor recognized again, so that a whole grid uses the same
audio. The prompt has one text for each language; all say the same. An agent that receives the audio
itself gets a text that does not mention a recognizer.
"""

import asyncio
import importlib.resources
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import msgspec

from dragoman.conditions.voice.channel import (
    RECOGNITION,
    SimulatedChannel,
    SimulatedPath,
    TranscriptTexts,
    VoiceChannel,
    VoicePath,
    transcript_key_parts,
)
from dragoman.conditions.voice.channel import SIMULATED as SIMULATION
from dragoman.core.audio import AudioStore
from dragoman.core.conditions import ITSELF, SIMULATED
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import DataError, ParticipantError, UnplayableConditionError
from dragoman.core.layers import ConversationContext, Layer, StaticInstructions
from dragoman.core.protocols import Channel
from dragoman.core.recordings import RecordedMessage, Recordings
from dragoman.core.replies import ORACLE_ENGINE, AudioRef, Stage, TranscriptForm, Utterance
from dragoman.core.tools import Role
from dragoman.core.usage import Usage

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
        hears_itself: Whether the agent receives the audio instead of a transcript.

    Raises:
        UnplayableConditionError: If the language has no prompt.
    """
    primary = language.replace("_", "-").split("-")[0].casefold()
    if primary not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UnplayableConditionError(
            f"conversations in {language!r} cannot be spoken: what agents are told of a call is "
            f"there in {known}"
        )
    place = f"prompts/itself/{primary}.md" if hears_itself else f"prompts/{primary}.md"
    text = importlib.resources.files(__package__).joinpath(place).read_text("utf-8").strip()
    return VoicePrompt(VERSION_ITSELF if hears_itself else VERSION, primary, text)


Live = Mapping[str, VoicePath] | SimulatedPath | None
"""Delivery of words that were not recorded: paths by voice name, or simulated errors.

It is None if a set holds all words that can be said.
"""


class RecordedSounds:
    """The audio of a set, copied into a run's own audio folder.

    Each file is copied once, when it is first heard.
    """

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._kept: WeakKeyDictionary[AudioStore, set[str]] = WeakKeyDictionary()

    async def keep(self, audio: AudioRef, sounds: AudioStore) -> None:
        """Ensure that a run has a copy of a recording of the set.

        Raises:
            DataError: If its file is missing or damaged.
            StoreError: If it cannot be written.
        """
        kept = self._kept.setdefault(sounds, set())
        if audio.sha256 not in kept:
            sound = await asyncio.to_thread(self._recordings.sound, audio)
            await asyncio.to_thread(sounds.keep, sound)
            kept.add(audio.sha256)


class RecordedVoice(msgspec.Struct, frozen=True):
    """One condition in which the users' words come from a recorded set.

    Attributes:
        label: Its name in tables.
        recordings: The set.
        sounds: Its audio.
        listener: The recognizer's name; `understood` and `itself` as elsewhere.
        live: Delivery of words that the set does not hold.
        prompt: Voice prompt of the agent, in addition to its other instructions.
        record: Record that a run keeps of the condition.
        transcript: Form of a recognizer's transcript that the agent receives.
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
        """The content key of everything that can change the received text."""
        live: object = self.live
        if isinstance(self.live, SimulatedPath):
            live = (self.live.identity, self.live.style)
        elif self.live is not None:
            live = {name: path.identity for name, path in self.live.items()}
        received = (
            ()
            if self.listener in {ORACLE_ENGINE, ITSELF}
            else transcript_key_parts(self.transcript)
        )
        return content_key(
            "recorded-1", self.recordings.digest, self.listener, live, self.prompt, *received
        )

    def texts(self, message: RecordedMessage) -> TranscriptTexts:
        """Return the recognizer's transcript of a message."""
        found = message.heard[self.listener]
        return TranscriptTexts(found.words, found.text, self.recordings.normalizer)

    def channel(self, context: ConversationContext, side: Role) -> Channel | None:
        """Return the channel of what a user says in one conversation; an agent is understood."""
        return None if side == "agent" else RecordedChannel(self, context)


class RecordedChannel:
    """Carries the words of the user of one conversation."""

    def __init__(self, voice: RecordedVoice, context: ConversationContext) -> None:
        self._voice = voice
        self._context = context
        self._messages = list(voice.recordings.of(context.task.id))
        self._speaker = next((each.speaker for each in self._messages if each.speaker), "")
        # The benchmark's own messages about new functions are not the user's, and arrive as text.
        self._unspoken = {
            text for turn in context.task.turns if turn.adds_tools for text in turn.messages
        }
        self._live: Channel | None = None

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance as it was recorded, or as it is spoken and recognized now.

        Raises:
            ParticipantError: If recorded audio is damaged, an engine fails, or no voice can say the
                words.
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
        heard, stage = _find_heard_text(message, self._voice)
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
                await self._voice.sounds.keep(audio, self._context.sounds)
            except DataError as error:
                raise ParticipantError(str(error)) from error
        return audio

    async def _spoken(self, utterance: Utterance) -> Utterance:
        if self._live is None:
            self._live = self._opened(self._voice.live)
        return await self._live.carry(utterance)

    def _opened(self, live: Live) -> Channel:
        seed = derive_seed(self._context.key, "user")
        if isinstance(live, SimulatedPath):
            return SimulatedChannel(live, seed)
        if not live:
            raise ParticipantError("these words are not in the audio set, and nobody can say them")
        path = live.get(self._speaker) or next(iter(live.values()))
        return VoiceChannel(path, self._context.sounds, seed)


def _find_heard_text(message: RecordedMessage, voice: RecordedVoice) -> tuple[str | None, Stage]:
    """Return the text that reaches the agent, and the recognition stage.

    The text is None for the audio; the stage names the recognizer and its words.
    """
    listener = voice.listener
    if listener == ORACLE_ENGINE:
        return message.text, Stage(RECOGNITION, ORACLE_ENGINE)
    if listener == ITSELF:
        # A message without words has no audio.
        return None if message.audio else "", Stage(RECOGNITION, ITSELF)
    texts = voice.texts(message)
    return texts.received(voice.transcript), Stage(RECOGNITION, listener, settings=texts.settings)


class LiveVoice(msgspec.Struct, frozen=True):
    """One voice condition.

    Attributes:
        label: Its name in tables.
        users: The paths from users to the agent, one for each of their voices.
        agent: The path from the agent to a user.
        prompt: Voice prompt of the agent, in addition to its other instructions.
        record: Record that a run keeps of the condition: engines, channel, and the texts of
            language models.
    """

    label: str
    users: tuple[VoicePath, ...]
    agent: VoicePath
    prompt: str
    record: dict[str, object]

    @property
    def identity(self) -> str:
        """The content key of everything that can change the received text."""
        return content_key(*(path.identity for path in (*self.users, self.agent)), self.prompt)

    def channel(self, context: ConversationContext, side: Role) -> Channel:
        """Return the channel of what a side says in one conversation."""
        path = self.agent
        if side == "user":
            path = self.users[derive_seed(context.key, "voice") % len(self.users)]
        return VoiceChannel(path, context.sounds, derive_seed(context.key, side))


class SimulatedVoice(msgspec.Struct, frozen=True):
    """A condition without audio: the user's words get simulated errors at a given rate.

    Attributes:
        label: Its name in tables.
        path: The path from users to the agent; the agent's words arrive unchanged.
        prompt: Voice prompt of the agent, in addition to its other instructions.
        record: Record that a run keeps of the condition.
    """

    label: str
    path: SimulatedPath
    prompt: str
    record: dict[str, object]

    @property
    def identity(self) -> str:
        """The content key of everything that can change the received text."""
        return content_key(self.path.identity, self.path.style, self.prompt)

    def channel(self, context: ConversationContext, side: Role) -> Channel | None:
        """Return the channel of what a user says in one conversation; an agent is understood."""
        if side == "agent":
            return None
        return SimulatedChannel(self.path, derive_seed(context.key, side))


VoiceCondition = LiveVoice | SimulatedVoice | RecordedVoice
"""Any condition that is not text."""


def voice_layer(voiced: VoiceCondition) -> Layer:
    """Return the layer of a voice condition: its changes to the surfaces of a conversation."""
    instructions = StaticInstructions({"agent": voiced.prompt})
    return Layer(
        name="voice",
        identity=voiced.identity,
        record=voiced.record,
        instruction_source=lambda _: instructions,
        channel=voiced.channel,
        is_timed=True,
    )
