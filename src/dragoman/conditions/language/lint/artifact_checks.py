"""Lint checks of files, value labels and database names: missing, stale, ambiguous, changed."""

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from dragoman.conditions.language.artifacts import (
    MANIFEST,
    SCHEMA_FILES,
    TASKS,
    Schema,
    Translation,
    ValueText,
)
from dragoman.conditions.language.database_names import (
    decode_database,
    dotted_path,
    find_differences,
    text_leaves,
)
from dragoman.conditions.language.domain_surface import annotation_types
from dragoman.conditions.language.field_trees import FieldTree, map_strings, tree_from_annotation
from dragoman.conditions.language.lint.assets import Defect, Found, LanguageAssets, Task
from dragoman.conditions.language.text_invariants import has_letters, is_identifier, lines_of
from dragoman.conditions.language.value_sets import ValueSet, value_set_from_artifact
from dragoman.conditions.language.view_checks import has_words
from dragoman.core.errors import DataError
from dragoman.core.texts.counts import format_count
from dragoman.core.tools import Role


def missing_files(assets: LanguageAssets) -> Found:
    """Find files that the manifest names and that do not exist."""
    if assets.manifest is None:
        yield assets.defect("missing-file", MANIFEST, "no manifest: sources are not recorded")
        return
    for name in assets.manifest.assets:
        if name not in assets.folder:
            yield assets.defect("missing-file", name, "named by the manifest and absent")


def stray_files(assets: LanguageAssets) -> Found:
    """Find files that the manifest does not name."""
    if assets.manifest is None:
        return
    for name in assets.folder.names:
        if name not in assets.manifest.assets and name != MANIFEST:
            yield assets.defect("stray-file", name, "not named by the manifest")


def hand_patches(assets: LanguageAssets) -> Found:
    """Find files that were edited after they were translated."""
    for name, entry in _entries(assets).items():
        if entry.manual_patch_at is not None:
            yield assets.defect("hand-patched", name, f"patched at {entry.manual_patch_at}")
        elif name in assets.folder and entry.output_sha256 not in {None, _hash(assets, name)}:
            yield assets.defect("hand-patched", name, "not as it was written")


def stale_files(assets: LanguageAssets) -> Found:
    """Find files whose source changed; where the text shows it, by content too."""
    for name, entry in _entries(assets).items():
        changed = [
            source.path
            for source in entry.source_files
            if assets.english.hashes.get(source.path, source.sha256) != source.sha256
        ]
        if not changed:
            continue
        lost = _lines_lost(assets, name)
        yield assets.defect("stale-by-hash", name, f"{', '.join(changed)} has another hash now")
        if lost > 0:
            what = f"the source has {lost} more lines than the translation"
            yield assets.defect("stale-by-content", name, what)


def lost_lines(assets: LanguageAssets) -> Found:
    """Find texts with fewer lines than a source that did not change."""
    stale = {defect.path for defect in stale_files(assets)}
    for name in assets.policies:
        lost = _lines_lost(assets, name)
        if name not in stale and lost > 0:
            what = "lines of the source are not in the translation"
            yield assets.defect("line-lost", name, what, count=lost)


def unknown_sources(assets: LanguageAssets) -> Found:
    """Find files whose sources are not available, so that staleness is unknown."""
    for name, entry in _entries(assets).items():
        for source in entry.source_files:
            if source.path not in assets.english.hashes:
                yield assets.defect("source-unknown", name, f"{source.path} is not at hand")


def language_names(assets: LanguageAssets) -> Found:
    """Find files that were translated into a language of another name than the registry's."""
    if assets.language_name is None:
        return
    for name, entry in _entries(assets).items():
        target = entry.target_language
        if target not in {None, assets.language_name}:
            what = f"the manifest says {target}, the registry {assets.language_name}"
            yield assets.defect("language-name", name, what)


def _entries(assets: LanguageAssets) -> dict[str, Translation]:
    return {} if assets.manifest is None else assets.manifest.assets


def _lines_lost(assets: LanguageAssets, name: str) -> int:
    """Return how many lines a Markdown file has less than its source; 0 for other files."""
    if name not in assets.policies:
        return 0
    original, translation = assets.policies[name]
    return len(lines_of(original)) - len(lines_of(translation))


def _hash(assets: LanguageAssets, name: str) -> str:
    return hashlib.sha256(assets.folder.read(name)).hexdigest()


def untranslated_labels(assets: LanguageAssets) -> Found:
    """Find labels that are the value itself."""
    for side, key, value in _values(assets):
        is_meant = is_identifier(value.canonical) or value.canonical in assets.same_as_english
        if value.localized == value.canonical and not is_meant:
            what = f"the label of {value.canonical!r} is the value"
            yield assets.defect(
                "label-equals-canonical", SCHEMA_FILES[side], what, place=f"value_sets.{key}"
            )


def colliding_labels(assets: LanguageAssets) -> Found:
    """Find labels of a domain that stand for two values, as they are or but for letter case."""
    exact: dict[str, dict[str, Role]] = {}
    folded: dict[str, dict[str, Role]] = {}
    for side, _, value in _values(assets):
        exact.setdefault(value.localized, {})[value.canonical] = side
        folded.setdefault(value.localized.casefold(), {})[value.canonical] = side
    for label, owners in exact.items():
        if len(owners) > 1:
            yield _collision(assets, "label-collision", label, owners)
    for label, owners in folded.items():
        if len(owners) > 1 and not any(owners == each for each in exact.values()):
            yield _collision(assets, "case-fold-collision", label, owners)


def varying_labels(assets: LanguageAssets) -> Found:
    """Find values that have different labels in different value sets of a domain."""
    labels: dict[str, dict[str, Role]] = {}
    for side, _, value in _values(assets):
        labels.setdefault(value.canonical, {})[value.localized] = side
    for value_text, found in labels.items():
        if len(found) > 1:
            what = f"{value_text!r} has the labels {_join_names(found)}"
            path = SCHEMA_FILES[next(iter(found.values()))]
            yield assets.defect("one-canonical-two-labels", path, what)


def ambiguous_sets(assets: LanguageAssets) -> Found:
    """Find value sets in which a spelling would mean two values, or a label is blank."""
    for side, schema in assets.schemas.items():
        for key, text in schema.value_sets.items():
            try:
                value_set_from_artifact(key, text)
            except DataError as error:
                place = f"value_sets.{key}"
                yield assets.defect(
                    "ambiguous-value-set", SCHEMA_FILES[side], str(error), place=place
                )


def differing_schemas(assets: LanguageAssets) -> Found:
    """Find models, fields and values that are not those of the English side."""
    for side, english in assets.english.schemas.items():
        translated = assets.schemas.get(side)
        if translated is None:
            yield assets.defect("schema-differs", SCHEMA_FILES[side], "the side has no schema")
        elif _structure(translated) != _structure(english):
            what = "models, annotations or values are not the English ones"
            yield assets.defect("schema-differs", SCHEMA_FILES[side], what)


def _values(assets: LanguageAssets) -> Iterator[tuple[Role, str, ValueText]]:
    for side, schema in assets.schemas.items():
        for key, value_set in schema.value_sets.items():
            for value in value_set.values:
                yield side, key, value


def _collision(assets: LanguageAssets, code: str, label: str, owners: dict[str, Role]) -> Defect:
    what = f"{label!r} stands for {_join_names(owners)}"
    return assets.defect(code, SCHEMA_FILES[next(iter(owners.values()))], what)


def _join_names(names: dict[str, Role]) -> str:
    return " and ".join(map(repr, names))


def _structure(schema: Schema) -> object:
    return (
        {
            name: {field: (text.annotation, text.value_set) for field, text in model.fields.items()}
            for name, model in schema.models.items()
        },
        {
            key: (text.kind, [(value.canonical, value.member) for value in text.values])
            for key, text in schema.value_sets.items()
        },
    )


class _Named(NamedTuple):
    path: str
    place: tuple[str | int, ...]
    english: str
    translated: str


def changed_values(assets: LanguageAssets) -> Found:
    """Find values of databases that differ from English and are not names."""
    leaves = assets.english.declared.name_leaves
    for name, (english, translated) in assets.databases.items():
        for difference in find_differences(english, translated):
            path = difference.path
            if difference.structure or path[-1] not in leaves:
                what = "not as in English"
                yield assets.defect("fixed-leaf-changed", name, what, place=dotted_path(path))


def untranslated_names(assets: LanguageAssets) -> Found:
    """Find names that are as in English, each with how often."""
    found: dict[tuple[str, str], list[str]] = {}
    for named in _names(assets):
        if named.english == named.translated:
            found.setdefault((named.path, named.english), []).append(dotted_path(named.place))
    for (path, name), places in found.items():
        what = f"{name!r} is as in English"
        yield assets.defect("untranslated-leaf", path, what, place=places[0], count=len(places))


def varying_names(assets: LanguageAssets) -> Found:
    """Find English names that have different translations."""
    translations: dict[tuple[str, str], dict[str, str]] = {}
    for named in _names(assets):
        found = translations.setdefault((named.path, named.english), {})
        found.setdefault(named.translated, dotted_path(named.place))
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
        found.setdefault(named.english, dotted_path(named.place))
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
            items = format_count(len(orders), "item")
            verb = "is" if len(orders) == 1 else "are"
            what = f"{items} {verb} not called {products[product]!r}"
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


_PARTS = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


def missing_names(assets: LanguageAssets) -> Found:
    """Find texts of databases that their value set does not have."""
    declared, sets = assets.english.declared, assets.names
    for key in sorted(declared.names - sets.keys()):
        yield assets.defect("name-missing", SCHEMA_FILES["agent"], f"value set {key} is missing")
    types = annotation_types(assets.schemas, sets, declared)
    for side, file in assets.english.databases.items() if sets else ():
        if side not in declared.databases or file not in assets.english.files:
            continue
        database = decode_database(assets.english.files[file], f"{assets.domain}: {file}")
        tree = tree_from_annotation(declared.databases[side], types, file)
        for name, text in _missing(database, tree):
            what = f"{text!r} of the database is not one of its values"
            yield assets.defect("name-missing", SCHEMA_FILES[side], what, place=name)


def changed_facts(assets: LanguageAssets) -> Found:
    """Find facts that are names and not said as the database has them in the language."""
    for original, translation in assets.tasks or ():
        for fact, reported in zip(_facts(original), _facts(translation), strict=False):
            labels = [
                names.labels[value]
                for names in _given_names(assets)
                if (value := str(fact.get("value"))) in names.labels
            ]
            if labels and reported.get("value") not in labels:
                what = f"{reported.get('value')!r} is not {' or '.join(map(repr, labels))}"
                place = f"{original.get('id')}.{fact.get('name')}"
                yield assets.defect("name-lost", TASKS, what, place=place)


def unstated_facts(assets: LanguageAssets) -> Found:
    """Find facts whose value does not stand in the instructions, or that nothing asks for."""
    for original, translation in assets.tasks or ():
        script = "\n".join(_texts(translation).values())
        for fact in _facts(translation):
            place = f"{original.get('id')}.{fact.get('name')}"
            if str(fact.get("value")) not in script:
                what = f"{fact.get('value')!r} does not stand in the instructions"
                yield assets.defect("fact-untold", TASKS, what, place=place)
            if not fact.get("keywords"):
                yield assets.defect("fact-untold", TASKS, "has no keywords", place=place)


def lost_names(assets: LanguageAssets) -> Found:
    """Find names in English instructions that the translation does not say as tools take them."""
    labels: dict[str, set[str]] = {}
    for names in _given_names(assets):
        for value, label in names.labels.items():
            # A small letter begins what is an ordinary word as well.
            if value[:1].isupper() or "@" in value:
                labels.setdefault(value, set()).add(label)
    if not labels:
        return
    longest_first = sorted(labels, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    for original, translation in assets.tasks or ():
        reported = _texts(translation)
        for part, text in _texts(original).items():
            for name in dict.fromkeys(pattern.findall(text)):
                if not any(label in reported.get(part, "") for label in labels[name]):
                    what = f"{name!r} is not said as {' or '.join(sorted(labels[name]))}"
                    place = f"{original.get('id')}.{part}"
                    yield assets.defect("name-lost", TASKS, what, place=place)


def _missing(database: object, tree: FieldTree) -> list[tuple[str, str]]:
    """Return texts at the places of a tree that are not values, with the name of their set."""
    found: dict[tuple[str, str], None] = {}

    def look(values: ValueSet, text: str) -> str:
        if has_words(text) and text not in values.labels:
            found[values.name, text] = None
        return text

    map_strings(database, tree, look)
    return list(found)


def _given_names(assets: LanguageAssets) -> Iterator[ValueSet]:
    """Yield the names that tools take as arguments, so that their spelling matters."""
    taken = {key for by in assets.english.declared.arguments.values() for key in by.values()}
    yield from (names for key, names in assets.names.items() if key in taken)


def _scenario(task: Task) -> dict[str, object]:
    scenario = task.get("scenario")
    return scenario if isinstance(scenario, dict) else {}


def _facts(task: Task) -> list[dict[str, object]]:
    facts = _scenario(task).get("facts")
    return facts if isinstance(facts, list) else []


def _texts(task: Task) -> dict[str, str]:
    """Return the opening and the parts of a task's instructions."""
    scenario = _scenario(task)
    script = scenario.get("instructions")
    parts = {part: script.get(part) for part in _PARTS} if isinstance(script, dict) else {}
    texts = {"opening": scenario.get("opening"), "instructions": script, **parts}
    return {name: text for name, text in texts.items() if isinstance(text, str)}
