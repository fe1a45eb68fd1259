"""Reading of names that people give to agents."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.agent_specs import (
    AgentSpec,
    agent_text,
    display_names,
    name_agent,
    parse_agent,
    require_distinct_agents,
    specs_of,
)
from dragoman.core.errors import UsageError
from dragoman.simulation.participants.canonical_arguments import canonical_name

NAMES = st.text("abzABZ019._-", min_size=1, max_size=20)
SPECS = st.sampled_from(
    [
        "literal",
        "module:function",
        "http://127.0.0.1:8000/agent?version=2",
        "compatible/m?base_url=http://127.0.0.1:8000/v1",
        "local/folder=1/model",
        "scripted/a=b.json",
    ]
)


@given(name=NAMES, spec=SPECS)
def test_a_name_stands_before_the_first_equals_sign(name: str, spec: str) -> None:
    assert parse_agent(f"{name}={spec}") == AgentSpec(name, spec, is_given=True)


@given(spec=SPECS)
def test_an_equals_sign_behind_a_slash_or_a_question_mark_is_the_specs_own(spec: str) -> None:
    assert parse_agent(spec) == AgentSpec(spec, spec, is_given=False)


@given(name=NAMES, spec=SPECS)
def test_canonical_arguments_keep_the_name_and_the_spec(name: str, spec: str) -> None:
    assert parse_agent(canonical_name(f"{name}={spec}")) == AgentSpec(
        canonical_name(name), canonical_name(spec), is_given=True
    )


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("v 2=gold", "'v 2'= is not a name of an agent, which has letters, digits"),
        ("=gold", "''= is not a name of an agent"),
        ("ü=gold", "'ü'= is not a name of an agent"),
        ("module:v2=gold", "'module:v2'= is not a name of an agent"),
        ("C:\\v2=gold", "is not a name of an agent"),
        ("v2\n=gold", "'v2\\n'= is not a name of an agent"),
        ("v2=", "v2= names no agent: write v2=PROVIDER/MODEL"),
        ("v1=v2=gold", "v1=v2=: an agent has one name: leave one out"),
        ("gold=literal", "gold=: gold is an agent that ships: choose another name"),
        ("human=literal", "human=: human is an agent that ships"),
    ],
)
def test_what_is_no_name_is_refused(written: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        parse_agent(written)


def test_a_refusal_never_repeats_what_may_hold_a_key() -> None:
    with pytest.raises(UsageError) as refused:
        parse_agent("v 2=compatible/m?extra.api_key=sk-2718281828")
    assert "sk-2718281828" not in str(refused.value)


@pytest.mark.parametrize("name", ["a/b", "a?b", "a=b", ""])
def test_a_name_of_python_is_one_of_the_command_line(name: str) -> None:
    with pytest.raises(UsageError, match="is not a name of an agent"):
        name_agent(name, "literal")


@pytest.mark.parametrize(
    ("agents", "why"),
    [
        (("v1=gold", "v1=literal"), "two agents are called 'v1': give each a name of its own"),
        (("v1=gold", "v1=gold"), "two agents are called 'v1'"),
        (("gold", "gold"), "an agent is named twice"),
    ],
)
def test_agents_that_would_look_alike_are_refused(agents: tuple[str, ...], why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        require_distinct_agents(agents)


def test_one_agent_may_have_two_names() -> None:
    require_distinct_agents(("literal", "v1=literal", "v2=literal"))


def test_a_run_knows_its_agents_by_the_names_that_are_shown() -> None:
    agents = ("gold", "v2=module:function")
    assert specs_of(agents) == {"gold": "gold", "v2": "module:function"}
    assert display_names(agents) == {"v2"}
    assert agent_text(agents, "v2") == "v2=module:function"
    assert agent_text(agents, canonical_name("v2")) == canonical_name("v2=module:function")
    assert agent_text(agents, canonical_name("gold")) == canonical_name("gold")


def test_an_imported_agent_may_be_called_anything() -> None:
    assert specs_of(("model (t=0)",)) == {"model (t=0)": "model (t=0)"}
    assert display_names(("model (t=0)",)) == frozenset()
