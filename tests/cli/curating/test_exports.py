"""A dataset is written in the forms that others read."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import polars as pl
import pytest

from dragoman.benchmarks.kit.api_tools import prompt_text
from dragoman.core.apis.documents import ApiDocument, ApiParameter, DocumentOrigin, Operation
from dragoman.core.apis.itc_answers import parse_itc_answer
from dragoman.core.apis.tasks import ApiCall, ApiSolution, ApiTask, SolutionStep, TaskSolution
from dragoman.core.errors import UsageError
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.curation.api_datasets.split import TaskSplit
from dragoman.finetuning.preparation import read_rows
from dragoman.formats.api_dataset_export import export_dataset, renew_export
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]


def operation(name: str, parameter: str) -> Operation:
    return Operation(
        name,
        f"https://api.example/{parameter}",
        f"About {parameter}",
        required_parameters=(ApiParameter(parameter, description=f"The {parameter}"),),
    )


DOCUMENTS = (
    ApiDocument(
        "br",
        "Serviços",
        country="Brazil",
        api_list=(operation("Buscar", "cep"), operation("Tempo", "cidade")),
        origins=(DocumentOrigin("a list", "br.yaml", "openapi-3.1", licence="MIT"),),
    ),
    ApiDocument("mx", "Servicios", country="Mexico", api_list=(operation("Buscar", "estado"),)),
)
OFFERED = ("br/Buscar", "br/Tempo", "mx/Buscar")
NESTED = (
    ApiCall("Serviços: Buscar", {"cep": "01310930"}),
    ApiCall("Tempo", {"cidade": "3550308"}),
)


def task(name: str, query: str) -> ApiTask:
    return ApiTask(name, query, "pt", "nested", OFFERED, country="Brazil", made_by="writer")


def solution(name: str, calls: tuple[ApiCall, ...]) -> TaskSolution:
    results = ('{"cidade": "3550308"}', "not JSON")
    steps = [
        SolutionStep(f"Passo {number}.", (call,), (result,))
        for number, (call, result) in enumerate(zip(calls, results, strict=False), 1)
    ]
    return TaskSolution(name, ApiSolution("a", (*steps, SolutionStep("Pronto."))))


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    tasks = (task("t1", "Como está o tempo no CEP 01310-930?"), task("t2", "E no México?"))
    calls = (NESTED, (ApiCall("Servicios: Buscar", {"estado": "Oaxaca"}),))
    made = [NewItem("document", each.id, each) for each in DOCUMENTS]
    made += [NewItem("task", each.id, each) for each in tasks]
    made += [
        NewItem("solution", each.id, solution(each.id, gold))
        for each, gold in zip(tasks, calls, strict=True)
    ]
    made += [
        NewItem("side", "t1", TaskSplit("train", ("br/Buscar", "br/Tempo"))),
        NewItem("side", "t2", TaskSplit("test", OFFERED, ("mx/Buscar",))),
    ]
    with Dataset(tmp_path / "d") as dataset:
        dataset.put([StepOutcome(StepLine("collect", "file", "f", "kept"), tuple(made))])
    return str(tmp_path / "d")


@pytest.fixture
def exported(run_json: RunJson, dataset: str, tmp_path: Path) -> Callable[[str], Path]:
    def export(form: str) -> Path:
        out = tmp_path / form
        found = run_json("curate", "export", dataset, "--to", form, "--out", str(out))
        assert {str(path) for path in out.rglob("*") if path.is_file()} == set(found["files"])
        assert (out / "README.md").read_text("utf-8").count("# d\n") == 1
        return out

    return export


def lines(path: Path) -> list[Any]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def test_conversations_have_the_form_of_the_source(exported: Callable[[str], Path]) -> None:
    (row,) = lines(exported("itc") / "train.jsonl")
    turns = row["conversations"]
    assert turns[0] == {"from": "user", "value": "Como está o tempo no CEP 01310-930?"}
    assert [turn.get("from", turn.get("role")) for turn in turns] == [
        "user", "assistant", "Tool", "assistant", "Tool", "assistant",
    ]  # fmt: skip
    assert turns[2]["content"] == {"cidade": "3550308"}
    assert turns[4]["content"] == "not JSON"
    first = parse_itc_answer(turns[1]["value"], ("Serviços: Buscar", "Tempo"))
    assert (first.is_strict, first.calls) == (True, NESTED[:1])
    assert "Servicios: Buscar" not in row["system"]


def test_apis_come_back_from_the_form_of_the_source(
    exported: Callable[[str], Path], run_json: RunJson, tmp_path: Path
) -> None:
    apis = exported("itc") / "apis.jsonl"
    assert [each["tool_name"] for each in lines(apis)] == ["Serviços", "Servicios"]
    one = tmp_path / "one.json"
    one.write_bytes(apis.read_bytes().splitlines()[0])
    run_json("curate", "collect", str(tmp_path / "again"), str(one))
    with Dataset(tmp_path / "again", write=False) as again:
        (document,) = (item.record(ApiDocument) for item in again.items("document"))
    assert [each.name for each in document.api_list] == ["Buscar", "Tempo"]
    assert document.api_list[0].required_parameters[0].description == "The cep"
    assert document.country == "Brazil"


def test_chats_have_tool_calls_that_their_results_answer(exported: Callable[[str], Path]) -> None:
    (chat,) = lines(exported("openai") / "train.jsonl")
    roles = [each["role"] for each in chat["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    calls = [call for each in chat["messages"] for call in each.get("tool_calls", ())]
    answered = [each["tool_call_id"] for each in chat["messages"] if each["role"] == "tool"]
    assert [call["id"] for call in calls] == answered
    offered = {tool["function"]["name"] for tool in chat["tools"]}
    assert {call["function"]["name"] for call in calls} <= offered
    assert msgspec.json.decode(calls[0]["function"]["arguments"]) == {"cep": "01310930"}


def test_rows_for_training_say_what_they_came_from(exported: Callable[[str], Path]) -> None:
    folder = exported("rows")
    (row,) = (
        msgspec.json.decode(line, type=TrainingExample)
        for line in (folder / "train.jsonl").read_bytes().splitlines()
    )
    assert row.request == "Como está o tempo no CEP 01310-930?"
    assert row.origin == ExampleOrigin("", "t1", ("br/Buscar", "br/Tempo"), "pt", "MIT", "a")


@pytest.mark.slow
def test_rows_in_text_are_told_as_agents_of_the_suite_are(
    exported: Callable[[str], Path], dragoman: Cli, folder: Path
) -> None:
    exported("suite").rename(folder / "suite")
    (row,) = read_rows([exported("text-rows") / "train.jsonl"])
    done = dragoman("run", "itc:suite#train", "--agent", "gold", "--out", "run")
    assert done.returncode == 0, done.stderr
    dragoman("rows", "run", "--calls", "thought-action", "--only", "all", "--out", "rows.jsonl")

    (played,) = read_rows([folder / "rows.jsonl"])

    assert [each["role"] for each in row.messages] == [
        "system", "user", "assistant", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert row.messages[:2] == played.messages[:2]
    assert str(row.messages[3]["content"]).partition("\n")[0] == prompt_text("results")
    answer = parse_itc_answer(str(row.messages[2]["content"]))
    assert (answer.is_strict, answer.thought) == (True, "Passo 1.")


def test_a_table_has_a_row_for_each_task(exported: Callable[[str], Path]) -> None:
    table = pl.read_parquet(exported("parquet") / "test.parquet")
    assert table["query"].to_list() == ["E no México?"]
    assert msgspec.json.decode(table["gold"][0]) == [
        {"tool": "Servicios: Buscar", "arguments": {"estado": "Oaxaca"}}
    ]


@pytest.mark.nightly
def test_the_folder_is_opened_by_datasets(exported: Callable[[str], Path], tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="a library of others opens the folder")
    datasets.disable_progress_bars()
    loaded = datasets.load_dataset(str(exported("hf")), cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"train": 1, "test": 1}


def test_a_suite_is_played_with_the_results_that_were_recorded(
    exported: Callable[[str], Path], run_json: RunJson, tmp_path: Path
) -> None:
    suite = exported("suite")
    run = run_json("run", f"itc:{suite}", "--agent", "gold,silent", "--out", str(tmp_path / "r"))
    rewards = {row["agent"]: row["pass_hat"]["1"] for row in run["cells"]}
    assert rewards == {"gold": 1.0, "silent": 0.0}


def test_one_side_of_a_suite_can_be_played(exported: Callable[[str], Path], dragoman: Cli) -> None:
    suite = exported("suite")
    printed = dragoman("list", "tasks", f"itc:{suite}#test").stdout
    assert printed.split()[0] == "t2"
    assert len(printed.splitlines()) == 1


def test_a_damaged_suite_names_file_and_line(
    exported: Callable[[str], Path], refused: Refused
) -> None:
    suite = exported("suite")
    with (suite / "tasks.jsonl").open("ab") as file:
        file.write(b'{"id": 3}\n')
    assert "tasks.jsonl, line 3: no ApiTask" in refused("list", "tasks", f"itc:{suite}", status=1)


def test_a_folder_that_is_there_is_not_written_over(
    exported: Callable[[str], Path], refused: Refused, dataset: str
) -> None:
    out = exported("itc")
    asked = ("curate", "export", dataset, "--to", "itc", "--out", str(out))
    assert "not empty" in refused(*asked, status=2)


def test_a_form_that_does_not_exist_is_refused(refused: Refused, dataset: str) -> None:
    asked = ("curate", "export", dataset, "--to", "xml", "--out", "out")
    assert "--to xml: choose suite, itc, openai, rows, text-rows, parquet, hf" in refused(
        *asked, status=2
    )


def test_an_export_gives_way_to_a_newer_one_and_nothing_else_does(
    dataset: str, tmp_path: Path
) -> None:
    folder, out = Path(dataset), tmp_path / "out"
    renew_export(folder, "openai", out)
    renew_export(folder, "rows", out)
    assert {path.name for path in out.iterdir()} == {
        "README.md",
        "sources.jsonl",
        "train.jsonl",
        "test.jsonl",
        ".dragoman-export.json",
    }
    (out / "train.jsonl").write_text("edited")
    with pytest.raises(UsageError, match=r"other files than an export wrote.*train.jsonl"):
        renew_export(folder, "openai", out)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "README.md").write_text("mine")
    (tmp_path / "notes.draft").mkdir()
    with pytest.raises(UsageError, match="other files"):
        renew_export(folder, "openai", notes)
    assert (notes / "README.md").read_text() == "mine"
    assert (tmp_path / "notes.draft").is_dir()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


WAITING = TaskSolution(
    "t3",
    ApiSolution(
        "template@1",
        (
            SolutionStep("Chamo.", (ApiCall("Serviços: Buscar", {"cep": "01310930"}),)),
            SolutionStep("Chamo.", (ApiCall("Tempo", {"cidade": {"from": "$1.cidade"}}),)),
        ),
    ),
)
SILENT = TaskSolution(
    "t3",
    ApiSolution(
        "a", (SolutionStep("Chamo.", NESTED[:1]), SolutionStep("Chamo.", NESTED[1:], ("24",)))
    ),
)
STRANGE = TaskSolution("t3", ApiSolution("a", (SolutionStep("Chamo.", (ApiCall("Ninguém"),)),)))


def with_task(dataset: str, *made: NewItem) -> None:
    with Dataset(Path(dataset)) as open_one:
        open_one.put([StepOutcome(StepLine("collect", "file", "g", "kept"), made)])


@pytest.mark.parametrize("form", ["itc", "openai", "rows", "text-rows", "parquet", "hf"])
@pytest.mark.parametrize(
    ("solution", "why"),
    [
        (WAITING, "its calls need unknown results of other calls"),
        (SILENT, "the result of a call is missing between two of its steps"),
        (STRANGE, "its answer calls 'Ninguém', which it does not offer"),
    ],
)
def test_a_task_without_results_is_withheld_from_what_is_learnt(
    dataset: str, tmp_path: Path, solution: TaskSolution, why: str, form: str
) -> None:
    gold = WAITING.solution.calls
    nested = msgspec.structs.replace(task("t3", "Tempo no 01310-930?"), gold=gold)
    with_task(dataset, NewItem("task", "t3", nested), NewItem("solution", "t3", solution))
    done = export_dataset(Path(dataset), form, tmp_path / "out")
    (withheld,) = done.withheld
    assert (withheld.id, withheld.reason.startswith(why)) == ("t3", True)
    assert lines(tmp_path / "out" / "withheld.jsonl") == [msgspec.to_builtins(withheld)]
    assert why in (tmp_path / "out" / "README.md").read_text("utf-8")
    for path in (each for each in done.files if each.suffix in {".jsonl", ".parquet"}):
        assert b'"$1' not in path.read_bytes(), path


def test_a_suite_has_a_task_whose_results_nobody_has(dataset: str, tmp_path: Path) -> None:
    with_task(dataset, NewItem("task", "t3", task("t3", "E?")), NewItem("solution", "t3", WAITING))
    done = export_dataset(Path(dataset), "suite", tmp_path / "out")
    assert done.withheld == ()
    assert {each["id"] for each in lines(tmp_path / "out" / "tasks.jsonl")} == {"t1", "t2", "t3"}


def test_gold_of_a_nested_task_has_the_values_that_were_sent(dataset: str, tmp_path: Path) -> None:
    gold = (NESTED[0], ApiCall("Tempo", {"cidade": {"from": "$1.cidade"}}))
    nested = msgspec.structs.replace(task("t4", "?"), gold=gold)
    solved = NewItem("solution", "t4", solution("t4", NESTED))
    with_task(dataset, NewItem("task", "t4", nested), solved)
    export_dataset(Path(dataset), "parquet", tmp_path / "table")
    export_dataset(Path(dataset), "suite", tmp_path / "suite")
    table = pl.read_parquet(tmp_path / "table" / "all.parquet")
    assert msgspec.json.decode(table["gold"][0])[1]["arguments"] == {"cidade": "3550308"}
    (found,) = (each for each in lines(tmp_path / "suite" / "tasks.jsonl") if each["id"] == "t4")
    assert found["gold"][1]["arguments"] == {"cidade": "3550308"}


def test_nothing_is_written_where_every_task_is_withheld(tmp_path: Path) -> None:
    with Dataset(tmp_path / "d") as one:
        made = [NewItem("document", each.id, each) for each in DOCUMENTS]
        made += [NewItem("task", "t3", task("t3", "E?")), NewItem("solution", "t3", WAITING)]
        one.put([StepOutcome(StepLine("collect", "file", "f", "kept"), tuple(made))])
    with pytest.raises(
        UsageError, match="no task can be written as a conversation: its calls need"
    ):
        export_dataset(tmp_path / "d", "openai", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_rows_and_card_say_licences_and_sources(dataset: str, tmp_path: Path) -> None:
    for form in ("itc", "parquet", "hf"):
        export_dataset(Path(dataset), form, tmp_path / form)
    (row,) = lines(tmp_path / "itc" / "train.jsonl")
    assert (row["licences"], row["sources"]) == (["MIT"], ["a list"])
    table = pl.read_parquet(tmp_path / "parquet" / "train.parquet")
    assert (table["licences"].to_list(), table["sources"].to_list()) == (["MIT"], ["a list"])
    sources = lines(tmp_path / "hf" / "sources.jsonl")
    assert [
        (each["document"], each["place"], each["licence"], each["tasks"]) for each in sources
    ] == [("br", "br.yaml", "MIT", 2)]
    head = (tmp_path / "hf" / "README.md").read_text("utf-8").split("---")[1]
    # The document of Mexico states none.
    assert "license: other\nlicense_name: several\nlicense_link: README.md\n" in head


@pytest.mark.parametrize(
    ("stated", "line"),
    [
        (("MIT",), "license: mit"),
        (("Apache 2.0", "Apache-2.0", "Apache License, Version 2.0"), "license: apache-2.0"),
        (("CC BY 4.0", "CC-BY-4.0"), "license: cc-by-4.0"),
        (("MIT", "Apache-2.0"), "license: other"),
        (("MIT", ""), "license: other"),
        (("Custom terms of a city",), "license: other"),
        (("",), "license: unknown"),
    ],
)
def test_the_hub_is_told_one_licence_only_where_all_state_it(
    tmp_path: Path, stated: tuple[str, ...], line: str
) -> None:
    origins = tuple(
        DocumentOrigin("s", f"{at}.yaml", "openapi-3.1", licence=each)
        for at, each in enumerate(stated)
    )
    document = msgspec.structs.replace(DOCUMENTS[0], origins=origins)
    asked = ApiTask("t", "?", "pt", "single", ("br/Tempo",), made_by="w")
    answer = TaskSolution("t", ApiSolution("a", (SolutionStep("Vejo.", (ApiCall("Tempo"),)),)))
    with Dataset(tmp_path / "d") as one:
        made = (
            NewItem("document", "br", document),
            NewItem("task", "t", asked),
            NewItem("solution", "t", answer),
        )
        one.put([StepOutcome(StepLine("collect", "file", "f", "kept"), made)])
    export_dataset(tmp_path / "d", "hf", tmp_path / "out")
    assert line in (tmp_path / "out" / "README.md").read_text("utf-8").splitlines()
