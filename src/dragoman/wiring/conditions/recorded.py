"""Recognizers' names become conditions in which users' words are those of an audio set."""

from collections.abc import Mapping

import msgspec

from dragoman.conditions.voice.audio_effects.presets import find_effects
from dragoman.conditions.voice.channel import VoicePath
from dragoman.conditions.voice.layer import Live, RecordedSounds, RecordedVoice, voice_prompt
from dragoman.core.conditions import CLARIFY, ITSELF, SIMULATED, Condition
from dragoman.core.errors import UsageError
from dragoman.core.facets import Recorded
from dragoman.core.protocols import Suite
from dragoman.core.speech import TranscriptForm
from dragoman.store.audio_sets.flac import require_flac
from dragoman.wiring.conditions.clarifying import SPOKEN
from dragoman.wiring.conditions.engines import UNDERSTOOD, SpeechEngines
from dragoman.wiring.conditions.transcripts import transcript_record


class RecordedConditions:
    """The conditions of one run in which users' words are those of a set.

    Args:
        suite: What is played.
        engines: Who says and hears what the set does not hold.
        transcript: What agents receive of transcripts.
    """

    def __init__(
        self, suite: Suite, engines: SpeechEngines, transcript: TranscriptForm = "normalized"
    ) -> None:
        self._suite = suite
        self._engines = engines
        self._transcript = transcript
        self._sounds: RecordedSounds | None = None

    def voiced(self, condition: Condition) -> RecordedVoice:
        """Return what a condition is made of.

        Raises:
            UsageError: Where the suite is no set, the recognizer did not hear it, or what the set does
                not hold cannot be said or heard live.
        """
        suite, name = self._suite, condition.recognizer
        if not isinstance(suite, Recorded):
            raise UsageError(not_recorded(suite.name))
        recordings, language = suite.recordings, condition.language
        if name not in (known := (*recordings.recognizers, ITSELF, UNDERSTOOD)):
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
            live=self._live(suite, condition) if _goes_on(suite, condition) else None,
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
        """Return how words are said and heard that the set does not hold, as those that it holds."""
        recordings, language, name = suite.recordings, condition.language, condition.recognizer
        try:
            if name.startswith(SIMULATED):
                simulated = self._engines.simulated(name, language)
                return msgspec.structs.replace(simulated, transcript=self._transcript)
            effects, hears = find_effects(recordings.line), self._engines.listener(name, language)
            speakers = self._engines.speakers(recordings.speakers, language)
        except UsageError as error:
            raise UsageError(
                f"{self._suite.name}: not every word that is said is in the set, and what is not is "
                f"spoken live: {error}"
            ) from error
        paths: Mapping[str, VoicePath] = {
            voice: VoicePath(language, speaker, effects, hears, transcript=self._transcript)
            for voice, speaker in speakers.items()
        }
        return paths


def not_recorded(suite: str) -> str:
    """Return what is said where a suite that is no set is to be played as recorded."""
    return (
        f"--voice recorded plays audio sets, and {suite} is none: `dragoman speak {suite} --out SET`, "
        "then `dragoman run set:SET`"
    )


def _goes_on(suite: Suite, condition: Condition) -> bool:
    """Whether users say more than tasks fix: in conversations, and where answers are spoken."""
    answers = condition.axis(CLARIFY).startswith(SPOKEN)
    return answers or any(not task.turns for task in suite.tasks)
