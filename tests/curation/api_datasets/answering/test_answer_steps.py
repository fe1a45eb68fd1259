"""The steps `answer` and `check` over a real model server, sound and misbehaving."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.tasks import (
    ApiCall,
    ApiSolution,
    ApiTask,
    CallKind,
    SolutionStep,
    TaskSolution,
)
from dragoman.core.protocols import ChatModel
from dragoman.curation.api_datasets.answer import AnswerSettings, answer, check
from dragoman.curation.api_datasets.candidate_answers import Execute
from dragoman.curation.api_datasets.generate import NAME as TEMPLATE
from dragoman.curation.llm_clients import ModelOptions, run_with_models
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fake_curation_llm import CurationMistakes, FakeCurationLlm
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import ModelServer

CEP = Operation(
    "Consulta CEP", "https://api.example/cep", required_parameters=(ApiParameter("cep"),)
)
TEMPO = Operation(
    "Tempo", "https://api.example/tempo", required_parameters=(ApiParameter("cidade", "integer"),)
)
DOCUMENT = ApiDocument("br", "Serviços", country="Brazil", api_list=(CEP, TEMPO))
OFFERED = ("br/Consulta CEP", "br/Tempo")
Models = Mapping[str, ChatModel]


def task(name: str, query: str, kind: CallKind = "single", made_by: str = "writer") -> ApiTask:
    return ApiTask(name, query, "pt", kind, OFFERED, country="Brazil", made_by=made_by)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    dataset = Dataset(tmp_path)
    tasks = (task("t1", "Endereço. cep: 01310930"), task("t2", "Tempo. cep: 01310930", "nested"))
    made = [NewItem("document", "br", DOCUMENT)]
    made += [NewItem("task", each.id, each, stands_on=(("document", "br"),)) for each in tasks]
    dataset.put([StepOutcome(StepLine("collect", "file", "br.yaml", "kept"), tuple(made))])
    return dataset


def asking(
    answers: FakeCurationLlm, work: Callable[[Models], Awaitable[None]], names: str = "abc"
) -> None:
    """Have work done with models of these names, all on one server."""
    with ModelServer(answers) as server:
        known = {name: f"compatible/{name}?base_url={server.url}" for name in names}

        async def named(models: Models) -> None:
            await work({name: models[known[name]] for name in names})

        asyncio.run(run_with_models(tuple(known.values()), ModelOptions(), named))


async def execute(operation: str, arguments: Mapping[str, object]) -> str:
    found = {
        ("br/Consulta CEP", "01310930"): '{"data": {"cidade": 3550308}}',
        ("br/Tempo", "3550308"): '{"graus": 24}',
    }
    (value,) = arguments.values()
    return found[operation, str(value)]


def answered(
    dataset: Dataset, answers: FakeCurationLlm, *, names: str = "abc", executes: bool = True
) -> dict[str, TaskSolution]:
    asking(
        answers,
        lambda models: answer(
            dataset, AnswerSettings(models, execute if executes else None), lambda _: None
        ),
        names,
    )
    return {item.name: item.record(TaskSolution) for item in dataset.items("solution")}


def reasons(dataset: Dataset, step: str) -> dict[str, tuple[str, str]]:
    return {line.name: (line.verdict, line.reason) for line in dataset.ledger(step)}


def test_three_models_answer_and_each_is_ranked_by_the_other_two(dataset: Dataset) -> None:
    answers = FakeCurationLlm()
    found = answered(dataset, answers)["t1"]
    assert found.solution.calls == (ApiCall("Consulta CEP", {"cep": "01310930"}),)
    assert {each.by: set(each.places) for each in found.candidates} == {
        "a": {"b", "c"},
        "b": {"a", "c"},
        "c": {"a", "b"},
    }
    best = min(found.candidates, key=lambda each: (sum(each.places.values()), each.by))
    assert found.solution.by == best.by
    assert answers.asked["ranking"] == 6


def test_a_nested_query_is_answered_with_what_calls_return(dataset: Dataset) -> None:
    found = answered(dataset, FakeCurationLlm())["t2"].solution
    assert [call for step in found.steps for call in step.calls] == [
        ApiCall("Consulta CEP", {"cep": "01310930"}),
        ApiCall("Tempo", {"cidade": 3550308}),
    ]
    assert found.steps[0].results == ('{"data": {"cidade": 3550308}}',)
    assert found.steps[-1].calls == ()


def test_a_nested_query_waits_where_no_call_can_be_made(dataset: Dataset) -> None:
    found = answered(dataset, FakeCurationLlm(), executes=False)
    assert set(found) == {"t1"}
    assert reasons(dataset, "answer")["t2"] == (
        "failed",
        "its calls need what others return: say how calls are made",
    )
    assert set(answered(dataset, FakeCurationLlm())) == {"t1", "t2"}


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field"])
def test_what_no_model_answers_readably_has_no_answer(dataset: Dataset, mistake: str) -> None:
    assert (
        answered(dataset, FakeCurationLlm(msgspec.convert({mistake: 1.0}, CurationMistakes))) == {}
    )
    verdict, reason = reasons(dataset, "answer")["t1"]
    assert verdict == "failed"
    assert reason.startswith("no model answered: a: the answer is not the JSON asked for")


def test_a_ranking_that_leaves_an_answer_out_is_none(dataset: Dataset) -> None:
    assert answered(dataset, FakeCurationLlm(CurationMistakes(loses_letter=1.0))) == {}
    assert reasons(dataset, "answer")["t1"] == (
        "failed",
        "no ranking by a: the ranking does not have every letter once",
    )


class OneBreaksARule(FakeCurationLlm):
    """Answers in which model `a` calls a tool that is not on offer; others answer well."""

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        reply = super().__call__(request)
        if request.model == "a" and isinstance(reply, CannedReply) and reply.content:
            return CannedReply(reply.content.replace("Consulta CEP", "Nobody Offers This"))
        return reply


def test_a_candidate_that_breaks_a_rule_is_not_ranked_and_cannot_win(dataset: Dataset) -> None:
    found = answered(dataset, OneBreaksARule())["t1"]
    by = {each.by: each for each in found.candidates}
    assert by["a"].why == "rules: 'Nobody Offers This' was not offered"
    assert (by["a"].stands, by["a"].places, by["a"].solution is None) == (False, {}, False)
    assert {name: set(by[name].places) for name in "bc"} == {"b": {"a", "c"}, "c": {"a", "b"}}
    assert found.solution.by in {"b", "c"}
    assert found.audit == "2 of 3 models gave an answer that stands"
    asking(FakeCurationLlm(), lambda models: check(dataset, models, lambda _: None))
    assert not reasons(dataset, "check")["t1"][1].startswith("rules")


def test_a_query_to_which_every_answer_breaks_a_rule_is_dropped(dataset: Dataset) -> None:
    answers = FakeCurationLlm(CurationMistakes(calls_unknown=1.0))
    assert answered(dataset, answers, names="ab") == {}
    said = "rules: 'Nobody Offers This' was not offered"
    assert reasons(dataset, "answer")["t1"] == ("dropped", f"a: {said}; b: {said}")
    assert "ranking" not in answers.asked


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (ApiCall("Nobody Offers This"), "'Nobody Offers This' was not offered"),
        (
            ApiCall("Consulta CEP", {"cep": {"from": "$1.cep"}}),
            "Consulta CEP: 'cep' is {'from': '$1.cep'}, which no result took the place of",
        ),
    ],
)
def test_an_answer_that_breaks_a_rule_is_dropped_before_a_model_is_asked(
    dataset: Dataset, call: ApiCall, why: str
) -> None:
    broken = TaskSolution("t1", ApiSolution("a", (SolutionStep("Vejo.", (call,)),)))
    made = (NewItem("solution", "t1", broken, stands_on=(("task", "t1"),)),)
    dataset.put([StepOutcome(StepLine("answer", "task", "t1", "kept"), made)])
    answers = FakeCurationLlm()
    asking(answers, lambda models: check(dataset, models, lambda _: None))
    assert reasons(dataset, "check")["t1"] == ("dropped", f"rules: {why}")
    assert answers.asked == {}


def test_every_checker_must_pass_an_answer(dataset: Dataset) -> None:
    answered(dataset, FakeCurationLlm())
    answers = FakeCurationLlm()
    asking(answers, lambda models: check(dataset, models, lambda _: None), "ab")
    verdicts = {verdict for verdict, _ in reasons(dataset, "check").values()}
    assert verdicts <= {"kept", "dropped"}
    assert answers.asked == {"check": 4}


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field"])
def test_a_decision_that_cannot_be_read_is_none(dataset: Dataset, mistake: str) -> None:
    answered(dataset, FakeCurationLlm())
    broken = FakeCurationLlm(msgspec.convert({mistake: 1.0}, CurationMistakes))
    asking(broken, lambda models: check(dataset, models, lambda _: None), "a")
    assert {verdict for verdict, _ in reasons(dataset, "check").values()} == {"failed"}


def test_what_a_template_wrote_is_answered_without_a_model(tmp_path: Path) -> None:
    gold = (ApiCall("Consulta CEP", {"cep": "01310930"}),)
    known = ApiTask("t", "cep: 01310930", "pt", "single", OFFERED, gold, made_by=TEMPLATE)
    with Dataset(tmp_path) as dataset:
        made = (NewItem("document", "br", DOCUMENT), NewItem("task", "t", known))
        dataset.put([StepOutcome(StepLine("collect", "file", "f", "kept"), made)])
        asyncio.run(answer(dataset, AnswerSettings({}), lambda _: None))
        (found,) = (item.record(TaskSolution) for item in dataset.items("solution"))
    assert found.solution.by == TEMPLATE
    assert found.solution.steps[0].thought == "Para responder a isto, chamo: Consulta CEP."
    assert found.solution.calls == gold


NESTED = ApiTask(
    "t",
    "cep: 01310930",
    "pt",
    "nested",
    OFFERED,
    (
        ApiCall("Consulta CEP", {"cep": "01310930"}),
        ApiCall("Tempo", {"cidade": {"from": "$1.data.cidade"}}),
    ),
    made_by=TEMPLATE,
)


def by_template(
    folder: Path, task: ApiTask, make: Execute | None
) -> tuple[ApiSolution | None, tuple[str, str]]:
    with Dataset(folder) as dataset:
        made = (NewItem("document", "br", DOCUMENT), NewItem("task", "t", task))
        dataset.put([StepOutcome(StepLine("collect", "file", "f", "kept"), made)])
        asyncio.run(answer(dataset, AnswerSettings({}, make), lambda _: None))
        found = [item.record(TaskSolution).solution for item in dataset.items("solution")]
        return (found[0] if found else None), reasons(dataset, "answer")["t"]


def test_a_nested_template_holds_what_its_calls_returned(tmp_path: Path) -> None:
    found, _ = by_template(tmp_path, NESTED, execute)
    assert found is not None
    assert [(step.calls, step.results) for step in found.steps] == [
        ((ApiCall("Consulta CEP", {"cep": "01310930"}),), ('{"data": {"cidade": 3550308}}',)),
        ((ApiCall("Tempo", {"cidade": 3550308}),), ('{"graus": 24}',)),
    ]


def test_a_nested_template_whose_calls_are_not_made_keeps_its_references(tmp_path: Path) -> None:
    found, _ = by_template(tmp_path, NESTED, None)
    assert found is not None
    assert (found.calls, found.steps[0].results) == (NESTED.gold, ())


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        ('{"data": {}}', "dropped"),
        ('{"data": {"cidade": {"id": 1}}}', "dropped"),
        ("no JSON", "dropped"),
        ('{"error": "no connection"}', "failed"),
    ],
)
def test_a_nested_template_whose_result_does_not_hold_the_value_has_no_answer(
    tmp_path: Path, result: str, verdict: str
) -> None:
    async def always(operation: str, arguments: Mapping[str, object]) -> str:
        del operation, arguments
        return result

    found, (said, why) = by_template(tmp_path, NESTED, always)
    assert (found, said) == (None, verdict)
    assert why.startswith("the answers before it do not hold what call 2 takes")


def test_a_last_call_that_failed_leaves_its_result_out(tmp_path: Path) -> None:
    async def first_alone(operation: str, arguments: Mapping[str, object]) -> str:
        return await execute(operation, arguments) if "CEP" in operation else '{"error": "gone"}'

    found, _ = by_template(tmp_path, NESTED, first_alone)
    assert found is not None
    assert [len(step.results) for step in found.steps] == [1, 0]
