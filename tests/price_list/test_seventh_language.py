"""What a language costs: a file of its habits, and a folder of artifacts. No code."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

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
    told = in_process("show", "mine", "where-is-my-parcel", cwd=folder).stdout
    assert "Olá! Em que posso ajudar hoje?" in told


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
