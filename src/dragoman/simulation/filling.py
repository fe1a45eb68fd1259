"""Values for a call's parameters, found by patterns in what was said and in earlier results."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.tools import ToolSpec
from dragoman.simulation.facts import shape
from dragoman.simulation.findings import FoundValue, Scalar
from dragoman.simulation.overlap import shared, words
from dragoman.simulation.texts import set_apart

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


class Known(msgspec.Struct, frozen=True):
    """What an agent knows in a conversation: the words it heard, what its tools found, its language."""

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


def values_for(parameter: Parameter, known: Known) -> list[object]:
    """Return what a parameter may be, likeliest first, without repetition."""
    match parameter.type:
        case "array":
            return [[value] for value in _found(parameter, known) if isinstance(value, str)]
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


def _strings(parameter: Parameter, known: Known) -> Iterator[str]:
    choices = parameter.choices or _options(parameter.description, known.phrases)
    if choices:
        yield from _by_overlap(choices, known)
        return
    yield from _by_pattern(parameter, known)
    yield from (str(value) for value in _found(parameter, known))
    yield from _stated(parameter, known)


def _by_pattern(parameter: Parameter, known: Known) -> Iterator[str]:
    said = set_apart(known.said, known.phrases)
    for part, pattern in _PATTERNS:
        if part in parameter.name:
            yield from (match.group() for match in pattern.finditer(said))
    for example in _examples(parameter.description, known.phrases):
        if any(map(str.isdigit, example)):
            yield from (word for word in _tokens(said, known.phrases) if _is_like(word, example))
    yield from _names(parameter.name, known)


def _names(wanted: str, known: Known) -> Iterator[str]:
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


def _found(parameter: Parameter, known: Known) -> list[Scalar]:
    """Return the values that results hold under a parameter's name, by overlap with what was said."""
    name = parameter.name.removeprefix(_NEW)
    name = name.removesuffix("s") if parameter.type == "array" else name
    names = {name, f"{name.removesuffix('_id')}s" if name.endswith("_id") else name}
    own = [e for e in known.findings if e.name in names or _names_result(e, name)]
    own = [entry for entry in own if entry.value != ""]
    own.sort(key=lambda entry: -shared(entry.context, known.said, known.phrases))
    return list(dict.fromkeys(entry.value for entry in own))


def _names_result(entry: FoundValue, name: str) -> bool:
    """Whether a bare result is what a parameter wants: `find_user_id_by_email` finds a `user_id`."""
    return name.endswith("_id") and f"_{name}_" in f"{entry.name}_"


def _numbers(parameter: Parameter, known: Known) -> Iterator[int | float]:
    stated = " ".join(_stated(parameter, known))
    for match in _NUMBER.finditer(stated):
        number = float(match.group())
        if parameter.type == "number":
            yield number
        elif number.is_integer():
            yield int(number)


def _stated(parameter: Parameter, known: Known) -> list[str]:
    """Return what was said in the form "the X is V" where X is about the parameter."""
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
    return shared(words_of, text, phrases) / max(len(words(words_of, phrases)), 1)


def _options(description: str, phrases: Phrasebook) -> tuple[str, ...]:
    """Return the values between which a description lets choose: two or more quoted ones."""
    quoted = _quoted(description)
    return quoted if len(quoted) > 1 and not _is_example(description, phrases) else ()


def _examples(description: str, phrases: Phrasebook) -> tuple[str, ...]:
    return _quoted(description) if _is_example(description, phrases) else ()


def _is_example(description: str, phrases: Phrasebook) -> bool:
    return phrases.hears.example.search(description) is not None


def _is_like(word: str, example: str) -> bool:
    """Whether a word is formed as an example is; a bare number has as many digits, too."""
    return shape(word) == shape(example) and (not example.isdigit() or len(word) == len(example))


def _quoted(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, groups)) for groups in _QUOTED.findall(text))


def _by_overlap(choices: Sequence[str], known: Known) -> list[str]:
    shares = {choice: _share(choice, known.said, known.phrases) for choice in choices}
    return sorted((c for c in choices if shares[c] > HALF), key=lambda choice: -shares[choice])


def _tokens(said: str, phrases: Phrasebook) -> list[str]:
    marks = f".,;:!?\"'(){phrases.writing.further_marks}"
    return [word.strip(marks) for word in said.split()]
