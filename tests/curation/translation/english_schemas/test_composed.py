"""The schema of a domain of one's own: from its modules, its database and its tools."""

import json

from dragoman.conditions.language.artifacts import Schema
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.language.translated_domains import DomainDeclarations
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.curation.translation.english_schemas import composed_schema

RECORDS = """
class Fee:
    status: Literal["due", "paid"]
class Customer:
    name: str
    fee: Fee
"""
DATABASE = {
    "customers": {
        "C1": {"name": "Ana", "fee": {"status": "due"}, "town": "Ford"},
        "C2": {"name": "Bo", "fee": {"status": "due"}, "town": "Ford"},
        "C3": {"name": "", "town": "1234"},
    }
}
DECLARED = DomainDeclarations(
    databases={"agent": "File"},
    models={
        "Customer": {"name": "PersonName", "fee": "Fee", "town": "Place"},
        "Fee": {"status": "FeeStatus"},
        "File": {"customers": "Dict[str, Customer]"},
    },
    names=frozenset({"PersonName", "Place"}),
)


def choice(name: str, *choices: str) -> ToolSpec:
    parameters: dict[str, object] = {
        "properties": {"how": {"type": "string", "enum": list(choices)}, "id": {"type": "string"}}
    }
    return ToolSpec(name, "Does it.", parameters, "write")


def values(schema: Schema) -> dict[str, list[str]]:
    return {
        key: [each.canonical for each in found.values] for key, found in schema.value_sets.items()
    }


def test_names_literals_and_choices_of_tools_are_each_one_set() -> None:
    side = EnglishAssets(
        files={"db.json": json.dumps(DATABASE).encode()},
        toolsets={
            "agent": Toolset((choice("settle", "paid", "due"), choice("send", "air", "sea")))
        },
        hashes={},
        declared=DECLARED,
        modules={"agent": {"shop/records.py": RECORDS}},
    )
    schema = composed_schema("shop", {"agent": "db.json"}, side)
    assert values(schema) == {
        "FeeStatus": ["due", "paid"],
        "PersonName": ["Ana", "Bo"],
        "Place": ["Ford"],
        "send.how": ["air", "sea"],
    }
    assert schema.source_file == "shop/records.py"
    assert schema.models["Fee"].fields["status"].value_set == "FeeStatus"


def test_a_domain_that_tells_nothing_has_an_empty_schema() -> None:
    schema = composed_schema("shop", {"agent": "db.json"}, EnglishAssets({}, {}, {}))
    assert (schema.models, schema.value_sets, schema.source_file) == ({}, {}, "shop/db.json")
