"""Pinned upstream of BFCL, with prompts and constants extracted from its Python modules.

Constants are folded from the text of a module: nothing is imported or run.
"""

import ast
import functools
import importlib.resources
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.downloads.pinned_sources import Derived, PinnedSource, load_source
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS

MAX_SOURCE = 1_000_000
"""Characters of a module; upstream's longest has a fifth of that."""

ELLIPSIS = {"__ellipsis__": True}
"""Representation of a `...` that is a value."""

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

_Known = Mapping[str, object]


class _NotLiteralError(Exception):
    """An expression that only running it would evaluate."""


def module_constants(source: str, where: str) -> dict[str, object]:
    """Return the names that a module gives to literals at its top level, in order.

    Args:
        source: The module's text.
        where: The module's name, for errors.

    Raises:
        DataError: If the text is not Python.
    """
    found: dict[str, object] = {}
    for name, value in _assignments(_parse(source, where).body):
        try:
            found[name] = _evaluate_constant(value, found)
        except _NotLiteralError:
            continue
    return found


def function_texts(source: str, function: str, where: str) -> list[str]:
    """Return the texts of a module's function that begin with a space, in the order of its lines.

    Such texts are fragments that a program adds to others.

    Raises:
        DataError: If the text is not Python, or does not define the function.
    """
    for node in _parse(source, where).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [text for text in _texts(node) if text.startswith(" ")]
    raise DataError(f"{where} has no function {function}: it is not the pinned module")


def _parse(source: str, where: str) -> ast.Module:
    if len(source) > MAX_SOURCE:
        raise DataError(f"{where} is too long to be the pinned module")
    try:
        return ast.parse(source)
    except _UNREADABLE as error:
        raise DataError(f"{where} cannot be read ({type(error).__name__}): {error}") from error


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                continue


def _evaluate_constant(node: ast.expr, known: _Known) -> object:
    match node:
        case ast.Constant():
            return _constant(node)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [_evaluate_constant(part, known) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return _object(
                [_key(key, known) for key in keys], [_evaluate_constant(v, known) for v in values]
            )
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(_evaluate_constant(left, known), _evaluate_constant(right, known))
        case _:
            raise _NotLiteralError


def _constant(node: ast.Constant) -> object:
    match node.value:
        case str() | bool() | int() | float() | None as value:
            return value
        case value if value is ...:
            return ELLIPSIS
        case _:
            raise _NotLiteralError


def _key(node: ast.expr | None, known: _Known) -> object:
    if node is None:  # another object unpacked into this one
        raise _NotLiteralError
    return _evaluate_constant(node, known)


def _object(keys: list[object], values: list[object]) -> object:
    if all(isinstance(key, str) for key in keys):
        return {str(key): value for key, value in zip(keys, values, strict=True)}
    return [list(pair) for pair in zip(keys, values, strict=True)]


def _sum(left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    raise _NotLiteralError


def _texts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(_part(part) for part in parts)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _texts(child)


def _part(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"


HINT = "run `dragoman data pull bfcl`"
"""Advice for data that are missing."""

PROMPTS = "prompts.json"
"""The derived file of all texts that a model is shown."""

LONG_TEXTS = "long_context.json"
"""The derived file of what long-context entries add."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_LANGUAGES = ("java", "javascript", "python")
_NOTES = "_get_language_specific_hint"
_PARAMETERS = "_func_doc_language_specific_pre_processing"
_FLOATS = "_cast_to_openai_type"


@functools.cache
def bfcl_source() -> PinnedSource:
    """Return the pinned upstream of BFCL v4."""
    folder = importlib.resources.files("dragoman.benchmarks.bfcl")
    return load_source(folder.joinpath("sources.toml").read_bytes())


def derive_texts(entry: Derived, modules: Mapping[str, str]) -> object:
    """Return the prompts or constants that the texts of modules hold.

    Args:
        entry: The derived file, which names its modules.
        modules: Their texts by short name.

    Raises:
        DataError: If a module does not have the expected form.
    """
    first, *others = entry.modules
    constants = module_constants(modules[first], first)
    if entry.name != PROMPTS:
        return constants
    prompting, calling = others
    parameters = function_texts(modules[prompting], _PARAMETERS, prompting)
    return _prompts(
        constants,
        _map_names_to_texts(_LANGUAGES, function_texts(modules[prompting], _NOTES, prompting)),
        parameters,
        _map_names_to_texts(["float"], function_texts(modules[calling], _FLOATS, calling))["float"],
    )


def adopt_texts(entry: Derived, recorded: object) -> object:
    """Return the prompts of a local copy that records them together with remarks.

    Raises:
        DataError: If the copy has neither layout.
    """
    if entry.name != PROMPTS:
        return recorded
    try:
        copy = msgspec.convert(recorded, _Recorded)
    except DECODING_ERRORS as error:
        raise DataError(f"{entry.name} of the local copy holds no prompts: {error}") from error
    notes = copy.language_notes
    java, javascript = notes.java_parameter, notes.javascript_parameter
    fragments = [*java.values(), *javascript.values()]
    return _prompts(
        copy.default_prompts,
        {"java": notes.java, "javascript": notes.javascript, "python": notes.python},
        [_PLACEHOLDER.sub("{}", text) for text in fragments],
        copy.tool_schema_notes.float_parameter,
    )


class _LanguageNotes(msgspec.Struct, frozen=True):
    python: str
    java: str
    javascript: str
    java_parameter: dict[str, str]
    javascript_parameter: dict[str, str]


class _SchemaNotes(msgspec.Struct, frozen=True):
    float_parameter: str


class _Recorded(msgspec.Struct, frozen=True):
    default_prompts: dict[str, object]
    language_notes: _LanguageNotes
    tool_schema_notes: _SchemaNotes


def _prompts(
    constants: Mapping[str, object],
    notes: Mapping[str, str],
    parameters: Sequence[str],
    float_note: str,
) -> dict[str, object]:
    java, javascript = parameters[:3], parameters[3:]
    return {
        "constants": constants,
        "language_notes": notes,
        "parameter_notes": {
            "java": _map_names_to_texts(["any", "typed", "elements"], java),
            "javascript": _map_names_to_texts(["any", "typed", "elements", "entries"], javascript),
        },
        "float_note": float_note,
    }


def _map_names_to_texts(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    if len(names) != len(texts):
        raise DataError(f"{len(texts)} texts stand where {', '.join(names)} are: no pinned module")
    return dict(zip(names, texts, strict=True))
