from collections.abc import Callable

from dragoman.conditions.language.lint import artifact_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]


def shop(
    products: dict[str, str], items: list[tuple[str, str]], price: int = 5
) -> dict[str, object]:
    return {
        "products": {key: {"name": name, "price": price} for key, name in products.items()},
        "orders": {
            "#W1": {"items": [{"product_id": key, "name": name} for key, name in items]},
        },
    }


ENGLISH = shop({"1": "Tea Kettle", "2": "Lamp"}, [("1", "Tea Kettle"), ("2", "Lamp")])


def in_language(make: Make, database: object) -> LanguageAssets:
    return make({"db.json": database}, {"db.json": ENGLISH})


def test_one_translation_for_each_name_has_no_defect(make: Make, codes: Codes) -> None:
    assets = in_language(make, shop({"1": "Ketel", "2": "Lampu"}, [("1", "Ketel"), ("2", "Lampu")]))
    for check in (
        artifact_checks.changed_values,
        artifact_checks.untranslated_names,
        artifact_checks.varying_names,
        artifact_checks.merged_names,
        artifact_checks.differing_item_names,
    ):
        assert codes(check(assets)) == []


def test_names_that_are_as_in_english_are_counted(make: Make, codes: Codes) -> None:
    assets = in_language(make, shop({"1": "Ketel", "2": "Lamp"}, [("1", "Ketel"), ("2", "Lamp")]))
    assert codes(artifact_checks.untranslated_names(assets)) == [
        ("untranslated-leaf", "products.2.name", 2)
    ]


def test_an_item_that_is_called_otherwise_than_its_product_is_told(
    make: Make, codes: Codes
) -> None:
    assets = in_language(make, shop({"1": "Ketel", "2": "Lampu"}, [("1", "Cerek"), ("2", "Lampu")]))
    assert codes(artifact_checks.varying_names(assets)) == [
        ("one-name-two-translations", "products.1.name", 1)
    ]
    assert codes(artifact_checks.differing_item_names(assets)) == [
        ("item-name-differs-from-product", "products.1", 1)
    ]


def test_two_names_with_one_translation_are_told(make: Make, codes: Codes) -> None:
    assets = in_language(make, shop({"1": "Alat", "2": "Alat"}, [("1", "Alat"), ("2", "Alat")]))
    assert codes(artifact_checks.merged_names(assets)) == [
        ("two-names-merged", "products.1.name", 1)
    ]


def test_a_value_that_is_no_name_must_stay(make: Make, codes: Codes) -> None:
    other = shop({"1": "Ketel", "2": "Lampu"}, [("1", "Ketel"), ("2", "Lampu")], price=6)
    assert sorted(codes(artifact_checks.changed_values(in_language(make, other)))) == [
        ("fixed-leaf-changed", "products.1.price", 1),
        ("fixed-leaf-changed", "products.2.price", 1),
    ]
