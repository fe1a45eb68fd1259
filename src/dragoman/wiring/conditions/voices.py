"""Names of lines, recognizers and speakers become voice conditions."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.localization import Localization
from dragoman.conditions.voice.audio_effects.presets import find_effects
from dragoman.conditions.voice.channel import Listener, VoicePath
from dragoman.conditions.voice.layer import LiveVoice, SimulatedVoice, VoiceCondition, voice_prompt
from dragoman.core.conditions import ITSELF, MIXED, RECORDED, SIMULATED, TEXT, Condition
from dragoman.core.errors import UsageError
from dragoman.core.facets import Recorded
from dragoman.core.protocols import Suite
from dragoman.wiring.conditions.engines import UNDERSTOOD, SpeechEngines, simulated_rate
from dragoman.wiring.conditions.persona_speech import spoken_as
from dragoman.wiring.conditions.personas import cards_named
from dragoman.wiring.conditions.recorded import RecordedConditions, not_recorded
from dragoman.wiring.conditions.transcripts import has_transcript, transcript_record
from dragoman.wiring.connections import Connections
from dragoman.wiring.grid.config import RunConfig

CLEAN = "studio"
"""The line that takes nothing away."""


def voice_conditions(
    conditions: Sequence[Condition], config: RunConfig, suite: Suite
) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every line and recognizer.

    An audio set is played as text and as it was recorded, for each of its recognizers, where no lines
    are named.

    Raises:
        UsageError: For a line that does not exist, recognizers or speakers without a line, or raw
            transcripts where there are none.
    """
    recorded = suite.recordings.recognizers if isinstance(suite, Recorded) else ()
    lines = config.voices or ((TEXT, RECORDED) if recorded else ())
    spoken = {line for line in lines if line != TEXT and not line.startswith(SIMULATED)}
    if (config.asr or config.speakers) and not spoken:
        raise UsageError("--asr and --speaker need a line to speak over: --voice telephone")
    if config.speakers and spoken == {RECORDED}:
        raise UsageError("--speaker needs a line to speak over: what was recorded has its voices")
    if RECORDED in spoken and not recorded:
        raise UsageError(not_recorded(suite.name))
    spoken_conditions = tuple(
        condition.with_axes(**values)
        for condition in conditions
        for line in dict.fromkeys(lines)
        for values in _spoken(line, config.asr or (recorded if line == RECORDED else (MIXED,)))
    )
    if config.transcript_form == "raw" and not any(map(has_transcript, spoken_conditions)):
        raise UsageError(
            "--transcript raw needs a recognizer: --voice telephone, or --voice simulated:15"
        )
    return spoken_conditions if lines else tuple(conditions)


def _spoken(line: str, listeners: Sequence[str]) -> Iterator[dict[str, str]]:
    if line == TEXT or line.startswith(SIMULATED):
        if line != TEXT:
            simulated_rate(line)
        yield {"voice": line}
        return
    if line != RECORDED:
        find_effects(line)
    for name in dict.fromkeys(listeners):
        yield {"voice": line, "recognizer": name}


class Speech:
    """The engines of one run's voice conditions, and the processes that they work in."""

    def __init__(self, suite: Suite, config: RunConfig, connections: Connections) -> None:
        self._suite = suite
        self._config = config
        own = suite.suites if isinstance(suite, Recorded) else (suite,)
        self._engines = SpeechEngines(own, connections, config.workers)
        self._recorded = RecordedConditions(suite, self._engines, config.transcript_form)
        self._cards = cards_named(config.personas)

    def voiced(self, condition: Condition, texts: Sequence[str] = ()) -> VoiceCondition:
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
        if condition.voice == RECORDED:
            return self._recorded.voiced(condition)
        line, listener = condition.voice, condition.recognizer
        language, effects = condition.language, find_effects(line)
        hears = self._engines.listener(listener, language)
        speakers = tuple(self._engines.speakers(self._config.speakers, language).values())
        prompt = voice_prompt(language, hears_itself=listener == ITSELF)
        manner = spoken_as(condition, self._cards, speakers)
        return LiveVoice(
            label=condition.label,
            users=tuple(
                VoicePath(
                    language,
                    each,
                    effects,
                    hears,
                    hesitation=manner.hesitation,
                    transcript=self._config.transcript_form,
                )
                for each in manner.speakers
            ),
            agent=VoicePath(language, speakers[0], effects, None),
            prompt=prompt.text,
            record={
                "language": language,
                "line": msgspec.to_builtins(effects),
                "speakers": [each.name for each in manner.speakers],
                **manner.record,
                "recognizer": _name(hears),
                "language_model": self._engines.about(listener),
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
                **transcript_record(condition, self._config.transcript_form),
            },
        )

    def _simulated(self, condition: Condition, texts: Sequence[str]) -> SimulatedVoice:
        language, prompt = condition.language, voice_prompt(condition.language)
        form = self._config.transcript_form
        path = msgspec.structs.replace(
            self._engines.simulated(condition.voice, language, texts), transcript=form
        )
        words = f", and words of policy and tools of {self._suite.name} may be heard"
        return SimulatedVoice(
            label=condition.label,
            path=path,
            prompt=prompt.text,
            record={
                "language": language,
                "recognizer": path.name,
                "language_model": f"none: {path.name} is simulated, nobody spoke"
                f"{words if texts else ''}",
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
                **transcript_record(condition, form),
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
    conditions: dict[str, VoiceCondition]


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
