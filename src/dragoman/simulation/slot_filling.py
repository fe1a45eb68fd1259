"""Slot filling: argument values from messages and from earlier tool results.

Candidates come from patterns (e-mail, date, phone, id), from the values of tool results, and from
the choices of a schema. Texts are ranked by the words that they share (Okapi BM25).
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolSpec
from dragoman.simulation.fact_mentions import character_shape
from dragoman.simulation.text_segmentation import (
    HANGING,
    grapheme_clusters,
    separate_latin_words,
    sort_longest_first,
)

SATURATION = 1.2
LENGTH_WEIGHT = 0.75
"""The usual constants of BM25: how fast repetition stops counting, and how much length does."""

_TOKEN = re.compile(r"[^\W_]+")
_RUN = re.compile(rf"[0-9A-Za-z]+|(?:[^\W_0-9A-Za-z]|[{HANGING}])+")
_STEM = 3

MAX_CACHED = 4096
"""Maximum number of texts without spaces whose pairs are cached.

Tools' descriptions are compared at every turn.
"""


def word_stems(text: str, phrases: Phrasebook) -> list[str]:
    """Return the stems of a text's words, without those that say nothing.

    In scripts without spaces, the stems are pairs of signs between words that say nothing.
    """
    if not phrases.writing.spaced:
        return list(_pairs(text.casefold(), phrases.words.stop))
    tokens = (token.casefold() for token in _TOKEN.findall(text))
    return [_stem(token, phrases) for token in tokens if token not in phrases.words.stop]


def rank_documents(
    query: str, documents: Mapping[str, str], phrases: Phrasebook
) -> list[tuple[str, float]]:
    """Return all documents by name, best match first, with their scores (0: no word in common)."""
    contents = {name: Counter(word_stems(text, phrases)) for name, text in documents.items()}
    spread = Counter(word for content in contents.values() for word in content)
    mean = sum(content.total() for content in contents.values()) / max(len(contents), 1)
    asked = set(word_stems(query, phrases))
    scores = {
        name: sum(
            _weight(spread[word], len(contents)) * _presence(content[word], content.total() / mean)
            for word in sorted(asked & content.keys())
        )
        for name, content in contents.items()
    }
    return sorted(scores.items(), key=lambda entry: -entry[1])


def count_shared_words(one: str, other: str, phrases: Phrasebook) -> int:
    """Return how many different words two texts have in common."""
    return len(set(word_stems(one, phrases)) & set(word_stems(other, phrases)))


def _weight(documents_with: int, documents: int) -> float:
    return math.log(1 + (documents - documents_with + 0.5) / (documents_with + 0.5))


def _presence(times: int, length: float) -> float:
    return (
        times
        * (SATURATION + 1)
        / (times + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
    )


@lru_cache(maxsize=MAX_CACHED)
def _pairs(text: str, stop: frozenset[str]) -> tuple[str, ...]:
    return tuple(_read_pairs(text, stop))


def _read_pairs(text: str, stop: Collection[str]) -> Iterator[str]:
    for word in sort_longest_first(stop):
        text = text.replace(word, " ")
    for run in _RUN.findall(text):
        signs = grapheme_clusters(run)
        if run.isascii() or len(signs) == 1:
            yield run
        else:
            yield from map("".join, pairwise(signs))


def _stem(word: str, phrases: Phrasebook) -> str:
    for ending in phrases.words.endings:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word


MAX_DEPTH = 12
MAX_CONTEXT = 400
"""Characters of the record around a value that are kept."""

Scalar = str | int | float | bool


class FoundValue(msgspec.Struct, frozen=True):
    """One value: its key, itself, and the record that it stands in, as text."""

    name: str
    value: Scalar
    context: str


def extract_result_values(tool: str, content: str) -> list[FoundValue]:
    """Return the values of one result.

    A result that is not JSON is one value named by its tool.
    """
    try:
        decoded: object = msgspec.json.decode(content)
    except DECODING_ERRORS:
        decoded = content
    return list(_values(tool, decoded, "", 0))


def _values(name: str, value: object, context: str, depth: int) -> Iterator[FoundValue]:
    if depth > MAX_DEPTH:
        return
    match value:
        case dict():
            around = _text(value)
            for key, entry in value.items():
                yield from _values(_qualify_key(str(key), name), entry, around, depth + 1)
        case list():
            for entry in value:
                yield from _values(name, entry, context, depth + 1)
        case str() | int() | float():
            yield FoundValue(name, value, context or str(value)[:MAX_CONTEXT])
        case _:
            return


def _qualify_key(key: str, parent: str) -> str:
    """Return a key; a bare `id` gets the name of what it identifies."""
    return f"{parent.removesuffix('s')}_id" if key == "id" else key


def _text(record: dict[object, object]) -> str:
    try:
        return msgspec.json.encode(record).decode()[:MAX_CONTEXT]
    except (TypeError, *DECODING_ERRORS):
        return ""


_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_PHONE = re.compile(r"\+?\d[\d ()/-]{6,}\d")
_ZIP = re.compile(r"\b\d{4,6}\b")
_NUMBER = re.compile(r"(?<![\w#.])-?\d{1,15}(?:\.\d{1,15})?(?!\w)")
_QUOTED = re.compile(r"'([^']{2,60})'|\"([^\"]{2,60})\"|`([^`]{2,60})`")
_NEW = "new_"
HALF = 0.5
"""More than this share of the words that name a choice or a parameter must be shared."""

_PATTERNS = (
    ("email", _EMAIL),
    ("date", _DATE),
    ("phone", _PHONE),
    ("zip", _ZIP),
    ("postcode", _ZIP),
    ("contact", _EMAIL),
    ("contact", _PHONE),
)


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a tool: its name, its kind of value, its choices and its description."""

    name: str
    type: str
    description: str
    choices: tuple[str, ...]


class SlotContext(msgspec.Struct, frozen=True):
    """The knowledge of an agent in a conversation.

    It has the received words, the findings of tools, and the phrasebook of the language.
    """

    said: str
    findings: tuple[FoundValue, ...]
    phrases: Phrasebook


def required_parameters(tool: ToolSpec) -> list[Parameter]:
    """Return the parameters that a call must have, read leniently: schemas are others' data."""
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, Sequence):
        return []
    return [
        _parameter(str(name), schema)
        for name in required
        if isinstance(schema := properties.get(name), Mapping)
    ]


def candidate_values(parameter: Parameter, known: SlotContext) -> list[object]:
    """Return what a parameter may be, likeliest first, without repetition."""
    match parameter.type:
        case "array":
            return [
                [value] for value in _rank_result_values(parameter, known) if isinstance(value, str)
            ]
        case "integer" | "number":
            return list(dict.fromkeys(_numbers(parameter, known)))
        case "string":
            return list(dict.fromkeys(_strings(parameter, known)))
        case _:
            return []


def _parameter(name: str, schema: Mapping[str, object]) -> Parameter:
    kind, choices = schema.get("type"), schema.get("enum")
    return Parameter(
        name,
        kind if isinstance(kind, str) else "string",
        str(schema.get("description", "")),
        tuple(map(str, choices)) if isinstance(choices, Sequence) else (),
    )


def _strings(parameter: Parameter, known: SlotContext) -> Iterator[str]:
    choices = parameter.choices or _options(parameter.description, known.phrases)
    if choices:
        yield from _by_overlap(choices, known)
        return
    yield from _by_pattern(parameter, known)
    yield from (str(value) for value in _rank_result_values(parameter, known))
    yield from _find_stated_values(parameter, known)


def _by_pattern(parameter: Parameter, known: SlotContext) -> Iterator[str]:
    said = separate_latin_words(known.said, known.phrases)
    for part, pattern in _PATTERNS:
        if part in parameter.name:
            yield from (match.group() for match in pattern.finditer(said))
    for example in _examples(parameter.description, known.phrases):
        if any(map(str.isdigit, example)):
            yield from (word for word in _tokens(said, known.phrases) if _is_like(word, example))
    yield from _names(parameter.name, known)


def _names(wanted: str, known: SlotContext) -> Iterator[str]:
    """Yield the part that is wanted of each name that the user says."""
    for pattern in known.phrases.hears.name:
        for match in pattern.finditer(known.said):
            parts = match.groupdict()
            given, family = parts.get("given"), parts.get("family")
            if wanted.startswith(("first", "given")):
                found = given
            elif wanted.startswith(("last", "family", "sur")):
                found = family
            elif wanted in {"name", "full_name", "customer_name"}:
                found = parts.get("name") or f"{given} {family}"
            else:
                return
            if found:
                yield found


def _rank_result_values(parameter: Parameter, known: SlotContext) -> list[Scalar]:
    """Return the values that results hold under a parameter's name.

    They are sorted by their overlap with the received words.
    """
    name = parameter.name.removeprefix(_NEW)
    name = name.removesuffix("s") if parameter.type == "array" else name
    names = {name, f"{name.removesuffix('_id')}s" if name.endswith("_id") else name}
    own = [e for e in known.findings if e.name in names or _names_result(e, name)]
    own = [entry for entry in own if entry.value != ""]
    own.sort(key=lambda entry: -count_shared_words(entry.context, known.said, known.phrases))
    return list(dict.fromkeys(entry.value for entry in own))


def _names_result(entry: FoundValue, name: str) -> bool:
    """Return whether a bare result is the value that a parameter needs.

    For example, `find_user_id_by_email` finds a `user_id`.
    """
    return name.endswith("_id") and f"_{name}_" in f"{entry.name}_"


def _numbers(parameter: Parameter, known: SlotContext) -> Iterator[int | float]:
    stated = " ".join(_find_stated_values(parameter, known))
    for match in _NUMBER.finditer(stated):
        number = float(match.group())
        if parameter.type == "number":
            yield number
        elif number.is_integer():
            yield int(number)


def _find_stated_values(parameter: Parameter, known: SlotContext) -> list[str]:
    """Return the values V that are stated as "the X is V", where X is about the parameter."""
    phrases = known.phrases
    about = f"{parameter.name} {phrases.label(parameter.name)} {parameter.description}"
    matches = [
        (_share(match["label"], about, phrases), match["value"])
        for pattern in phrases.hears.stated
        for match in pattern.finditer(known.said)
    ]
    matches.sort(key=lambda entry: -entry[0])
    marks = f" .,;!?{phrases.writing.further_marks}"
    return [value.strip(marks) for share, value in matches if share > HALF]


def _share(words_of: str, text: str, phrases: Phrasebook) -> float:
    """Return the share of one text's words that are in another."""
    return count_shared_words(words_of, text, phrases) / max(len(word_stems(words_of, phrases)), 1)


def _options(description: str, phrases: Phrasebook) -> tuple[str, ...]:
    """Return the values between which a description lets choose: two or more quoted ones."""
    quoted = _find_quoted_texts(description)
    return quoted if len(quoted) > 1 and not _is_example(description, phrases) else ()


def _examples(description: str, phrases: Phrasebook) -> tuple[str, ...]:
    return _find_quoted_texts(description) if _is_example(description, phrases) else ()


def _is_example(description: str, phrases: Phrasebook) -> bool:
    return phrases.hears.example.search(description) is not None


def _is_like(word: str, example: str) -> bool:
    """Return whether a word is formed as an example is; a bare number has as many digits, too."""
    return character_shape(word) == character_shape(example) and (
        not example.isdigit() or len(word) == len(example)
    )


def _find_quoted_texts(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, groups)) for groups in _QUOTED.findall(text))


def _by_overlap(choices: Sequence[str], known: SlotContext) -> list[str]:
    shares = {choice: _share(choice, known.said, known.phrases) for choice in choices}
    return sorted((c for c in choices if shares[c] > HALF), key=lambda choice: -shares[choice])


def _tokens(said: str, phrases: Phrasebook) -> list[str]:
    marks = f".,;:!?\"'(){phrases.writing.further_marks}"
    return [word.strip(marks) for word in said.split()]
