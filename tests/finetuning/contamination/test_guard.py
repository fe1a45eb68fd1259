"""Five kinds of planted leaks are caught, and unrelated rows pass."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.contamination import (
    ContaminationFilter,
    EvaluatedTask,
    NearTexts,
    filter_contaminated,
)

TASKS = (
    EvaluatedTask(
        "itc:world",
        "t1",
        "Vai chover amanhã na cidade do CEP 20040-002?",
        ("br/Consulta CEP", "br/Tempo"),
        (("Consulta CEP", '{"cep":"20040002"}'), ("Tempo", '{"dias":1,"cidade":"x"}')),
    ),
    EvaluatedTask(
        "itc:world", "t2", "郵便番号060-0001の住所を教えてください。", ("jp/郵便番号検索",)
    ),
)


def row(request: str, origin: ExampleOrigin, *calls: tuple[str, str]) -> TrainingExample:
    made = [{"type": "function", "function": {"name": n, "arguments": a}} for n, a in calls]
    return TrainingExample(
        "r",
        (
            {"role": "user", "content": request},
            {"role": "assistant", "content": "", "tool_calls": made},
        ),
        origin=origin,
    )


OTHER = ExampleOrigin("mine", "x", ("de/Feiertage",))


@pytest.mark.parametrize(
    ("leaking", "kind", "task"),
    [
        (row("Will it rain there?", ExampleOrigin("itc:world", "t1")), "task", "t1"),
        (row("住所を知りたい", ExampleOrigin("mine", "x", ("jp/郵便番号検索",))), "api", "t2"),
        (row("vai chover AMANHÃ na cidade do CEP 20040002", OTHER), "text", "t1"),
        (row("Vai chover amanhã na cidade do CEP 20040-003?", OTHER), "near text", "t1"),
        (row("郵便番号060-0001の住所を教えて下さい。", OTHER), "near text", "t2"),
        (
            row(
                "Irgendetwas anderes",
                OTHER,
                ("Tempo", '{"cidade": "x", "dias": 1}'),
                ("Consulta CEP", '{"cep": "20040002"}'),
            ),
            "calls",
            "t1",
        ),
    ],
)
def test_a_planted_leak_is_caught(leaking: TrainingExample, kind: str, task: str) -> None:
    (leak,) = ContaminationFilter(TASKS).leaks(leaking)
    assert (leak.kind, leak.task) == (kind, task)


def test_a_row_of_its_own_passes() -> None:
    own = row("Ist der 6. Januar in Bayern ein Feiertag?", OTHER, ("Feiertage", '{"jahr": 2026}'))
    assert filter_contaminated([own], ContaminationFilter(TASKS)) == ([own], {})


def test_apis_may_be_shared_where_that_is_said() -> None:
    shared = row("住所を知りたい", ExampleOrigin("mine", "x", ("jp/郵便番号検索",)))
    assert list(ContaminationFilter(TASKS, forbid_apis=False).leaks(shared)) == []


def test_a_row_in_another_language_of_an_evaluated_task_is_refused() -> None:
    english = msgspec.structs.replace(
        row("Will it rain tomorrow?", ExampleOrigin("itc:world", "t1", language="en"))
    )
    kept, leaks = filter_contaminated([english], ContaminationFilter(TASKS))
    assert kept == []
    assert [leak.kind for leak in leaks["r"]] == ["task"]


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=8), st.data())
def test_a_text_is_near_itself(texts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts))
    found = NearTexts(texts, 0.7).nearest(text)
    letters = any(letter.isalnum() for letter in text)
    assert (found is not None and found[1] == pytest.approx(1.0)) or not letters


@given(
    st.lists(st.text("abcdefg", min_size=4, max_size=24), min_size=1, max_size=12),
    st.text("abcdefg", min_size=4, max_size=24),
    st.sampled_from([0.5, 0.7, 0.9]),
)
def test_the_index_finds_what_comparing_with_all_finds(
    texts: list[str], text: str, near: float
) -> None:
    def share(one: str, other: str) -> float:
        pieces = [
            {each[at : at + 5] for at in range(max(1, len(each) - 4))} for each in (one, other)
        ]
        return len(pieces[0] & pieces[1]) / len(pieces[0] | pieces[1])

    best = max(share(text, each) for each in texts)
    found = NearTexts(texts, near).nearest(text)
    assert (found is not None) == (best >= near)
    if found is not None:
        assert found[1] == pytest.approx(best)


@pytest.mark.parametrize("name", ["Tempo", "wetter_in_koln"])
def test_what_a_row_calls_is_its_api_without_its_saying_so(name: str) -> None:
    evaluated = EvaluatedTask("itc:mine", "t", "Vai chover?", ("Tempo", "wetter_in_koln"))

    (leak,) = ContaminationFilter([evaluated]).leaks(
        row("Something else altogether", OTHER, (name, '{"dias": 3}'))
    )

    assert (leak.kind, leak.task) == ("api", "t")


def test_calls_in_the_text_of_an_answer_count_as_native_ones_do() -> None:
    calls = (("Tempo", '{"cidade":"x"}'), ("recherche_d_adresse", '{"q":"7"}'))
    evaluated = EvaluatedTask("itc:mine", "t", "Vai chover?", ("Tempo",), calls)
    answer = '{"Thought": "Eh.", "Action": "[Recherche d\'adresse(q=\'7\'), Tempo(cidade=\'x\')]"}'
    given = TrainingExample(
        "r",
        ({"role": "user", "content": "Something"}, {"role": "assistant", "content": answer}),
        origin=OTHER,
    )

    assert [leak.kind for leak in ContaminationFilter([evaluated]).leaks(given)] == ["api", "calls"]
    allowed = ContaminationFilter([evaluated], forbid_apis=False)
    assert [leak.kind for leak in allowed.leaks(given)] == ["calls"]


@pytest.mark.parametrize(
    ("evaluated", "of_row"),
    [
        ("itc:world", "itc:world/ja"),
        ("itc:world/ja", "itc:world"),
        ("itc:acebench-zh", "itc:acebench-en"),
        ("bfcl:non_live", "bfcl:simple_python"),
        ("tau2:telecom-workflow-solo", "tau2:telecom:train"),
        ("itc:FOLDER#test", "the dataset it was made of"),
        ("itc:FOLDER", "itc:FOLDER#train"),
    ],
)
def test_a_task_is_the_same_whatever_its_suite_is_called(
    evaluated: str, of_row: str, tmp_path: Path
) -> None:
    for name in ("tasks.jsonl", "documents.jsonl"):
        (tmp_path / name).touch()
    evaluated, of_row = (name.replace("FOLDER", str(tmp_path)) for name in (evaluated, of_row))
    planted = row("Nothing of the kind", ExampleOrigin(of_row, "7", language="sw"))

    (leak,) = ContaminationFilter([EvaluatedTask(evaluated, "7", "Wird es regnen?")]).leaks(planted)

    assert (leak.kind, leak.suite, leak.task) == ("task", evaluated, "7")


@pytest.mark.parametrize("of_row", ["itc:nestful", "tau2:retail", "the dataset"])
def test_ids_of_other_suites_name_other_tasks(of_row: str) -> None:
    own = row("Nothing of the kind", ExampleOrigin(of_row, "7"))

    assert (
        list(ContaminationFilter([EvaluatedTask("itc:world", "7", "Wird es regnen?")]).leaks(own))
        == []
    )


def test_a_task_is_known_by_its_record_under_a_name_that_nobody_knows() -> None:
    planted = row("Nothing of the kind", ExampleOrigin("renamed", "9", digest="abc"))
    evaluated = EvaluatedTask("itc:world", "7", "Wird es regnen?", digest="abc")

    (leak,) = ContaminationFilter([evaluated]).leaks(planted)

    assert (leak.kind, leak.task) == ("task", "7")
