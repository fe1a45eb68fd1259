"""A user that needs no model: says what the instructions contain, agrees, and hangs up.

It tells everything in its first message, says yes to every question a bounded number of times and
ends the call when the agent states something instead of asking.
"""

from collections.abc import Sequence

from dragoman.core.protocols import Answer, Heard, Opening
from dragoman.core.speech import Said, say
from dragoman.core.tools import Toolset
from dragoman.simulation.scripts import spoken_script

MAX_AGREEMENTS = 10
STOP = "###STOP###"
TRANSFER = "###TRANSFER###"


class OfflineUser:
    """The offline user simulator."""

    name = "offline"

    async def open(self, opening: Opening) -> "OfflineSession":
        """Open a session that plays the task's script."""
        return OfflineSession(spoken_script(opening.task.scenario))


class OfflineSession:
    """One conversation of the offline user."""

    def __init__(self, script: str) -> None:
        self._script = script or "Hello."
        self._replies = 0

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:  # noqa: ARG002 - it uses no tools
        """Say the script, then agree to questions, then end the call."""
        self._replies += 1
        if self._replies == 1:
            return Answer(say(self._script))
        said = " ".join(part.utterance.received or "" for part in heard if isinstance(part, Said))
        if "TRANSFERRED TO A HUMAN" in said.upper():
            return Answer(say(TRANSFER))
        if "?" in said and self._replies <= MAX_AGREEMENTS + 1:
            return Answer(say("Yes, please. I have told you all I know."))
        return Answer(say(STOP))

    async def close(self) -> None:
        """Nothing to release."""
