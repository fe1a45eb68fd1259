"""Names of lines, recognizers and speakers become voice conditions."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.localization import Localization
from dragoman.conditions.voice.lines.channel_effects import effects_of
from dragoman.conditions.voice.voice_channel import Listener, VoicePath
from dragoman.conditions.voice.voice_prompt import voice_prompt
from dragoman.conditions.voice.voiced import Simulated, Voiced
from dragoman.core.conditions import ITSELF, MIXED, SIMULATED, TEXT, Condition
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.wiring.conditions.engines import UNDERSTOOD, SpeechEngines, simulated_rate
from dragoman.wiring.connections import Connections
from dragoman.wiring.grid.config import RunConfig

CLEAN = "studio"
"""The line that takes nothing away."""


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


class Speech:
    """The engines of one run's voice conditions, and the processes that they work in."""

    def __init__(self, suite: Suite, config: RunConfig, connections: Connections) -> None:
        self._suite = suite
        self._config = config
        self._engines = SpeechEngines((suite,), connections)

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
        hears = self._engines.listener(listener, language)
        speakers = tuple(self._engines.speakers(self._config.speakers, language).values())
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
                "language_model": self._engines.about(listener),
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
            },
        )

    def _simulated(self, condition: Condition, texts: Sequence[str]) -> Simulated:
        language, prompt = condition.language, voice_prompt(condition.language)
        path = self._engines.simulated(condition.voice, language, texts)
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

    async def close(self) -> None:
        """End the processes."""
        await self._engines.close()


def _name(listener: Listener) -> str:
    if listener is None:
        return UNDERSTOOD
    return listener if isinstance(listener, str) else listener.name


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
