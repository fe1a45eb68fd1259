"""Names of lines, recognizers and speakers become voice conditions."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.localization import Localization
from dragoman.conditions.voice.lines.channel_effects import effects_of
from dragoman.conditions.voice.mishearing.channel import SimulatedPath
from dragoman.conditions.voice.mishearing.simulator import ErrorSimulator
from dragoman.conditions.voice.voice_channel import Listener, VoicePath
from dragoman.conditions.voice.voice_prompt import voice_prompt
from dragoman.conditions.voice.voiced import Simulated, Voiced
from dragoman.core.conditions import ITSELF, MIXED, SIMULATED, TEXT, Condition
from dragoman.core.errors import UsageError
from dragoman.core.facets import Vocabulary
from dragoman.core.keys import content_key
from dragoman.core.protocols import Suite, Synthesizer
from dragoman.speech.embedded.espeak import EspeakSynthesizer
from dragoman.speech.embedded.language_models.models import SHARE
from dragoman.speech.embedded.pocketsphinx import LANGUAGE
from dragoman.speech.embedded.suite_recognizer import SuiteRecognizer
from dragoman.speech.embedded.voices import find_voice, voices_of
from dragoman.speech.embedded.workers import SpeechWorkers
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import cache_folder
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.speech import resolve_recognizer, resolve_synthesizer

MOST_WORKERS = 8
"""Each may hold some hundred megabytes of language models."""

CLEAN = "studio"
"""The line that takes nothing away."""

GENERIC = "generic"
UNDERSTOOD = "understood"
_EMBEDDED = frozenset({MIXED, GENERIC})
RECOGNIZERS = {
    MIXED: "embedded, expects words of the suite's tools, policy and database; English",
    GENERIC: "embedded, expects English in general",
    UNDERSTOOD: "nobody mishears: the listener is given what was meant",
    ITSELF: "none: an agent that can hear is given the audio itself",
}
"""The recognizers that need no key and no model of one's own."""


def voice_conditions(conditions: Sequence[Condition], config: RunConfig) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every line and recognizer.

    Raises:
        UsageError: For a line that does not exist, or recognizers or speakers without a line.
    """
    lines = config.voices
    spoken = [line for line in lines if line != TEXT and not line.startswith(SIMULATED)]
    if (config.asr or config.speakers) and not spoken:
        raise UsageError("--asr and --speaker need a line to speak over: --voice telephone")
    if not lines:
        return tuple(conditions)
    return tuple(
        condition.with_axes(**values) for condition in conditions for values in _spoken(config)
    )


def _spoken(config: RunConfig) -> Iterator[dict[str, str]]:
    for line in dict.fromkeys(config.voices):
        if line == TEXT or line.startswith(SIMULATED):
            if line != TEXT:
                simulated_rate(line)
            yield {"voice": line}
            continue
        effects_of(line)
        for name in dict.fromkeys(config.asr or (MIXED,)):
            yield {"voice": line, "recognizer": name}


def simulated_rate(line: str) -> float:
    """Return the word error rate that a line simulates, 0 to 1.

    Raises:
        UsageError: Where it is none.
    """
    try:
        percent = float(line.removeprefix(SIMULATED))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{line}: write a word error rate in percent, such as {SIMULATED}15")
    return percent / 100


class Speech:
    """The engines of one run's voice conditions, and the processes that they work in."""

    def __init__(self, suite: Suite, config: RunConfig, connections: Connections) -> None:
        self._suite = suite
        self._config = config
        self._connections = connections
        self._workers = SpeechWorkers(min(os.cpu_count() or 1, MOST_WORKERS))
        self._simulators: dict[str, ErrorSimulator] = {}
        self._listeners: dict[str, Listener] = {}

    def voiced(self, condition: Condition, texts: Sequence[str] = ()) -> Voiced | Simulated:
        """Return what a condition is made of.

        Args:
            condition: The condition.
            texts: What its agent reads in the language that is spoken; where errors are simulated,
                words of it may be heard.

        Raises:
            UsageError: Where no engine speaks or hears its language, or a name does not exist.
        """
        if condition.voice.startswith(SIMULATED):
            return self._simulated(condition, texts)
        line, listener = condition.voice, condition.recognizer
        language, effects = condition.language, effects_of(line)
        hears = self._listener(listener)
        if listener in _EMBEDDED and language != LANGUAGE:
            raise UsageError(
                f"the embedded recognizer hears English only, not {language}: "
                "--asr PROVIDER/MODEL or --asr understood"
            )
        speakers = self._speakers(language)
        prompt = voice_prompt(language, hears_itself=listener == ITSELF)
        return Voiced(
            label=condition.label,
            users=tuple(VoicePath(language, each, effects, hears) for each in speakers),
            agent=VoicePath(language, speakers[0], effects, None),
            prompt=prompt.text,
            record={
                "language": language,
                "line": msgspec.to_builtins(effects),
                "speakers": [each.name for each in speakers],
                "recognizer": _name(hears),
                "language_model": self._about(listener),
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
            },
        )

    def _simulated(self, condition: Condition, texts: Sequence[str]) -> Simulated:
        language, prompt = condition.language, voice_prompt(condition.language)
        simulator = self._simulator(language, texts)
        path = SimulatedPath(language, simulator, simulated_rate(condition.voice))
        words = f", and words of policy and tools of {self._suite.name} may be heard"
        return Simulated(
            label=condition.label,
            path=path,
            prompt=prompt.text,
            record={
                "language": language,
                "recognizer": path.name,
                "language_model": f"none: {path.name} is simulated, nobody spoke"
                f"{words if texts else ''}",
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
            },
        )

    def _simulator(self, language: str, texts: Sequence[str]) -> ErrorSimulator:
        """Return what mishears a language with these words; conditions with the same share it."""
        key = content_key(language, *texts)
        if key not in self._simulators:
            self._simulators[key] = ErrorSimulator({language: texts})
        return self._simulators[key]

    async def close(self) -> None:
        """End the processes."""
        await self._workers.close()

    def _speakers(self, language: str) -> tuple[Synthesizer, ...]:
        """Return the voices of a language: those named, or else all embedded ones."""
        names = self._config.speakers
        outside = [resolve_synthesizer(name, self._connections) for name in names if "/" in name]
        named = [find_voice(name) for name in names if "/" not in name]
        own = [voice for voice in named if voice.language == language]
        if names and not own and not outside:
            raise UsageError(f"none of the speakers named speaks {language}")
        inside = own if names else voices_of(language)
        return (*outside, *(EspeakSynthesizer(voice, self._workers) for voice in inside))

    def _listener(self, name: str) -> Listener:
        if name not in self._listeners:
            self._listeners[name] = self._made(name)
        return self._listeners[name]

    def _made(self, name: str) -> Listener:
        if name == UNDERSTOOD:
            return None
        if name == ITSELF:
            return ITSELF
        if "/" in name:
            return resolve_recognizer(name, self._connections)
        folder = cache_folder() / "speech"
        if name == GENERIC:
            return SuiteRecognizer("", None, folder, self._workers)
        if name == MIXED:
            suite = self._suite
            data = content_key(suite.name, suite.provenance.digest)
            return SuiteRecognizer(data, texts_of(suite), folder, self._workers)
        raise UsageError(
            f"unknown recognizer {name!r}: choose {', '.join(RECOGNIZERS)} or PROVIDER/MODEL"
        )

    def _about(self, listener: str) -> str:
        """Return what a recognizer was told to expect, for every result."""
        if listener != MIXED:
            return listener if listener == GENERIC else ""
        return (
            f"generic, interpolated ({SHARE}) with tools, policy and database of "
            f"{self._suite.name}; nothing that users say"
        )


def _name(listener: Listener) -> str:
    if listener is None:
        return UNDERSTOOD
    return listener if isinstance(listener, str) else listener.name


def texts_of(suite: Suite) -> Callable[[], Mapping[str, object]]:
    """Return what reads what a suite knows before anybody speaks; nothing where it offers nothing."""
    return suite.texts if isinstance(suite, Vocabulary) else dict


class Voices(msgspec.Struct, frozen=True):
    """The engines of a run, and its spoken conditions by label."""

    speech: Speech
    conditions: dict[str, Voiced | Simulated]


def voices_of_run(
    config: RunConfig,
    conditions: Sequence[Condition],
    suite: Suite,
    connections: Connections,
    localizations: Mapping[str, Localization],
) -> Voices:
    """Return what speaks and listens in the conditions that apply to a suite.

    Raises:
        UsageError: As in `Speech.voiced`.
    """
    speech = Speech(suite, config, connections)
    texts = {label: each.texts_spoken() for label, each in localizations.items()}
    return Voices(
        speech,
        {
            condition.label: speech.voiced(condition, texts.get(condition.label, ()))
            for condition in conditions
            if condition.voice != TEXT and not suite.not_applicable(condition)
        },
    )
