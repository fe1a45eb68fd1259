"""Which operations can be called with what another one answers."""

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from dragoman.curation.apis.generating.joins import (
    AnswerField,
    answer_fields,
    is_joined,
    name_words,
)
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.verifying.calls import CALLED


class Chain(msgspec.Struct, frozen=True):
    """The second operation's parameter can have what the first one answers at a path such as "data.0.id"."""

    first: str
    second: str
    parameter: str
    path: str


def chains_among(
    known: Mapping[str, KnownOperation], observed: Mapping[str, Mapping[str, object]]
) -> list[Chain]:
    """Return the chains that required parameters and answered fields show, by what they mean.

    Args:
        known: The operations, by id.
        observed: JSON schemas of what they answer, by id; what documents declare serves where absent,
            and says what it can of the fields that were seen.
    """
    fields: defaultdict[tuple[str, ...], list[tuple[str, AnswerField]]] = defaultdict(list)
    for name in sorted(known):
        operation = known[name].operation
        # What cannot be called gives nothing to go on with.
        for field in (
            _fields_of(operation.schema, observed.get(name)) if operation.method in CALLED else ()
        ):
            fields[name_words(field.name)].append((name, field))
    found: dict[tuple[str, str, str], Chain] = {}
    for second in sorted(known):
        for parameter in known[second].operation.required_parameters:
            for first, field in fields.get(name_words(parameter.name), ()):
                key = (first, second, parameter.name)
                is_deeper = key in found and _depth(field.path) >= _depth(found[key].path)
                if first == second or is_deeper:
                    continue
                if is_joined(known[first], field, known[second], parameter):
                    found[key] = Chain(first, second, parameter.name, field.path)
    return list(found.values())


def _depth(path: str) -> int:
    return path.count(".")


def _fields_of(
    declared: Mapping[str, object], observed: Mapping[str, object] | None
) -> list[AnswerField]:
    """Return the fields that were seen, or else those that are declared, with all that is said of them."""
    said = {each.path: each for each in answer_fields(declared)}
    if not observed:
        return list(said.values())
    return [
        each._replace(schema={**said[each.path].schema, **each.schema})
        if each.path in said
        else each
        for each in answer_fields(observed)
    ]
