"""Sentences of courier's tools are declared, and every bundled language has them."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.courier.domain import courier_suite
from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.composition.conditions.language_artifacts import read_surface
from dragoman.conditions.language.artifacts import languages_of
from dragoman.conditions.language.domain_surface import DomainSurface, with_english_names
from dragoman.conditions.language.tool_messages import MessageTranslations, pattern_of
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import FunctionCall
from dragoman.core.tools import Role, ToolCall

SUITE = courier_suite()
ENGLISH = SUITE.english()
DECLARED = ENGLISH.declared.messages
REFUSED = "Error: {refusal}"

Step = tuple[str, Mapping[str, object]]
FERRY: list[Step] = [
    ("set sign_in", {"customer_id": "C1016"}),
    ("set stand_at_locker", {"locker_id": "L06"}),
]
CODE, WRONG = {"code": "120781"}, {"code": "000000"}
MINE = {"tracking_number": "CV644027184"}
WAY, DEPOT = {"tracking_number": "KV155016507"}, {"tracking_number": "KE602144370"}
HOME = {
    "street": "Kestrel Lane",
    "house_number": "15",
    "postcode": "KL-4821",
    "town": "Kloster",
    "country": "Marland",
}

SCENES: list[list[Step]] = [
    [
        ("check_phone", {}),
        ("toggle_bluetooth", {}),
        ("check_phone", {}),
        ("toggle_bluetooth", {}),
        ("grant_location_permission", {}),
        ("update_app", {}),
        ("read_messages", {}),
        ("scan_label", {}),
        ("read_display", {}),
        ("set hold_label", WAY),
        ("scan_label", {}),
    ],
    [
        *FERRY,
        ("read_display", {}),
        ("close_compartment", {}),
        ("send_pickup_code", MINE),
        ("read_messages", {}),
        ("set expire_code", MINE),
        ("enter_pickup_code", CODE),
        ("send_pickup_code", MINE),
        ("enter_pickup_code", CODE),
        ("read_display", {}),
        ("reboot_terminal", {}),
        ("close_compartment", {}),
    ],
    [*FERRY, *[("enter_pickup_code", WRONG)] * 3, ("enter_pickup_code", CODE)],
    [
        *FERRY,
        ("set freeze_terminal", {}),
        ("set set_session", {"locker_id": "L06", "session": "held"}),
        ("read_display", {}),
        ("reset_locker_session", {"locker_id": "L06"}),
        ("reboot_terminal", {}),
        ("enter_pickup_code", CODE),
        ("reset_locker_session", {"locker_id": "L06"}),
        ("reset_locker_session", {"locker_id": "L06"}),
    ],
    [
        *FERRY,
        ("set find_compartment_empty", {"compartment": "06"}),
        ("enter_pickup_code", CODE),
        ("report_compartment_empty", {"compartment": "99"}),
        ("report_compartment_empty", {"compartment": "06"}),
        ("close_compartment", {}),
    ],
    [
        *FERRY,
        ("set have_app", {"version": "5.1", "bluetooth": False, "location": False}),
        ("check_phone", {}),
        ("open_compartment", MINE),
        ("update_app", {}),
        ("open_compartment", MINE),
        ("toggle_bluetooth", {}),
        ("open_compartment", MINE),
        ("grant_location_permission", {}),
        ("open_compartment", {"tracking_number": "BV705163509"}),
        ("open_compartment", MINE),
    ],
    [
        ("change_address", {**WAY, **HOME, "street": " "}),
        ("change_address", {**WAY, **HOME}),
        ("change_address", {**HOME, "tracking_number": "PK201153502"}),
        ("book_redelivery", {"tracking_number": "MT507171207", "slot_id": "ALD-0313-AM"}),
        ("book_redelivery", {**DEPOT, "slot_id": "BRW-0313-PM"}),
        ("book_redelivery", {"tracking_number": "BE120955676", "slot_id": "BRW-0313-PM"}),
        ("book_redelivery", {"tracking_number": "BT551503725", "slot_id": "BRW-0314-AM"}),
        ("book_redelivery", {"tracking_number": "BE120955676", "slot_id": "BRW-0314-AM"}),
        ("hold_at_depot", {**DEPOT, "depot_id": "KLO"}),
        ("hold_at_depot", {**DEPOT, "depot_id": "KLO"}),
        ("redirect_to_locker", {"tracking_number": "PN371604507", "locker_id": "L03"}),
        ("redirect_to_locker", {"tracking_number": "MG701550184", "locker_id": "L09"}),
        ("redirect_to_locker", {"tracking_number": "MG701550184", "locker_id": "L09"}),
        ("redirect_to_locker", {"tracking_number": "DE464783690", "locker_id": "L09"}),
        ("send_pickup_code", WAY),
        ("send_pickup_code", {"tracking_number": "WAY"}),
        ("track_parcel", {"tracking_number": "KV155016508"}),
        ("track_parcel", {"tracking_number": "AA155016507"}),
        ("list_parcels", {"customer_id": "C9"}),
        ("list_slots", {"depot_id": "Kloster"}),
        ("book_redelivery", {**DEPOT, "slot_id": "KLO-0399-AM"}),
        ("get_locker", {"locker_id": "L99"}),
        ("find_customer_by_contact", {"contact": "nobody@example.com"}),
        ("find_customers_by_name", {"name": "Fionnuala O'Dwyer-Byrne", "postcode": "KL-0000"}),
        ("find_places", {"town": "Nowhere"}),
    ],
    [
        ("verify_identity", {"customer_id": "C1005", "postcode": "AL-1", "security_word": "x"}),
        (
            "verify_identity",
            {"customer_id": "C1005", "postcode": "AL-2217", "security_word": "cobalt"},
        ),
        (
            "waive_fee",
            {"tracking_number": "BE120955676", "code": "address", "reason": "goodwill"},
        ),
        ("file_claim", {"tracking_number": "PK201153502", "kind": "damage", "cents": 0}),
        ("file_claim", {"tracking_number": "PK201153502", "kind": "damage", "cents": 1}),
        ("file_claim", {"tracking_number": "PK201153502", "kind": "damage", "cents": 1}),
        ("escalate_to_human", {"reason": "threat", "summary": ""}),
    ],
]
WORDS = {"on", "off", "allowed", "not allowed", "customer", "parcel", "depot", "slot", "locker"}
UNHEARD = {
    "{tracking_number} has no code": "databases have a code for every parcel in a locker",
}
"""Texts that our database never brings forth, and why."""


def heard(scene: Sequence[Step]) -> Iterator[str]:
    """Play a scene in a fresh environment and yield the sentences of the tools."""
    task = msgspec.structs.replace(SUITE.tasks[0], initial_state=None)
    environment = SUITE.factory(DEFAULT_RULES)(task)
    assert isinstance(environment, DomainEnvironment)
    for name, arguments in scene:
        tool = name.removeprefix("set ")
        side: Role = "agent" if tool in {"expire_code", "set_session"} else "user"
        if tool != name:
            environment.run_function(FunctionCall(side, tool, dict(arguments)))
            continue
        side = "user" if tool in environment.tools("user") else "agent"
        content = environment.call(ToolCall("1", tool, dict(arguments), side)).content
        if content[:1] not in "[{":
            yield content


@cache
def sentences() -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for scene in SCENES for text in heard(scene)))


def bundled_languages() -> tuple[str, ...]:
    assert ENGLISH.release is not None
    return languages_of(ENGLISH.release.folder(Path()) / "courier")


def surface_in(language: str) -> DomainSurface:
    return read_surface(ENGLISH, language, "courier", Path())


def fits(text: str, sentence: str) -> bool:
    return re.fullmatch(pattern_of(text), sentence, re.DOTALL) is not None


def in_code() -> Iterator[str]:
    """Yield the refusals in courier's modules, with `{}` for each slot."""
    for module in files("dragoman.benchmarks.courier").iterdir():
        if not module.name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ToolError":
                yield from _texts(node.args[0])


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield str(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (
            str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values
        )
        yield "".join(parts)


def blank(text: str) -> str:
    return re.sub(r"\{\w*\}", "{}", text)


def test_every_refusal_of_the_code_is_declared() -> None:
    texts = set(in_code())
    assert len(texts) > 25
    assert texts <= {blank(text) for text in DECLARED.texts}


def test_every_declared_text_is_said_and_nothing_else() -> None:
    said = [text.removeprefix("Error: ") for text in sentences()]
    words = {text for text in DECLARED.texts if len(text.split()) <= 2 and text.islower()}
    whole = [text for text in DECLARED.texts if text not in {*words, *UNHEARD, REFUSED}]
    nested = [text for text in whole if any(text in each and text != each for each in said)]
    unsaid = [text for text in whole if not any(fits(text, each) for each in said)]
    assert [text for text in unsaid if text not in nested] == [
        "app version {version} is too old for lockers"  # after the app's words for it
    ]
    assert [each for each in said if not any(fits(text, each) for text in whole)] == []
    assert words == WORDS


@pytest.mark.parametrize("language", bundled_languages())
def test_every_sentence_is_said_in_the_language_and_read_back(language: str) -> None:
    messages = surface_in(language).messages
    shown = {text: messages.label(text) for text in sentences()}
    assert [text for text, other in shown.items() if other in {None, text}] == []
    assert {text: messages.canon(str(other)) for text, other in shown.items()} == {
        text: text for text in shown
    }
    assert len(set(shown.values())) == len(shown)


@pytest.mark.parametrize("language", bundled_languages())
def test_what_is_filled_in_is_in_the_language_too(language: str) -> None:
    surface = surface_in(language)
    sets = surface.value_sets

    def said(text: str) -> str:
        found = surface.messages.label(text)
        assert found is not None
        return found

    assert sets["Status"].label("in_transit") in said("KV155016507 is in_transit, not in a locker")
    late = said("Error: KV155016507 is delivered: too late for this (address)")
    assert sets["Status"].label("delivered") in late
    assert sets["Change"].label("address") in late
    line = "Pick-up code: Code 120781 for parcel CV644027184 at Østervik Ferry."
    ferry = sets["Place"].label("Østervik Ferry")
    assert ferry in said(line)
    assert said(f"{line}\n{line}") == f"{said(line)}\n{said(line)}"
    name = sets["PersonName"].label("Fionnuala O'Dwyer-Byrne")
    nobody = "no customer is called \"Fionnuala O'Dwyer-Byrne\" at postcode 'KL-0000'"
    assert f'"{name}"' in said(nobody)
    english = with_english_names(surface).messages
    assert "Østervik Ferry" in str(english.label(line))
    assert ferry not in str(english.label(line))


def test_a_sentence_with_something_else_in_the_place_of_another_is_none() -> None:
    for language in bundled_languages():
        messages: MessageTranslations = surface_in(language).messages
        assert messages.label("The terminal restarts. It hums.") is None
        assert messages.label("Error: the shelf fell over") is None
