"""What a voice condition is: a line, who speaks, and who listens, for both directions of a call."""

from collections.abc import Mapping

import msgspec

from dragoman.conditions.plain import PlainChannel
from dragoman.conditions.voice.mishearing.channel import SimulatedChannel, SimulatedPath
from dragoman.conditions.voice.voice_channel import Keep, VoiceChannel, VoicePath
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.protocols import Channel
from dragoman.core.tools import Role


class Voiced(msgspec.Struct, frozen=True):
    """One voice condition.

    Attributes:
        label: Its name in tables.
        users: The paths from users to the agent, one for each of their voices.
        agent: The path from the agent to a user.
        prompt: What the agent is told beside its other instructions.
        record: What a run keeps of it: engines, line, and the texts of language models.
    """

    label: str
    users: tuple[VoicePath, ...]
    agent: VoicePath
    prompt: str
    record: dict[str, object]

    @property
    def identity(self) -> str:
        """The content key of everything that can change what is heard."""
        return content_key(*(_key(path) for path in (*self.users, self.agent)), self.prompt)

    def channels(self, cell: str, keep: Keep) -> Mapping[Role, Channel]:
        """Return the channels of one conversation.

        Args:
            cell: What tells conversations apart for the sake of audio: the task and the trial, but
                no agent and no recognizer, so that these are given the same audio.
            keep: Stores audio.
        """
        seed = derive_seed(cell, "voice")
        path = self.users[seed % len(self.users)]
        return {
            "user": VoiceChannel(path, keep, derive_seed(cell, "user")),
            "agent": VoiceChannel(self.agent, keep, derive_seed(cell, "agent")),
        }


class Simulated(msgspec.Struct, frozen=True):
    """A condition in which nothing is spoken: what users say is misheard at a rate.

    Attributes:
        label: Its name in tables.
        path: From users to the agent; what the agent says arrives as it is.
        prompt: What the agent is told beside its other instructions.
        record: What a run keeps of it.
    """

    label: str
    path: SimulatedPath
    prompt: str
    record: dict[str, object]

    @property
    def identity(self) -> str:
        """The content key of everything that can change what is heard."""
        return content_key(self.path.identity, self.path.style, self.prompt)

    def channels(self, cell: str, keep: Keep) -> Mapping[Role, Channel]:  # noqa: ARG002 - there is no audio
        """Return the channels of one conversation; `cell` as in `Voiced`."""
        seed = derive_seed(cell, "user")
        return {"user": SimulatedChannel(self.path, seed), "agent": PlainChannel()}


def _key(path: VoicePath) -> str:
    listener = "" if path.listener is None else path.listener.identity
    effects = msgspec.to_builtins(path.effects)
    return content_key(path.language, path.speaker.identity, effects, listener, path.style)
