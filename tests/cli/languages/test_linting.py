"""`dragoman lint`: defects of translated artifacts, by domain and language."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.conditions.language.lint.assets import MEANINGS

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "how_to" / "translate.md"
REASONS = {"no longer needed": "tidak lagi diperlukan", "ordered by mistake": "salah pesan"}
MODEL = {
    "kind": "schema",
    "source_file": "data_model.py",
    "models": {},
    "value_sets": {
        "CancelReason": {
            "kind": "literal",
            "values": [
                {"canonical": value, "localized": label} for value, label in REASONS.items()
            ],
        }
    },
}


def docstring(tool: dict[str, Any]) -> str:
    arguments = [
        f"    {name}: {' '.join(schema.get('description', '').split())}"
        for name, schema in tool["parameters"]["properties"].items()
    ]
    return "\n".join((tool["description"], "", "Args:", *arguments))


@pytest.fixture
def assets(tmp_path: Path, pulled: Path) -> Path:
    """Artifacts of retail in which nothing is wrong."""
    (schemas,) = pulled.glob("dragoman/data/tau2/*/retail/tools_openai.json")
    tools = [each["function"] for each in json.loads(schemas.read_bytes())]
    folder = tmp_path / "assets" / "retail" / "id"
    folder.mkdir(parents=True)
    files = {
        "data_model.json": MODEL,
        "tools.json": {tool["name"]: docstring(tool) for tool in tools},
        "translation_manifest.json": {
            "assets": {name: {"output_file": name} for name in ("data_model.json", "tools.json")}
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return tmp_path / "assets"


@pytest.fixture
def spoiled(assets: Path) -> Path:
    """The same with a stray file, whose name would steer a terminal, and a lost identifier."""
    folder = assets / "retail" / "id"
    (folder / "notes\x1b[2J.txt").write_text("x", "utf-8")
    tools = (folder / "tools.json").read_text("utf-8")
    (folder / "tools.json").write_text(tools.replace("credit_card_0000000", "kartu", 1), "utf-8")
    return assets


def test_clean_artifacts_are_told_and_pass(
    dragoman: Cli, run_json: RunJson, assets: Path, pulled: Path
) -> None:
    done = dragoman("lint", assets, cache=pulled)
    assert (done.returncode, done.stdout) == (0, "1 folder, no defects\n"), done.stderr
    assert run_json("lint", assets, cache=pulled) == {
        "looked_at": [{"domain": "retail", "language": "id"}],
        "counts": [],
        "defects": [],
    }


def test_defects_are_counted_by_domain_and_language(
    dragoman: Cli, spoiled: Path, pulled: Path
) -> None:
    done = dragoman("lint", spoiled, cache=pulled)
    assert done.returncode == 1, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["retail", "id"] in rows
    assert ["stray-file", "1"] in rows
    assert ["identifier-lost", "1"] in rows
    assert "notes" not in done.stdout


def test_places_are_named_on_demand_and_steer_no_terminal(
    dragoman: Cli, spoiled: Path, pulled: Path
) -> None:
    done = dragoman("lint", spoiled, "--full", cache=pulled)
    assert "retail/id/notes\\x1b[2J.txt: not named by the manifest" in done.stdout
    assert "\x1b" not in done.stdout
    assert "not repeated: credit_card_0000000" in done.stdout


def test_defects_are_machine_readable(run_json: RunJson, spoiled: Path, pulled: Path) -> None:
    found = run_json("lint", spoiled, "--language", "id", cache=pulled, status=1)
    (stray,) = (each for each in found["defects"] if each["code"] == "stray-file")
    assert stray == {
        "code": "stray-file",
        "domain": "retail",
        "language": "id",
        "path": "notes\x1b[2J.txt",
        "what": "not named by the manifest",
    }
    assert {
        "domain": "retail",
        "language": "id",
        "code": "stray-file",
        "count": 1,
    } in found["counts"]


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (("nowhere",), 1, "nowhere is not a folder: name one that holds DOMAIN/LANGUAGE"),
        (("seataubench",), 1, "run `dragoman data pull seataubench`"),
    ],
)
def test_what_cannot_be_linted_is_told_in_one_line(
    refused: Refused, arguments: tuple[str, ...], status: int, why: str
) -> None:
    assert why in refused("lint", *arguments, status=status)


def test_an_unknown_language_is_a_mistake_of_usage(
    refused: Refused, assets: Path, pulled: Path
) -> None:
    line = refused("lint", assets, "--language", "xx", status=2, cache=pulled)
    assert "has no language 'xx': choose id" in line


def test_every_code_is_documented() -> None:
    text = GUIDE.read_text("utf-8")
    assert [code for code in MEANINGS if f"| `{code}` | {MEANINGS[code]} |" not in text] == []


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.nightly
def test_the_table_of_the_guide_is_what_is_printed_of_the_release(
    dragoman: Cli, translated: Path
) -> None:
    done = dragoman("lint", "seataubench", cache=translated)
    table, _, _ = done.stdout.partition("  missing-file:")
    assert table.endswith(" defects\n")
    assert done.returncode == 1
    assert f"```\n{table}```\n" in GUIDE.read_text("utf-8")
