"""Texts of tools: what they keep of the English docstrings, and the labels that they advertise."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import TOOL_FILES
from dragoman.conditions.language.discovery import quoted_literals
from dragoman.conditions.language.docstrings import ToolText, parse_docstring
from dragoman.conditions.language.field_trees import FieldTree, tree_of_annotation
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.surface import argument_tree, types_of
from dragoman.conditions.language.text_rules.kept import lost_identifiers
from dragoman.conditions.language.text_rules.mentions import values_in_place_of_others
from dragoman.conditions.language.value_maps import ValueSet, fold
from dragoman.core.tools import Role, ToolSpec


def missing_tools(assets: LanguageAssets) -> Found:
    """Find tools without a text, and texts without a tool."""
    for side, toolset in assets.english.toolsets.items():
        names = set(toolset.by_name)
        for name in sorted(names ^ set(assets.docstrings.get(side, {}))):
            what = "has no text" if name in names else "is no tool"
            yield assets.defect("tool-missing", TOOL_FILES[side], what, place=name)


def restructured_docstrings(assets: LanguageAssets) -> Found:
    """Find docstrings that describe other parameters than the tool has."""
    for side, tool, text in _texts(assets):
        described, expected = list(text.arguments), [*_descriptions(tool)]
        if described != [name for name in expected if name in described] or (
            described != expected and any(_descriptions(tool).values())
        ):
            what = f"describes {_listed(described)} where the tool has {_listed(expected)}"
            yield assets.defect("docstring-structure", TOOL_FILES[side], what, place=tool.name)


def corrupted_identifiers(assets: LanguageAssets) -> Found:
    """Find identifiers of English descriptions that the translation does not repeat."""
    for side, tool, text in _texts(assets):
        lost = lost_identifiers(_english(tool), text.everything)
        if lost:
            what = f"not repeated: {', '.join(lost)}"
            yield assets.defect(
                "identifier-lost", TOOL_FILES[side], what, place=tool.name, count=lost.total()
            )


def replaced_literals(assets: LanguageAssets) -> Found:
    """Find quoted literals of parameter descriptions that are not those of the English text."""
    for quotes in _quotes(assets):
        altered = [text for text in quotes.translated if text not in quotes.english]
        if altered:
            what = f"{quotes.parameter}: {_listed(quotes.english)} became {_listed(altered)}"
            yield assets.defect(
                "literal-replaced", quotes.path, what, place=quotes.tool, count=len(altered)
            )


def unrestricted_labels(assets: LanguageAssets) -> Found:
    """Find parameters for which labels are advertised though the schema takes any string."""
    for quotes in _quotes(assets):
        known = quotes.value_set
        if known is None or not known.is_open:
            continue
        labels = [text for text in quotes.translated if text not in known.canonicals]
        if any(fold(text) in known.spellings for text in labels):
            what = f"{quotes.parameter} is a plain string, the text asks for {_listed(labels)}"
            yield assets.defect("plain-string-enum", quotes.path, what, place=quotes.tool)


def unaccepted_labels(assets: LanguageAssets) -> Found:
    """Find labels that a description advertises for a value set which does not take them."""
    for quotes in _quotes(assets):
        known = quotes.value_set
        if known is None or not all(text in known.canonicals for text in quotes.english):
            continue
        foreign = [text for text in quotes.translated if fold(text) not in known.spellings]
        if foreign:
            what = f"{quotes.parameter}: {_listed(foreign)} is no value of {known.name}"
            yield assets.defect(
                "label-outside-value-set",
                quotes.path,
                what,
                place=quotes.tool,
                count=len(foreign),
            )


def swapped_values(assets: LanguageAssets) -> Found:
    """Find texts that name a value of a field which the English text does not, in place of one."""
    fields = list(_fields(assets))
    for side, tool, text in _texts(assets):
        original, translation = fold(_english(tool)), fold(text.everything)
        for field in fields:
            swapped = values_in_place_of_others(field.labels, original, translation)
            if swapped is not None:
                more, less = _listed(swapped.added), _listed(swapped.fewer)
                what = f"names {more} and not {less} as the English text does"
                yield assets.defect("value-swapped", TOOL_FILES[side], what, place=tool.name)


class _Quotes(NamedTuple):
    """What the descriptions of a parameter quote, and the values that it takes."""

    path: str
    tool: str
    parameter: str
    english: tuple[str, ...]
    translated: tuple[str, ...]
    value_set: ValueSet | None


def _quotes(assets: LanguageAssets) -> Iterator[_Quotes]:
    declared = assets.english.declared
    for side, tool, text in _texts(assets):
        places = dict(argument_tree(tool, assets.value_sets, declared).places())
        for name, description in _descriptions(tool).items():
            yield _Quotes(
                TOOL_FILES[side],
                tool.name,
                name,
                quoted_literals(description),
                quoted_literals(text.arguments.get(name, "")),
                places.get((name,)),
            )


def _texts(assets: LanguageAssets) -> Iterator[tuple[Role, ToolSpec, ToolText]]:
    for side, toolset in assets.english.toolsets.items():
        docstrings = assets.docstrings.get(side, {})
        for tool in toolset:
            if tool.name in docstrings:
                yield side, tool, parse_docstring(docstrings[tool.name])


def _fields(assets: LanguageAssets) -> Iterator[ValueSet]:
    """Yield the value sets of databases, each once: fields of unions have those of all members."""
    declared = assets.english.declared
    types = types_of(assets.schemas, assets.value_sets, declared)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for model in declared.databases.values():
        tree: FieldTree = tree_of_annotation(model, types, model)
        for _, field in tree.places():
            key = tuple(field.labels.items())
            if key not in seen and len(key) > 1:
                seen.add(key)
                yield field


def _descriptions(tool: ToolSpec) -> Mapping[str, str]:
    properties = tool.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {
        name: str(schema.get("description", ""))
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    }


def _english(tool: ToolSpec) -> str:
    return "\n".join((tool.description, *_descriptions(tool).values()))


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "nothing"
