"""Names of voices and recognizers become engines; the embedded ones share worker processes."""

import os
from collections.abc import Callable, Mapping, Sequence

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.channel import Listener, SimulatedPath
from dragoman.core.conditions import ITSELF, MIXED, SIMULATED
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
from dragoman.wiring.speech import resolve_recognizer, resolve_synthesizer

MOST_WORKERS = 8
"""Each may hold some hundred megabytes of language models."""

EMBEDDED = "embedded"
"""All embedded voices of a language."""

GENERIC = "generic"
UNDERSTOOD = "understood"
RECOGNIZERS = {
    MIXED: "embedded, expects words of the suite's tools, policy and database; English",
    GENERIC: "embedded, expects English in general",
    UNDERSTOOD: "nobody mishears: the listener is given what was meant",
    ITSELF: "none: an agent that can hear is given the audio itself",
}
"""The recognizers that need no key and no model of one's own."""


def simulated_rate(name: str) -> float:
    """Return the word error rate that a name asks to simulate, 0 to 1.

    Raises:
        UsageError: Where it is none.
    """
    try:
        percent = float(name.removeprefix(SIMULATED))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{name}: write a word error rate in percent, such as {SIMULATED}15")
    return percent / 100


class SpeechEngines:
    """Voices and recognizers by name, each made once; close it when nobody speaks any more.

    Args:
        suites: Whose words the recognizer `mixed` expects: one language model of all of them.
        connections: What engines at providers share.
        sharers: How many processes share the cores of this machine.
    """

    def __init__(self, suites: Sequence[Suite], connections: Connections, sharers: int = 1) -> None:
        self._suites = suites
        self._connections = connections
        self._workers = SpeechWorkers(max(1, min(os.cpu_count() or 1, MOST_WORKERS) // sharers))
        self._listeners: dict[str, Listener] = {}
        self._simulators: dict[str, ErrorSimulator] = {}

    def speakers(self, names: Sequence[str], language: str) -> dict[str, Synthesizer]:
        """Return the voices named that speak a language, by name; without names all embedded ones.

        Raises:
            UsageError: Where a name does not exist, or none of them speaks the language.
        """
        outside = {
            name: resolve_synthesizer(name, self._connections) for name in names if "/" in name
        }
        named = [find_voice(name) for name in names if "/" not in name and name != EMBEDDED]
        own = [voice for voice in named if voice.language == language]
        if not names or EMBEDDED in names:
            own = [*own, *(voice for voice in voices_of(language) if voice not in own)]
        if not own and not outside:
            raise UsageError(f"none of the speakers named speaks {language}")
        return outside | {voice.name: EspeakSynthesizer(voice, self._workers) for voice in own}

    def listener(self, name: str, language: str) -> Listener:
        """Return what hears under a name.

        Raises:
            UsageError: Where it does not exist, or an embedded one does not hear the language.
        """
        if name not in self._listeners:
            self._listeners[name] = self._made(name)
        if name in {MIXED, GENERIC} and language != LANGUAGE:
            raise UsageError(
                f"the embedded recognizer hears English only, not {language}: "
                "--asr PROVIDER/MODEL or --asr understood"
            )
        return self._listeners[name]

    def simulated(self, name: str, language: str, texts: Sequence[str] = ()) -> SimulatedPath:
        """Return what mishears a language at the rate that a name tells.

        Args:
            name: `simulated:15`.
            language: Its tag.
            texts: Words of these may be heard too.

        Raises:
            UsageError: Where the rate is none, or there is no word list of the language.
        """
        key = content_key(language, *texts)
        if key not in self._simulators:
            self._simulators[key] = ErrorSimulator({language: texts})
        return SimulatedPath(language, self._simulators[key], simulated_rate(name))

    def about(self, name: str) -> str:
        """Return what a recognizer was told to expect, for every result."""
        if name != MIXED:
            return name if name == GENERIC else ""
        suites = ", ".join(suite.name for suite in self._suites)
        return (
            f"generic, interpolated ({SHARE}) with tools, policy and database of {suites}; "
            "nothing that users say"
        )

    async def close(self) -> None:
        """End the processes."""
        await self._workers.close()

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
            own = (each for suite in self._suites for each in (suite.name, suite.provenance.digest))
            return SuiteRecognizer(content_key(*own), texts_of(self._suites), folder, self._workers)
        raise UsageError(
            f"unknown recognizer {name!r}: choose {', '.join(RECOGNIZERS)} or PROVIDER/MODEL"
        )


def texts_of(suites: Sequence[Suite]) -> Callable[[], Mapping[str, object]]:
    """Return what reads all that suites know before anybody speaks; nothing where they offer nothing."""
    if len(suites) == 1:
        return suites[0].texts if isinstance(suites[0], Vocabulary) else dict
    return lambda: {
        f"{source} of {suite.name}": text
        for suite in suites
        if isinstance(suite, Vocabulary)
        for source, text in suite.texts().items()
    }
