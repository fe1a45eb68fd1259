"""Localized surface of a domain: everything that is shown, and the maps back to English values.

`load_surface` reads the artifacts of one folder, proves that the value maps are reversible, and
places them on the arguments of tools, on their results and on the fields of databases.
"""

from collections.abc import Mapping

import msgspec

from dragoman.conditions.language.artifacts import (
    DATABASES,
    SCHEMA_FILES,
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    AssetFolder,
    FieldText,
    ModelText,
    Schema,
    ToolReturns,
    decode_artifact,
)
from dragoman.conditions.language.database_names import (
    DatabaseNames,
    count_texts,
    decode_database,
    match_names,
)
from dragoman.conditions.language.field_trees import (
    EMPTY_TREE,
    AnnotationTypes,
    FieldTree,
    tree_from_annotation,
    tree_from_places,
    tree_from_schema,
)
from dragoman.conditions.language.tool_docstrings import ToolText, parse_docstring
from dragoman.conditions.language.tool_messages import MessageTranslations, PlaceholderValues
from dragoman.conditions.language.value_sets import (
    ValueSet,
    join_value_sets,
    value_set_from_artifact,
)
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import NO_DECLARATIONS, DomainDeclarations
from dragoman.core.tools import Role, Toolset, ToolSpec


class EnglishSide(msgspec.Struct, frozen=True):
    """The English side that translations are read against: tools and databases by side."""

    toolsets: dict[Role, Toolset]
    databases: dict[Role, bytes]
    declared: DomainDeclarations = NO_DECLARATIONS


class DomainSurface(msgspec.Struct, frozen=True):
    """A domain in a language.

    Attributes:
        domain: The domain.
        language: The language's code.
        value_sets: Value maps by the key of the artifact; those of fields are in the trees.
        models: Descriptions of models and their fields, by model.
        arguments: The value maps of a tool's arguments, by side and tool.
        results: The value maps of a tool's structured result, by side and tool.
        fields: The value maps of a side's database.
        tool_texts: Docstrings in the language, by side and tool.
        messages: Messages of tools.
        policies: Texts of Markdown files by name.
        tasks: The content of `tasks.json`, or None if the release lacks it.
        databases: The databases in the language, as files; a side without a file is absent.
        names: Translated names of databases by path.
        tools: The English tools by side.
        declared: The declarations of the domain.
    """

    domain: str
    language: str
    value_sets: dict[str, ValueSet]
    models: dict[str, ModelText]
    arguments: dict[Role, dict[str, FieldTree]]
    results: dict[Role, dict[str, FieldTree]]
    fields: dict[Role, FieldTree]
    tool_texts: dict[Role, dict[str, ToolText]]
    messages: MessageTranslations
    policies: dict[str, str]
    tasks: bytes | None
    databases: dict[Role, bytes]
    names: dict[Role, DatabaseNames]
    tools: dict[Role, Toolset]
    declared: DomainDeclarations = NO_DECLARATIONS

    def names_left(self, side: Role) -> tuple[int, int]:
        """Return how many names of a side's database are as in English, and how many it has.

        Both are 0 without an English database to compare with.
        """
        translated = self.names.get(side)
        if translated is None:
            return 0, 0
        where = f"{self.domain}/{self.language}: database of the {side}"
        names = count_texts(decode_database(self.databases[side], where), self.declared.name_leaves)
        return names - len(translated.by_path), names


SIDES: tuple[Role, ...] = ("agent", "user")


def load_surface(
    domain: str, language: str, assets: AssetFolder, english: EnglishSide
) -> DomainSurface:
    """Read a domain's artifacts in a language and place their value maps.

    Args:
        domain: The domain.
        language: The language's code.
        assets: The folder of its files.
        english: The English tools and databases.

    Raises:
        DataError: If a file is missing or damaged, a value map is not reversible, or a database
            differs from the English one in more than names. Missing tasks and databases raise
            nothing: some releases lack them.
    """
    declared = english.declared
    where = f"{domain}/{language}"
    schemas = read_schemas(assets)
    value_sets = build_value_sets(schemas, declared, language, where)
    types = annotation_types(schemas, value_sets, declared)
    databases = _databases(assets)
    return DomainSurface(
        domain=domain,
        language=language,
        value_sets=value_sets,
        models={
            name: model for schema in schemas.values() for name, model in schema.models.items()
        },
        arguments={
            side: {tool.name: argument_tree(tool, value_sets, declared) for tool in toolset}
            for side, toolset in english.toolsets.items()
        },
        results={
            side: {
                tool.name: _result_tree(tool.name, side, declared, types, where) for tool in toolset
            }
            for side, toolset in english.toolsets.items()
        },
        fields={
            side: tree_from_annotation(model, types, f"{where}: {model}")
            for side, model in declared.databases.items()
        },
        tool_texts=read_tool_texts(assets),
        messages=MessageTranslations(
            read_tool_returns(assets),
            f"{where}/{TOOL_RETURNS}",
            placeholder_values(declared, value_sets),
        ),
        policies={name: assets.text(name) for name in assets.names if name.endswith(".md")},
        tasks=assets.read(TASKS) if TASKS in assets else None,
        databases=databases,
        names={
            side: match_names(
                decode_database(english.databases[side], f"{domain}: database of the {side}"),
                decode_database(content, f"{where}: database of the {side}"),
                declared.name_leaves,
                f"{where}: database of the {side}",
            )
            for side, content in databases.items()
            if side in english.databases
        },
        tools=english.toolsets,
        declared=declared,
    )


def read_schemas(assets: AssetFolder) -> dict[Role, Schema]:
    """Read the schema artifacts of a folder by side; the agent's must be there.

    Raises:
        DataError: If one is missing or damaged.
    """
    return {
        side: decode_artifact(
            assets.read(SCHEMA_FILES[side]), Schema, f"{assets.folder / SCHEMA_FILES[side]}"
        )
        for side in SIDES
        if side == "agent" or SCHEMA_FILES[side] in assets
    }


def read_tool_texts(assets: AssetFolder) -> dict[Role, dict[str, ToolText]]:
    """Read the docstrings of tools by side.

    Raises:
        DataError: If a file is damaged, or the agent's is missing.
    """
    return {
        side: {tool: parse_docstring(text) for tool, text in docstrings.items()}
        for side, docstrings in read_docstrings(assets).items()
    }


def read_docstrings(assets: AssetFolder) -> dict[Role, dict[str, str]]:
    """Read the docstrings of tools by side, as they are.

    Raises:
        DataError: If a file is damaged, or the agent's is missing.
    """
    return {
        side: decode_artifact(
            assets.read(TOOL_FILES[side]), dict[str, str], f"{assets.folder / TOOL_FILES[side]}"
        )
        for side in SIDES
        if side == "agent" or TOOL_FILES[side] in assets
    }


def read_tool_returns(assets: AssetFolder) -> ToolReturns:
    """Read the messages of tools; a domain without the file has none.

    Raises:
        DataError: If the file is damaged.
    """
    if TOOL_RETURNS not in assets:
        return ToolReturns()
    return decode_artifact(
        assets.read(TOOL_RETURNS), ToolReturns, f"{assets.folder / TOOL_RETURNS}"
    )


def build_value_sets(
    schemas: Mapping[Role, Schema], declared: DomainDeclarations, language: str, where: str
) -> dict[str, ValueSet]:
    """Build the value sets of a domain's artifacts with the aliases that are declared.

    Raises:
        DataError: If a set is not reversible, or two artifacts have different sets of one key.
    """
    aliases = declared.aliases.get(language, {})
    found: dict[str, ValueSet] = {}
    for schema in schemas.values():
        for key, text in schema.value_sets.items():
            value_set = value_set_from_artifact(f"{where}: {key}", text, aliases.get(key))
            if key in declared.unaccented:
                value_set = value_set.without_accents()
            if found.setdefault(key, value_set) != value_set:
                raise DataError(f"{where}: two artifacts have different value sets {key}")
    return found


def annotation_types(
    schemas: Mapping[Role, Schema], value_sets: Mapping[str, ValueSet], declared: DomainDeclarations
) -> AnnotationTypes:
    """Return what the annotations of a domain may name."""
    declared_models = {
        name: ModelText({field: FieldText(annotation) for field, annotation in fields.items()})
        for name, fields in declared.models.items()
    }
    released = {name: model for schema in schemas.values() for name, model in schema.models.items()}
    return AnnotationTypes(
        {**released, **declared_models}, declared.unions, value_sets, join_value_sets
    )


def argument_tree(
    tool: ToolSpec, value_sets: Mapping[str, ValueSet], declared: DomainDeclarations
) -> FieldTree:
    """Return the value maps of a tool's arguments: those of its schema and those declared.

    An open value set that the artifacts do not have leaves its parameter as it is.

    Raises:
        DataError: If a value set is declared that the artifacts do not have.
    """
    tree = tree_from_schema(tool.parameters, lambda strings: find_value_set(strings, value_sets))
    places = dict(tree.places())
    for quoted in declared.quoted:
        if quoted.tool == tool.name and (quoted.parameter,) not in places:
            if quoted.value_set not in value_sets:
                raise DataError(f"{tool.name}.{quoted.parameter}: no value set {quoted.value_set}")
            places[quoted.parameter,] = value_sets[quoted.value_set].opened()
    for parameter, key in declared.arguments.get(tool.name, {}).items():
        if key in value_sets:
            places[parameter,] = value_sets[key].opened()
    return tree_from_places(places)


def find_value_set(strings: tuple[str, ...], value_sets: Mapping[str, ValueSet]) -> ValueSet | None:
    """Return the value set of exactly these values, or None.

    Raises:
        DataError: If several sets of these values give them different labels.
    """
    owners = [each for each in value_sets.values() if set(each.canonicals) == set(strings)]
    if any(each.labels != owners[0].labels for each in owners):
        names = ", ".join(each.name for each in owners)
        raise DataError(f"{names}: the same values have different labels, declare which one counts")
    return owners[0] if owners else None


def _result_tree(
    tool: str, side: Role, declared: DomainDeclarations, types: AnnotationTypes, where: str
) -> FieldTree:
    returns = declared.returns.get(side, {})
    annotation = returns.get(tool) or returns.get("*")
    if annotation is None:
        return EMPTY_TREE
    return tree_from_annotation(annotation, types, f"{where}: {tool}")


def placeholder_values(
    declared: DomainDeclarations, value_sets: Mapping[str, ValueSet]
) -> PlaceholderValues:
    """Return what the placeholders of messages hold, as far as the artifacts have its values."""
    values = {
        name: value_sets[key] for name, key in declared.messages.values.items() if key in value_sets
    }
    return PlaceholderValues(values, declared.messages.words, declared.messages.nested)


def _databases(assets: AssetFolder) -> dict[Role, bytes]:
    return {side: assets.read(name) for side in SIDES for name in DATABASES[side] if name in assets}


def with_english_names(surface: DomainSurface) -> DomainSurface:
    """Return a surface without the value sets and records that are names of the database."""
    declared = surface.declared.names
    names = {each.name for key, each in surface.value_sets.items() if key in declared}
    if not names:
        return msgspec.structs.replace(surface, names={}, databases={})
    filling = surface.messages.filling
    values = {key: each for key, each in filling.values.items() if each.name not in names}
    return msgspec.structs.replace(
        surface,
        names={},
        databases={},
        value_sets={key: each for key, each in surface.value_sets.items() if key not in declared},
        arguments={
            side: {tool: _without(tree, names) for tool, tree in trees.items()}
            for side, trees in surface.arguments.items()
        },
        results={
            side: {tool: _without(tree, names) for tool, tree in trees.items()}
            for side, trees in surface.results.items()
        },
        fields={side: _without(tree, names) for side, tree in surface.fields.items()},
        messages=surface.messages.filled_from(msgspec.structs.replace(filling, values=values)),
    )


def _without(tree: FieldTree, names: set[str]) -> FieldTree:
    return tree_from_places({path: each for path, each in tree.places() if each.name not in names})
