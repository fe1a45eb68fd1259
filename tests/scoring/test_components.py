from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Event, Message
from dragoman.core.language.localized_values import LocalizedValues, NumberFormat
from dragoman.core.protocols import StateDelta
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.scores import ComponentScore, Evidence, Scored
from dragoman.core.tasks import Action, Criteria, EnvAssertion, FunctionCall
from dragoman.core.tools import Change, Role, ToolCall, ToolKind, ToolResult, Toolset
from dragoman.scoring.required_phrases import contains_phrase, parse_number_text, whole_numbers
from dragoman.scoring.reward_components import (
    LocalizedCalls,
    action_component,
    agent_texts,
    arguments_match,
    assertion_component,
    communicate_component,
    state_component,
)

BOTH = pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)


class Fixed:
    """An environment with a fixed state that answers functions by name."""

    def __init__(
        self, delta: StateDelta | None = None, functions: Mapping[str, object] | None = None
    ) -> None:
        self._delta = delta or {}
        self._functions = functions or {}

    def tools(self, side: Role) -> Toolset:  # noqa: ARG002 - no side has any
        return Toolset(())

    def kind(self, name: str) -> ToolKind | None:
        return "write" if name == "cancel" else None

    def owner(self, call: ToolCall) -> Role | None:
        return call.by if call.name in {"look", "cancel"} else None

    def call(self, call: ToolCall) -> ToolResult:
        return ToolResult(call.id, call.name, "ok", call.by)

    def take_changes(self) -> tuple[Change, ...]:
        return ()

    def unsynchronized(self) -> "Fixed":
        return self

    def run_function(self, call: FunctionCall) -> object:
        return self._functions[call.name]

    def delta(self) -> StateDelta:
        return self._delta

    def changes(self) -> tuple[Change, ...]:
        return ()

    def fingerprint(self) -> Mapping[Role, str | None]:
        return {"agent": None, "user": None}


# DB


def test_a_state_that_nobody_defined_is_nothing_to_judge() -> None:
    component = state_component(Criteria(("DB",)), Fixed({("a",): b"1"}), {})
    assert component == ComponentScore("DB", in_basis=True, verdict=None)


def test_the_expected_state_is_met() -> None:
    delta: StateDelta = {("agent", "orders", "1"): b"x"}
    component = state_component(Criteria((), actions=()), Fixed(delta), {**delta})
    assert component == ComponentScore("DB", in_basis=False, verdict=Scored(1.0))


def test_every_record_that_differs_is_evidence() -> None:
    reached: StateDelta = {("orders", "1"): b"x", ("orders", "2"): b"x", ("orders", "4"): b"x"}
    expected: StateDelta = {("orders", "2"): b"y", ("orders", "3"): b"y", ("orders", "4"): b"x"}
    component = state_component(Criteria(("DB",), actions=()), Fixed(reached), expected)
    assert component.verdict == Scored(0.0)
    assert component.evidence == (
        Evidence(
            "orders/1",
            met=False,
            why="the conversation changed this record, the reference plan does not",
        ),
        Evidence("orders/2", met=False, why="changed otherwise than by the reference plan"),
        Evidence(
            "orders/3",
            met=False,
            why="the reference plan changes this record, the conversation did not",
        ),
    )


def test_many_differences_are_counted_and_not_all_listed() -> None:
    reached: StateDelta = {("orders", f"{number:02}"): b"x" for number in range(25)}
    component = state_component(Criteria(("DB",), actions=()), Fixed(reached), {})
    assert len(component.evidence) == 21
    assert component.evidence[-1].subject == "5 more records"


# ENV_ASSERTION


def assertion(name: str, *, expected: bool = True) -> EnvAssertion:
    return EnvAssertion(FunctionCall("user", name, {}), expected, f"about {name}")


def test_no_assertions_are_nothing_to_judge() -> None:
    for listed in (None, ()):
        criteria = Criteria(("ENV_ASSERTION",), env_assertions=listed)
        assert assertion_component(criteria, Fixed()).verdict is None


def test_every_assertion_must_be_as_expected() -> None:
    environment = Fixed(functions={"on": True, "off": False})
    criteria = Criteria((), env_assertions=(assertion("on"), assertion("off")))
    component = assertion_component(criteria, environment)
    assert component.verdict == Scored(0.0)
    assert component.evidence == (
        Evidence("on", met=True, why="about on"),
        Evidence("off", met=False, why="about off"),
    )
    other = Criteria((), env_assertions=(assertion("on"), assertion("off", expected=False)))
    assert assertion_component(other, environment).verdict == Scored(1.0)


# ACTION


def test_no_actions_are_nothing_to_judge() -> None:
    for listed in (None, ()):
        criteria = Criteria(("ACTION",), actions=listed)
        assert action_component(criteria, [], Fixed(), DEFAULT_RULES).verdict is None


@BOTH
def test_every_planned_call_must_have_been_made_in_any_order(rules: Rules) -> None:
    criteria = Criteria(
        ("ACTION",), actions=(Action("1", "look", {"x": 1}), Action("2", "cancel", {}))
    )
    made = [ToolCall("b", "cancel", {}), ToolCall("a", "look", {"x": 1})]
    done = action_component(criteria, made, Fixed(), rules)
    assert done.verdict == Scored(1.0)
    assert done.evidence == (
        Evidence("1 look", met=True),
        Evidence("2 cancel", met=True, kind="write"),
    )
    half = action_component(criteria, made[1:], Fixed(), rules)
    assert half.verdict == Scored(0.0)
    assert [entry.met for entry in half.evidence] == [True, False]


@BOTH
def test_one_call_may_serve_several_planned_ones(rules: Rules) -> None:
    criteria = Criteria((), actions=(Action("1", "look", {}), Action("2", "look", {})))
    made = [ToolCall("a", "look", {})]
    assert action_component(criteria, made, Fixed(), rules).verdict == Scored(1.0)


@pytest.mark.parametrize(("rules", "met"), [(DEFAULT_RULES, False), (TAU2_RULES, True)])
def test_a_planned_call_of_the_user_is_not_made_by_the_agent_except_in_the_reference(
    rules: Rules, *, met: bool
) -> None:
    criteria = Criteria(("ACTION",), actions=(Action("1", "look", {}, by="user"),))
    made = [ToolCall("a", "look", {}, "agent")]
    assert action_component(criteria, made, Fixed(), rules).verdict == Scored(float(met))
    its_own = [ToolCall("a", "look", {}, "user")]
    assert action_component(criteria, its_own, Fixed(), rules).verdict == Scored(1.0)


PLANNED: dict[str, object] = {"id": "W1", "items": ["a", "b"], "count": 2}


@pytest.mark.parametrize(
    ("arguments", "ours", "theirs"),
    [
        (PLANNED, True, True),
        ({**PLANNED, "count": 2.0}, True, True),
        ({**PLANNED, "count": "2"}, False, False),
        ({**PLANNED, "items": ["b", "a"]}, False, False),
        ({**PLANNED, "more": None}, False, False),
        ({}, False, True),
        ({"id": "W1"}, False, True),
        ({"id": "W2"}, False, False),
    ],
)
def test_without_compared_keys_all_or_only_those_of_the_call_are_compared(
    arguments: dict[str, object], *, ours: bool, theirs: bool
) -> None:
    action = Action("1", "cancel", PLANNED)
    assert arguments_match(action, arguments, DEFAULT_RULES) == ours
    assert arguments_match(action, arguments, TAU2_RULES) == theirs


@BOTH
@pytest.mark.parametrize(
    ("compare", "arguments", "met"),
    [
        ((), {"anything": 1}, True),
        (("id",), {"id": "W1", "count": 9}, True),
        (("id",), {"id": "W2"}, False),
        (("id",), {}, False),
        (("absent",), {}, True),
        (("absent",), {"absent": None}, False),
    ],
)
def test_compared_keys_are_all_that_counts(
    rules: Rules, compare: tuple[str, ...], arguments: dict[str, object], *, met: bool
) -> None:
    assert arguments_match(Action("1", "cancel", PLANNED, compare=compare), arguments, rules) == met


@pytest.mark.parametrize(
    ("written", "executed", "met", "raw", "why"),
    [
        ("หมด", "done", True, True, ""),
        ("done", "done", True, False, "right value, wrong language"),
        ("ผิด", "ผิด", False, False, ""),
    ],
)
def test_a_call_in_another_wording_counts_and_both_verdicts_are_kept(
    written: str, executed: str, why: str, *, met: bool, raw: bool
) -> None:
    planned = Action("1", "look", {"reason": "done"})
    worded = Action("1", "look", {"reason": "หมด"})
    component = action_component(
        Criteria(("ACTION",), actions=(planned,)),
        [ToolCall("c", "look", {"reason": executed})],
        Fixed(),
        DEFAULT_RULES,
        LocalizedCalls([ToolCall("c", "look", {"reason": written})], {"1": worded}),
    )
    assert component.verdict == Scored(float(met))
    assert component.evidence == (Evidence("1 look", met, why, raw=raw),)


# COMMUNICATE


def test_what_is_said_in_another_wording_counts_and_both_verdicts_are_kept() -> None:
    wording = LocalizedValues("vi", NumberFormat(",", "."))
    criteria = Criteria(("COMMUNICATE",), communicate_info=("1786", "327", "5"))
    events = (Message("agent", text_reply("Tổng cộng 1.786, hoàn lại 327.")),)
    component = communicate_component(criteria, events, DEFAULT_RULES, wording)
    assert component.evidence == (
        Evidence("1786", met=True, raw=False),
        Evidence("327", met=True, raw=True),
        Evidence("5", met=False, raw=False),
    )


def test_nothing_to_be_said_is_nothing_to_judge() -> None:
    component = communicate_component(Criteria(("COMMUNICATE",)), [], DEFAULT_RULES)
    assert component == ComponentScore("COMMUNICATE", in_basis=True, verdict=None)


EVENTS: Sequence[Event] = (
    Message("agent", text_reply("Hi!"), scripted=True),
    Message("user", text_reply("It costs 99.")),
    Message("agent", ToolCallReply((ToolCall("1", "look", {}),), "Looking at 5.")),
    ToolResult("1", "look", "77"),
    Message("agent", ToolCallReply((ToolCall("2", "look", {}),))),
    Message("agent", UnparsedReply("33", "no reply")),
    Message("agent", text_reply("It is 42.")),
)


def test_what_the_agent_said_includes_the_greeting_and_words_beside_calls() -> None:
    assert agent_texts(EVENTS) == ["Hi!", "Looking at 5.", "It is 42."]


@BOTH
def test_each_thing_must_be_said_by_the_agent(rules: Rules) -> None:
    criteria = Criteria(("COMMUNICATE",), communicate_info=("42", "hi", "99", "77"))
    component = communicate_component(criteria, EVENTS, rules)
    assert component.verdict == Scored(0.0)
    assert [entry.met for entry in component.evidence] == [True, True, False, False]


@pytest.mark.parametrize(("rules", "met"), [(DEFAULT_RULES, False), (TAU2_RULES, True)])
def test_words_beside_calls_reach_nobody_and_count_only_in_the_reference(
    rules: Rules, *, met: bool
) -> None:
    criteria = Criteria(("COMMUNICATE",), communicate_info=("5",))
    assert communicate_component(criteria, EVENTS, rules).verdict == Scored(float(met))


@BOTH
def test_each_thing_must_be_said_within_one_message(rules: Rules) -> None:
    events = [Message("agent", text_reply("blue")), Message("agent", text_reply("jacket"))]
    criteria = Criteria((), communicate_info=("blue jacket",))
    assert communicate_component(criteria, events, rules).verdict == Scored(0.0)


@pytest.mark.parametrize(
    ("text", "wanted", "ours", "theirs"),
    [
        ("You get $327.", "327", True, True),
        ("You get $1327.", "327", False, True),
        ("You get $3270.", "327", False, True),
        ("You get $327.50.", "327", False, True),
        ("You get $327.00.", "327", True, True),
        ("You get $327.5 back.", "327.50", True, False),
        ("You get $1,327.50.", "1327.5", True, True),
        ("You get $1,327.50.", "1327.50", True, True),
        ("You get $1327.50.", "1,327.50", True, False),
        ("You get $1,327.50.", "1,327.50", True, False),
        ("Flight HAT4 leaves.", "4", False, True),
        ("4 bags", "4", True, True),
        ("The BLUE one", "blue", True, True),
        ("Boise, Idaho", "boise idaho", True, True),
        ("Boise, Idaho", "Boise, Idaho", True, False),
        ("nothing", "blue", False, False),
    ],
)
def test_numbers_are_found_as_wholes_or_as_characters(
    text: str, wanted: str, *, ours: bool, theirs: bool
) -> None:
    assert contains_phrase(text, wanted, DEFAULT_RULES) == ours
    assert contains_phrase(text, wanted, TAU2_RULES) == theirs


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", set()),
        ("no digits", set()),
        ("$1,126.04 and 5.", {"1126.04", "5"}),
        ("#W123, v1.2, a5", set()),
        ("10 or 12", {"10", "12"}),
        ("(38.60)", {"38.60"}),
        ("64GB", {"64"}),
    ],
)
def test_the_numbers_of_a_text(text: str, numbers: set[str]) -> None:
    assert whole_numbers(text) == set(map(Decimal, numbers))


@pytest.mark.parametrize("text", ["", "NaN", "Infinity", "$5", "5 items", "five", "#5"])
def test_what_is_no_number(text: str) -> None:
    assert parse_number_text(text) is None


@given(st.decimals(0, 10**9, places=2), st.sampled_from(["{}", "${:,}", "It is {:,}.", "({})"]))
def test_a_number_is_found_in_any_usual_notation(number: Decimal, notation: str) -> None:
    assert contains_phrase(notation.format(number), str(number), DEFAULT_RULES)


@given(st.text(max_size=40), st.text(max_size=10))
def test_any_texts_can_be_compared(text: str, wanted: str) -> None:
    for rules in (DEFAULT_RULES, TAU2_RULES):
        assert contains_phrase(text, wanted, rules) in {True, False}
    assert all(number.is_finite() for number in whole_numbers(text))


def test_the_sample_shop_knows_the_kinds_of_planned_calls(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    assert task.criteria is not None
    environment = shop.factory(DEFAULT_RULES)(task)
    component = action_component(task.criteria, [], environment, DEFAULT_RULES)
    assert [entry.kind for entry in component.evidence] == ["read", "read", "read", "write"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("Your balance is -5.", "-5", id="a sign"),
        pytest.param("Options 1,2,3 are left.", "2", id="a list without spaces"),
        pytest.param("That makes $.50 in all.", "0.50", id="no digit before the dot"),
    ],
)
def test_numbers_in_less_usual_notations_are_found(text: str, wanted: str) -> None:
    assert contains_phrase(text, wanted, DEFAULT_RULES)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("Room 5000 is yours.", "5E3", id="a code that reads as a power of ten"),
        pytest.param("The zip code is 4101.", "04101", id="a code with a leading zero"),
        pytest.param("Order 10 is there.", "1_0", id="an underscore"),
    ],
)
def test_codes_are_not_numbers(text: str, wanted: str) -> None:
    assert not contains_phrase(text, wanted, DEFAULT_RULES)
