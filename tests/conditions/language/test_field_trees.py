import pytest

from dragoman.conditions.language.artifacts import FieldText, ModelText
from dragoman.conditions.language.field_trees import (
    EMPTY_TREE,
    AnnotationTypes,
    allowed_strings,
    to_canonical,
    to_labels,
    tree_from_annotation,
    tree_from_schema,
)
from dragoman.conditions.language.value_sets import ValueSet, build_value_set, join_value_sets
from dragoman.core.errors import DataError

CABIN = build_value_set("Cabin", {"economy": "ekonomi", "business": "bisnis"})
CARD = build_value_set("Card.source", {"credit_card": "kartu kredit"})
GIFT = build_value_set("Gift.source", {"gift_card": "kartu hadiah"})
TYPES = AnnotationTypes(
    models={
        "Card": ModelText({"source": FieldText("Literal['credit_card']", None, "Card.source")}),
        "Gift": ModelText({"source": FieldText("Literal['gift_card']", None, "Gift.source")}),
        "User": ModelText({"methods": FieldText("Dict[str, Method]"), "name": FieldText("str")}),
        "Booking": ModelText(
            {"cabin": FieldText("Cabin", None, "Cabin"), "owner": FieldText("Optional[User]")}
        ),
        "Node": ModelText({"next": FieldText("Optional[Node]")}),
        "Lost": ModelText({"kind": FieldText("Kind", None, "Kind")}),
    },
    unions={"Method": ("Card", "Gift")},
    value_sets={"Cabin": CABIN, "Card.source": CARD, "Gift.source": GIFT},
    join=join_value_sets,
)


def find(strings: tuple[str, ...]) -> ValueSet | None:
    return CABIN if set(strings) == {"economy", "business"} else None


def test_a_model_has_the_value_sets_of_its_fields_at_any_depth() -> None:
    tree = tree_from_annotation("List[Booking]", TYPES, "bookings")
    assert {path: values.canonicals for path, values in tree.places()} == {
        ("*", "cabin"): ("economy", "business"),
        ("*", "owner", "methods", "*", "source"): ("credit_card", "gift_card"),
    }


def test_an_annotation_that_names_nothing_known_has_no_places() -> None:
    assert not tree_from_annotation("Dict[str, datetime.date]", TYPES, "x")
    assert not tree_from_annotation("str", TYPES, "x")


def test_models_that_hold_themselves_are_refused() -> None:
    with pytest.raises(DataError, match="x: models are nested without end"):
        tree_from_annotation("Node", TYPES, "x")


def test_a_field_of_an_unknown_value_set_is_refused() -> None:
    with pytest.raises(DataError, match=r"x: Lost\.kind names no value set: Kind"):
        tree_from_annotation("Lost", TYPES, "x")


def test_a_value_is_shown_with_labels_and_comes_back() -> None:
    tree = tree_from_annotation("Booking", TYPES, "booking")
    booking = {
        "cabin": "economy",
        "note": "economy",
        "owner": {"name": "gift_card", "methods": {"gift_card": {"source": "gift_card"}}},
    }
    shown = to_labels(booking, tree)
    assert shown == {
        "cabin": "ekonomi",
        "note": "economy",
        "owner": {"name": "gift_card", "methods": {"gift_card": {"source": "kartu hadiah"}}},
    }
    assert to_canonical(shown, tree) == booking


def test_what_is_no_value_of_its_field_and_no_string_stays() -> None:
    tree = tree_from_annotation("Booking", TYPES, "booking")
    odd = {"cabin": ["ekonomi"], "owner": None, "other": 1}
    assert to_canonical(odd, tree) == odd
    assert to_canonical({"cabin": "kartu hadiah"}, tree) == {"cabin": "kartu hadiah"}
    assert to_canonical("ekonomi", EMPTY_TREE) == "ekonomi"


def test_a_schema_has_value_sets_below_references_and_choices() -> None:
    schema = {
        "$defs": {
            "Cabin": {"enum": ["economy", "business"], "type": "string"},
            "Leg": {"type": "object", "properties": {"cabin": {"$ref": "#/$defs/Cabin"}}},
        },
        "properties": {
            "legs": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Leg"}, {}]}},
            "wish": {"anyOf": [{"$ref": "#/$defs/Cabin"}, {"type": "string"}]},
            "unit": {"enum": ["kg", "lb"]},
        },
    }
    places = dict(tree_from_schema(schema, find).places())
    assert {path: values.is_open for path, values in places.items()} == {
        ("legs", "*", "cabin"): False,
        ("wish",): True,
    }
    assert dict(allowed_strings(schema))["unit",] == ("kg", "lb")


def test_a_schema_that_refers_to_itself_is_refused() -> None:
    schema = {
        "$defs": {"Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}}},
        "properties": {"first": {"$ref": "#/$defs/Node"}},
    }
    with pytest.raises(DataError, match="nested without end"):
        tree_from_schema(schema, find)


def test_a_reference_to_itself_is_refused() -> None:
    schema = {
        "$defs": {"Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {"first": {"$ref": "#/$defs/Loop"}},
    }
    with pytest.raises(DataError, match="refers to itself without end"):
        tree_from_schema(schema, find)
