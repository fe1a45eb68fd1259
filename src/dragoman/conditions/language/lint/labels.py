"""Labels of values: whether each is one, and stands for one value only."""

from collections.abc import Iterator

from dragoman.conditions.language.artifacts import SCHEMA_FILES, Schema, ValueText
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.lint.defects import Defect
from dragoman.conditions.language.text_rules.kept import is_identifier
from dragoman.conditions.language.value_maps import value_set_from
from dragoman.core.errors import DataError
from dragoman.core.tools import Role


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
            what = f"{value_text!r} has the labels {_listed(found)}"
            path = SCHEMA_FILES[next(iter(found.values()))]
            yield assets.defect("one-canonical-two-labels", path, what)


def ambiguous_sets(assets: LanguageAssets) -> Found:
    """Find value sets in which a spelling would mean two values, or a label is blank."""
    for side, schema in assets.schemas.items():
        for key, text in schema.value_sets.items():
            try:
                value_set_from(key, text)
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
    what = f"{label!r} stands for {_listed(owners)}"
    return assets.defect(code, SCHEMA_FILES[next(iter(owners.values()))], what)


def _listed(names: dict[str, Role]) -> str:
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
