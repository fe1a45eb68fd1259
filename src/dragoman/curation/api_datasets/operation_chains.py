"""Chains of operations: a response field of one feeds a required parameter of another.

Equal names are not enough: `citycode` of a map in China is not `cityCode` of the weather in Brazil,
and the `uuid` of a message is not the `uuid` of a user. Types, formats, enumerations, patterns and
examples must not contradict the match, and something besides the name must support it: one API,
words of the descriptions, the thing that an identifier refers to, or a value that both state.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.texts.characters import word_runs
from dragoman.curation.api_datasets.operations import KnownOperation
from dragoman.curation.api_datasets.parameter_values import documented_values
from dragoman.curation.api_datasets.probing.request_builder import CALLED

DEEPEST = 6

_IDENTITIES = frozenset(
    (
        "id",
        "ids",
        "uuid",
        "guid",
        "code",
        "slug",
        "ref",
        "reference",
        "identifier",
        "codigo",
        "código",
    )
)
"""Names of identifiers that do not tell what they identify."""

_NEVER = frozenset(
    (
        "name", "date", "time", "type", "status", "lang", "language", "locale", "limit", "page",
        "key", "q",
        "query", "offset", "size", "count", "total", "sort", "order", "format", "version", "lat",
        "lon", "lng",
        "latitude", "longitude", "year", "month", "day", "from", "to", "start", "end", "begin",
        "url", "href",
        "link", "title", "text", "description", "message", "value", "valor", "amount", "currency",
        "page_size",
        "per_page", "page_number", "page_token", "cursor", "username", "user", "email", "inicio",
        "fim",
        "data",
        "fecha",
        "datum",
        "descricao",
        "descripcion",
    )
)  # fmt: skip
"""Names of settings, times, measures and words.

They fit too many things, or they are parts of a pair.
"""

_PLAIN_WORDS = frozenset(
    (
        "api", "rest", "json", "public", "open", "data", "datos", "dados", "item", "items",
        "result", "results",
        "list", "search", "get", "find", "all", "response", "object", "objects", "value", "values",
        "string",
        "integer", "number", "unique", "identifier", "id", "ids", "uuid", "guid", "code", "codes",
        "codigo",
        "código", "name", "the", "this", "that", "from", "with", "which", "for", "and", "example",
        "optional",
        "required", "request", "returned", "records", "rows", "body", "content", "entries", "index",
        "show",
        "parameter", "field", "your", "must", "will", "used", "dos", "das", "des", "les", "der",
        "die", "del",
        "los", "las", "une", "una", "com", "para", "por", "una", "pour", "par", "von", "mit",
    )
)  # fmt: skip
"""Words that do not tell what a value means."""

_SCALARS = frozenset(("string", "integer", "number"))
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_VERSION = re.compile(r"v\d+(?:\.\d+)*")
_FEWEST_LETTERS, _GRAM, _FEWEST_LISTED, _DISTINCTIVE = 3, 2, 10, 4


class AnswerField(NamedTuple):
    """A scalar field of an operation's response.

    Attributes:
        path: The path of the field, such as "data.0.city_id".
        name: Its name.
        schema: Its declared or observed schema.
    """

    path: str
    name: str
    schema: Mapping[str, object]


def answer_fields(
    schema: object, path: tuple[str, ...] = (), deepest: int = DEEPEST
) -> Iterator[AnswerField]:
    """Yield the fields of a schema that hold texts or numbers."""
    if not isinstance(schema, Mapping) or deepest == 0:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            if isinstance(inner, Mapping) and _scalars(inner.get("type")):
                yield AnswerField(".".join((*path, str(name))), str(name), inner)
            yield from answer_fields(inner, (*path, str(name)), deepest - 1)
    yield from answer_fields(schema.get("items"), (*path, "0"), deepest - 1)


def can_feed_parameter(
    first: KnownOperation, field: AnswerField, second: KnownOperation, parameter: ApiParameter
) -> bool:
    """Return whether a response field can supply a parameter of a second operation."""
    name = name_words(field.name)
    if name != name_words(parameter.name) or _is_of_no_thing(name):
        return False
    if _is_echo(name, first.operation) or not _one_country(first, second):
        return False
    return _fits(field.schema, parameter) and (
        _states_one_value(field.schema, parameter)
        or _means_the_same(first, field, second, parameter)
    )


def _means_the_same(
    first: KnownOperation, field: AnswerField, second: KnownOperation, parameter: ApiParameter
) -> bool:
    """Return whether more than the name shows that a field and a parameter mean the same."""
    name = {*name_words(field.name)}
    if name <= _IDENTITIES:
        answered = _thing_answered(first.operation, field)
        return answered.is_that(_thing_asked(second.operation, parameter))
    said, asked = _description_words(field.schema), _words_in(parameter.description)
    if first.document.id == second.document.id:
        return not (said and asked) or bool(said & asked) or bool(name & asked)
    return bool((said - name) & (asked - name)) or _one_format(field.schema, parameter)


def _is_of_no_thing(name: tuple[str, ...]) -> bool:
    return not name or "_".join(name) in _NEVER or name[-1:] in _ENDS


_ENDS = tuple(
    (end,)
    for end in ("at", "date", "url", "time", "size", "count", "limit", "page", "type", "status")
)
"""Last words of names of times, counts and settings."""


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, whatever separates them.

    `cityCode`, `city_code` and `City-Code` are the same.
    """
    return tuple(
        word.casefold()
        for part in word_runs(_HUMP.sub(" ", name))
        for word in part.split("_")
        if word
    )


def _is_echo(name: tuple[str, ...], operation: Operation) -> bool:
    """Return whether an operation takes as input the field that it answers."""
    return any(name_words(each.name) == name for each in operation.parameters)


def _one_country(one: KnownOperation, other: KnownOperation) -> bool:
    places = {one.country, other.country} - {"", "Global"}
    return len(places) < 2  # noqa: PLR2004 - one country, or none


def _fits(schema: Mapping[str, object], parameter: ApiParameter) -> bool:
    """Return whether no stated property of a field contradicts the parameter."""
    kinds = _scalars(schema.get("type"))
    wanted = parameter.type
    examples = [str(each) for each in _examples(schema)]
    is_numeral = bool(examples) and all(each.lstrip("-").isdigit() for each in examples)
    if wanted not in {*kinds, "string"} and not (
        (wanted == "number" and "integer" in kinds) or (wanted == "integer" and is_numeral)
    ):
        return False
    said, asked = schema.get("format"), parameter.schema.get("format")
    if said and asked and said != asked:
        return False
    listed = parameter.schema.get("enum")
    if isinstance(listed, list) and listed:
        known = {*map(str, _enum_values(schema))} or set(examples)
        return len(listed) > _FEWEST_LISTED and bool(known) and known <= set(map(str, listed))
    pattern = parameter.schema.get("pattern")
    stated = [str(each) for each in documented_values(parameter)]
    if (
        isinstance(pattern, str)
        and examples
        and not any(_matches(pattern, each) for each in examples)
    ):
        return False
    return not (examples and stated) or bool({*map(_look, examples)} & {*map(_look, stated)})


def _matches(pattern: str, text: str) -> bool:
    """Return whether a text matches a plain pattern, or the pattern is not plain.

    Documents are untrusted: a pattern that could run for long is not run.
    """
    plain = re.fullmatch(r"\^?((?:\[[\w\-]+\]|\\d|\\w|[A-Za-z0-9_-])(?:\{\d{1,3}\})?)+\$?", pattern)
    return plain is None or re.fullmatch(pattern, text) is not None


def _look(text: str) -> str:
    """Return the shape of a value.

    Digits and letters are replaced by one sign each, and repeated characters count once.
    """
    kinds = "".join(
        "9" if each.isdigit() else "a" if each.isalpha() else each for each in text[:60]
    )
    return re.sub(r"(.)\1+", r"\1", kinds)


def _states_one_value(schema: Mapping[str, object], parameter: ApiParameter) -> bool:
    """Return whether both state the same value and it is long enough to be distinctive."""
    shared = {*map(str, _examples(schema))} & {*map(str, documented_values(parameter))}
    return any(len(each) >= _DISTINCTIVE for each in shared)


def _one_format(schema: Mapping[str, object], parameter: ApiParameter) -> bool:
    said = schema.get("format")
    return bool(said) and said == parameter.schema.get("format")


class _Thing(NamedTuple):
    """The thing that a value identifies.

    It is given by the name of its holder or of the path segment before it, and by words of its
    description.
    """

    named: frozenset[str]
    words: frozenset[str]

    def is_that(self, other: "_Thing") -> bool:
        """Return whether two things are the same.

        Their names decide if both have one; otherwise any common word does.
        """
        if self.named and other.named:
            return self.named == other.named
        return bool((self.named | self.words) & (other.named | other.words))


def _thing_answered(operation: Operation, field: AnswerField) -> _Thing:
    holders = [part for part in field.path.split(".")[:-1] if not part.isdigit()]
    segments = [part for part in operation.url.partition("?")[0].split("/")[3:] if part]
    return _Thing(_nearest(holders) or _nearest(segments), _description_words(field.schema))


def _thing_asked(operation: Operation, parameter: ApiParameter) -> _Thing:
    before, found, _ = operation.url.partition(f"{{{parameter.name}}}")
    segments = [part for part in before.split("/")[3:] if part] if found else []
    return _Thing(_nearest(segments), _words_in(parameter.description))


def _nearest(names: Sequence[str]) -> frozenset[str]:
    """Return the words of the last name that identifies a thing."""
    found = (_things(each) for each in reversed(names) if not _PLACEHOLDER.search(each))
    return next(filter(None, found), frozenset())


def _things(text: str) -> frozenset[str]:
    """Return the words of a name that identify a thing, in the singular."""
    return frozenset(
        _singular(word)
        for word in name_words(text)
        if word not in _PLAIN_WORDS and not _VERSION.fullmatch(word) and not word.isdigit()
    )


def _description_words(schema: Mapping[str, object]) -> frozenset[str]:
    return _words_in(str(schema.get("description") or schema.get("title") or ""))


def _words_in(text: str) -> frozenset[str]:
    """Return the meaningful words of a description.

    For scripts without blanks, return pairs of characters.
    """
    found: set[str] = set()
    for word in map(str.casefold, word_runs(text.replace("_", " "))):
        if word in _PLAIN_WORDS or word.isdigit():
            continue
        if word.isascii() or _is_spelt(word):
            found |= {_singular(word)} if len(word) >= _FEWEST_LETTERS else set()
        else:
            found |= {word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1)}
    return frozenset(found)


def _is_spelt(word: str) -> bool:
    """Return whether a word's script separates words by blanks: Latin, Greek, Cyrillic."""
    return all(ord(letter) < 0x0590 for letter in word)  # noqa: PLR2004 - Hebrew and later


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004 - not "ties"
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word  # noqa: PLR2004


def _examples(schema: Mapping[str, object]) -> list[object]:
    several = schema.get("examples")
    found = [schema.get("example"), schema.get("default"), schema.get("const")]
    found += several if isinstance(several, list) else []
    found += _enum_values(schema)
    return [each for each in found if isinstance(each, str | int | float) and each != ""]


def _enum_values(schema: Mapping[str, object]) -> list[object]:
    listed = schema.get("enum")
    return listed if isinstance(listed, list) else []


def _scalars(kind: object) -> frozenset[str]:
    """Return the text and number types that a schema's type allows.

    The type may also allow null. The result is empty if the type allows anything else.
    """
    kinds = kind if isinstance(kind, list) else [kind]
    named = [each for each in kinds if each != "null"]
    scalars = [each for each in named if isinstance(each, str) and each in _SCALARS]
    return frozenset(scalars) if len(scalars) == len(named) else frozenset()


class Chain(msgspec.Struct, frozen=True):
    """A link from one operation's response to another's parameter.

    The second operation's parameter can take the value that the first one returns at a path such as
    "data.0.id".
    """

    first: str
    second: str
    parameter: str
    path: str


def find_chains(
    known: Mapping[str, KnownOperation], observed: Mapping[str, Mapping[str, object]]
) -> list[Chain]:
    """Return the chains from response fields to required parameters of the same meaning.

    Args:
        known: The operations, by id.
        observed: JSON schemas of observed responses, by id. Without one, the declared schema is
            used; with one, the declared schema completes the observed fields.
    """
    fields: defaultdict[tuple[str, ...], list[tuple[str, AnswerField]]] = defaultdict(list)
    for name in sorted(known):
        operation = known[name].operation
        # An operation that cannot be called has no response to continue from.
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
                if can_feed_parameter(known[first], field, known[second], parameter):
                    found[key] = Chain(first, second, parameter.name, field.path)
    return list(found.values())


def _depth(path: str) -> int:
    return path.count(".")


def _fields_of(
    declared: Mapping[str, object], observed: Mapping[str, object] | None
) -> list[AnswerField]:
    """Return the observed fields, or otherwise the declared ones.

    An observed field also has its declared properties.
    """
    said = {each.path: each for each in answer_fields(declared)}
    if not observed:
        return list(said.values())
    return [
        each._replace(schema={**said[each.path].schema, **each.schema})
        if each.path in said
        else each
        for each in answer_fields(observed)
    ]
