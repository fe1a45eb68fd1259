import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.episodes import Message
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import SessionReply, SessionStart
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.models.prices import NO_PRICES
from dragoman.registry.model_clients import ModelClients
from dragoman.testing.chat_requests import ChatBody, Checks
from dragoman.testing.realtime.responses import (
    CancelledResponse,
    Dropped,
    Erroneous,
    FailedResponse,
    HugeFrame,
    RealtimeConfig,
    RefusedOpening,
    ResponseFault,
    SilentResponse,
    SlowDeltas,
    TornEvent,
)
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When

Begin = Callable[..., AbstractAsyncContextManager[Any]]

TASK = Task("one", "suite", "digest", Scenario("Ask."))
LOOK = Toolset((ToolSpec("look", "Looks an order up.", {"type": "object", "properties": {}}),))
ORDER = Rule(
    ScriptedReply(
        "One moment.",
        (ScriptedCall("look", {"id": "7"}), ScriptedCall("look", {"id": "8"})),
    ),
    When(contains="order"),
)
ON_ITS_WAY = Rule(ScriptedReply("Both are on their way."), When(last_role="tool"))
BYE = Rule(ScriptedReply("Goodbye."))


class Asked:
    """A model that answers by rules, and records its requests."""

    def __init__(self, *rules: Rule) -> None:
        self.requests: list[ChatBody] = []
        self._answers = RuleAnswers(rules)

    def __call__(self, request: ChatBody) -> CannedReply:
        self.requests.append(request)
        answer = self._answers(request)
        assert isinstance(answer, CannedReply), answer
        return answer

    @property
    def reported(self) -> list[tuple[str, str]]:
        """The last request's messages, as roles and words."""
        return [(message.role, message.text) for message in self.requests[-1].messages]


async def one_reply(
    opened: AbstractAsyncContextManager[Any], words: str = "hello", tools: Toolset = NO_TOOLS
) -> SessionReply:
    """Say something in a session, and return the answer."""
    async with opened as realtime:
        answer: SessionReply = await realtime.session.reply([text_reply(words)], tools)
        return answer


def used(answer: SessionReply) -> Usage:
    assert answer.usage is not None
    return answer.usage


def words_of(answer: SessionReply) -> str:
    assert isinstance(answer.reply, TextReply)
    return answer.reply.text


@pytest.mark.parametrize("dialect", ["ga", "beta"])
def test_audio_is_heard_calls_are_answered_and_the_reply_is_spoken(
    begin: Begin, dialect: Literal["ga", "beta"]
) -> None:
    answers = Asked(ORDER, ON_ITS_WAY)

    async def talk() -> tuple[Any, Any, Audio]:
        async with begin(answers, RealtimeConfig(dialect=dialect)) as realtime:
            first = await realtime.session.reply(realtime.heard("where are my orders"), LOOK)
            assert isinstance(first.reply, ToolCallReply)
            results = [ToolResult(call.id, "look", "sent") for call in first.reply.calls]
            second = await realtime.session.reply(results, LOOK)
            assert isinstance(second.reply, TextReply)
            audio = second.reply.utterance.clean_audio
            assert audio is not None
            return first, second, realtime.sounds.sound(audio)

    first, second, audio = asyncio.run(talk())

    assert [call.arguments for call in first.reply.calls] == [{"id": "7"}, {"id": "8"}]
    assert first.reply.text == "One moment."
    assert second.reply.text == "Both are on their way."
    assert second.reply.utterance.received == "Both are on their way."
    assert audio.seconds == pytest.approx(0.06 * len("Both are on their way."), abs=0.001)
    assert second.reply.utterance.stages[0].engine == "compatible-realtime/any"
    assert answers.reported == [
        ("system", answers.requests[0].messages[0].text),
        ("user", "where are my orders"),
        ("assistant", "One moment."),
        ("tool", "sent"),
        ("tool", "sent"),
    ]
    assert "Be kind." in answers.requests[0].messages[0].text


def test_what_it_consumed_and_how_long_the_first_word_took_is_told(begin: Begin) -> None:
    opened = begin([ScriptedReply("Hello, what can I do for you?")])
    answer = asyncio.run(one_reply(opened))

    usage, latency = used(answer), answer.latency
    assert (usage.purpose, usage.model, usage.calls) == ("agent", "compatible-realtime/any", 1)
    assert (usage.input_tokens or 0) > 0
    assert (usage.input_audio_tokens, usage.output_audio_tokens) == (0, 35), "of 1.74 seconds"
    assert (usage.output_tokens or 0) > 35, "its words are tokens too"
    assert latency is not None
    assert latency.seconds is not None
    assert latency.first_word is not None
    assert 0 < latency.first_word <= latency.seconds <= usage.seconds
    assert latency.is_interrupted is None, "no caller may interrupt it"


def test_replies_may_be_written(begin: Begin) -> None:
    opened = begin([ScriptedReply("Hello.")], parameters="&output=text")
    assert asyncio.run(one_reply(opened)).reply == text_reply("Hello.")


def test_instructions_and_tools_are_told_anew_where_they_change(begin: Begin) -> None:
    answers = Asked(BYE)

    async def talk() -> list[tuple[bool, list[str]]]:
        async with begin(answers) as realtime:
            await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            realtime.session.update_instructions("Speak Thai.")
            await realtime.session.reply([text_reply("again")], LOOK)
        return [
            (
                "Speak Thai." in request.messages[0].text,
                [tool.function.name for tool in request.tools or ()],
            )
            for request in answers.requests
        ]

    assert asyncio.run(talk()) == [(False, []), (True, ["look"])]


def test_what_was_said_before_the_session_is_told(begin: Begin) -> None:
    answers = Asked(BYE)
    call = ToolCall("a", "look", {"id": "7"})
    history = (
        Message("agent", text_reply("Hi!"), scripted=True),
        Message("user", text_reply("Where is it?")),
        Message("agent", ToolCallReply((call,))),
        ToolResult("a", "look", "sent"),
        Message("agent", text_reply("Sent.")),
        Message("user", text_reply("Thanks.")),
    )

    async def talk() -> None:
        opening = SessionStart(TASK, "agent", 1, history=history)
        async with begin(answers, opening=opening) as realtime:
            await realtime.session.reply([text_reply("Thanks.")], NO_TOOLS)

    asyncio.run(talk())

    assert answers.reported[1:] == [
        ("assistant", "Hi!"),
        ("user", "Where is it?"),
        ("assistant", ""),
        ("tool", "sent"),
        ("assistant", "Sent."),
        ("user", "Thanks."),
    ]


@pytest.mark.parametrize(
    "faults", [(), (SlowDeltas(1.0, seconds=0.001),)], ids=["said at once", "while it speaks"]
)
def test_the_caller_interrupts_a_reply_that_is_too_long(
    begin: Begin, faults: tuple[ResponseFault, ...]
) -> None:
    long = "Your order is on its way, and it will be with you on Tuesday, before noon, at the door."
    answers = Asked(Rule(ScriptedReply(long), When(contains="order")), BYE)

    async def talk() -> tuple[Any, Any, Audio]:
        behaviour = RealtimeConfig(faults)
        async with begin(answers, behaviour, "&max_reply_s=2") as realtime:
            first = await realtime.session.reply([text_reply("my order?")], NO_TOOLS)
            second = await realtime.session.reply([text_reply("stop")], NO_TOOLS)
            audio = first.reply.utterance.clean_audio
            return first, second, realtime.sounds.sound(audio)

    first, second, audio = asyncio.run(talk())

    said = first.reply.text
    assert audio.seconds == 2.0
    assert first.latency.is_interrupted is True
    assert second.latency.is_interrupted is False
    assert long.startswith(said)
    assert 1.0 < len(said) * 0.06 < 3.0, "about as much as takes two seconds"
    interruption = first.reply.utterance.stages[-1]
    assert (interruption.name, interruption.engine) == ("interruption", "caller")
    assert interruption.settings["after_seconds"] == 2.0
    assert str(interruption.settings["transcript"]).startswith(said)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Dropped(1.0, after=4), "cut"),
        (Erroneous(1.0), "server_error"),
        (CancelledResponse(1.0), "server_error"),
        (TornEvent(1.0), "malformed"),
        (HugeFrame(1.0), "oversized"),
        (SilentResponse(1.0), "timeout"),
        (Erroneous(1.0, code="rate_limit_exceeded"), "rate_limited"),
        (Erroneous(1.0, code="session_expired"), "server_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ResponseFault) else value,
)
def test_a_session_that_breaks_is_no_answer_and_is_not_asked_again(
    begin: Begin, in_virtual_time: Callable[..., Any], fault: ResponseFault, kind: str
) -> None:
    answers = Asked(BYE)

    async def talk() -> ParticipantError:
        async with begin(answers, RealtimeConfig((fault,), first=1), "&output=text") as realtime:
            await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            with pytest.raises(ParticipantError) as reported:
                await realtime.session.reply([text_reply("again")], NO_TOOLS)
            return reported.value

    error = in_virtual_time(talk())

    assert isinstance(error.usage, Usage)
    assert error.usage.faults == {kind: 1}
    assert str(error).startswith("ws://127.0.0.1:")
    assert len(answers.requests) == 2


@pytest.mark.parametrize("code", [None, "rate_limit_exceeded"])
def test_a_response_that_failed_before_anything_came_is_asked_for_again(
    begin: Begin, in_virtual_time: Callable[..., Any], code: str | None
) -> None:
    behaviour = RealtimeConfig((FailedResponse(1.0, code=code),), most_in_a_row=1)
    answers = Asked(BYE)

    opened = begin(answers, behaviour, "&output=text")
    answer = in_virtual_time(one_reply(opened))

    assert words_of(answer) == "Goodbye."
    assert used(answer).faults == {"rate_limited" if code else "server_error": 1}
    assert len(answers.requests) == 2
    assert answers.reported[1:] == [("user", "hello")], "it was said once"


def test_a_session_that_is_not_opened_is_tried_again(
    begin: Begin, in_virtual_time: Callable[..., Any]
) -> None:
    behaviour = RealtimeConfig(openings=(RefusedOpening(1.0, status=429),), most_in_a_row=2)

    opened = begin([ScriptedReply("Hello.")], behaviour, "&output=text")
    assert used(in_virtual_time(one_reply(opened))).faults == {"rate_limited": 2}


def test_an_endpoint_that_never_opens_a_session_ends_the_run(
    begin: Begin, in_virtual_time: Callable[..., Any]
) -> None:
    async def talk() -> str:
        async with begin([ScriptedReply("Hello.")]) as realtime:
            realtime.server.outage = "unavailable"
            with pytest.raises(RunHalted) as reported:
                await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            return str(reported.value)

    assert "has never answered: check the address" in in_virtual_time(talk())


def test_a_wrong_key_ends_the_run_and_is_never_shown(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", "sk-secret-secret-secret")
    behaviour = RealtimeConfig(checks=Checks(api_key="another"))

    async def talk() -> str:
        async with begin([ScriptedReply("Hello.")], behaviour) as realtime:
            with pytest.raises(RunHalted) as reported:
                await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            return str(reported.value)

    line = asyncio.run(talk())

    assert "refuses: status 401: check the key in the environment" in line
    assert "secret" not in line


def test_a_key_that_the_endpoint_repeats_is_hidden(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-secret-secret-secret"
    monkeypatch.setenv("COMPATIBLE_API_KEY", key)
    behaviour = RealtimeConfig(checks=Checks(api_key=key))

    reply = ScriptedReply(f"Your key is {key}.")
    opened = begin([reply], behaviour, "&output=text")
    answer = asyncio.run(one_reply(opened))

    assert words_of(answer) == "Your key is ***."
    assert key.encode() not in msgspec.json.encode(answer)


def test_a_refusal_before_any_answer_ends_the_run_and_later_its_conversation(
    begin: Begin,
) -> None:
    def answers(number: int) -> RealtimeConfig:
        return RealtimeConfig(
            (Erroneous(1.0, type="invalid_request_error", message="no such model"),), first=number
        )

    async def talk(first: int) -> str:
        async with begin([ScriptedReply("Hello.")], answers(first)) as realtime:
            for _ in range(first):
                await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            with pytest.raises((RunHalted, ParticipantError)) as reported:
                await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            return f"{type(reported.value).__name__}: {reported.value}"

    assert asyncio.run(talk(0)).startswith("RunHalted: ")
    later = asyncio.run(talk(1))
    assert later.startswith("ParticipantError: ")
    assert later.endswith("the endpoint refuses: no such model")


def test_a_reply_that_says_and_calls_nothing_is_the_models_mistake(begin: Begin) -> None:
    opened = begin([ScriptedReply(None)])
    assert asyncio.run(one_reply(opened)).reply == UnparsedReply(
        "", "the reply has neither words nor calls (completed)"
    )


def test_arguments_that_are_no_object_are_the_models_mistake(begin: Begin) -> None:
    reply = ScriptedReply(None, (ScriptedCall("look", '{"id": '),))
    opened = begin([reply])
    reply_made = asyncio.run(one_reply(opened, "order", LOOK)).reply
    assert isinstance(reply_made, ToolCallReply)
    (call,) = reply_made.calls
    assert call.raw == '{"id": '
    assert call.malformed


def test_a_budget_that_is_spent_ends_the_run(begin: Begin) -> None:
    budget = Budget(parse_spend_limit("30 tokens"), NO_PRICES.price_of)

    async def talk() -> str:
        reached = ModelClients(budget=budget)
        async with begin([ScriptedReply("Hello.")], connections=reached) as realtime:
            await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            with pytest.raises(RunHalted) as reported:
                await realtime.session.reply([text_reply("hello")], NO_TOOLS)
            return str(reported.value)

    assert "is spent" in asyncio.run(talk())
