import pytest

from dragoman.benchmarks.kit.turn_protocols import Solo
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Event, Message, Termination
from dragoman.core.protocols import Ask, Execute, Limits
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tools import ToolCall, ToolResult

LOOK = ToolCall("1", "get_order_details", {"order_id": "#S1000001"})
FINISH = ToolCall("2", "done", {})


class Status:
    """The state of a ticket so far."""

    def __init__(self, *events: Event, steps: int = 1, errors: int = 0) -> None:
        self.events = events
        self.steps = steps
        self.errors = errors
        self.seconds = 0.0


def solo(shop: DomainSuite, rules: Rules = DEFAULT_RULES, limits: Limits | None = None) -> Solo:
    environment = shop.factory(rules)(shop.tasks[0])
    return Solo(environment, rules, limits or Limits())


def after(reply: Reply) -> Status:
    return Status(Message("agent", reply))


def test_the_agent_is_asked_first_and_must_call(shop: DomainSuite) -> None:
    asked = solo(shop).next(Status())
    assert isinstance(asked, Ask)
    assert (asked.side, asked.is_step, asked.tools.must_call) == ("agent", False, True)
    assert "done" in asked.tools


def test_calls_are_executed_and_their_results_lead_back_to_the_agent(shop: DomainSuite) -> None:
    ticket = solo(shop)
    assert ticket.next(after(ToolCallReply((LOOK,)))) == Execute((LOOK,))
    result = ToolResult("1", "get_order_details", "{}")
    asked = ticket.next(Status(Message("agent", ToolCallReply((LOOK,))), result))
    assert isinstance(asked, Ask)
    assert asked.is_step


def test_done_ends_the_work_whatever_else_is_called_with_it(shop: DomainSuite) -> None:
    assert solo(shop).next(after(ToolCallReply((LOOK, FINISH)))) == Termination("agent_stop")


@pytest.mark.parametrize("text", ["Hello?", "Done."])
def test_words_are_the_agents_error(shop: DomainSuite, text: str) -> None:
    ended = solo(shop).next(after(text_reply(text)))
    assert isinstance(ended, Termination)
    assert ended.reason == "agent_error"


def test_an_unusable_reply_is_the_agents_error_by_our_rules_only(shop: DomainSuite) -> None:
    nothing = after(UnparsedReply("", "empty"))
    assert solo(shop).next(nothing) == Termination("agent_error", "empty")
    assert solo(shop, TAU2_RULES).next(nothing) == Termination("infrastructure_error", "empty")


def test_done_on_the_step_that_reaches_a_limit_is_done_by_our_rules_only(shop: DomainSuite) -> None:
    at_limit = Status(Message("agent", ToolCallReply((FINISH,))), steps=3)
    assert solo(shop, limits=Limits(steps=3)).next(at_limit) == Termination("agent_stop")
    assert solo(shop, TAU2_RULES, Limits(steps=3)).next(at_limit) == Termination("max_steps")
