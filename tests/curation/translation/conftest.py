"""A small domain of tools, a database, a policy and tasks, a language's folder of it, and labels."""

import hashlib
import json
from collections.abc import Callable

import pytest

from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    SourceHash,
    ValueSetText,
    ValueText,
)
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.tools import ToolSpec
from dragoman.curation.translation.artifact_files import (
    SourcedFile,
    database_artifact,
    document_artifact,
    tasks_artifact,
)
from dragoman.curation.translation.do_not_translate import DomainData
from dragoman.curation.translation.glossary import NO_GLOSSARY, Glossary, glossary_of
from dragoman.curation.translation.manifest import MadeBy
from dragoman.curation.translation.placeholders import DoNotTranslate, find_do_not_translate
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.curation.translation.tool_docstrings import tools_artifact

DATABASE = {
    "books": {
        "B1": {"name": "The Lantern", "copies": 2},
        "B2": {"name": "Tides", "copies": 1},
        "B3": {"name": "The Lantern", "copies": 0},
    }
}
TASKS = [{"id": "a", "ticket": "Lend a book."}, {"id": "b", "ticket": "Return it."}]
DOCSTRINGS = {"lend": "Lend a book.\n\nArgs:\n    number: The number."}

Library = Callable[..., TranslatableDomain]


@pytest.fixture
def library() -> Library:
    """Return a function that makes a small translatable library from the given files."""

    def of(
        *,
        policy: str = "# Rules\n",
        database: object = DATABASE,
        tasks: object = TASKS,
    ) -> TranslatableDomain:
        files = {
            "db.json": json.dumps(database).encode(),
            "policy.md": policy.encode(),
            "tasks.json": json.dumps(tasks).encode(),
        }

        def file(name: str) -> SourcedFile:
            digest = hashlib.sha256(files[name]).hexdigest()
            return SourcedFile(name, "library", (SourceHash(f"library/{name}", digest),))

        return TranslatableDomain(
            "library",
            (
                tools_artifact(SourcedFile("tools.json", "library", ()), DOCSTRINGS),
                database_artifact(file("db.json"), files["db.json"], frozenset({"name"})),
                document_artifact(file("policy.md"), files["policy.md"]),
                tasks_artifact(file("tasks.json"), files["tasks.json"]),
            ),
            EnglishAssets(files, {}, {}),
        )

    return of


@pytest.fixture
def made() -> MadeBy:
    """The record of how all translations of these tests were made."""
    return MadeBy("some/model", "Thai", "2030-01-02T03:04:05+00:00", "translate-1")


@pytest.fixture
def translated() -> Callable[[TranslatableDomain], dict[str, str]]:
    """Returns a translation of everything: the same in other letters."""
    return lambda domain: {each.address: f"ก {each.source.upper()}" for each in domain.segments}


def shop_schema(**labels: str) -> Schema:
    """The schema of the shop, with labels for some of its values."""
    sets = {
        "OrderStatus": ("pending", "delivered", "no longer needed"),
        "Cabin": ("basic_economy", "economy"),
    }
    return Schema(
        kind="schema",
        source_file="shop.py",
        models={
            "Order": ModelText(
                {"status": FieldText("OrderStatus"), "cabin": FieldText("Optional[Cabin]")}
            )
        },
        value_sets={
            key: ValueSetText(
                "literal",
                tuple(ValueText(each, labels.get(each.replace(" ", "_"), each)) for each in values),
            )
            for key, values in sets.items()
        },
    )


@pytest.fixture(scope="package")
def do_not_translate() -> DoNotTranslate:
    """Texts of the shop that must not be translated."""
    return find_do_not_translate(
        DomainData(
            records=(
                {
                    "users": {"mia_garcia_4516": {"zip": "76165", "phone_number": "555-123-2002"}},
                    "orders": [
                        {"order_id": "#W1234567", "flight_number": "HAT001"},
                        {"order_id": "#W7654321", "reservation_id": "4WQ150"},
                    ],
                    "people": [{"first_name": "Mia", "last_name": "Garcia"}],
                },
                {"actions": [{"arguments": {"address1": "123 Elm Street", "city": "Austin"}}]},
            ),
            tools=(
                ToolSpec(
                    "get_order", "Get an order.", {"properties": {"order_id": {}, "reason": {}}}
                ),
                ToolSpec(
                    "calculate",
                    "Calculate.",
                    {"properties": {"expression": {}, "unit": {"enum": ["celsius", "kelvin"]}}},
                ),
            ),
            schemas={"data_model.json": shop_schema()},
        )
    )


@pytest.fixture(scope="package")
def thai() -> Glossary:
    """The shop's labels in Thai."""
    schema = shop_schema(
        pending="รอดำเนินการ", no_longer_needed="ไม่ต้องการแล้ว", basic_economy="ประหยัดพื้นฐาน"
    )
    return glossary_of({"data_model.json": schema}, "shop/th")


@pytest.fixture(scope="package")
def no_glossary() -> Glossary:
    """No labels at all."""
    return NO_GLOSSARY


@pytest.fixture(scope="package")
def swapping() -> Glossary:
    """Labels of two value sets of one value each, whose fields have one name."""
    schema = Schema(
        kind="schema",
        source_file="shop.py",
        models={
            "Gift": ModelText({"source": FieldText("str", value_set="Gift.source")}),
            "Credit": ModelText({"source": FieldText("str", value_set="Credit.source")}),
        },
        value_sets={
            "Gift.source": ValueSetText("literal", (ValueText("gift_card", "kartu hadiah"),)),
            "Credit.source": ValueSetText("literal", (ValueText("credit_card", "kartu kredit"),)),
        },
    )
    return glossary_of({"data_model.json": schema}, "shop/id")


@pytest.fixture(scope="session")
def lisbon(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a language of one's own."""
    path = tmp_path_factory.mktemp("languages") / "pt.toml"
    months = ", ".join(f'"m{number}"' for number in range(1, 13))
    path.write_text(
        'code = "pt"\nname = "Portuguese"\nown_name = "português"\nscript = "LATIN"\n'
        'detector = "pt"\ngreeting = "Bom dia"\n[numbers]\ndecimal = ","\nthousands = "."\n'
        f'[dates]\nforms = ["{{day}}/{{month}}/{{year}}"]\nmonths = [{months}]\n',
        "utf-8",
    )
    return str(path)


@pytest.fixture(scope="package")
def chinese() -> Glossary:
    """The shop's labels in Chinese."""
    return glossary_of({"data_model.json": shop_schema(pending="待处理")}, "shop/zh")
