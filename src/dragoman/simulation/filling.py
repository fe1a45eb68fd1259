"""Values for a call's parameters, found by patterns in what was said and in earlier results."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.core.tools import ToolSpec
from dragoman.simulation.facts import shape
from dragoman.simulation.findings import FoundValue, Scalar
from dragoman.simulation.overlap import shared, words

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_PHONE = re.compile(r"\+?\d[\d ()/-]{6,}\d")
_ZIP = re.compile(r"\b\d{4,6}\b")
_NUMBER = re.compile(r"(?<![\w#.])-?\d{1,15}(?:\.\d{1,15})?(?!\w)")
_NAME = re.compile(
    r"\b(?i:you are|i am|i'm|my name is|the name is|name's|this is) (?:[a-z ]{0,40} (?:called|named) )?"
    r"([A-Z][\w'-]+)(?: [A-Z]\.)? ([A-Z][\w'-]+)"
)
_QUOTED = re.compile(r"'([^']{2,60})'|\"([^\"]{2,60})\"|`([^`]{2,60})`")
_STATED = re.compile(
    r"\b(?:the|my) ([\w ]{2,40}?) is (.+?)(?=[.;,!?]?(?:\s+(?:the|my) |\s*$|\n))", re.IGNORECASE
)
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
    """What an agent knows in a conversation: the words it heard, and what its tools found."""

    said: str
    findings: tuple[FoundValue, ...]


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
    choices = parameter.choices or _options(parameter.description)
    if choices:
        yield from _by_overlap(choices, known.said)
        return
    yield from _by_pattern(parameter, known.said)
    yield from (str(value) for value in _found(parameter, known))
    yield from _stated(parameter, known.said)


def _by_pattern(parameter: Parameter, said: str) -> Iterator[str]:
    for part, pattern in _PATTERNS:
        if part in parameter.name:
            yield from (match.group() for match in pattern.finditer(said))
    for example in _examples(parameter.description):
        if any(map(str.isdigit, example)):
            yield from (word for word in _tokens(said) if _is_like(word, example))
    for match in _NAME.finditer(said):
        if parameter.name.startswith(("first", "given")):
            yield match.group(1)
        elif parameter.name.startswith(("last", "family", "sur")):
            yield match.group(2)
        elif parameter.name in {"name", "full_name", "customer_name"}:
            yield f"{match.group(1)} {match.group(2)}"


def _found(parameter: Parameter, known: Known) -> list[Scalar]:
    """Return the values that results hold under a parameter's name, by overlap with what was said."""
    name = parameter.name.removeprefix(_NEW)
    name = name.removesuffix("s") if parameter.type == "array" else name
    names = {name, f"{name.removesuffix('_id')}s" if name.endswith("_id") else name}
    own = [e for e in known.findings if e.name in names or _names_result(e, name)]
    own = [entry for entry in own if entry.value != ""]
    own.sort(key=lambda entry: -shared(entry.context, known.said))
    return list(dict.fromkeys(entry.value for entry in own))


def _names_result(entry: FoundValue, name: str) -> bool:
    """Whether a bare result is what a parameter wants: `find_user_id_by_email` finds a `user_id`."""
    return name.endswith("_id") and f"_{name}_" in f"{entry.name}_"


def _numbers(parameter: Parameter, known: Known) -> Iterator[int | float]:
    stated = " ".join(_stated(parameter, known.said))
    for match in _NUMBER.finditer(stated):
        number = float(match.group())
        if parameter.type == "number":
            yield number
        elif number.is_integer():
            yield int(number)


def _stated(parameter: Parameter, said: str) -> list[str]:
    """Return what was said in the form "the X is V" where X is about the parameter."""
    about = f"{parameter.name} {parameter.description}"
    matches = [
        (shared(match.group(1), about) / max(len(words(match.group(1))), 1), match.group(2))
        for match in _STATED.finditer(said)
    ]
    matches.sort(key=lambda entry: -entry[0])
    return [value.strip(" .,;!?") for score, value in matches if score > HALF]


def _options(description: str) -> tuple[str, ...]:
    """Return the values between which a description lets choose: two or more quoted ones."""
    quoted = _quoted(description)
    return quoted if len(quoted) > 1 and not _is_example(description) else ()


def _examples(description: str) -> tuple[str, ...]:
    return _quoted(description) if _is_example(description) else ()


def _is_example(description: str) -> bool:
    return re.search(r"\b(for example|such as|e\.g\.|like)", description, re.IGNORECASE) is not None


def _is_like(word: str, example: str) -> bool:
    """Whether a word is formed as an example is; a bare number has as many digits, too."""
    return shape(word) == shape(example) and (not example.isdigit() or len(word) == len(example))


def _quoted(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, groups)) for groups in _QUOTED.findall(text))


def _by_overlap(choices: Sequence[str], said: str) -> list[str]:
    scores = {choice: shared(choice, said) / max(len(words(choice)), 1) for choice in choices}
    return sorted((c for c in choices if scores[c] > HALF), key=lambda choice: -scores[choice])


def _tokens(said: str) -> list[str]:
    return [word.strip(".,;:!?\"'()") for word in said.split()]
