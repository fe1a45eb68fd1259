"""The schema of a domain of one's own: what its modules, databases and tools say of values."""

from collections.abc import Mapping

from dragoman.conditions.language.artifacts import FieldText, ModelText, Schema, ValueSetText
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.language.translated_domains import DomainDeclarations
from dragoman.core.tools import Role
from dragoman.curation.translation.english_schemas.modules import schema_of_module
from dragoman.curation.translation.english_schemas.values import choices_of_tools, names_in


def composed_schema(domain: str, databases: Mapping[Role, str], side: EnglishAssets) -> Schema:
    """Return the one schema of a domain, both sides of it in one file.

    Args:
        domain: The domain.
        databases: Which file is the database of a side.
        side: Its English side.

    Raises:
        DataError: Where a module or a database is damaged.
    """
    found = [
        schema_of_module(text, path)
        for modules in side.modules.values()
        for path, text in modules.items()
    ]
    models = {name: model for schema in found for name, model in schema.models.items()}
    value_sets = {key: each for schema in found for key, each in schema.value_sets.items()}
    keys = _declared_keys(side.declared)
    value_sets = {keys.get(key, key): each for key, each in value_sets.items()}
    for owner, model in side.declared.databases.items():
        name = databases[owner]
        database = decode_database(side.files[name], f"{domain}: {name}")
        value_sets.update(names_in(database, model, side.declared, f"{domain}: {name}"))
    for toolset in side.toolsets.values():
        value_sets.update(choices_of_tools(toolset, value_sets))
    source = found[0].source_file if found else f"{domain}/{next(iter(databases.values()), '')}"
    return Schema("schema", source, _with_keys(models, keys, value_sets), value_sets)


def _declared_keys(declared: DomainDeclarations) -> dict[str, str]:
    """Return the declared name of a field's values by `MODEL.FIELD`, the key of inline ones."""
    return {
        f"{model}.{field}": annotation
        for model, fields in declared.models.items()
        for field, annotation in fields.items()
    }


def _with_keys(
    models: Mapping[str, ModelText],
    keys: Mapping[str, str],
    value_sets: Mapping[str, ValueSetText],
) -> dict[str, ModelText]:
    """Return models whose fields name their value sets as they are called now."""

    def key_of(field: FieldText) -> str | None:
        key = None if field.value_set is None else keys.get(field.value_set, field.value_set)
        return key if key in value_sets else None

    return {
        name: ModelText(
            {
                field: FieldText(each.annotation, each.description, key_of(each))
                for field, each in model.fields.items()
            },
            model.description,
        )
        for name, model in models.items()
    }
