"""Agents over a chat model that call functions in their text, told how by the benchmark."""

from collections.abc import Sequence

import msgspec

from dragoman.core.facets import TextProtocol
from dragoman.core.protocols import Answer, ChatModel, ChatRequest, Heard, Opening
from dragoman.core.speech import Called, Reply, Said, Unparsed
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset
from dragoman.core.voice.histories import History
from dragoman.core.voice.sounds import hears_audio
from dragoman.simulation.llm import Message, outgoing, past, sound_of


class PromptedParticipant:
    """A chat model as an agent that calls in its text."""

    def __init__(self, name: str, model: ChatModel, text: TextProtocol) -> None:
        self.name = name
        self._model = model
        self._text = text

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return hears_audio(self._model)

    async def open(self, opening: Opening) -> "PromptedSession":
        """Open a session with the functions in the system prompt."""
        return PromptedSession(self._model, self._text, opening)


class PromptedSession:
    """One conversation of a chat model that calls in its text."""

    def __init__(self, model: ChatModel, text: TextProtocol, opening: Opening) -> None:
        self._model = model
        self._text = text
        self._opening = opening
        self._messages = History()
        self._offered = ""
        self._calls: tuple[ToolCall, ...] = ()
        self._visible: frozenset[str] = frozenset()

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:
        """Send what was heard and read the calls in the model's text."""
        opening, task = self._opening, self._opening.task
        if not self._messages:
            self._offered = self._text.offer(task, tools)
            self._messages.append(self._system())
            self._messages += past(opening.history, opening.side)
            self._visible = frozenset(tools.by_name)
        self._messages += await self._heard(heard, tools)
        completion = await self._model.complete(
            ChatRequest(
                self._messages, NO_TOOLS, opening.seed, task.id, opening.conversation, opening.draw
            ),
            opening.side,
        )
        self._messages.append(outgoing(completion.reply, completion.raw))
        reply = self._read(completion.reply)
        self._calls = reply.calls if isinstance(reply, Called) else ()
        return Answer(
            reply,
            completion.raw,
            completion.usage,
            self._text.call_form(task),
            completion.latency,
            completion.reasoning,
        )

    def tell(self, directive: str) -> None:
        """Take what is told from the next reply on."""
        self._opening = msgspec.structs.replace(self._opening, directive=directive)
        if self._messages:
            self._messages = History([self._system(), *self._messages[1:]])

    async def close(self) -> None:
        """Nothing to release: chat models keep no session."""

    def _system(self) -> Message:
        told = (self._offered, self._opening.policy, self._opening.directive)
        return {"role": "system", "content": "\n\n".join(filter(None, told))}

    async def _heard(self, heard: Sequence[Heard], tools: Toolset) -> list[Message]:
        """Return what was heard as messages of the user: results in one, then words."""
        results = [part for part in heard if isinstance(part, ToolResult)]
        messages: list[Message] = []
        if results:
            shown = [part.content if part.shown is None else part.shown for part in results]
            told = self._text.results(list(zip(self._calls, shown, strict=True)))
            messages.append({"role": "user", "content": told})
        new = frozenset(tools.by_name) - self._visible
        self._visible |= new
        for part in heard:
            if isinstance(part, Said):
                words = part.utterance.received or ""
                if new:
                    appearing = [tool for tool in tools if tool.name in new]
                    words = self._text.appearing(self._opening.task, appearing, words)
                messages.append({"role": "user", "content": await self._said(part, words)})
        return messages

    async def _said(self, said: Said, words: str) -> str | list[object]:
        """Return the words, or the audio behind what is told beside it."""
        if said.utterance.received is not None:
            return words
        sound = await sound_of(said.utterance, self._opening.sounds)
        return [{"type": "text", "text": words}, sound] if words.strip() else [sound]

    def _read(self, reply: Reply) -> Reply:
        match reply:
            case Said() as said:
                return self._text.read(self._opening.task, said.text)
            case Unparsed(raw=raw):
                return self._text.read(self._opening.task, raw)
            case Called(text=text):
                return Unparsed(text or "", "native calls, which were not asked for")
