"""A user that needs no model: plays its facts where the scenario has any, else recites its script.

Who recites tells everything in the first message, says yes to every question a bounded number of
times and ends the call when the agent states something instead of asking.
"""

from collections.abc import Sequence

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Answer, Heard, Opening, Session
from dragoman.core.speech import Said, say
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.core.tools import Toolset
from dragoman.simulation.fact_user import FactSession
from dragoman.simulation.hand_over import is_hand_over
from dragoman.simulation.phrases import phrases_of
from dragoman.simulation.scripts import is_structured, spoken_script
from dragoman.simulation.telling import Telling

MAX_AGREEMENTS = 10


class OfflineUser:
    """The offline user simulator."""

    name = "offline"

    async def open(self, opening: Opening) -> Session:
        """Open a session that plays the task's scenario."""
        scenario = opening.task.scenario
        phrases = phrases_of(opening)
        if is_structured(scenario):
            return FactSession(scenario, phrases, Telling(opening.manner, opening.key))
        return OfflineSession(spoken_script(scenario), phrases)


class OfflineSession:
    """One conversation of the offline user."""

    def __init__(self, script: str, phrases: Phrasebook) -> None:
        self._script = script or phrases.says.greeting
        self._phrases = phrases
        self._replies = 0

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:  # noqa: ARG002 - it uses no tools
        """Say the script, then agree to questions, then end the call."""
        self._replies += 1
        if self._replies == 1:
            return Answer(say(self._script))
        said = " ".join(part.utterance.received or "" for part in heard if isinstance(part, Said))
        if is_hand_over(said, self._phrases):
            return Answer(say(TRANSFER))
        is_question = self._phrases.hears.question.search(said) is not None
        if is_question and self._replies <= MAX_AGREEMENTS + 1:
            return Answer(say(self._phrases.says.consent_to_all))
        return Answer(say(STOP))

    async def close(self) -> None:
        """Nothing to release."""
