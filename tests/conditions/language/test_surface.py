import json
from pathlib import Path

import pytest

from dragoman.benchmarks.tau2.seataubench import domain_declarations
from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.database_names import TranslatedName
from dragoman.conditions.language.domain_surface import EnglishSide, load_surface
from dragoman.conditions.language.field_trees import to_canonical, to_labels
from dragoman.core.errors import DataError
from dragoman.core.tools import Toolset, ToolSpec

TOOLS = Toolset(
    (
        ToolSpec(
            "cancel_pending_order", "Cancels.", {"properties": {"reason": {"type": "string"}}}
        ),
        ToolSpec("get_order_details", "Looks up.", {"properties": {}}),
    )
)
ENGLISH = EnglishSide(
    {"agent": TOOLS},
    {"agent": b'{"products": {"1": {"name": "Lamp"}}}'},
    domain_declarations("retail"),
)


def value_set(**labels: str) -> dict[str, object]:
    values = [{"canonical": value, "localized": label} for value, label in labels.items()]
    return {"kind": "literal", "values": values}


FILES: dict[str, object] = {
    "data_model.json": {
        "kind": "schema",
        "source_file": "data_model.py",
        "models": {
            "Order": {
                "fields": {
                    "status": {"annotation": "Status", "value_set": "Status"},
                    "cancel_reason": {"annotation": "Optional[CancelReason]"},
                }
            },
            "RetailDB": {"fields": {"orders": {"annotation": "Dict[str, Order]"}}},
        },
        "value_sets": {
            "Status": value_set(pending="tertunda"),
            "CancelReason": value_set(late="terlambat"),
        },
    },
    "tools.json": {"cancel_pending_order": "Membatalkan.\n\nArgs:\n    reason: Alasan."},
    "db.json": {"products": {"1": {"name": "Lampu"}}},
    "policy.md": "# Kebijakan",
    "tasks.json": [],
}


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_surface_holds_all_that_is_shown_and_the_way_back(assets: Path) -> None:
    surface = load_surface("retail", "id", AssetFolder(assets), ENGLISH)

    arguments = surface.arguments["agent"]["cancel_pending_order"]
    assert to_canonical({"reason": "Terlambat"}, arguments) == {"reason": "late"}
    assert to_canonical({"reason": "bosan"}, arguments) == {"reason": "bosan"}
    result = surface.results["agent"]["get_order_details"]
    order = {"status": "pending", "cancel_reason": "late", "note": "late"}
    shown = {"status": "tertunda", "cancel_reason": "terlambat", "note": "late"}
    assert to_labels(order, result) == shown
    assert to_labels({"orders": {"#W1": order}}, surface.fields["agent"]) == {
        "orders": {"#W1": shown}
    }
    assert surface.tool_texts["agent"]["cancel_pending_order"].arguments == {"reason": "Alasan."}
    assert surface.policies == {"policy.md": "# Kebijakan"}
    assert surface.tasks == b"[]"
    assert surface.names["agent"].by_path == {
        ("products", "1", "name"): TranslatedName("Lamp", "Lampu")
    }
    assert surface.messages.label("Done") is None


def test_what_a_release_lacks_is_absent(assets: Path) -> None:
    for name in ("db.json", "tasks.json"):
        (assets / name).unlink()
    surface = load_surface("retail", "id", AssetFolder(assets), ENGLISH)
    assert surface.tasks is None
    assert (surface.databases, surface.names) == ({}, {})


@pytest.mark.parametrize("name", ["data_model.json", "tools.json"])
def test_a_release_without_labels_or_tool_texts_is_refused(assets: Path, name: str) -> None:
    (assets / name).unlink()
    with pytest.raises(DataError, match=f"{name} not found"):
        load_surface("retail", "id", AssetFolder(assets), ENGLISH)


def test_a_database_that_differs_in_more_than_names_is_refused(assets: Path) -> None:
    (assets / "db.json").write_text('{"products": {}}', "utf-8")
    with pytest.raises(
        DataError, match="retail/id: database of the agent: products differs from English"
    ):
        load_surface("retail", "id", AssetFolder(assets), ENGLISH)


def test_of_a_domain_of_which_nothing_is_declared_the_artifacts_alone_are_read(
    assets: Path,
) -> None:
    (assets / "db.json").unlink()
    surface = load_surface("mock", "id", AssetFolder(assets), EnglishSide({"agent": TOOLS}, {}))
    assert surface.tool_texts["agent"]["cancel_pending_order"].arguments == {"reason": "Alasan."}
    assert surface.value_sets["Status"].labels == {"pending": "tertunda"}
    order = {"status": "pending"}
    assert to_labels(order, surface.results["agent"]["get_order_details"]) == order


def test_values_of_two_sets_with_different_labels_cannot_be_told_apart(assets: Path) -> None:
    model = json.loads((assets / "data_model.json").read_text("utf-8"))
    model["value_sets"]["Other"] = value_set(pending="menunggu")
    (assets / "data_model.json").write_text(json.dumps(model), "utf-8")
    tools = Toolset((ToolSpec("find", "Finds.", {"properties": {"by": {"enum": ["pending"]}}}),))
    with pytest.raises(DataError, match="the same values have different labels"):
        load_surface(
            "retail",
            "id",
            AssetFolder(assets),
            EnglishSide({"agent": tools}, {}, domain_declarations("retail")),
        )
