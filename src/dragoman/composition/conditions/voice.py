"""Voice conditions: audio channel, recognizer, speakers, persona speech and recorded audio."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.composition.conditions.clarification import SPOKEN
from dragoman.composition.conditions.personas import persona_of, resolve_personas
from dragoman.conditions.language.localization import Localization
from dragoman.conditions.persona.persona_profiles import PersonaProfile
from dragoman.conditions.voice.audio_effects.presets import find_effects
from dragoman.conditions.voice.channel import Listener, VoicePath
from dragoman.conditions.voice.layer import (
    Live,
    LiveVoice,
    RecordedSounds,
    RecordedVoice,
    SimulatedVoice,
    VoiceCondition,
    voice_prompt,
)
from dragoman.conditions.voice.verbalization.spoken_form import Hesitation
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import Recorded
from dragoman.core.conditions import (
    CLARIFY,
    ITSELF,
    MIXED,
    NONE,
    RECORDED,
    SIMULATED,
    TEXT,
    Condition,
    made_by_label,
)
from dragoman.core.errors import UnplayableConditionError, UsageError
from dragoman.core.personas import SpeechHabits
from dragoman.core.protocols import Suite, Synthesizer
from dragoman.core.replies import ORACLE_ENGINE, TranscriptForm
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import ORACLE, SpeechEngines, simulated_rate, without_engines
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.store.audio_set import require_flac


def has_transcript(condition: Condition) -> bool:
    """Return whether a recognizer, real or simulated, transcribes the user."""
    if condition.voice.startswith(SIMULATED):
        return True
    return condition.voice != TEXT and condition.recognizer not in {ITSELF, ORACLE_ENGINE}


def transcript_record(condition: Condition, form: TranscriptForm) -> dict[str, object]:
    """Return the stored facts about the agent's transcripts; empty for the default form."""
    if form == "normalized" or not has_transcript(condition):
        return {}
    return {"transcript": form}


class SpeakingStyle(msgspec.Struct, frozen=True):
    """The voices and hesitation of a condition's users, and the stored record of both."""

    speakers: tuple[Synthesizer, ...]
    hesitation: Hesitation | None = None
    record: Mapping[str, object] = {}


def speaking_style(
    condition: Condition, cards: Mapping[str, PersonaProfile], speakers: tuple[Synthesizer, ...]
) -> SpeakingStyle:
    """Return how a condition's user speaks.

    Voices that are not embedded keep their pace. If no voice has the persona's accent, all voices
    speak.

    Args:
        condition: The condition.
        cards: A run's persona cards by name.
        speakers: The voices of its users.

    Raises:
        UsageError: If the card has no texts in the spoken language.
    """
    if condition.persona == NONE:
        return SpeakingStyle(speakers)
    persona = persona_of(condition, cards, "conversation")
    habits = persona.speech
    if habits == SpeechHabits():
        return SpeakingStyle(speakers)
    alike = tuple(each for each in speakers if _accent(each) == habits.accent)
    hesitation = Hesitation(habits.pauses, habits.fillers, persona.fillers)
    return SpeakingStyle(
        tuple(_set_speaking_rate(each, habits.rate) for each in alike or speakers),
        hesitation if habits.pauses or habits.fillers else None,
        {"persona": msgspec.to_builtins(habits)},
    )


def _accent(speaker: Synthesizer) -> str | None:
    return speaker.accent if isinstance(speaker, EspeakSynthesizer) else None


def _set_speaking_rate(speaker: Synthesizer, rate: float) -> Synthesizer:
    return speaker.paced(rate) if isinstance(speaker, EspeakSynthesizer) else speaker


class RecordedConditions:
    """The conditions of one run in which users' words come from an audio set.

    Args:
        suite: The suite that is played.
        engines: The engines that speak and recognize words that the set does not hold.
        transcript: The form of the transcripts that agents receive.
    """

    def __init__(
        self, suite: Suite, engines: SpeechEngines, transcript: TranscriptForm = "normalized"
    ) -> None:
        self._suite = suite
        self._engines = engines
        self._transcript = transcript
        self._sounds: RecordedSounds | None = None

    def voiced(self, condition: Condition) -> RecordedVoice:
        """Return the recorded voice of a condition.

        Raises:
            UsageError: If the suite is not an audio set, the recognizer did not transcribe it, or
                words that the set does not hold cannot be spoken or recognized live.
        """
        suite, name = self._suite, condition.recognizer
        if not isinstance(suite, Recorded):
            raise UsageError(why_not_recorded(suite.name))
        recordings, language = suite.recordings, condition.language
        if name not in (known := (*recordings.recognizers, ITSELF, ORACLE)):
            raise UsageError(f"{suite.name} was not heard by {name!r}: choose {', '.join(known)}")
        if recordings.line:
            require_flac()
        elif not name.startswith(SIMULATED):
            raise UsageError(
                f"nobody spoke in {suite.name}, so that {name} hears nothing: choose "
                f"{', '.join(recordings.recognizers)}"
            )
        if self._sounds is None:
            self._sounds = RecordedSounds(recordings)
        prompt = voice_prompt(language, hears_itself=name == ITSELF)
        return RecordedVoice(
            label=condition.label,
            recordings=recordings,
            sounds=self._sounds,
            listener=name,
            live=self._live(suite, condition) if _has_unscripted_turns(suite, condition) else None,
            prompt=prompt.text,
            record={
                "language": language,
                "set": recordings.digest,
                "line": recordings.line,
                "speakers": list(recordings.speakers),
                "recognizer": name,
                "language_model": self._engines.about(name),
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
                **transcript_record(condition, self._transcript),
            },
            transcript=self._transcript,
        )

    def _live(self, suite: Recorded, condition: Condition) -> Live:
        """Return the speech path for words that the set does not hold.

        It speaks and recognizes these words as the set's own words were spoken and recognized.
        """
        recordings, language, name = suite.recordings, condition.language, condition.recognizer
        try:
            if name.startswith(SIMULATED):
                simulated = self._engines.simulated(name, language)
                return msgspec.structs.replace(simulated, transcript=self._transcript)
            effects, hears = find_effects(recordings.line), self._engines.listener(name, language)
            speakers = self._engines.speakers(recordings.speakers, language)
        except UsageError as error:
            # A condition without an engine for its language is excluded from the grid.
            kind = (
                UnplayableConditionError
                if isinstance(error, UnplayableConditionError)
                else UsageError
            )
            raise kind(
                f"{self._suite.name}: not every word that is said is in the set, and what is not "
                f"is spoken live: {error}"
            ) from error
        paths: Mapping[str, VoicePath] = {
            voice: VoicePath(language, speaker, effects, hears, transcript=self._transcript)
            for voice, speaker in speakers.items()
        }
        return paths


def why_not_recorded(suite: str) -> str:
    """Return the error message for recorded play of a suite that is not an audio set."""
    return (
        f"--voice recorded plays audio sets, and {suite} is none: `dragoman speak {suite} --out "
        "SET`, "
        "then `dragoman run set:SET`"
    )


def _has_unscripted_turns(suite: Suite, condition: Condition) -> bool:
    """Return whether users say more than tasks fix: conversations, or spoken answers."""
    answers = condition.axis(CLARIFY).startswith(SPOKEN)
    return answers or any(not task.turns for task in suite.tasks)


CLEAN = "studio"
"""The channel without any loss."""


def voice_conditions(
    conditions: Sequence[Condition], config: RunConfig, suite: Suite
) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every channel and recognizer.

    If no channels are named, an audio set is played as text and as recorded, for each of its
    recognizers.

    Raises:
        UsageError: For a channel that does not exist, recognizers or speakers without a channel, or
            raw transcripts without a recognizer.
    """
    recorded = suite.recordings.recognizers if isinstance(suite, Recorded) else ()
    lines = config.voices or ((TEXT, RECORDED) if recorded else ())
    spoken = {line for line in lines if line != TEXT and not line.startswith(SIMULATED)}
    if (config.asr or config.speakers) and not spoken:
        raise UsageError("--asr and --speaker need a channel to speak over: --voice telephone")
    if config.speakers and spoken == {RECORDED}:
        raise UsageError("--speaker needs a channel to speak over: a recording has its own voices")
    if RECORDED in spoken and not recorded:
        raise UsageError(why_not_recorded(suite.name))
    spoken_conditions = tuple(
        condition.with_axes(**values)
        for condition in conditions
        for line in dict.fromkeys(lines)
        for values in _spoken_values(
            line, config.asr or (recorded if line == RECORDED else (MIXED,))
        )
    )
    if config.transcript_form == "raw" and not any(map(has_transcript, spoken_conditions)):
        raise UsageError(
            "--transcript raw needs a recognizer: --voice telephone, or --voice simulated:15"
        )
    return spoken_conditions if lines else tuple(conditions)


def _spoken_values(line: str, listeners: Sequence[str]) -> Iterator[dict[str, str]]:
    if line == TEXT or line.startswith(SIMULATED):
        if line != TEXT:
            simulated_rate(line)
        yield {"voice": line}
        return
    if line != RECORDED:
        find_effects(line)
    for name in dict.fromkeys(listeners):
        yield {"voice": line, "recognizer": name}


class VoiceEngines:
    """The engines of one run's voice conditions, and their worker processes."""

    def __init__(self, suite: Suite, config: RunConfig, connections: ModelClients) -> None:
        self._suite = suite
        self._config = config
        own = suite.suites if isinstance(suite, Recorded) else (suite,)
        self._engines = SpeechEngines(own, connections, config.workers)
        self._recorded = RecordedConditions(suite, self._engines, config.transcript_form)
        self._cards = resolve_personas(config.personas)

    def voiced(self, condition: Condition, texts: Sequence[str] = ()) -> VoiceCondition:
        """Return the voice of a condition.

        Args:
            condition: The condition.
            texts: The texts that its agent reads in the spoken language; ASR error simulation may
                insert their words.

        Raises:
            UsageError: If a name does not exist.
            UnplayableConditionError: If no engine speaks or recognizes the condition's language.
        """
        if condition.voice.startswith(SIMULATED):
            return self._simulated(condition, texts)
        if condition.voice == RECORDED:
            return self._recorded.voiced(condition)
        line, listener = condition.voice, condition.recognizer
        language, effects = condition.language, find_effects(line)
        hears, speakers = self._listener_and_speakers(listener, language)
        prompt = voice_prompt(language, hears_itself=listener == ITSELF)
        user_behavior = speaking_style(condition, self._cards, speakers)
        return LiveVoice(
            label=condition.label,
            users=tuple(
                VoicePath(
                    language,
                    each,
                    effects,
                    hears,
                    hesitation=user_behavior.hesitation,
                    transcript=self._config.transcript_form,
                )
                for each in user_behavior.speakers
            ),
            agent=VoicePath(language, speakers[0], effects, None),
            prompt=prompt.text,
            record={
                "language": language,
                "line": msgspec.to_builtins(effects),
                "speakers": [each.name for each in user_behavior.speakers],
                **user_behavior.record,
                "recognizer": _name(hears),
                "language_model": self._engines.about(listener),
                "prompt": f"{prompt.name}@{prompt.digest[:8]}",
                **transcript_record(condition, self._config.transcript_form),
            },
        )

    def _listener_and_speakers(
        self, name: str, language: str
    ) -> tuple[Listener, tuple[Synthesizer, ...]]:
        """Return the recognizer and the voices of a language.

        If both are missing, one error reports both.
        """
        named = self._config.speakers
        try:
            hears = self._engines.listener(name, language)
        except UnplayableConditionError as unheard:
            try:
                self._engines.speakers(named, language)
            except UnplayableConditionError as unspoken:
                raise without_engines(language, unheard, unspoken) from unspoken
            raise
        return hears, tuple(self._engines.speakers(named, language).values())

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
        """End the worker processes."""
        await self._engines.close()


def _name(listener: Listener) -> str:
    if listener is None:
        return ORACLE
    return listener if isinstance(listener, str) else listener.name


class VoiceConditions(msgspec.Struct, frozen=True):
    """The engines of a run, and its spoken conditions by label."""

    speech: VoiceEngines
    conditions: dict[str, VoiceCondition]


def voices_of_run(  # noqa: PLR0913, PLR0917 - what a condition is made of
    config: RunConfig,
    conditions: Sequence[Condition],
    suite: Suite,
    connections: ModelClients,
    localizations: Mapping[str, Localization],
    unplayable: dict[str, str] | None = None,
) -> VoiceConditions:
    """Return the engines and the spoken conditions of a run that apply to its suite.

    `unplayable` receives, by label, the reason why a condition cannot be spoken or recognized; None
    raises an error.

    Raises:
        UsageError: As in `VoiceEngines.voiced`.
    """
    speech = VoiceEngines(suite, config, connections)
    texts = {label: each.texts_spoken() for label, each in localizations.items()}
    spoken = (
        condition
        for condition in conditions
        if condition.voice != TEXT and not suite.not_applicable(condition)
    )
    return VoiceConditions(
        speech,
        made_by_label(
            spoken, lambda each: speech.voiced(each, texts.get(each.label, ())), unplayable
        ),
    )
