"""A small shop in Indonesian: one tool of each kind, through a view."""

import json
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.seataubench import domain_declarations
from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.domain_surface import DomainSurface, EnglishSide, load_surface
from dragoman.conditions.language.tool_view_rules import DEFAULT_VIEW_RULES, SEATAU_VIEW_RULES
from dragoman.conditions.language.tool_views import localized_view
from dragoman.core.tools import ToolCall, ToolResult, Toolset, ToolSpec

REASON = {"type": "string", "description": "Why, 'late' or 'broken'."}
SIZES = {"type": "string", "enum": ["small", "large"], "default": "small"}
TOOLS = Toolset(
    (
        ToolSpec("cancel_pending_order", "Cancels.", {"properties": {"reason": REASON}}),
        ToolSpec(
            "modify_user_address",
            "Orders.",
            {
                "$defs": {"Box": {"properties": {"size": SIZES}, "description": "A box."}},
                "properties": {
                    "box": {"anyOf": [{"$ref": "#/$defs/Box"}, {"type": "null"}]},
                    "sizes": {"type": "array", "items": SIZES},
                },
            },
        ),
        ToolSpec("get_order_details", "Looks up.", {"properties": {}}),
        ToolSpec("list_all_product_types", "Lists.", {"properties": {}}),
        ToolSpec("transfer_to_human_agents", "Hands over.", {"properties": {}}),
    ),
    must_call=True,
)
ENGLISH_DATA = {
    "products": {"7": {"name": "Lamp"}, "8": {"name": "Oven"}},
    "orders": {"#1": {"items": [{"name": "Lamp"}]}, "#2": {"items": [{"name": "Lamp"}]}},
}
DATA = {
    "products": {"7": {"name": "Lampu"}, "8": {"name": "Kompor"}},
    "orders": {"#1": {"items": [{"name": "Lampu meja"}]}, "#2": {"items": [{"name": "Lampu"}]}},
}
USER_TOOLS = Toolset((ToolSpec("check_post", "Looks into the box.", {"properties": {}}),))
ENGLISH = EnglishSide(
    {"agent": TOOLS, "user": USER_TOOLS},
    {"agent": json.dumps(ENGLISH_DATA).encode()},
    domain_declarations("retail"),
)


def value_set(**labels: str) -> dict[str, object]:
    values = [{"canonical": value, "localized": label} for value, label in labels.items()]
    return {"kind": "literal", "values": values}


def fields(**annotations: str) -> dict[str, object]:
    return {name: {"annotation": annotation} for name, annotation in annotations.items()}


MODEL = {
    "kind": "schema",
    "source_file": "data_model.py",
    "models": {
        "Box": {
            "description": "Sebuah kotak.",
            "fields": {"size": {"annotation": "Size", "description": "Ukuran."}},
        },
        "Order": {
            "fields": {
                "status": {"annotation": "Status", "value_set": "Status"},
                "cancel_reason": {"annotation": "CancelReason"},
            }
        },
        "User": {"fields": fields(user_id="str")},
        "Variant": {"fields": fields(item_id="str")},
        "Product": {"fields": fields(name="str")},
        "RetailDB": {"fields": fields(orders="Dict[str, Order]")},
    },
    "value_sets": {
        "Status": value_set(pending="tertunda", late="lewat waktu"),
        "CancelReason": value_set(late="terlambat", broken="rusak"),
        "Size": value_set(small="kecil", large="besar"),
    },
}
FILES: dict[str, object] = {
    "data_model.json": MODEL,
    "tools.json": {
        "cancel_pending_order": "Membatalkan.\n\nArgs:\n    reason: Alasan, 'terlambat' atau 'rusak'.",
        "modify_user_address": "Memesan.",
    },
    "user_tools.json": {"check_post": "Melihat kotak pos."},
    "db.json": DATA,
}


@pytest.fixture
def surface(tmp_path: Path) -> DomainSurface:
    """The shop in Indonesian."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
    return load_surface("retail", "id", AssetFolder(tmp_path), ENGLISH)


def all_in(surface: DomainSurface) -> dict[str, DomainSurface | None]:
    return dict.fromkeys(TOOLS.by_name, surface)


def shown(surface: DomainSurface, tool: str, content: str, *, error: bool = False) -> str:
    call, result = ToolCall("1", tool, {}), ToolResult("1", tool, content, error=error)
    return localized_view(all_in(surface), "agent").present(result, call).content


def test_descriptions_values_and_defaults_of_a_schema_are_in_the_language(
    surface: DomainSurface,
) -> None:
    tools = localized_view(all_in(surface), "agent").show(TOOLS)
    assert tools.must_call
    assert tools.by_name["cancel_pending_order"].description == "Membatalkan."
    assert tools.by_name["cancel_pending_order"].parameters == {
        "properties": {
            "reason": {"type": "string", "description": "Alasan, 'terlambat' atau 'rusak'."}
        }
    }
    sizes = {"type": "string", "enum": ["kecil", "besar"], "default": "kecil"}
    assert tools.by_name["modify_user_address"].parameters == {
        "$defs": {"Box": {"properties": {"size": sizes}, "description": "Sebuah kotak."}},
        "properties": {
            "box": {"anyOf": [{"$ref": "#/$defs/Box"}, {"type": "null"}]},
            "sizes": {"type": "array", "items": sizes},
        },
    }


def test_tools_are_made_once_and_the_english_ones_stay_as_they_are(surface: DomainSurface) -> None:
    view, before = localized_view(all_in(surface), "agent"), bytes(TOOLS.encoded)
    assert view.show(TOOLS) is view.show(TOOLS)
    assert bytes(TOOLS.encoded) == before


def test_a_tool_that_is_english_is_shown_called_and_answered_in_english(
    surface: DomainSurface,
) -> None:
    view = localized_view({**all_in(surface), "cancel_pending_order": None}, "agent")
    call = ToolCall("1", "cancel_pending_order", {"reason": "terlambat"})
    result = ToolResult("1", call.name, '{"status": "pending"}')
    assert view.show(TOOLS).by_name[call.name] is TOOLS.by_name[call.name]
    assert view.canonical(call) is call
    assert view.present(result, call) is result


def test_labels_are_read_where_only_a_description_shows_them_and_in_nested_objects(
    surface: DomainSurface,
) -> None:
    view = localized_view(all_in(surface), "agent")
    cancel = ToolCall("1", "cancel_pending_order", {"reason": " TERLAMBAT "})
    assert view.canonical(cancel).arguments == {"reason": "late"}
    order = ToolCall("1", "modify_user_address", {"box": {"size": "besar"}, "sizes": ["kecil", 3]})
    assert view.canonical(order).arguments == {"box": {"size": "large"}, "sizes": ["small", 3]}


def test_the_released_system_reads_neither_of_them_nor_another_spelling(
    surface: DomainSurface,
) -> None:
    view = localized_view(all_in(surface), "agent", SEATAU_VIEW_RULES)
    cancel = ToolCall("1", "cancel_pending_order", {"reason": "terlambat"})
    assert view.canonical(cancel) is cancel
    order = ToolCall("1", "modify_user_address", {"box": {"size": "besar"}, "sizes": ["KECIL"]})
    assert view.canonical(order) is order
    listed = ToolCall("1", "modify_user_address", {"sizes": ["kecil"]})
    assert view.canonical(listed).arguments == {"sizes": ["small"]}


@pytest.mark.parametrize(
    ("rule", "arguments", "read"),
    [
        ("described_labels_are_taken", {"reason": "terlambat"}, {"reason": "late"}),
        ("nested_choices_are_read", {"box": {"size": "besar"}}, {"box": {"size": "large"}}),
        ("spellings_are_folded", {"sizes": ["KECIL"]}, {"sizes": ["small"]}),
    ],
)
def test_each_rule_of_reading_decides_alone(
    surface: DomainSurface, rule: str, arguments: dict[str, object], read: dict[str, object]
) -> None:
    tool = "cancel_pending_order" if "reason" in arguments else "modify_user_address"
    call = ToolCall("1", tool, arguments)
    off = msgspec.structs.replace(DEFAULT_VIEW_RULES, **{rule: False})
    assert localized_view(all_in(surface), "agent").canonical(call).arguments == read
    assert localized_view(all_in(surface), "agent", off).canonical(call) is call


def test_text_that_means_nothing_reaches_the_tool_as_it_is(surface: DomainSurface) -> None:
    call = ToolCall("1", "modify_user_address", {"sizes": ["raksasa"], "other": "besar"})
    assert localized_view(all_in(surface), "agent").canonical(call) is call


def test_a_value_has_the_label_of_the_field_it_stands_in(surface: DomainSurface) -> None:
    content = '{"order_id": "#9", "status": "late", "cancel_reason": "late", "note": "late"}'
    assert shown(surface, "get_order_details", content) == (
        '{"order_id": "#9", "status": "lewat waktu", "cancel_reason": "terlambat", "note": "late"}'
    )


def test_the_released_system_labels_every_text_that_equals_a_value(surface: DomainSurface) -> None:
    view = localized_view(all_in(surface), "agent", SEATAU_VIEW_RULES)
    call = ToolCall("1", "get_order_details", {})
    result = ToolResult("1", call.name, '{"status": "late", "note": "late", "late": ["pending"]}')
    assert view.present(result, call).content == (
        '{"status": "terlambat", "note": "terlambat", "late": ["tertunda"]}'
    )


def test_the_users_tools_are_described_unless_by_the_released_system(
    surface: DomainSurface,
) -> None:
    ours = localized_view({"check_post": surface}, "user").show(USER_TOOLS)
    theirs = localized_view({"check_post": surface}, "user", SEATAU_VIEW_RULES).show(USER_TOOLS)
    assert ours.by_name["check_post"].description == "Melihat kotak pos."
    assert theirs.by_name["check_post"].description == "Looks into the box."


def test_names_are_those_of_the_record_and_a_changed_one_stays(surface: DomainSurface) -> None:
    one = '{"order_id": "#1", "items": [{"name": "Lamp"}, {"name": "Lamp"}]}'
    assert shown(surface, "get_order_details", one) == (
        '{"order_id": "#1", "items": [{"name": "Lampu meja"}, {"name": "Lamp"}]}'
    )
    changed = '{"order_id": "#2", "items": [{"name": "Lantern"}]}'
    assert shown(surface, "get_order_details", changed) == changed


def test_a_list_of_names_is_in_the_language_and_in_its_order(surface: DomainSurface) -> None:
    content = '{"Lamp": "7", "Oven": "8"}'
    expected = '{"Kompor": "8", "Lampu": "7"}'
    assert shown(surface, "list_all_product_types", content) == expected
    both = '{"Lamp": "7", "Lampu": "9"}'
    assert shown(surface, "list_all_product_types", both) == both


def test_letters_are_written_as_they_are_unless_they_are_no_text(surface: DomainSurface) -> None:
    content = '{"status": "pending", "city": "\\u0110\\u00e0"}'
    assert shown(surface, "get_order_details", content) == '{"status": "tertunda", "city": "Đà"}'
    escaped = msgspec.structs.replace(DEFAULT_VIEW_RULES, output_is_utf8=False)
    call, result = ToolCall("1", "get_order_details", {}), ToolResult("1", "x", content)
    view = localized_view(all_in(surface), "agent", escaped)
    assert view.present(result, call).content == content.replace("pending", "tertunda")
    half = '{"status": "pending", "city": "\\ud83d"}'
    assert shown(surface, "get_order_details", half) == half.replace("pending", "tertunda")


def test_messages_and_refusals_are_in_the_language_too(surface: DomainSurface) -> None:
    message = shown(surface, "transfer_to_human_agents", "Transfer successful")
    assert message == "Pengalihan berhasil"
    refused = shown(surface, "get_order_details", "Error: Order not found", error=True)
    assert refused == "Kesalahan: Pesanan tidak ditemukan"
    unknown = shown(surface, "no_such_tool", "Error: Tool 'no_such_tool' not found.", error=True)
    assert unknown == "Kesalahan: Alat 'no_such_tool' tidak ditemukan."


def test_the_released_system_answers_a_refusal_with_a_code(surface: DomainSurface) -> None:
    view = localized_view(all_in(surface), "agent", SEATAU_VIEW_RULES)
    call = ToolCall("1", "modify_user_address", {"sizes": ["kecil"]})
    result = ToolResult("1", call.name, "Error: User not found", error=True)
    assert json.loads(view.present(result, call).content) == {
        "error": True,
        "error_code": "not_found",
        "tool_name": "modify_user_address",
        "arguments": {"sizes": ["small"]},
    }


def test_parts_of_a_tool_can_be_localized_alone(surface: DomainSurface) -> None:
    call = ToolCall("1", "cancel_pending_order", {"reason": "rusak"})
    result = ToolResult("1", call.name, '{"status": "pending"}')
    reported = localized_view(all_in(surface), "agent", parts=frozenset({"descriptions"}))
    assert reported.show(TOOLS).by_name[call.name].description == "Membatalkan."
    box = reported.show(TOOLS).by_name["modify_user_address"]
    assert box.parameters == TOOLS.by_name["modify_user_address"].parameters
    assert reported.canonical(call).arguments == {"reason": "broken"}
    assert reported.present(result, call) is result
    answered = localized_view(all_in(surface), "agent", parts=frozenset({"results"}))
    assert answered.show(TOOLS) is TOOLS
    assert answered.present(result, call).content == '{"status": "tertunda"}'
