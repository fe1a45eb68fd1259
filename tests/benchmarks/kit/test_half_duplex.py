import msgspec
import pytest

from dragoman.benchmarks.kit.turn_protocols import GREETING, HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Event, Message, Termination, TerminationReason
from dragoman.core.protocols import Ask, Execute, Limits, TurnAction
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.stop_tokens import STOP_TOKENS
from dragoman.core.tools import Role, ToolCall, ToolResult

CALL = ToolCall("1", "calculate", {"expression": "1"})
RESULT = ToolResult("1", "calculate", "1.0")
BOTH = pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)


class Progress(msgspec.Struct):
    events: tuple[Event, ...]
    steps: int = 1
    errors: int = 0
    seconds: float = 0.0


@pytest.fixture
def turn_protocol(shop: DomainSuite) -> HalfDuplex:
    return made(shop, DEFAULT_RULES)


def made(shop: DomainSuite, rules: Rules, limits: Limits | None = None) -> HalfDuplex:
    environment = shop.factory(rules)(shop.tasks[0])
    return HalfDuplex(environment, rules, limits or Limits())


def after(by: Role, reply: Reply) -> Progress:
    return Progress((Message(by, reply),))


def asked(instructions: TurnAction) -> Role:
    assert isinstance(instructions, Ask)
    return instructions.side


def test_the_agent_greets_and_the_user_replies_first(turn_protocol: HalfDuplex) -> None:
    opening = turn_protocol.opening()
    assert opening == (
        Message("agent", text_reply("Hi! How can I help you today?"), scripted=True),
    )
    assert text_reply(GREETING) == text_reply("Hi! How can I help you today?")
    assert asked(turn_protocol.next(Progress(opening, steps=0))) == "user"


def test_words_go_to_the_other_side(turn_protocol: HalfDuplex) -> None:
    assert asked(turn_protocol.next(after("user", text_reply("Hello")))) == "agent"
    assert asked(turn_protocol.next(after("agent", text_reply("Hello")))) == "user"


def test_calls_are_executed_and_the_result_goes_to_the_caller(turn_protocol: HalfDuplex) -> None:
    assert turn_protocol.next(after("agent", ToolCallReply((CALL, CALL)))) == Execute((CALL, CALL))
    for side in ("agent", "user"):
        result = msgspec.structs.replace(RESULT, by=side)
        assert asked(turn_protocol.next(Progress((result,)))) == side


def test_each_side_is_asked_with_its_own_tools(turn_protocol: HalfDuplex) -> None:
    agent = turn_protocol.next(after("user", text_reply("Hello")))
    user = turn_protocol.next(after("agent", text_reply("Hello")))
    assert isinstance(agent, Ask)
    assert isinstance(user, Ask)
    assert (len(agent.tools), len(user.tools)) == (16, 0)


def test_there_are_three_stop_tokens() -> None:
    assert set(STOP_TOKENS) == {"###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"}


@BOTH
@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
@pytest.mark.parametrize("around", ["{}", "Thank you, bye! {}", "{} bye", "a{}b"])
def test_a_user_stops_with_a_token_anywhere(
    shop: DomainSuite, rules: Rules, token: str, around: str
) -> None:
    turn_protocol = made(shop, rules)
    assert turn_protocol.next(after("user", text_reply(around.format(token)))) == Termination(
        "user_stop"
    )


@pytest.mark.parametrize("words", ["###stop###", "##STOP##", "STOP", "###STOP ###", "# STOP"])
def test_what_is_like_a_token_does_not_stop(turn_protocol: HalfDuplex, words: str) -> None:
    assert asked(turn_protocol.next(after("user", text_reply(words)))) == "agent"


def test_an_agent_cannot_stop(turn_protocol: HalfDuplex) -> None:
    assert asked(turn_protocol.next(after("agent", text_reply("###STOP###")))) == "user"


@pytest.mark.parametrize("by", ["user", "agent"])
@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)
def test_a_token_beside_a_users_calls_stops_after_them_except_in_the_reference(
    shop: DomainSuite, rules: Rules, by: Role
) -> None:
    turn_protocol = made(shop, rules)
    call, result = msgspec.structs.replace(CALL, by=by), msgspec.structs.replace(RESULT, by=by)
    move = Message(by, ToolCallReply((call,), "Bye. ###STOP###"))
    assert turn_protocol.next(Progress((move,))) == Execute((call,))
    after_them = turn_protocol.next(Progress((move, result)))
    if by == "user" and rules is DEFAULT_RULES:
        assert after_them == Termination("user_stop")
    else:
        assert asked(after_them) == by


def test_a_history_takes_the_place_of_the_greeting_and_its_last_event_says_who_is_next(
    shop: DomainSuite,
) -> None:
    environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
    for last, side in (
        (Message("user", text_reply("Hi")), "agent"),
        (Message("agent", text_reply("Hi")), "user"),
    ):
        turn_protocol = HalfDuplex(environment, DEFAULT_RULES, Limits(), (last,))
        assert turn_protocol.opening() == (last,)
        assert asked(turn_protocol.next(Progress((last,), steps=0))) == side
    stopped = Message("user", text_reply("###STOP###"))
    turn_protocol = HalfDuplex(environment, DEFAULT_RULES, Limits(), (stopped,))
    assert turn_protocol.next(Progress((stopped,), steps=0)) == Termination("user_stop")


@pytest.mark.parametrize(("side", "reason"), [("agent", "agent_error"), ("user", "user_error")])
def test_a_bad_reply_is_its_speakers_or_the_infrastructures(
    shop: DomainSuite, side: Role, reason: str
) -> None:
    progress = after(side, UnparsedReply("", "nothing"))
    ours = made(shop, DEFAULT_RULES).next(progress)
    theirs = made(shop, TAU2_RULES).next(progress)
    assert isinstance(ours, Termination)
    assert (ours.reason, ours.detail) == (reason, "nothing")
    assert theirs == Termination("infrastructure_error", "nothing")


LIMITS = Limits(steps=10, errors=3, seconds=60.0)
MOVES = pytest.mark.parametrize(
    "event",
    [Message("user", text_reply("Hello")), Message("agent", text_reply("Hello")), RESULT],
    ids=str,
)


@BOTH
@MOVES
@pytest.mark.parametrize(
    ("steps", "errors", "seconds", "reason"),
    [
        (10, 0, 0.0, "max_steps"),
        (11, 0, 0.0, "max_steps"),
        (1, 3, 0.0, "too_many_errors"),
        (1, 5, 0.0, "too_many_errors"),
        (10, 3, 99.0, "too_many_errors"),
        (10, 0, 99.0, "max_steps"),
        (1, 0, 60.0, "timeout"),
    ],
)
def test_limits_end_a_conversation_errors_before_steps_before_time(  # noqa: PLR0913, PLR0917 - one row of a table
    shop: DomainSuite,
    rules: Rules,
    event: Event,
    steps: int,
    errors: int,
    seconds: float,
    reason: str,
) -> None:
    instructions = made(shop, rules, LIMITS).next(Progress((event,), steps, errors, seconds))
    assert isinstance(instructions, Termination)
    assert instructions.reason == reason


@BOTH
@MOVES
def test_below_its_limits_a_conversation_goes_on(
    shop: DomainSuite, rules: Rules, event: Event
) -> None:
    assert isinstance(made(shop, rules, LIMITS).next(Progress((event,), 9, 2, 59.9)), Ask)


@BOTH
def test_limits_wait_for_the_result_of_a_call(shop: DomainSuite, rules: Rules) -> None:
    events = (Message("agent", ToolCallReply((CALL,))),)
    assert made(shop, rules, LIMITS).next(Progress(events, 99, 99, 99.0)) == Execute((CALL,))


@pytest.mark.parametrize(("steps", "errors"), [(10, 0), (1, 3), (10, 3)])
def test_a_stop_on_the_step_that_reaches_a_limit_counts_unless_the_reference_rules(
    shop: DomainSuite, steps: int, errors: int
) -> None:
    progress = Progress((Message("user", text_reply("###STOP###")),), steps, errors)
    assert made(shop, DEFAULT_RULES, LIMITS).next(progress) == Termination("user_stop")
    theirs = made(shop, TAU2_RULES, LIMITS).next(progress)
    assert isinstance(theirs, Termination)
    assert theirs.reason == ("too_many_errors" if errors else "max_steps")


@BOTH
def test_time_never_overrides_a_stop(shop: DomainSuite, rules: Rules) -> None:
    progress = Progress((Message("user", text_reply("###STOP###")),), seconds=99.0)
    assert made(shop, rules, LIMITS).next(progress) == Termination("user_stop")


def test_a_fault_on_the_step_that_reaches_a_limit_stays_a_fault(shop: DomainSuite) -> None:
    progress = Progress((Message("agent", UnparsedReply("", "nothing")),), steps=10)
    assert made(shop, TAU2_RULES, LIMITS).next(progress) == Termination(
        "infrastructure_error", "nothing"
    )


def calling(by: Role, times: int, *, error: bool) -> tuple[Event, ...]:
    call = msgspec.structs.replace(CALL, by=by)
    result = msgspec.structs.replace(RESULT, by=by, error=error)
    return (Message(by, ToolCallReply((call,))), result) * times


GREETED = (Message("agent", text_reply(GREETING), scripted=True),)


@pytest.mark.parametrize(
    ("events", "steps", "errors", "reached"),
    [
        (calling("user", 10, error=True), 20, 10, "too_many_errors"),
        (calling("user", 20, error=False), 40, 0, "max_steps"),
        (
            (*calling("agent", 4, error=True), *calling("user", 6, error=True)),
            20,
            10,
            "too_many_errors",
        ),
    ],
)
def test_a_limit_that_the_users_calls_reach_is_the_users_and_the_agents_in_the_reference(
    shop: DomainSuite,
    events: tuple[Event, ...],
    steps: int,
    errors: int,
    reached: TerminationReason,
) -> None:
    progress = Progress((*GREETED, *events), steps, errors)
    limits = Limits(steps=40, errors=10)
    assert made(shop, DEFAULT_RULES, limits).next(progress) == Termination(
        "user_error", f"{reached}: the user called tools and asked the agent nothing"
    )
    assert made(shop, TAU2_RULES, limits).next(progress) == Termination(reached)


@pytest.mark.parametrize(
    "events",
    [
        calling("agent", 10, error=True),
        (*calling("user", 4, error=True), *calling("agent", 6, error=True)),
        (*calling("agent", 5, error=True), *calling("user", 5, error=True)),
        (
            *calling("user", 5, error=True),
            Message("user", text_reply("Hm.")),
            *calling("agent", 5, error=True),
        ),
        (
            *calling("user", 6, error=True),
            Message("agent", text_reply("Again.")),
            *calling("user", 4, error=True),
        ),
    ],
)
def test_a_limit_that_both_reach_is_nobodys_alone(
    turn_protocol: HalfDuplex, events: tuple[Event, ...]
) -> None:
    assert turn_protocol.next(Progress((*GREETED, *events), 20, 10)) == Termination(
        "too_many_errors"
    )
