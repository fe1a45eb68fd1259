"""What a voice condition is: a line, who speaks, and who listens, for both directions of a call."""

import msgspec

from dragoman.conditions.voice.mishearing.channel import SimulatedChannel, SimulatedPath
from dragoman.conditions.voice.recorded import RecordedVoice
from dragoman.conditions.voice.voice_channel import VoiceChannel, VoicePath
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.layers import AlwaysTold, Layer, Talk
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
        return content_key(*(path.identity for path in (*self.users, self.agent)), self.prompt)

    def channel(self, talk: Talk, side: Role) -> Channel:
        """Return the channel of what a side says in one conversation."""
        path = self.agent
        if side == "user":
            path = self.users[derive_seed(talk.key, "voice") % len(self.users)]
        return VoiceChannel(path, talk.sounds, derive_seed(talk.key, side))


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

    def channel(self, talk: Talk, side: Role) -> Channel | None:
        """Return the channel of what a user says in one conversation; an agent is understood."""
        if side == "agent":
            return None
        return SimulatedChannel(self.path, derive_seed(talk.key, side))


AnyVoice = Voiced | Simulated | RecordedVoice
"""What any condition that is not text is made of."""


def voice_layer(voiced: AnyVoice) -> Layer:
    """Return what a voice changes on the surfaces of a conversation."""
    told = AlwaysTold({"agent": voiced.prompt})
    return Layer(
        name="voice",
        identity=voiced.identity,
        record=voiced.record,
        briefing=lambda _: told,
        channel=voiced.channel,
        is_timed=True,
    )
