"""The step `generate` over a real model server, sound and misbehaving."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, DocumentOrigin, Operation
from dragoman.core.apis.tasks import ApiTask
from dragoman.curation.api_datasets.generate import QueryWriter, draw_briefs, generate
from dragoman.curation.api_datasets.pipeline import active
from dragoman.curation.api_datasets.query_briefs import BriefPlan
from dragoman.curation.api_datasets.rate import Raters, StoredRating, rate
from dragoman.curation.llm_clients import ModelOptions, run_with_models
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.testing.fake_curation_llm import CurationMistakes, FakeCurationLlm
from dragoman.testing.server import ModelServer

ORIGIN = DocumentOrigin("a list", "brazil.yaml", "openapi-3.1")
DOCUMENT = ApiDocument(
    "br",
    "Serviços",
    country="Brazil",
    origins=(ORIGIN,),
    api_list=(
        Operation(
            "Consulta CEP",
            "https://api.example/{cep}",
            "Endereço de um CEP",
            required_parameters=(ApiParameter("cep", example="01310930"),),
        ),
        Operation(
            "Consulta DDD",
            "https://api.example/ddd",
            "Cidades de um DDD",
            required_parameters=(ApiParameter("ddd", example="81"),),
        ),
    ),
)
SINGLE = BriefPlan({"single": 2, "repeated": 0, "parallel": 0, "nested": 0})


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    dataset = Dataset(tmp_path)
    dataset.put(
        [
            StepOutcome(
                StepLine("collect", "file", "brazil.yaml", "kept", source="a list"),
                (NewItem("document", "br", DOCUMENT),),
            )
        ]
    )
    return dataset


def with_server(answers: FakeCurationLlm, use: Callable[[str], None]) -> None:
    with ModelServer(answers) as server:
        use(f"compatible/any?base_url={server.url}")


def write(dataset: Dataset, answers: FakeCurationLlm, count: int = 2) -> None:
    draw_briefs(dataset, SINGLE)

    def use(name: str) -> None:
        asyncio.run(
            run_with_models(
                (name,),
                ModelOptions(),
                lambda models: generate(
                    dataset, QueryWriter("writer", models[name], count), 0, lambda _: None
                ),
            )
        )

    with_server(answers, use)


def grade(dataset: Dataset, answers: FakeCurationLlm, threshold: float = 4.0) -> None:
    def use(name: str) -> None:
        asyncio.run(
            run_with_models(
                (name,),
                ModelOptions(),
                lambda models: rate(
                    dataset,
                    Raters({"a": models[name], "b": models[name]}, threshold),
                    lambda _: None,
                ),
            )
        )

    with_server(answers, use)


def tasks(dataset: Dataset) -> list[ApiTask]:
    return [item.record(ApiTask) for item in dataset.items("task")]


def test_a_model_writes_queries_for_each_brief(dataset: Dataset) -> None:
    answers = FakeCurationLlm()
    write(dataset, answers)
    assert sorted(task.query for task in tasks(dataset)) == [
        "Question 1. cep: 01310930",
        "Question 1. ddd: 81",
        "Question 2. cep: 01310930",
        "Question 2. ddd: 81",
    ]
    assert {(task.language, task.made_by, task.gold) for task in tasks(dataset)} == {
        ("pt", "writer", ())
    }
    write(dataset, answers)
    assert answers.asked == {"queries": 2}


def test_a_query_that_names_its_api_is_left_out_and_said(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm(CurationMistakes(names_api=1.0)))
    assert len(tasks(dataset)) == 2
    (line, _) = dataset.ledger("generate")
    assert "it names the API" in line.reason


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field"])
def test_an_answer_that_cannot_be_read_is_no_query_and_is_asked_for_again(
    dataset: Dataset, mistake: str
) -> None:
    write(dataset, FakeCurationLlm(msgspec.convert({mistake: 1.0}, CurationMistakes)))
    assert tasks(dataset) == []
    assert {line.verdict for line in dataset.ledger("generate")} == {"failed"}
    write(dataset, FakeCurationLlm())
    assert len(tasks(dataset)) == 4


def test_briefs_of_another_plan_take_their_queries_along(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm())
    draw_briefs(dataset, BriefPlan({"single": 1, "repeated": 0, "parallel": 0, "nested": 0}))
    asyncio.run(generate(dataset, QueryWriter(), 0, lambda _: None))
    assert [task.made_by for task in tasks(dataset)] == ["template@1"]


def test_what_one_rater_finds_too_low_is_dropped_with_both_means(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm())
    grade(dataset, FakeCurationLlm(), threshold=5.0)
    lines = list(dataset.ledger("rate"))
    assert {line.verdict for line in lines} == {"dropped"}
    assert all(line.reason.startswith("below 5: a ") for line in lines)
    ratings = [item.record(StoredRating) for item in dataset.items("rating")]
    assert {each.rater for each in ratings} == {"a", "b"}
    grade(dataset, FakeCurationLlm(), threshold=1.0)
    assert {line.verdict for line in dataset.ledger("rate")} == {"kept"}


@pytest.mark.parametrize("mistake", ["bad_json", "prose", "extra_field", "out_of_range"])
def test_a_rating_that_cannot_be_read_is_no_rating(dataset: Dataset, mistake: str) -> None:
    write(dataset, FakeCurationLlm())
    grade(dataset, FakeCurationLlm(msgspec.convert({mistake: 1.0}, CurationMistakes)))
    assert list(dataset.items("rating")) == []
    lines = list(dataset.ledger("rate"))
    assert {line.verdict for line in lines} == {"failed"}
    assert lines[0].reason.startswith("no rating by a: ")


def test_a_query_falls_with_an_operation_that_it_needs(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm())
    gone = StepLine("filter", "operation", "br/Consulta DDD", "dropped", "it answers 404")
    dataset.put([StepOutcome(gone)])
    status = dataset.active("task", after=("filter",))
    assert {item.record(ApiTask).query for item in status} == {
        "Question 1. cep: 01310930",
        "Question 2. cep: 01310930",
    }


def test_what_models_consumed_is_kept_by_step(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm())
    (used,) = dataset.usage()["generate"]
    assert (used.purpose, used.calls) == ("generate", 2)


def test_a_query_that_nobody_could_rate_waits_and_does_not_go_on(dataset: Dataset) -> None:
    write(dataset, FakeCurationLlm())
    assert len(list(active(dataset, "task", "answer"))) == 4
    grade(dataset, FakeCurationLlm(CurationMistakes(prose=1.0)))
    assert list(active(dataset, "task", "answer")) == []
    grade(dataset, FakeCurationLlm(), threshold=1.0)
    assert len(list(active(dataset, "task", "answer"))) == 4


@pytest.mark.parametrize("step", ["verify", "filter"])
def test_an_operation_that_could_not_be_reached_gets_no_query(dataset: Dataset, step: str) -> None:
    unreached = StepLine(step, "operation", "br/Consulta DDD", "failed", "no answer")
    dataset.put([StepOutcome(unreached)])
    write(dataset, FakeCurationLlm())
    assert sorted(task.query for task in tasks(dataset)) == [
        "Question 1. cep: 01310930",
        "Question 2. cep: 01310930",
    ]
    dataset.put([StepOutcome(msgspec.structs.replace(unreached, verdict="kept"))])
    write(dataset, FakeCurationLlm())
    assert len(tasks(dataset)) == 4
