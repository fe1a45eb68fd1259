"""Models and value sets from the text of modules."""

import json

import msgspec
import pytest

from dragoman.core.errors import DataError
from dragoman.curation.translation.english_schemas import schema_of_module

PYDANTIC = '''
"""Types of a library desk."""
import enum
from enum import Enum
from typing import Annotated, ClassVar, List, Literal, Optional
from pydantic import BaseModel, Field

Genre = Literal["novel", "poetry"]
"""Not a value."""
Mood = Annotated[Literal["calm", "loud"], Field(description="How it reads")]
LIMIT = 7


class Shelf(str, Enum):
    """Where a book stands."""

    LOW = "low"
    HIGH = "high_up"
    _order = "x"
    GROUND = 0


class Book(BaseModel):
    """A book
    on loan."""

    kinds: ClassVar[int] = 2
    _hidden: str = ""
    title: str = Field(description="What it " "says")
    genre: Genre
    shelf: Shelf = Field(Shelf.LOW, description="Where it stands")
    old_shelf: Optional[Shelf] = None
    source: Literal["bought"]
    states: List[Optional[Literal["new", "torn", 3]]]


class Genre(Enum):
    OTHER = "other"


class Empty(BaseModel):
    pass
'''


def as_json(text: str) -> dict[str, object]:
    decoded: dict[str, object] = json.loads(
        msgspec.json.encode(schema_of_module(text, "library/records.py"))
    )
    return decoded


def test_a_module_of_pydantic_has_models_and_value_sets() -> None:
    assert as_json(PYDANTIC) == {
        "kind": "schema",
        "source_file": "library/records.py",
        "models": {
            "Book": {
                "fields": {
                    "title": {"annotation": "str", "description": "What it says"},
                    "genre": {"annotation": "Genre", "value_set": "Genre"},
                    "shelf": {
                        "annotation": "Shelf",
                        "description": "Where it stands",
                        "value_set": "Shelf",
                    },
                    "old_shelf": {"annotation": "Optional[Shelf]"},
                    "source": {"annotation": "Literal['bought']", "value_set": "Book.source"},
                    "states": {
                        "annotation": "List[Optional[Literal['new', 'torn', 3]]]",
                        "value_set": "Book.states",
                    },
                },
                "description": "A book\non loan.",
            }
        },
        "value_sets": {
            "Genre": {
                "kind": "literal",
                "values": [
                    {"canonical": "novel", "localized": "novel"},
                    {"canonical": "poetry", "localized": "poetry"},
                ],
            },
            "Mood": {
                "kind": "literal",
                "values": [
                    {"canonical": "calm", "localized": "calm"},
                    {"canonical": "loud", "localized": "loud"},
                ],
            },
            "Shelf": {
                "kind": "enum",
                "values": [
                    {"canonical": "low", "localized": "low", "member": "LOW"},
                    {"canonical": "high_up", "localized": "high_up", "member": "HIGH"},
                ],
            },
            "Book.source": {
                "kind": "literal",
                "owner_model": "Book",
                "owner_field": "source",
                "values": [{"canonical": "bought", "localized": "bought"}],
            },
            "Book.states": {
                "kind": "literal",
                "owner_model": "Book",
                "owner_field": "states",
                "values": [
                    {"canonical": "new", "localized": "new"},
                    {"canonical": "torn", "localized": "torn"},
                ],
            },
        },
        "module_description": "Types of a library desk.",
    }


MSGSPEC = """
from dataclasses import dataclass
import typing as t
import msgspec

Plan: t.TypeAlias = t.Literal["basic", "plus"]


class Fee(msgspec.Struct, frozen=True):
    code: t.Annotated[str, msgspec.Meta(description="What it is for")]
    status: t.Literal["due", "paid"] | t.Literal[""] = "due"


@dataclass
class Visit:
    plan: Plan
"""


def test_modules_of_msgspec_and_dataclasses_have_them_too() -> None:
    schema = schema_of_module(MSGSPEC, "m.py")
    assert {name: list(model.fields) for name, model in schema.models.items()} == {
        "Fee": ["code", "status"],
        "Visit": ["plan"],
    }
    assert schema.models["Fee"].fields["code"].description == "What it is for"
    assert schema.models["Visit"].fields["plan"].value_set == "Plan"
    assert {
        key: [value.canonical for value in each.values] for key, each in schema.value_sets.items()
    } == {"Plan": ["basic", "plus"], "Fee.status": ["due", "paid"]}


@pytest.mark.parametrize("text", ["class :", "x = '\ud800'", "\x00", "(" * 10_000])
def test_what_is_no_module_is_named(text: str) -> None:
    with pytest.raises(DataError, match=r"shop/records\.py: "):
        schema_of_module(text, "shop/records.py")


def test_nothing_of_a_module_is_run() -> None:
    schema = schema_of_module("raise SystemExit(1)\nclass A:\n    x: exit()\n", "m.py")
    assert schema.models["A"].fields["x"].annotation == "exit()"


def test_a_module_larger_than_any_is_refused() -> None:
    with pytest.raises(DataError, match="longer than"):
        schema_of_module("#" * 2_000_001, "m.py")
