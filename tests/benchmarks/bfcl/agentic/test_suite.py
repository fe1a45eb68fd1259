from collections.abc import Callable

import pytest

from dragoman.benchmarks.bfcl.agentic_suite import PREPARES, AgenticSuite
from dragoman.benchmarks.kit.environment import OfferedTools
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Limits
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, RULES, Rules
from dragoman.core.scores import ComponentScore, Scored, Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import NO_TOOLS, ToolCall

LoadSuite = Callable[..., AgenticSuite]

REFERENCE = RULES.find("bfcl-v4")


def task(suite: AgenticSuite, name: str) -> Task:
    return {each.id: each for each in suite.tasks}[name]


def ended(*replies: Reply) -> Episode:
    moves = tuple(Message("agent", reply) for reply in replies)
    return Episode(
        (Message("user", text_reply("What is my name?")), *moves), Termination("turns_done"), 1, 0
    )


def judged(
    suite: AgenticSuite, name: str, *replies: Reply, rules: Rules = DEFAULT_RULES
) -> ComponentScore:
    (component,) = suite.check(rules).components(task(suite, name), ended(*replies))
    return component


def test_a_question_is_told_its_scenario_its_memory_and_how_to_answer(
    load_agentic_suite: LoadSuite,
) -> None:
    suite = load_agentic_suite("memory_kv")
    question = task(suite, "memory_kv_0-customer-0")
    environment = suite.factory(DEFAULT_RULES)(question)
    assert suite.policy(question, environment) == (
        "You serve. Core: There is no content in the core memory at this point.\n"
        "\n\nAnswer as a dict.\n"
    )
    environment.call(ToolCall("1", "core_memory_add", {"key": "name", "value": "{memory_content}"}))
    assert suite.policy(question, environment).startswith(
        'You serve. Core: {\n    "name": "{memory_content}"\n}\n'
    )


def test_what_prepares_is_not_told_how_to_answer(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_rec_sum")
    first = task(suite, "memory_rec_sum_prereq_2-student-0")
    assert suite.policy(first, suite.factory(DEFAULT_RULES)(first)) == (
        "You advise. Memory: There is no content in the memory at this point.\n"
    )


def test_an_empty_vector_memory_is_shown_as_an_empty_object(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_vector")
    first = task(suite, "memory_vector_prereq_0-customer-0")
    assert suite.policy(first, suite.factory(DEFAULT_RULES)(first)) == "You serve. Core: {}\n"


def test_who_searches_is_told_how_to_answer_and_nothing_else(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("web_search_base")
    (question,) = suite.tasks
    environment = suite.factory(DEFAULT_RULES)(question)
    assert suite.policy(question, environment) == "Answer as a dict.\n"
    assert [tool.name for tool in environment.tools("agent")] == [
        "search_engine_query",
        "fetch_url_content",
    ]


def test_a_world_that_holds_no_memory_is_a_mistake_of_the_program(
    load_agentic_suite: LoadSuite,
) -> None:
    suite = load_agentic_suite("memory_kv")
    with pytest.raises(TypeError, match="OfferedTools holds no memory"):
        suite.policy(suite.tasks[0], OfferedTools(NO_TOOLS))


@pytest.mark.parametrize(
    ("replies", "verdict", "subject"),
    [
        ((text_reply("Your name is michael!"),), 1.0, "as expected"),
        ((text_reply("I do not know."),), 0.0, "agentic:answer_not_found"),
        ((text_reply("Michael"), text_reply("I forgot.")), 0.0, "agentic:answer_not_found"),
        ((UnparsedReply("Michael", "no words"),), 1.0, "as expected"),
        ((ToolCallReply((ToolCall("1", "x", {}),), "Michael"),), 0.0, "agentic:no_last_message"),
        ((), 0.0, "agentic:no_last_message"),
    ],
)
def test_the_last_words_decide(
    load_agentic_suite: LoadSuite, replies: tuple[Reply, ...], verdict: float, subject: str
) -> None:
    component = judged(load_agentic_suite("memory_kv"), "memory_kv_0-customer-0", *replies)
    assert component.verdict == Scored(verdict)
    assert [entry.subject for entry in component.evidence] == [subject]


def test_a_verdict_that_differs_from_the_references_names_the_rule(
    load_agentic_suite: LoadSuite,
) -> None:
    suite = load_agentic_suite("memory_kv")
    beside = text_reply("{'answer': 'I do not know', 'context': 'Is it Michael?'}")
    component = judged(suite, "memory_kv_0-customer-0", beside)
    assert component.verdict == Scored(0.0)
    reference = component.evidence[-1]
    assert (reference.subject, reference.met) == ("bfcl-v4", True)
    assert "answers_are_judged_alone decides" in reference.why
    assert judged(suite, "memory_kv_0-customer-0", beside, rules=REFERENCE).verdict == Scored(1.0)


def test_what_prepares_is_not_judged(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    component = judged(suite, "memory_kv_prereq_0-customer-0", text_reply("Michael"))
    assert component.verdict == Unscored(PREPARES)


def test_rules_and_conditions_of_conversations_are_refused(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    with pytest.raises(UsageError):
        suite.check(RULES.find("tau2-1.0.1"))
    assert suite.not_applicable(PLAIN) == ""
    assert "persona" in suite.not_applicable(PLAIN.with_axes(persona="hurried"))


def test_the_user_begins_and_the_agent_is_asked_with_all_functions(
    load_agentic_suite: LoadSuite,
) -> None:
    suite = load_agentic_suite("memory_kv")
    question = suite.tasks[0]
    environment = suite.factory(DEFAULT_RULES)(question)
    turn_protocol = suite.turn_protocol(question, environment, DEFAULT_RULES, Limits())
    assert turn_protocol.sides == ("agent",)
    assert turn_protocol.opening() == ()


def test_calls_may_be_asked_for_as_text(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    text = suite.text_calls(None, DEFAULT_RULES)
    question = suite.tasks[0]
    offered = text.offer(question, suite.factory(DEFAULT_RULES)(question).tools("agent"))
    assert offered.startswith("You compose. Write [f(a=1)].")
    reply = text.read(question, '[core_memory_add(key="name", value="Michael")]')
    assert isinstance(reply, ToolCallReply)
    assert reply.calls[0].arguments == {"key": "name", "value": "Michael"}
