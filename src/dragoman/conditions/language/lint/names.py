"""Names in databases: one translation for each, and nothing else changed."""

from collections.abc import Iterator
from typing import NamedTuple

from dragoman.conditions.language.database_names import differences, dotted, text_leaves
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.text_rules.scripts import has_letters


class _Named(NamedTuple):
    path: str
    place: tuple[str | int, ...]
    english: str
    translated: str


def changed_values(assets: LanguageAssets) -> Found:
    """Find values of databases that are no names and not as in English."""
    leaves = assets.english.declared.name_leaves
    for name, (english, translated) in assets.databases.items():
        for difference in differences(english, translated):
            path = difference.path
            if difference.structure or path[-1] not in leaves:
                what = "not as in English"
                yield assets.defect("fixed-leaf-changed", name, what, place=dotted(path))


def untranslated_names(assets: LanguageAssets) -> Found:
    """Find names that are as in English, each with how often."""
    found: dict[tuple[str, str], list[str]] = {}
    for named in _names(assets):
        if named.english == named.translated:
            found.setdefault((named.path, named.english), []).append(dotted(named.place))
    for (path, name), places in found.items():
        what = f"{name!r} is as in English"
        yield assets.defect("untranslated-leaf", path, what, place=places[0], count=len(places))


def varying_names(assets: LanguageAssets) -> Found:
    """Find English names that have different translations."""
    translations: dict[tuple[str, str], dict[str, str]] = {}
    for named in _names(assets):
        found = translations.setdefault((named.path, named.english), {})
        found.setdefault(named.translated, dotted(named.place))
    for (path, name), found in translations.items():
        if len(found) > 1:
            what = f"{name!r} has {len(found)} translations"
            place = next(iter(found.values()))
            yield assets.defect("one-name-two-translations", path, what, place=place)


def merged_names(assets: LanguageAssets) -> Found:
    """Find translations that stand for different English names."""
    originals: dict[tuple[str, str], dict[str, str]] = {}
    for named in _names(assets):
        found = originals.setdefault((named.path, named.translated), {})
        found.setdefault(named.english, dotted(named.place))
    for (path, name), found in originals.items():
        if len(found) > 1:
            what = f"{name!r} stands for {' and '.join(map(repr, found))}"
            place = next(iter(found.values()))
            yield assets.defect("two-names-merged", path, what, place=place)


def differing_item_names(assets: LanguageAssets) -> Found:
    """Find ordered items that are not called as their product is, by product."""
    for path, (_, database) in assets.databases.items():
        products = {key: product.get("name") for key, product in _records(database, "products")}
        differing: dict[str, list[str]] = {}
        for order, record in _records(database, "orders"):
            for item in _items(record):
                product = str(item.get("product_id"))
                if product in products and item.get("name") != products[product]:
                    differing.setdefault(product, []).append(order)
        for product, orders in differing.items():
            what = f"{len(orders)} items are not called {products[product]!r}"
            yield assets.defect(
                "item-name-differs-from-product",
                path,
                what,
                place=f"products.{product}",
                count=len(orders),
            )


def _names(assets: LanguageAssets) -> Iterator[_Named]:
    leaves = assets.english.declared.name_leaves
    for name, (english, translated) in assets.databases.items():
        others = dict(text_leaves(translated, leaves))
        for path, text in text_leaves(english, leaves):
            # An address may stay as it is, and many have the same lines.
            if path in others and has_letters(text) and "address" not in path:
                yield _Named(name, path, text, others[path])


def _records(database: dict[str, object], table: str) -> Iterator[tuple[str, dict[str, object]]]:
    records = database.get(table)
    for key, record in records.items() if isinstance(records, dict) else ():
        if isinstance(record, dict):
            yield key, record


def _items(order: dict[str, object]) -> list[dict[str, object]]:
    items = order.get("items")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
