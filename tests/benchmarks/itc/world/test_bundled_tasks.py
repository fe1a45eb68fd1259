"""The bundled tasks can be solved in the bundled world."""

from collections import Counter

import msgspec
import pytest

from dragoman.benchmarks.itc.suite import ApiSuite
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis, load_bundled_set
from dragoman.benchmarks.itc.world.request_handler import SimulatedApis, SimulatedResponse
from dragoman.benchmarks.itc.world.tasks import FEWEST, MOST, REFERENCE, references
from dragoman.core.apis.documents import operations
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import ToolCallReply
from dragoman.core.rules import RULES
from dragoman.core.scores import Scored
from dragoman.core.tools import ToolCall

TASKS = load_bundled_apis().tasks
PRINCIPAL = "what the rate gave"
OPERATIONS = {
    name: one for document in load_bundled_apis().documents for name, one in operations(document)
}


def played(apis: SimulatedApis, task: ApiTask) -> list[SimulatedResponse]:
    answers: list[SimulatedResponse] = []
    results: list[object] = []
    for call in task.gold:
        arguments = {name: resolved(value, results) for name, value in call.arguments.items()}
        answers.append(apis.call(call.tool, arguments))
        results.append(msgspec.json.decode(answers[-1].body))
    return answers


def resolved(value: object, results: list[object]) -> object:
    match = REFERENCE.fullmatch(references(value))
    if match is None:
        return value
    found = results[int(match[1]) - 1]
    for step in match[2].split(".")[1:]:
        if isinstance(found, list):
            found = found[int(step)]
        else:
            assert isinstance(found, dict)
            found = found[step]
    return found


def is_nothing(content: object) -> bool:
    """Return whether an answer is empty, or one of its fields is."""
    if isinstance(content, dict):
        return not content or any(value in ([], {}, None) for value in content.values())
    return content in ([], None)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_gold_call_is_answered_with_something(task: ApiTask) -> None:
    for answer in played(load_bundled_apis().apis, task):
        assert answer.status == 200
        assert not is_nothing(msgspec.json.decode(answer.body))


def test_values_that_are_as_right_are_answered_as_well() -> None:
    for task in TASKS:
        results: list[object] = []
        for call in task.gold:
            arguments = {name: resolved(value, results) for name, value in call.arguments.items()}
            answer = load_bundled_apis().apis.call(call.tool, arguments)
            results.append(msgspec.json.decode(answer.body))
            for name, others in call.also.items():
                for other in others:
                    also = load_bundled_apis().apis.call(call.tool, {**arguments, name: other})
                    assert also.status == 200, (task.id, other)
                    assert not is_nothing(msgspec.json.decode(also.body)), (task.id, other)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_is_offered_is_known_and_holds_the_tools_of_the_gold_calls(task: ApiTask) -> None:
    assert FEWEST <= len(set(task.offered)) == len(task.offered) <= MOST
    names = {OPERATIONS[name].name for name in task.offered}
    assert {call.tool for call in task.gold} <= names


def test_no_two_tasks_share_an_id_or_a_text() -> None:
    assert Counter(task.id for task in TASKS).most_common(1)[0][1] == 1
    assert Counter(task.query for task in TASKS).most_common(1)[0][1] == 1


PLANNED = {
    "en-fx-chf-nok",
    "en-country-paraguay",
    "en-yen-thirty-years",
    "id-yen-tabung",
    "id-buka-dua-kota",
    "tl-korea",
}


def test_plans_give_what_gold_gives() -> None:
    # The suite refuses any that does not.
    suite = ApiSuite(load_bundled_set())
    plans = {each.id: each.criteria.plans for each in suite.tasks if each.criteria is not None}
    assert {name for name in PLANNED if plans[name]} == PLANNED
    for task in suite.tasks:
        gold = () if task.criteria is None else task.criteria.actions or ()
        for plan in plans[task.id]:
            assert plan != gold
            assert len(plan) >= len(gold)


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("en-password-seven", [("generate_password", {"length": 12, "numbers": True, "seed": 7})]),
        (
            "en-fx-chf-nok",
            [
                ("fx_rates", {"from": "EUR", "to": "NOK", "date": "2026-03-12"}),
                ("fx_rates", {"from": "EUR", "to": "CHF", "date": "2026-03-12"}),
            ],
        ),
        ("en-country-paraguay", [("country_lookup", {"code": "PY"})]),
        (
            "en-express-and-password",
            [
                ("generate_password", {"length": 16, "numbers": True, "seed": 3}),
                ("global_email_check_v2", {"email": "press@example.net", "opt": "Verify: Express"}),
            ],
        ),
        (
            "en-yen-thirty-years",
            [
                ("country_lookup", {"code": "JP"}),
                ("fx_rates", {"from": "USD", "to": "JPY", "date": "2026-03-12"}),
                ("compound_growth", {"principal": PRINCIPAL, "annual_rate": 1, "years": 30}),
            ],
        ),
    ],
)
def test_an_equal_plan_earns_its_reward_under_the_newer_rules_alone(
    name: str, calls: list[tuple[str, dict[str, object]]]
) -> None:
    suite = ApiSuite(load_bundled_set())
    task = next(each for each in suite.tasks if each.id == name)
    assert task.criteria is not None
    gold = {each.name: each.arguments for each in task.criteria.actions or ()}
    made = tuple(
        ToolCall(
            str(at),
            tool,
            {key: gold[tool][key] if value is PRINCIPAL else value for key, value in given.items()},
        )
        for at, (tool, given) in enumerate(calls)
    )
    episode = Episode((Message("agent", ToolCallReply(made)),), Termination("turns_done"), 1, 0)

    def verdict(rules: str) -> object:
        return suite.check(RULES.find(rules)).components(task, episode)[0].verdict

    assert (verdict("itc-2"), verdict("dragoman-2")) == (Scored(1.0), Scored(0.0))
