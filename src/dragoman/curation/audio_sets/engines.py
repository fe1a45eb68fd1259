"""Speech engines of a set: synthesis, channel, recognizers, in this process or workers.

Workers return sounds as samples; only the process of the command writes to the set.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar

import msgspec

from dragoman.composition.concurrency import timeouts_of
from dragoman.conditions.voice.audio_effects.presets import apply_effects, find_effects
from dragoman.conditions.voice.channel import SimulatedPath, VoicePath, synthesize
from dragoman.conditions.voice.inverse_text_normalization.normalizer import NORMALIZER
from dragoman.core.audio import Audio
from dragoman.core.conditions import MIXED, SIMULATED
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import DragomanError, ParticipantError, RunHalted, UsageError
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.core.recordings import SPEAKER
from dragoman.core.replies import Stage
from dragoman.core.usage import Usage
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerBrokeError,
    WorkerSpec,
    WorkerTimeouts,
    module_path,
)
from dragoman.models.budget import Budget, RecordingSpendTracker
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import EMBEDDED, SpeechEngines
from dragoman.registry.suites import load_suite
from dragoman.store.audio_set import require_flac


class AudioRequest(msgspec.Struct, frozen=True):
    """The speech engines to use.

    Attributes:
        tts: Voices; () for all embedded ones, or for none if all recognizers are simulated.
        asr: Recognizers; () for `mixed`.
        line: The channel.
    """

    tts: tuple[str, ...] = ()
    asr: tuple[str, ...] = ()
    line: str = "studio"


class SetEngines:
    """The engines of a set.

    Attributes:
        voices: Voices with their channel, by the voice's name; empty without speech.
        recognizers: Recognizers of audio, by name.
        simulated: ASR error simulations on words, by name.
        asr: The names of both, as requested.
        language: The spoken language.
        normalizer: The rules of inverse text normalization for transcripts.
    """

    def __init__(
        self,
        asked: AudioRequest,
        engines: SpeechEngines,
        language: str,
        seed: int,
        normalizer: str = NORMALIZER,
    ) -> None:
        """Create the engines.

        Raises:
            UsageError: If a name does not exist, if an engine does not know the language, if no
                recognizer would hear the audio, or if the extra `voice` is missing.
        """
        self.asr = asked.asr or (MIXED,)
        self.language = language
        self.normalizer = normalizer
        self._seed = seed
        self._line = asked.line
        self._engines = engines
        self.simulated: Mapping[str, SimulatedPath] = {
            name: engines.simulated(name, language)
            for name in self.asr
            if name.startswith(SIMULATED)
        }
        self.recognizers: Mapping[str, Recognizer] = {
            name: _recognizer(name, engines, language)
            for name in self.asr
            if name not in self.simulated
        }
        self.voices: Mapping[str, VoicePath] = {}
        if asked.tts or self.recognizers:
            require_flac()
            effects = find_effects(asked.line)
            self.voices = {
                name: VoicePath(language, speaker, effects, None)
                for name, speaker in _speakers(asked.tts, engines, language).items()
            }

    @property
    def made(self) -> dict[str, object]:
        """All settings of the engines that determine the contents of a set."""
        return {
            "tts": tuple(self.voices),
            "language": self.language,
            "line": self._line if self.voices else "",
            "asr": self.asr,
            "engines": dict(self._identities()),
        }

    def voice_of(self, spoken: str) -> str:
        """Return the name of the voice for some words; equal words have the same voice."""
        names = tuple(self.voices)
        return names[derive_seed(self._key(spoken), "voice") % len(names)]

    def seed_of(self, spoken: str, purpose: str) -> int:
        """Return the seed of the synthesis or of the ASR error simulation of some words."""
        return derive_seed(self._key(spoken), purpose)

    async def close(self) -> None:
        """End the engines' processes."""
        await self._engines.close()

    def _key(self, spoken: str) -> str:
        return content_key("audio-set-1", self._seed, spoken)

    def _identities(self) -> Mapping[str, Mapping[str, str]]:
        found = {}
        for name, path in self.voices.items():
            found[name] = {"engine": path.speaker.name, "identity": path.speaker.identity}
        hears: dict[str, Recognizer | SimulatedPath] = {**self.recognizers, **self.simulated}
        for name, each in hears.items():
            found[name] = {"engine": each.name, "identity": each.identity}
            if about := self._engines.about(name):
                found[name]["expects"] = about
        if self.voices:
            effects = msgspec.to_builtins(find_effects(self._line))
            found[self._line] = {"engine": "line", "identity": content_key(effects)}
        return found


def _recognizer(name: str, engines: SpeechEngines, language: str) -> Recognizer:
    found = engines.listener(name, language)
    if found is None or isinstance(found, str):
        raise UsageError(f"--asr {name}: nobody who hears audio and writes down words")
    return found


def _speakers(
    names: Sequence[str], engines: SpeechEngines, language: str
) -> Mapping[str, Synthesizer]:
    found = engines.speakers(names, language)
    for name in names:
        if name != EMBEDDED and name not in found:
            raise UsageError(f"--speaker {name}: does not speak {language}")
    return found


class SynthesizedSpeech(msgspec.Struct, frozen=True):
    """The audio of some words after the channel."""

    audio: Audio
    stages: tuple[Stage, ...]
    usage: tuple[Usage, ...]


class Transcription(msgspec.Struct, frozen=True):
    """A recognizer's output for its input."""

    words: str
    usage: tuple[Usage, ...] = ()


class SpeechFunctions(NamedTuple):
    """The functions that speak and hear.

    Attributes:
        say: Speaks words with the drawn voice over the channel.
        hear: Has the named recognizer hear audio; a simulated one gets the words.
    """

    say: Callable[[str], Awaitable[SynthesizedSpeech]]
    hear: Callable[[str, Audio | str], Awaitable[Transcription]]


def local_speech(engines: SetEngines) -> SpeechFunctions:
    """Return the speech functions of this process."""

    async def say(said: str) -> SynthesizedSpeech:
        name = engines.voice_of(said)
        path, seed = engines.voices[name], engines.seed_of(said, "speech")
        spoken = await synthesize(path, said, seed)
        arrived, stages = await asyncio.to_thread(apply_effects, spoken.audio, path.effects, seed)
        synthesis = msgspec.structs.replace(spoken.stages[0], settings={SPEAKER: name})
        return SynthesizedSpeech(arrived, (synthesis, *stages), spoken.usage)

    async def hear(name: str, given: Audio | str) -> Transcription:
        if isinstance(given, str):
            path = engines.simulated[name]
            return Transcription(await asyncio.to_thread(misrecognized, path, given))
        heard = await engines.recognizers[name].transcribe(given, engines.language)
        return Transcription(heard.text, () if heard.usage is None else (heard.usage,))

    def misrecognized(path: SimulatedPath, said: str) -> str:
        seed = engines.seed_of(said, "mishearing")
        return path.simulator.simulate(said, path.language, path.target_wer, seed).text

    return SpeechFunctions(say, hear)


OPENER = f"{__name__}:performed_there"

WORKER_TIMEOUTS = WorkerTimeouts(silence=120.0, item=3_600.0)
"""Timeouts of workers.

An utterance may wait for the language model of all suites, or for an endpoint that refuses.
"""


class SpeechJob(msgspec.Struct, frozen=True):
    """The data that another process needs to speak and hear for a set.

    Attributes:
        suites: The suites whose words are expected.
        speech: The speech engines.
        language: The spoken language.
        seed: The set's seed.
        sharers: Number of processes that share the cores of a machine.
        same: The hash of the data and engines, which must be the same there.
        read_timeout: Seconds a server may be silent during a call; None for a default that depends
            on its address.
    """

    suites: tuple[str, ...]
    speech: AudioRequest
    language: str
    seed: int
    sharers: int
    same: str
    read_timeout: float | None = None


class SynthesisTask(msgspec.Struct, frozen=True, tag="say"):
    """Words to synthesize."""

    said: str


class RecognitionTask(msgspec.Struct, frozen=True, tag="hear"):
    """The input of a recognizer: audio, or words for a simulated one."""

    name: str
    audio: Audio | None
    said: str = ""


class SpeechFailure(msgspec.Struct, frozen=True):
    """The reason for a missing result, with the kind of its error."""

    kind: str
    why: str
    usage: Usage | None = None


class SpeechTaskResult(msgspec.Struct, frozen=True):
    """The result of a task.

    Attributes:
        sound: The synthesized speech.
        heard: The transcription.
        refusal: The reason if there is neither.
        spent: Usage for the budget, which may include that of other tasks.
    """

    sound: SynthesizedSpeech | None = None
    heard: Transcription | None = None
    refusal: SpeechFailure | None = None
    spent: tuple[Usage, ...] = ()


_ENDS: dict[str, type[DragomanError]] = {
    kind.__name__: kind for kind in (ParticipantError, RunHalted, UsageError)
}
_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(SynthesisTask | RecognitionTask).decode
_performed = msgspec.msgpack.Decoder(SpeechTaskResult).decode
_T = TypeVar("_T")


def engines_key(engines: SetEngines, suites: object) -> str:
    """Return the hash of the engines and of the data of suites."""
    return content_key(engines.made, suites)


@asynccontextmanager
async def remote_speech(
    open_pool: OpenPool, work: SpeechJob, budget: Budget | None
) -> AsyncIterator[SpeechFunctions]:
    """Open a worker pool and yield speech functions that use it.

    The budget is checked before each utterance is sent and updated after its result.
    """
    async with open_pool(WorkerSpec(OPENER, _encode(work), module_path())) as do:

        async def performed(order: SynthesisTask | RecognitionTask) -> SpeechTaskResult:
            if budget is not None:
                budget.check()
            try:
                came = _performed(await do(_encode(order)))
            except (KilledWorkersError, WorkerBrokeError) as error:
                raise ParticipantError(str(error)) from error
            if budget is not None:
                for usage in came.spent:
                    budget.record(usage)
            if came.refusal is not None:
                raise _error(came.refusal)
            return came

        async def say(said: str) -> SynthesizedSpeech:
            return _there((await performed(SynthesisTask(said))).sound)

        async def hear(name: str, given: Audio | str) -> Transcription:
            order = (
                RecognitionTask(name, None, given)
                if isinstance(given, str)
                else RecognitionTask(name, given)
            )
            return _there((await performed(order)).heard)

        yield SpeechFunctions(say, hear)


@asynccontextmanager
async def performed_there(given: bytes) -> AsyncIterator[TaskFn]:
    """Yield the function that speaks or hears one utterance in a worker.

    Raises:
        UsageError: If data or engines differ from those of the command's own process.
    """
    work = msgspec.msgpack.decode(given, type=SpeechJob)
    spend_records = RecordingSpendTracker()
    suites = [load_suite(name) for name in work.suites]
    connections = ModelClients(timeouts_of(work.read_timeout), budget=spend_records)
    speakers = SpeechEngines(suites, connections, work.sharers)
    try:
        engines = SetEngines(work.speech, speakers, work.language, work.seed)
        if engines_key(engines, [suite.provenance.digest for suite in suites]) != work.same:
            raise UsageError(f"data or engines of {', '.join(work.suites)} differ there")
        here = local_speech(engines)

        async def do(item: bytes) -> bytes:
            came = await _came(here, _asked(item))
            return _encode(msgspec.structs.replace(came, spent=spend_records.take()))

        yield do
    finally:
        await speakers.close()
        await connections.close()


async def _came(here: SpeechFunctions, order: SynthesisTask | RecognitionTask) -> SpeechTaskResult:
    try:
        if isinstance(order, SynthesisTask):
            return SpeechTaskResult(sound=await here.say(order.said))
        given = order.said if order.audio is None else order.audio
        return SpeechTaskResult(heard=await here.hear(order.name, given))
    except (ParticipantError, RunHalted, UsageError) as error:
        usage = error.usage if isinstance(error, ParticipantError) else None
        kind = next(name for name, each in _ENDS.items() if isinstance(error, each))
        return SpeechTaskResult(refusal=SpeechFailure(kind, str(error), usage))


def _error(refusal: SpeechFailure) -> DragomanError:
    error = _ENDS.get(refusal.kind, RunHalted)(refusal.why)
    if isinstance(error, ParticipantError):
        error.usage = refusal.usage
    return error


def _there(came: _T | None) -> _T:
    if came is None:
        raise ParticipantError("a worker answered something else than it was asked")
    return came
