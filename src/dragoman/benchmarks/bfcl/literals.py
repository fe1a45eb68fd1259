"""Constants of a Python module, folded from its text: nothing is imported or run.

Literals become JSON: tuples and sets become lists, an object whose keys are no strings becomes a
list of pairs, `...` becomes a tagged object, and in texts every place that code would fill is `{}`.
"""

import ast
from collections.abc import Iterator, Mapping

from dragoman.core.errors import DataError

MAX_SOURCE = 1_000_000
"""Characters of a module; upstream's longest has a fifth of that."""

ELLIPSIS = {"__ellipsis__": True}
"""What stands for a `...` that is a value."""

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
        DataError: Where the text is no Python.
    """
    found: dict[str, object] = {}
    for name, value in _assignments(_parse(source, where).body):
        try:
            found[name] = _folded(value, found)
        except _NotLiteralError:
            continue
    return found


def function_texts(source: str, function: str, where: str) -> list[str]:
    """Return the texts of a module's function that begin with a space, in the order of its lines.

    Such texts are fragments that a program adds to others.

    Raises:
        DataError: Where the text is no Python or has no such function.
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


def _folded(node: ast.expr, known: _Known) -> object:
    match node:
        case ast.Constant():
            return _constant(node)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [_folded(part, known) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return _object([_key(key, known) for key in keys], [_folded(v, known) for v in values])
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(_folded(left, known), _folded(right, known))
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
    return _folded(node, known)


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
