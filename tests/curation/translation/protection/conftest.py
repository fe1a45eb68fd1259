"""A small shop: what its data, tools and schema show of what must stay."""

import pytest

from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    ValueSetText,
    ValueText,
)
from dragoman.core.tools import ToolSpec
from dragoman.curation.translation.glossary import Glossary, glossary_of
from dragoman.curation.translation.protection.domain import domain_data
from dragoman.curation.translation.protection.tokens import Protection, protection_of


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
def protection() -> Protection:
    """What stays in the shop's texts."""
    return protection_of(
        domain_data(
            databases=[
                {
                    "users": {"mia_garcia_4516": {"zip": "76165", "phone_number": "555-123-2002"}},
                    "orders": [
                        {"order_id": "#W1234567", "flight_number": "HAT001"},
                        {"order_id": "#W7654321", "reservation_id": "4WQ150"},
                    ],
                    "people": [{"first_name": "Mia", "last_name": "Garcia"}],
                }
            ],
            tasks=[{"actions": [{"arguments": {"address1": "123 Elm Street", "city": "Austin"}}]}],
            tools=[
                ToolSpec(
                    "get_order", "Get an order.", {"properties": {"order_id": {}, "reason": {}}}
                ),
                ToolSpec("calculate", "Calculate.", {"properties": {"expression": {}}}),
            ],
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
def chinese() -> Glossary:
    """The shop's labels in Chinese."""
    return glossary_of({"data_model.json": shop_schema(pending="待处理")}, "shop/zh")
