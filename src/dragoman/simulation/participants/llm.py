"""LLM participants: agents and user simulators over a chat model.

Both sides keep an OpenAI-shaped history in which their own words are the assistant's; the other
side's tool traffic never enters it. Some benchmarks define agents that write their calls as text;
the benchmark supplies the instructions for that.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from dragoman.core.audio import AudioStore, hears_audio
from dragoman.core.capabilities import TextProtocol
from dragoman.core.chat_messages import AudioPart, ChatHistory
from dragoman.core.content_keys import derive_seed
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.personas import UserProfile
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import (
    ChatModel,
    ChatRequest,
    Completion,
    SessionInput,
    SessionReply,
    SessionStart,
)
from dragoman.core.replies import (
    SYNTHESIS,
    Reply,
    Stage,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
)
from dragoman.core.texts.model_output import NO_PROVIDER_FIELDS, WHOLE_CONTENT, provider_fields
from dragoman.core.tools import NO_TOOLS, Role, ToolCall, ToolResult, Toolset
from dragoman.simulation.prompts import agent_prompt, scenario_text, user_prompt

MessageDict = dict[str, Any]


class LlmParticipant:
    """A chat model in the part of the agent or of the user."""

    def __init__(self, model: ChatModel, prompts: PromptSet) -> None:
        self._model = model
        self._prompts = prompts

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return hears_audio(self._model)

    async def open(self, opening: SessionStart) -> "LlmSession":
        """Open a session with the side's system prompt and the history as it saw it."""
        return LlmSession(self._model, self._prompts, opening)


class LlmSession:
    """One conversation of a chat model."""

    def __init__(self, model: ChatModel, prompts: PromptSet, opening: SessionStart) -> None:
        self._model = model
        self._prompts = prompts
        self._opening = opening
        self._side = opening.side
        self._seed = opening.seed
        self._label = opening.task.id
        # If every reply is a call, the ticket takes the place of the conversation.
        self._ticket = opening.task.ticket
        self._conversation = opening.conversation
        self._messages = ChatHistory()
        self._is_updated = False

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Send the received events and return the model's reply."""
        if not self._messages:
            if system := self._system(tools):
                self._messages.append({"role": "system", "content": system})
            if tools.must_call and self._ticket:
                self._messages.append({"role": "user", "content": self._ticket})
            self._messages += past_messages(self._opening.history, self._opening.side)
        if self._is_updated:
            self._retell(tools)
        self._messages += [await received_message(part, self._opening.sounds) for part in heard]
        return await self._answered(tools, self._seed)

    async def reply_again(self, tools: Toolset) -> SessionReply:
        """Return another reply to the same messages; another seed keeps it apart from the last."""
        self._messages = ChatHistory(self._messages[:-1])
        return await self._answered(tools, derive_seed(str(self._seed), "again"))

    async def _answered(self, tools: Toolset, seed: int) -> SessionReply:
        request = ChatRequest(
            self._messages,
            tools,
            seed,
            self._label,
            self._conversation,
            self._opening.draw,
            user=self._opening.user,
        )
        completion = await self._model.complete(request, self._side)
        reply = await attach_reply_sound(completion, self._model.name, self._opening.sounds)
        self._messages.append(outgoing_message(reply, completion.raw))
        return SessionReply(
            reply,
            completion.raw,
            completion.usage,
            latency=completion.latency,
            reasoning=completion.reasoning,
        )

    def update_instructions(self, instructions: str) -> None:
        """Use new instructions from the next reply on."""
        self._opening = msgspec.structs.replace(self._opening, instructions=instructions)
        self._is_updated = True

    def set_user_profile(self, user: UserProfile) -> None:
        """Take what is known of the user from the next reply on."""
        self._opening = msgspec.structs.replace(self._opening, user=user)

    async def close(self) -> None:
        """Nothing to release: chat models keep no session."""

    def _retell(self, tools: Toolset) -> None:
        """Put the system prompt of now in the place of that of before."""
        self._is_updated = False
        system = self._system(tools)
        before = self._messages and self._messages[0]["role"] == "system"
        reported = [{"role": "system", "content": system}] if system else []
        self._messages = ChatHistory([*reported, *self._messages[1 if before else 0 :]])

    def _system(self, tools: Toolset) -> str:
        opening = self._opening
        if opening.side == "agent":
            return agent_prompt(self._prompts, opening.policy, opening.instructions)
        scenario = scenario_text(opening.task.scenario)
        return user_prompt(self._prompts, scenario, opening.instructions, has_tools=len(tools) > 0)


async def received_message(part: SessionInput, sounds: AudioStore) -> MessageDict:
    """Return an incoming event of a participant as a message; audio is one of its parts.

    Raises:
        DataError: If the audio was not stored, or is damaged.
        StoreError: If it cannot be read.
    """
    if not isinstance(part, TextReply) or part.utterance.received is not None:
        return incoming_message(part)
    return {"role": "user", "content": [await hidden_audio(part.utterance, sounds)]}


async def hidden_audio(utterance: Utterance, sounds: AudioStore) -> AudioPart:
    """Return the audio of an utterance whose words the listener does not receive.

    Raises:
        DataError: If the audio was not stored, or is damaged.
        StoreError: If it cannot be read.
    """
    if utterance.audio is None:
        raise DataError("an utterance without words and without audio")
    reference = utterance.audio
    return await asyncio.to_thread(lambda: AudioPart(sounds.sound(reference)))


async def attach_reply_sound(completion: Completion, speaker: str, sounds: AudioStore) -> Reply:
    """Return a reply.

    If the model spoke the words itself, store their audio and refer to it.

    Raises:
        StoreError: If the audio cannot be stored.
    """
    reply, spoken = completion.reply, completion.spoken
    if spoken is None or not isinstance(reply, TextReply):
        return reply
    reference = await asyncio.to_thread(sounds.keep, spoken)
    stages = (Stage(SYNTHESIS, speaker),)
    return TextReply(msgspec.structs.replace(reply.utterance, clean_audio=reference, stages=stages))


def past_messages(history: Sequence[Event], side: Role) -> list[MessageDict]:
    """Return the messages of a side up to its own last move; later ones reach it as input."""
    own = [
        at for at, event in enumerate(history) if isinstance(event, Message) and event.by == side
    ]
    seen = history[: own[-1] + 1] if own else ()
    return [message for event in seen if (message := _message_for_side(event, side)) is not None]


def _message_for_side(event: Event, side: Role) -> MessageDict | None:
    if isinstance(event, ToolResult):
        return incoming_message(event) if event.by == side else None
    if event.by == side:
        return outgoing_message(event.reply, event.raw)
    return incoming_message(event.reply) if isinstance(event.reply, TextReply) else None


def incoming_message(part: SessionInput) -> MessageDict:
    """Return what reaches a participant as a message."""
    if isinstance(part, TextReply):
        return {"role": "user", "content": part.utterance.received}
    content = part.content if part.shown is None else part.shown
    return {"role": "tool", "tool_call_id": part.call_id, "content": content}


def outgoing_message(
    reply: Reply, raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
) -> MessageDict:
    """Return a participant's own reply as a message of the assistant.

    Args:
        reply: The parsed reply.
        raw: The reply's body. Reasoning and signatures in it are part of the message, under the
            names that the server gave them: the endpoint's wire sends back what the server wants
            back.
    """
    words = reply.raw if isinstance(reply, UnparsedReply) else reply.text
    message: MessageDict = {"role": "assistant", "content": words}
    if isinstance(reply, ToolCallReply):
        message["tool_calls"] = [_wire_call(call) for call in reply.calls]
    carried = provider_fields(raw, words or "")
    if carried is not NO_PROVIDER_FIELDS:
        message |= carried.message
        if carried.content is not None:
            message[WHOLE_CONTENT] = carried.content
        if isinstance(reply, ToolCallReply) and len(carried.calls) == len(reply.calls):
            pairs = zip(message["tool_calls"], carried.calls, strict=True)
            message["tool_calls"] = [{**call, **fields} for call, fields in pairs]
    return message


def _wire_call(call: ToolCall) -> MessageDict:
    arguments = call.raw or msgspec.json.encode(call.arguments).decode()
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


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

    async def open(self, opening: SessionStart) -> "PromptedSession":
        """Open a session with the functions in the system prompt."""
        return PromptedSession(self._model, self._text, opening)


class PromptedSession:
    """One conversation of a chat model that calls in its text."""

    def __init__(self, model: ChatModel, text: TextProtocol, opening: SessionStart) -> None:
        self._model = model
        self._text = text
        self._opening = opening
        self._messages = ChatHistory()
        self._offered = ""
        self._calls: tuple[ToolCall, ...] = ()
        self._visible: frozenset[str] = frozenset()

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Send the received events and parse the calls in the model's text."""
        opening, task = self._opening, self._opening.task
        if not self._messages:
            self._offered = self._text.offer(task, tools)
            self._messages.append(self._system())
            self._messages += past_messages(opening.history, opening.side)
            self._visible = frozenset(tools.by_name)
        self._messages += await self._heard(heard, tools)
        completion = await self._model.complete(
            ChatRequest(
                self._messages, NO_TOOLS, opening.seed, task.id, opening.conversation, opening.draw
            ),
            opening.side,
        )
        self._messages.append(outgoing_message(completion.reply, completion.raw))
        reply = self._read(completion.reply)
        self._calls = reply.calls if isinstance(reply, ToolCallReply) else ()
        return SessionReply(
            reply,
            completion.raw,
            completion.usage,
            self._text.call_form(task),
            completion.latency,
            completion.reasoning,
        )

    def update_instructions(self, instructions: str) -> None:
        """Use new instructions from the next reply on."""
        self._opening = msgspec.structs.replace(self._opening, instructions=instructions)
        if self._messages:
            self._messages = ChatHistory([self._system(), *self._messages[1:]])

    async def close(self) -> None:
        """Nothing to release: chat models keep no session."""

    def _system(self) -> MessageDict:
        reported = (self._offered, self._opening.policy, self._opening.instructions)
        return {"role": "system", "content": "\n\n".join(filter(None, reported))}

    async def _heard(self, heard: Sequence[SessionInput], tools: Toolset) -> list[MessageDict]:
        """Return received events as messages of the user: results in one message, then words."""
        results = [part for part in heard if isinstance(part, ToolResult)]
        messages: list[MessageDict] = []
        if results:
            shown = [part.content if part.shown is None else part.shown for part in results]
            reported = self._text.results(list(zip(self._calls, shown, strict=True)))
            messages.append({"role": "user", "content": reported})
        new = frozenset(tools.by_name) - self._visible
        self._visible |= new
        for part in heard:
            if isinstance(part, TextReply):
                words = part.utterance.received or ""
                if new:
                    appearing = [tool for tool in tools if tool.name in new]
                    words = self._text.appearing(self._opening.task, appearing, words)
                messages.append({"role": "user", "content": await self._said(part, words)})
        return messages

    async def _said(self, said: TextReply, words: str) -> str | list[object]:
        """Return the words, or the audio after the accompanying text."""
        if said.utterance.received is not None:
            return words
        sound = await hidden_audio(said.utterance, self._opening.sounds)
        return [{"type": "text", "text": words}, sound] if words.strip() else [sound]

    def _read(self, reply: Reply) -> Reply:
        match reply:
            case TextReply() as said:
                return self._text.read(self._opening.task, said.text)
            case UnparsedReply(raw=raw):
                return self._text.read(self._opening.task, raw)
            case ToolCallReply(text=text):
                return UnparsedReply(text or "", "native calls, which were not asked for")
