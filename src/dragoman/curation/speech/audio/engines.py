"""Who speaks, over which line, and who hears: the engines of one set, by the names that they go by."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.conditions.voice.audio_effects.presets import find_effects
from dragoman.conditions.voice.channel import SimulatedPath, VoicePath
from dragoman.conditions.voice.inverse_text_normalization.normalizer import NORMALIZER
from dragoman.core.conditions import MIXED, SIMULATED
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.registry.speech_engines import EMBEDDED, SpeechEngines
from dragoman.store.audio_set import require_flac


class AudioRequest(msgspec.Struct, frozen=True):
    """Who is to speak and to hear.

    Attributes:
        tts: Voices; () for all embedded ones, or for nobody where only simulated recognizers hear.
        asr: Recognizers; () for `mixed`.
        line: What is spoken over.
    """

    tts: tuple[str, ...] = ()
    asr: tuple[str, ...] = ()
    line: str = "studio"


class SetEngines:
    """The engines of a set.

    Attributes:
        voices: Paths to the ear, by the voice's name; none where nobody speaks.
        recognizers: Who hears audio, by name.
        simulated: Who mishears words, by name.
        asr: The names of both, as they were asked for.
        language: What is spoken.
        normalizer: The rules of inverse text normalization for what is heard.
    """

    def __init__(
        self,
        asked: AudioRequest,
        engines: SpeechEngines,
        language: str,
        seed: int,
        normalizer: str = NORMALIZER,
    ) -> None:
        """Make the engines.

        Raises:
            UsageError: Where a name does not exist, an engine does not know the language, nobody would
                hear the audio, or the extra `voice` is missing.
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
        """Everything about them that decides what is in a set."""
        return {
            "tts": tuple(self.voices),
            "language": self.language,
            "line": self._line if self.voices else "",
            "asr": self.asr,
            "engines": dict(self._identities()),
        }

    def voice_of(self, spoken: str) -> str:
        """Return the name of the voice that says some words; equal words have equal voices."""
        names = tuple(self.voices)
        return names[derive_seed(self._key(spoken), "voice") % len(names)]

    def seed_of(self, spoken: str, purpose: str) -> int:
        """Return the seed by which words are said or misheard."""
        return derive_seed(self._key(spoken), purpose)

    async def close(self) -> None:
        """End the processes."""
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
            raise UsageError(f"--tts {name}: does not speak {language}")
    return found
