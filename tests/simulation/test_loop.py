import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import pytest

from dragoman.benchmarks.kit.turn_protocols import GREETING, HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import (
    Channel,
    ConversationProgress,
    Environment,
    Limits,
    SessionInput,
    SessionReply,
    Speak,
    ToolView,
    TurnAction,
)
from dragoman.core.replies import (
    UNKNOWN_LATENCY,
    Latency,
    Reply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tools import NO_TOOLS, Role, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.simulation.orchestrator import MAX_CALLS, Conversation, ConversationIO

STOP = text_reply("###STOP###")


class Listener:
    """A participant that gives its replies in turn and records its inputs."""

    def __init__(
        self,
        *replies: Reply | Exception,
        usage: Usage | None = None,
        latency: Latency | None = None,
    ) -> None:
        self.heard: list[list[SessionInput]] = []
        self.saw: list[Toolset] = []
        self._replies = iter(replies)
        self._usage = usage
        self._latency = latency

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        self.heard.append(list(heard))
        self.saw.append(tools)
        reply = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        return SessionReply(reply, msgspec.Raw(b'"raw"'), self._usage, latency=self._latency)

    async def close(self) -> None:
        pass


def call(number: str, expression: str = "1", by: Role = "agent") -> ToolCall:
    return ToolCall(number, "calculate", {"expression": expression}, by)


def result(number: str, content: str = "1.0", *, error: bool = False) -> ToolResult:
    return ToolResult(number, "calculate", content, error=error)


def ticking(step: float) -> Callable[[], float]:
    times: Iterator[float] = itertools.count(0.0, step)
    return lambda: next(times)


def play(  # noqa: PLR0913 - the parts of a conversation
    shop: DomainSuite,
    agent: Listener,
    user: Listener,
    *,
    rules: Rules = DEFAULT_RULES,
    limits: Limits | None = None,
    channels: Mapping[Role, Channel] | None = None,
    views: Mapping[Role, ToolView] | None = None,
    clock: Callable[[], float] = lambda: 0.0,
    is_timed: bool = False,
) -> Episode:
    environment = shop.factory(rules)(shop.tasks[0])
    surfaces = ConversationIO(
        channels or {"agent": IdentityChannel(), "user": IdentityChannel()},
        views or {"agent": IdentityView(), "user": IdentityView()},
        is_timed=is_timed,
    )
    conversation = Conversation(environment, {"agent": agent, "user": user}, surfaces, clock)
    return asyncio.run(conversation.run(HalfDuplex(environment, rules, limits or Limits())))


def heard_words(listener: Listener) -> list[list[str | None]]:
    return [
        [part.content if isinstance(part, ToolResult) else part.utterance.received for part in turn]
        for turn in listener.heard
    ]


def test_user_and_agent_alternate_until_the_user_stops(shop: DomainSuite) -> None:
    agent, user = Listener(text_reply("Which one?")), Listener(text_reply("Cancel it."), STOP)
    episode = play(shop, agent, user)
    assert episode.ending == Termination("user_stop")
    assert [event.by for event in episode.events] == ["agent", "user", "agent", "user"]
    assert heard_words(user) == [[GREETING], ["Which one?"]]
    assert heard_words(agent) == [["Cancel it."]]
    assert episode.steps == 3


def test_the_greeting_is_the_harnesss_and_no_step(shop: DomainSuite) -> None:
    episode = play(shop, Listener(), Listener(STOP))
    assert episode.events[0] == Message("agent", text_reply(GREETING), scripted=True)
    assert episode.steps == 1


def test_a_reply_and_a_round_of_tools_are_a_step_each(shop: DomainSuite) -> None:
    agent = Listener(ToolCallReply((call("1"), call("2"))), text_reply("Done."))
    episode = play(shop, agent, Listener(text_reply("Go."), STOP))
    assert episode.steps == 5


def test_batched_calls_are_executed_in_order_and_heard_together(shop: DomainSuite) -> None:
    calls = ToolCallReply((call("1", "1"), call("2", "2"), call("3", "3")))
    agent = Listener(calls, text_reply("Done."))
    episode = play(shop, agent, Listener(text_reply("Go."), STOP))
    results = [result("1", "1.0"), result("2", "2.0"), result("3", "3.0")]
    assert list(episode.events[3:6]) == results
    assert agent.heard[1] == results


def test_errors_are_counted_over_calls(shop: DomainSuite) -> None:
    agent = Listener(
        ToolCallReply((call("1", "x"), call("2"), call("3", "y"))), text_reply("Done.")
    )
    episode = play(shop, agent, Listener(text_reply("Go."), STOP))
    assert episode.errors == 2


def test_errors_of_both_sides_count_together(shop: DomainSuite) -> None:
    user = Listener(ToolCallReply((call("u", by="user"),)), text_reply("Go."), STOP)
    agent = Listener(ToolCallReply((call("1", "x"),)), text_reply("Done."))
    episode = play(shop, agent, user, limits=Limits(errors=2))
    assert (episode.errors, episode.ending.reason) == (2, "too_many_errors")


def test_text_beside_calls_is_kept_but_not_carried_over(shop: DomainSuite) -> None:
    agent = Listener(ToolCallReply((call("1"),), "Let me see."), text_reply("One."))
    user = Listener(text_reply("Go."), STOP)
    episode = play(shop, agent, user)
    assert Message(
        "agent", ToolCallReply((call("1"),), "Let me see."), raw=msgspec.Raw(b'"raw"')
    ).reply in [event.reply for event in episode.events if isinstance(event, Message)]
    assert heard_words(user) == [[GREETING], ["One."]]


def test_neither_side_sees_the_others_tool_traffic(shop: DomainSuite) -> None:
    user = Listener(ToolCallReply((call("u", by="user"),)), text_reply("Go."), STOP)
    agent = Listener(ToolCallReply((call("a"),)), text_reply("Done."))
    play(shop, agent, user)
    assert heard_words(agent) == [["Go."], ["1.0"]]
    assert heard_words(user) == [[GREETING], ["Error: User tools not available"], ["Done."]]


def test_each_side_sees_its_own_tools(shop: DomainSuite) -> None:
    agent, user = Listener(text_reply("Hm.")), Listener(text_reply("Go."), STOP)
    play(shop, agent, user)
    assert [len(tools) for tools in agent.saw] == [16]
    assert [len(tools) for tools in user.saw] == [0, 0]


@pytest.mark.parametrize(
    "empty", [text_reply(""), text_reply(" \n"), ToolCallReply(()), ToolCallReply((), "words")]
)
@pytest.mark.parametrize(
    ("rules", "reason"), [(DEFAULT_RULES, "agent_error"), (TAU2_RULES, "infrastructure_error")]
)
def test_a_reply_without_words_or_calls_ends_the_conversation(
    shop: DomainSuite, empty: Reply, rules: Rules, reason: str
) -> None:
    episode = play(shop, Listener(empty), Listener(text_reply("Go.")), rules=rules)
    assert episode.ending.reason == reason
    last = episode.events[-1]
    assert isinstance(last, Message)
    assert isinstance(last.reply, UnparsedReply)
    assert last.reply.error == episode.ending.detail


def test_an_empty_reply_of_the_user_is_the_users_error(shop: DomainSuite) -> None:
    assert play(shop, Listener(), Listener(text_reply(""))).ending.reason == "user_error"


def test_a_broken_participant_is_an_ending_that_keeps_what_happened(shop: DomainSuite) -> None:
    agent = Listener(ToolCallReply((call("1"),)), ParticipantError("the wire was cut"))
    episode = play(shop, agent, Listener(text_reply("Go.")))
    assert episode.ending == Termination("infrastructure_error", "the wire was cut")
    assert episode.is_fault
    assert [type(event) for event in episode.events] == [Message, Message, Message, ToolResult]


def test_what_participants_consumed_is_added_up(shop: DomainSuite) -> None:
    used = Usage("agent", "m", 1, input_tokens=10, output_tokens=1)
    agent = Listener(text_reply("Hm."), text_reply("Well."), usage=used)
    episode = play(shop, agent, Listener(text_reply("Go."), text_reply("And?"), STOP))
    assert episode.usage == (Usage("agent", "m", 2, input_tokens=20, output_tokens=2),)


def test_raw_replies_are_kept_where_there_are_any(shop: DomainSuite) -> None:
    episode = play(shop, Listener(), Listener(STOP))
    greeting, stop = episode.events
    assert isinstance(greeting, Message)
    assert isinstance(stop, Message)
    assert greeting.raw is msgspec.UNSET
    assert isinstance(stop.raw, msgspec.Raw)
    assert bytes(stop.raw) == b'"raw"'


def test_time_is_the_clocks(shop: DomainSuite) -> None:
    agent, user = Listener(text_reply("Hm.")), Listener(text_reply("Go."))
    episode = play(shop, agent, user, limits=Limits(seconds=2.5), clock=ticking(1.0))
    assert episode.ending.reason == "timeout"
    assert episode.seconds >= 2.5


def test_a_stop_on_the_step_that_reaches_a_limit(shop: DomainSuite) -> None:
    def ending(rules: Rules) -> str:
        user = Listener(text_reply("Go."), STOP)
        limits = Limits(steps=3)
        return play(
            shop, Listener(text_reply("Hm.")), user, rules=rules, limits=limits
        ).ending.reason

    assert ending(DEFAULT_RULES) == "user_stop"
    assert ending(TAU2_RULES) == "max_steps"


def test_a_pending_result_is_delivered_before_a_limit_ends_the_conversation(
    shop: DomainSuite,
) -> None:
    agent = Listener(ToolCallReply((call("1"),)))
    episode = play(shop, agent, Listener(text_reply("Go.")), limits=Limits(steps=2))
    assert isinstance(episode.events[-1], ToolResult)
    assert (episode.steps, episode.ending.reason) == (3, "max_steps")


def test_what_a_call_changed_is_kept_with_its_result(shop: DomainSuite) -> None:
    cancel = ToolCall(
        "1", "cancel_pending_order", {"order_id": "#S1000006", "reason": "no longer needed"}
    )
    agent = Listener(ToolCallReply((call("0"), cancel)), text_reply("Done."))
    episode = play(shop, agent, Listener(text_reply("Go."), STOP))
    looked, cancelled = (event for event in episode.events if isinstance(event, ToolResult))
    assert looked.changes == ()
    assert ("orders", "#S1000006", "status") in [change.path for change in cancelled.changes]


class Upper:
    """Shows everything in capitals and reads `sum` for `expression`."""

    def show(self, tools: Toolset) -> Toolset:
        return Toolset(tuple(ToolSpec(t.name, t.description.upper(), {}) for t in tools))

    def canonical(self, call: ToolCall) -> ToolCall:
        return msgspec.structs.replace(call, arguments={"expression": call.arguments["sum"]})

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:
        assert call.arguments.keys() == {"sum"}
        return msgspec.structs.replace(result, content=result.content.upper())


def test_a_view_changes_what_is_seen_and_run_and_both_are_kept(shop: DomainSuite) -> None:
    wished = ToolCall("1", "calculate", {"sum": "x"})
    agent = Listener(ToolCallReply((wished,)), text_reply("Done."))
    episode = play(
        shop,
        agent,
        Listener(text_reply("Go."), STOP),
        views={"agent": Upper(), "user": IdentityView()},
    )
    assert next(iter(agent.saw[0])).description.isupper()
    assert heard_words(agent)[1] == ["ERROR: INVALID CHARACTERS IN EXPRESSION"]
    move, stored = episode.events[2:4]
    assert isinstance(move, Message)
    assert move.reply == ToolCallReply((wished,))
    assert stored == ToolResult(
        "1",
        "calculate",
        "Error: Invalid characters in expression",
        error=True,
        shown="ERROR: INVALID CHARACTERS IN EXPRESSION",
        executed={"expression": "x"},
    )


class RecognitionErrors:
    """Carries every `five` as `nine`, and charges for it."""

    def __init__(self) -> None:
        self._used: list[Usage] = []

    async def carry(self, utterance: Utterance) -> Utterance:
        self._used.append(Usage("hearing", "ear"))
        heard = utterance.intended.replace("five", "nine")
        return msgspec.structs.replace(utterance, heard=heard)

    def take_usage(self) -> tuple[Usage, ...]:
        used, self._used = self._used, []
        return tuple(used)


def test_a_channel_changes_what_is_heard_and_not_what_was_meant(shop: DomainSuite) -> None:
    agent, user = Listener(text_reply("five?")), Listener(text_reply("order five"), STOP)
    episode = play(
        shop, agent, user, channels={"user": RecognitionErrors(), "agent": IdentityChannel()}
    )
    assert heard_words(agent) == [["order nine"]]
    assert heard_words(user)[1] == ["five?"]
    said = episode.events[1]
    assert isinstance(said, Message)
    assert said.reply == msgspec.structs.replace(
        text_reply("order five"), utterance=Utterance("order five", heard="order nine")
    )


class Monologue:
    """A turn protocol that lets the user say fixed things; no side is asked."""

    sides: tuple[Role, ...] = ()

    def opening(self) -> tuple[Event, ...]:
        return ()

    def next(self, progress: ConversationProgress) -> TurnAction:
        if progress.steps == 2:
            return Termination("turns_done")
        return Speak("user", text_reply(f"Turn {progress.steps}."), turn=progress.steps)


def test_a_turn_protocol_can_speak_for_a_side(shop: DomainSuite) -> None:
    environment: Environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
    plain: dict[Role, ToolView] = {"agent": IdentityView(), "user": IdentityView()}
    surfaces = ConversationIO({"agent": IdentityChannel(), "user": IdentityChannel()}, plain)
    episode = asyncio.run(Conversation(environment, {}, surfaces, lambda: 0.0).run(Monologue()))
    assert episode.events == (
        Message("user", text_reply("Turn 0."), scripted=True, turn=0),
        Message("user", text_reply("Turn 1."), scripted=True, turn=1),
    )
    assert episode.ending == Termination("turns_done")
    assert len(NO_TOOLS) == 0


def test_a_participant_with_a_bug_ends_its_own_conversation_only(shop: DomainSuite) -> None:
    episode = play(shop, Listener(ValueError("bug in the agent")), Listener(text_reply("Go.")))
    assert episode.ending.reason == "code_error"
    assert "bug in the agent" in episode.ending.detail


def test_more_calls_in_one_reply_than_anybody_means_are_not_executed(shop: DomainSuite) -> None:
    calls = tuple(call(str(number)) for number in range(MAX_CALLS + 1))

    episode = play(shop, Listener(ToolCallReply(calls, "[...]")), Listener(text_reply("Hello.")))

    assert not [event for event in episode.events if isinstance(event, ToolResult)]
    assert episode.ending.reason == "agent_error"
    assert "10001 calls in one reply, more than 10000" in episode.ending.detail


def test_how_long_an_agents_replies_took_is_kept_where_somebody_speaks(shop: DomainSuite) -> None:
    took = Latency(2.0, 0.5)
    agent = Listener(text_reply("Which one?"), text_reply("Done."), latency=took)
    user = Listener(text_reply("Cancel it."), text_reply("That one."), STOP, latency=Latency(9.0))
    episode = play(shop, agent, user, is_timed=True)
    moves = [event for event in episode.events if isinstance(event, Message)]
    assert [(move.by, move.latency) for move in moves] == [
        ("agent", None),
        ("user", None),
        ("agent", took),
        ("user", None),
        ("agent", took),
        ("user", None),
    ]


def test_an_agent_that_does_not_tell_how_long_it_took_is_unknown(shop: DomainSuite) -> None:
    agent, user = Listener(text_reply("Which one?")), Listener(text_reply("Cancel it."), STOP)
    episode = play(shop, agent, user, is_timed=True)
    assert [event.latency for event in episode.events if isinstance(event, Message)] == [
        None,
        None,
        UNKNOWN_LATENCY,
        None,
    ]


def test_of_text_no_times_are_kept(shop: DomainSuite) -> None:
    agent = Listener(text_reply("Which one?"), latency=Latency(2.0))
    episode = play(shop, agent, Listener(text_reply("Cancel it."), STOP))
    stored = msgspec.json.encode(episode)
    assert b"latency" not in stored
