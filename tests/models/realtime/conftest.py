"""An agent with realtime sessions at a local server, and the parts of its requests."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from dragoman.core.audio import MemoryAudioStore
from dragoman.core.protocols import Session, SessionInput, SessionStart
from dragoman.core.replies import TextReply, Utterance
from dragoman.core.tasks import Scenario, Task
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.http.transport import RetryPolicy
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.participants import resolve_agent
from dragoman.testing.realtime.responses import RealtimeConfig
from dragoman.testing.realtime.server import RealtimeServer
from dragoman.testing.responses import coded_audio
from dragoman.testing.scripted_answers import Answerer, Rule, RuleAnswers

TASK = Task("one", "suite", "digest", Scenario("Ask."))


class Realtime:
    """A session that is open, its server, and the sounds of its conversation."""

    def __init__(self, session: Session, server: RealtimeServer, sounds: MemoryAudioStore) -> None:
        self.session = session
        self.server = server
        self.sounds = sounds

    def heard(self, words: str) -> list[SessionInput]:
        """Return words as the audio that a server without a recognizer understands."""
        audio = self.sounds.keep(coded_audio(words))
        return [TextReply(Utterance(words, spoken=words, heard=None, audio=audio))]


@asynccontextmanager
async def begun(
    answers: Answerer | Sequence[ScriptedReply],
    behaviour: RealtimeConfig | None = None,
    parameters: str = "",
    opening: SessionStart | None = None,
    connections: ModelClients | None = None,
) -> AsyncIterator[Realtime]:
    answerer = answers if callable(answers) else RuleAnswers(map(Rule, answers))
    sounds = MemoryAudioStore()
    reported = opening or SessionStart(TASK, "agent", 1, policy="Be kind.", sounds=sounds)
    reached = connections or ModelClients(retry_policy=RetryPolicy(attempts=3))
    async with RealtimeServer(answerer, behaviour) as server:
        name = f"compatible-realtime/any?base_url={server.url}{parameters}"
        session = await resolve_agent(name, None, reached).participant.open(reported)
        try:
            yield Realtime(session, server, sounds)
        finally:
            await session.close()
            await reached.close()


@pytest.fixture
def begin() -> Callable[..., AbstractAsyncContextManager[Realtime]]:
    """Open a session at a server of its own."""
    return begun
