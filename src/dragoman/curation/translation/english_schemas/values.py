"""Value sets that no module has: the names in databases, and the choices of tools."""

from collections.abc import Iterator, Mapping

from dragoman.conditions.language.artifacts import FieldText, ModelText, ValueSetText, ValueText
from dragoman.conditions.language.field_trees import (
    AnnotationTypes,
    allowed_strings,
    map_strings,
    tree_from_annotation,
)
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.conditions.language.value_sets import ValueSet, join_value_sets
from dragoman.core.language.translated_domains import DomainDeclarations
from dragoman.core.tools import Toolset


def names_in(
    database: object, model: str, declared: DomainDeclarations, where: str
) -> dict[str, ValueSetText]:
    """Return the texts of a database by the value set that they are declared to be of.

    Args:
        database: The database, decoded.
        model: Its model.
        declared: What the domain declares: which fields have which value set.
        where: The database, for messages.

    Raises:
        DataError: Where models hold each other without end.
    """
    models = {
        name: ModelText({field: FieldText(annotation) for field, annotation in fields.items()})
        for name, fields in declared.models.items()
    }
    sets = {name: ValueSet(name, {}, {}) for name in declared.names}
    found: dict[str, dict[str, None]] = {}

    def note(value_set: ValueSet, text: str) -> str:
        if has_letters(text):
            found.setdefault(value_set.name, {})[text] = None
        return text

    map_strings(
        database,
        tree_from_annotation(
            model, AnnotationTypes(models, declared.unions, sets, join_value_sets), where
        ),
        note,
    )
    return {name: _value_set(found[name]) for name in sorted(found)}


def choices_of_tools(
    toolset: Toolset, known: Mapping[str, ValueSetText]
) -> Iterator[tuple[str, ValueSetText]]:
    """Yield the choices of parameters that no known value set has, by `TOOL.PARAMETER`."""
    taken = [{value.canonical for value in each.values} for each in known.values()]
    for tool in toolset:
        for path, strings in allowed_strings(tool.parameters):
            choices = tuple(text for text in strings if text)
            if choices and set(choices) not in taken:
                taken.append(set(choices))
                place = ".".join(step for step in path if step != "*")
                yield f"{tool.name}.{place}", _value_set(choices, tool.name, place)


def _value_set(
    texts: Mapping[str, None] | tuple[str, ...], model: str | None = None, field: str | None = None
) -> ValueSetText:
    return ValueSetText("literal", tuple(ValueText(text, text) for text in texts), model, field)
