"""The steps `answer` and `check` over a real model server, sound and misbehaving."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.solutions import TaskSolution
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.answering.step import Answering, answer, check
from dragoman.curation.apis.desk import ModelTerms, with_models
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.store.datasets.dataset import Dataset
from dragoman.store.datasets.records import NewItem, StepLine, StepOutcome
from dragoman.testing.server import ModelServer
from dragoman.testing.shows.curating import CuratingAnswers, CuratingMistakes

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
    answers: CuratingAnswers, work: Callable[[Models], Awaitable[None]], names: str = "abc"
) -> None:
    """Have work done with models of these names, all on one server."""
    with ModelServer(answers) as server:
        known = {name: f"compatible/{name}?base_url={server.url}" for name in names}

        async def named(models: Models) -> None:
            await work({name: models[known[name]] for name in names})

        asyncio.run(with_models(tuple(known.values()), ModelTerms(), named))


async def execute(operation: str, arguments: Mapping[str, object]) -> str:
    found = {
        ("br/Consulta CEP", "01310930"): '{"data": {"cidade": 3550308}}',
        ("br/Tempo", "3550308"): '{"graus": 24}',
    }
    (value,) = arguments.values()
    return found[operation, str(value)]


def answered(
    dataset: Dataset, answers: CuratingAnswers, *, names: str = "abc", executes: bool = True
) -> dict[str, TaskSolution]:
    asking(
        answers,
        lambda models: answer(
            dataset, Answering(models, execute if executes else None), lambda _: None
        ),
        names,
    )
    return {item.name: item.record(TaskSolution) for item in dataset.items("solution")}


def reasons(dataset: Dataset, step: str) -> dict[str, tuple[str, str]]:
    return {line.name: (line.verdict, line.reason) for line in dataset.ledger(step)}


def test_three_models_answer_and_each_is_ranked_by_the_other_two(dataset: Dataset) -> None:
    answers = CuratingAnswers()
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
    found = answered(dataset, CuratingAnswers())["t2"].solution
    assert [call for step in found.steps for call in step.calls] == [
        ApiCall("Consulta CEP", {"cep": "01310930"}),
        ApiCall("Tempo", {"cidade": 3550308}),
    ]
    assert found.steps[0].results == ('{"data": {"cidade": 3550308}}',)
    assert found.steps[-1].calls == ()


def test_a_nested_query_waits_where_no_call_can_be_made(dataset: Dataset) -> None:
    found = answered(dataset, CuratingAnswers(), executes=False)
    assert set(found) == {"t1"}
    assert reasons(dataset, "answer")["t2"] == (
        "failed",
        "its calls need what others return: say how calls are made",
    )
    assert set(answered(dataset, CuratingAnswers())) == {"t1", "t2"}


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field"])
def test_what_no_model_answers_readably_has_no_answer(dataset: Dataset, mistake: str) -> None:
    assert (
        answered(dataset, CuratingAnswers(msgspec.convert({mistake: 1.0}, CuratingMistakes))) == {}
    )
    verdict, reason = reasons(dataset, "answer")["t1"]
    assert verdict == "failed"
    assert reason.startswith("no model answered: a: the answer is not the JSON asked for")


def test_a_ranking_that_leaves_an_answer_out_is_none(dataset: Dataset) -> None:
    assert answered(dataset, CuratingAnswers(CuratingMistakes(loses_letter=1.0))) == {}
    assert reasons(dataset, "answer")["t1"] == (
        "failed",
        "no ranking by a: the ranking does not have every letter once",
    )


def test_an_answer_that_breaks_a_rule_is_dropped_before_a_model_is_asked(dataset: Dataset) -> None:
    answered(dataset, CuratingAnswers(CuratingMistakes(calls_unknown=1.0)))
    answers = CuratingAnswers()
    asking(answers, lambda models: check(dataset, models, lambda _: None))
    assert reasons(dataset, "check")["t1"] == (
        "dropped",
        "rules: 'Nobody Offers This' was not offered",
    )
    assert answers.asked == {}


def test_every_checker_must_pass_an_answer(dataset: Dataset) -> None:
    answered(dataset, CuratingAnswers())
    answers = CuratingAnswers()
    asking(answers, lambda models: check(dataset, models, lambda _: None), "ab")
    verdicts = {verdict for verdict, _ in reasons(dataset, "check").values()}
    assert verdicts <= {"kept", "dropped"}
    assert answers.asked == {"check": 4}


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field"])
def test_a_decision_that_cannot_be_read_is_none(dataset: Dataset, mistake: str) -> None:
    answered(dataset, CuratingAnswers())
    broken = CuratingAnswers(msgspec.convert({mistake: 1.0}, CuratingMistakes))
    asking(broken, lambda models: check(dataset, models, lambda _: None), "a")
    assert {verdict for verdict, _ in reasons(dataset, "check").values()} == {"failed"}


def test_what_a_template_wrote_is_answered_without_a_model(tmp_path: Path) -> None:
    gold = (ApiCall("Consulta CEP", {"cep": "01310930"}),)
    known = ApiTask("t", "cep: 01310930", "pt", "single", OFFERED, gold, made_by=TEMPLATE)
    with Dataset(tmp_path) as dataset:
        made = (NewItem("document", "br", DOCUMENT), NewItem("task", "t", known))
        dataset.put([StepOutcome(StepLine("collect", "file", "f", "kept"), made)])
        asyncio.run(answer(dataset, Answering({}), lambda _: None))
        (found,) = (item.record(TaskSolution) for item in dataset.items("solution"))
    assert found.solution.by == TEMPLATE
    assert found.solution.steps[0].thought == "Para responder a isto, chamo: Consulta CEP."
    assert found.solution.calls == gold
