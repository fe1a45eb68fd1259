"""Cost of a language: a habits file, its phrases and a folder of artifacts. No code."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.ext.scoring import DEFAULT_RULES
from dragoman.ext.tools import ToolCall

Cli = Callable[..., CompletedProcess[str]]
WHOLE = Path(__file__).parents[2] / "docs" / "examples" / "pt-BR"
"""The same language with everything of courier."""

PORTUGUESE = """
code = "pt-BR"
name = "Brazilian Portuguese"
own_name = "português do Brasil"
script = "LATIN"
detector = "pt"
relatives = ["gl", "es"]
greeting = "Olá! Em que posso ajudar hoje?"

[numbers]
decimal = ","
thousands = "."

[dates]
forms = ["{day}/{month}/{year}", "{day} de {month_name} de {year}"]
months = ["janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"]
"""
CLAIMS = {
    "kind": "literal",
    "values": [
        {"canonical": "loss", "localized": "extravio"},
        {"canonical": "damage", "localized": "avaria"},
    ],
}
SCHEMA = {
    "kind": "schema",
    "source_file": "records.py",
    "models": {},
    "value_sets": {"ClaimKind": CLAIMS},
}
TOOLS = {
    "file_claim": "Registra uma reclamação.\n\nArgs:\n    tracking_number: Código de rastreio\n    kind: Tipo"
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pt-BR.toml").write_text(PORTUGUESE, "utf-8")
    artifacts = tmp_path / "artifacts" / "courier" / "pt-BR"
    artifacts.mkdir(parents=True)
    (artifacts / "data_model.json").write_text(json.dumps(SCHEMA), "utf-8")
    (artifacts / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    return tmp_path


def test_a_conversation_is_in_the_language(folder: Path, in_process: Cli) -> None:
    language = ("--language", "pt-BR.toml", "--scenario", "interaction")
    options = ("--agent", "gold", "--limit", 2, *language, "--out", "mine", "--json")
    done = in_process("run", "courier", *options, cwd=folder)

    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert (cell["condition"], cell["axes"]["language"]) == (
        "pt-BR:interaction/text/none",
        "pt-BR",
    )
    assert cell["pass_hat"] == {"1": 1}
    reported = in_process("show", "mine", "where-is-my-parcel", cwd=folder).stdout
    assert "Olá! Em que posso ajudar hoje?" in reported


def test_tools_are_in_the_language_and_gold_passes_through_their_labels(
    folder: Path, in_process: Cli
) -> None:
    language = ("--language", "pt-BR.toml", "--scenario", "tools", "--assets", "artifacts")
    done = in_process("check", "courier", *language, "--json", cwd=folder)

    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["checks"]
    assert (found["passed"], found["tasks"], found["refused"]) == (33, 33, [])
    assert found["labels"] > 0


def test_the_linter_reads_its_artifacts(folder: Path, in_process: Cli) -> None:
    done = in_process("lint", "artifacts", "--json", cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    assert "pt-BR" in done.stdout


# The whole of courier


def whole(*options: object) -> tuple[object, ...]:
    return ("courier", "--language", WHOLE / "pt-BR.toml", "--assets", WHOLE, *options)


def test_all_of_courier_is_in_the_language_and_gold_passes(in_process: Cli) -> None:
    done = in_process("check", *whole("--json"))
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["checks"]
    assert (found["condition"], found["passed"], found["notes"]) == (
        "pt-BR:domain/text/none",
        33,
        [],
    )
    english = {part["kind"]: part["english"] for part in found["coverage"] if part["texts"]}
    assert english.pop("keys of results") > 0
    assert english.pop("results") <= 1  # a plan is called plus there too
    assert set(english.values()) == {0}


def test_the_linter_finds_nothing_in_it(in_process: Cli) -> None:
    done = in_process("lint", WHOLE)
    assert (done.returncode, done.stdout) == (0, "1 folder, no defects\n")


def test_agents_and_users_without_a_model_speak_it(in_process: Cli, tmp_path: Path) -> None:
    options = ("--scenario", "domain", "--user", "offline", "--agent", "careful", "--limit", 6)
    done = in_process("run", *whole(*options, "--out", "r", "--json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert cell["pass_hat"] == {"1": 1}
    reported = in_process("show", "r", "saturday-morning", cwd=tmp_path).stdout
    assert "Olá! Em que posso ajudar hoje?" in reported


def test_a_refusal_of_the_kit_is_in_the_language_too() -> None:
    config = RunConfig(
        "courier",
        ("gold",),
        languages=(str(WHOLE / "pt-BR.toml"),),
        scenarios=("domain",),
        assets=str(WHOLE),
    )
    setup = build_setup(config)
    view = setup.localization(setup.conditions[0]).views["agent"]
    environment = setup.suite.factory(DEFAULT_RULES)(setup.suite.tasks[0])
    call = ToolCall("1", "calculate", {"expression": "1/0"})
    assert view.present(environment.call(call), call).content == "Erro: divisão por zero"
    call = ToolCall("2", "get_locker", {})
    shown = view.present(environment.call(call), call).content
    assert shown == "Erro: argumentos inválidos: falta o campo obrigatório `locker_id`"
