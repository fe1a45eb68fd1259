import json
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.domain_surface import (
    DomainSurface,
    EnglishSide,
    load_surface,
    with_english_names,
)
from dragoman.conditions.language.field_trees import to_labels
from dragoman.core.language.translated_domains import DomainDeclarations, SpokenTexts
from dragoman.core.tools import Toolset, ToolSpec

TOOL = ToolSpec("find", "Finds.", {"properties": {"town": {"type": "string"}}})
DECLARED = DomainDeclarations(
    names=frozenset({"Town"}),
    arguments={"find": {"town": "Town", "name": "PersonName"}},
    returns={"agent": {"find": "Depot"}},
    models={"Depot": {"town": "Town", "status": "Status"}},
    databases={"agent": "Depot"},
    messages=SpokenTexts(values={"town": "Town", "status": "Status"}),
)


def value_set(**labels: str) -> dict[str, object]:
    values = [{"canonical": value, "localized": label} for value, label in labels.items()]
    return {"kind": "literal", "values": values}


@pytest.fixture
def surface(tmp_path: Path) -> DomainSurface:
    sets = {"Town": value_set(Pennick="Pelangi"), "Status": value_set(open="buka")}
    schema = {"kind": "schema", "source_file": "x", "models": {}, "value_sets": sets}
    nothing = {
        "pattern": "",
        "source": "{town} is {status}",
        "localized": "{town} sedang {status}",
    }
    files = {
        "data_model.json": schema,
        "tools.json": {"find": "Mencari."},
        "tool_returns.json": {"templates": {"is": nothing}},
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
    english = EnglishSide({"agent": Toolset((TOOL,))}, {}, DECLARED)
    return load_surface("depots", "id", AssetFolder(tmp_path), english)


def test_names_are_taken_and_shown_and_what_is_none_stays(surface: DomainSurface) -> None:
    (path, towns), *more = surface.arguments["agent"]["find"].places()
    assert (path, more) == (("town",), [])
    assert (towns.canon("pelangi"), towns.canon("Nowhere")) == ("Pennick", "Nowhere")
    depot = {"town": "Pennick", "status": "open"}
    shown = to_labels(depot, surface.results["agent"]["find"])
    assert shown == {"town": "Pelangi", "status": "buka"}
    assert surface.messages.label("Pennick is open") == "Pelangi sedang buka"


def test_without_the_database_names_are_english_and_all_else_is_not(surface: DomainSurface) -> None:
    plain = with_english_names(surface)
    assert [*plain.arguments["agent"]["find"].places()] == []
    depot = {"town": "Pennick", "status": "open"}
    assert to_labels(depot, plain.results["agent"]["find"]) == {**depot, "status": "buka"}
    assert to_labels(depot, plain.fields["agent"]) == {**depot, "status": "buka"}
    assert set(plain.value_sets) == {"Status"}
    assert plain.messages.label("Pennick is open") == "Pennick sedang buka"
