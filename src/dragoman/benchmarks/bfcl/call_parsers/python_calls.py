"""Python calls by syntax tree: `[f(a=1), m.g(b='x')]`, with arithmetic folded within bounds.

No name is looked up and nothing is executed.
"""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError, check_bounds
from dragoman.benchmarks.bfcl.call_parsers.plain_python_calls import is_no_call, read_plain_calls
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.core.tools import ToolCall

MAX_BITS = 4_096
"""Of a whole number that arithmetic may lead to."""

MAX_ITEMS = 10_000
"""Of a text or list that arithmetic may lead to, counted at every depth."""

MAX_FOLDED_ITEMS = 100_000
"""Of all that arithmetic leads to in one reply, on the way as well as in the end."""

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.inv,
    ast.Not: operator.not_,
}

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}


class ConstantFolder:
    """The arithmetic of one reply: each expression has its bounds, and so have all together."""

    def __init__(self) -> None:
        self._left = MAX_FOLDED_ITEMS

    def fold(self, node: ast.expr) -> object:
        """Return the value of an expression of literals and operators.

        Raises:
            UnreadableError: For anything else, for what Python refuses, and beyond the bounds.
        """
        match node:
            case ast.Constant(value=value):
                return value
            case ast.List(elts=elements):
                return [self.fold(element) for element in elements]
            case ast.Tuple(elts=elements):
                return tuple(self.fold(element) for element in elements)
            case ast.UnaryOp(op=operation, operand=operand):
                return _apply_operation(_UNARY[type(operation)], self.fold(operand))
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _BINARY:
                operands = self.fold(left), self.fold(right)
                _check_size(operation, *operands)
                return self._bounded(_apply_operation(_BINARY[type(operation)], *operands))
        raise UnreadableError("not an expression of literals")

    def _bounded(self, value: object) -> object:
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise UnreadableError("a number out of bounds")
        items = _items(value)
        if items > MAX_ITEMS:
            raise UnreadableError("a list or text out of bounds")
        self._left -= items
        if self._left < 0:
            raise UnreadableError("arithmetic leads to more than a reply may hold")
        return value


def negate(value: object) -> object:
    """Return a constant with a minus before it, or raise UnreadableError."""
    return _apply_operation(operator.neg, value)


def _apply_operation(operation: Callable[..., object], *operands: object) -> object:
    try:
        return operation(*operands)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise UnreadableError(str(error)) from error


def _check_size(operation: ast.operator, left: object, right: object) -> None:
    """Refuse an operation whose result could be large before it is carried out."""
    if isinstance(operation, ast.Mod) and isinstance(left, str | bytes):
        raise UnreadableError("formatting is not folded")
    if isinstance(operation, ast.Mult) and _repeated_items(left, right) > MAX_ITEMS:
        raise UnreadableError("a list or text out of bounds")
    if isinstance(operation, ast.Pow | ast.LShift) and isinstance(left, int):
        growth = right if isinstance(right, int) else 0
        bits = left.bit_length() * growth if isinstance(operation, ast.Pow) else growth
        if bits > MAX_BITS:
            raise UnreadableError("a number out of bounds")


def _repeated_items(left: object, right: object) -> int:
    """Return the items of a sequence times a number; 0 for a product of numbers."""
    for sequence, times in ((left, right), (right, left)):
        if isinstance(sequence, str | bytes | list | tuple) and isinstance(times, int):
            return _items(sequence) * times
    return 0


def _items(value: object) -> int:
    """Return how many characters and elements a value has, at every depth."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, list | tuple):
        return 1 + sum(_items(element) for element in value)
    return 1


NAMELESS = ""
"""The name of an argument that has none, where the rules keep it."""

_MAY_WARN = re.compile(r"\\|\d\.?[a-zA-Z]")
_LONG_NUMBER = re.compile(r"0[xXoObB][0-9a-fA-F_]{3000}")
_MAX_BITS = 14_284
"""Of a number of 4,300 decimal digits; those of other bases have no bound in Python."""

_NEWLINE = re.compile(r"\r\n?")
_REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of one Python expression, or raise UnreadableError."""
    check_bounds(text)
    try:
        tree = _parse_expression(text)
    except _REFUSALS as error:
        raise UnreadableError(f"no Python expression: {error}"[:200]) from error
    if _LONG_NUMBER.search(text) is not None and any(map(_is_unprintable, ast.walk(tree))):
        raise UnreadableError("a number out of bounds")
    return tree


def _parse_expression(text: str) -> ast.expr:
    if _MAY_WARN.search(text) is None:
        return ast.parse(text, mode="eval").body
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


def _is_unprintable(node: ast.AST) -> bool:
    """Return whether a node is an integer too long for Python to write or read in decimal."""
    match node:
        case ast.Constant(value=int() as number):
            return number.bit_length() > _MAX_BITS
        case _:
            return False


def read_python_calls(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a Python expression: one call, or a list of calls.

    Raises:
        UnreadableError: If the text is anything else, or an argument has no value.
    """
    plain = read_plain_calls(text)
    if plain is not None:
        return plain
    if is_no_call(text):
        raise UnreadableError("no list of calls")
    return read_any_calls(text, rules)


def read_any_calls(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Do the same by way of a syntax tree, which takes all texts and longer."""
    top = parse_expression(text)
    lines = _NEWLINE.sub("\n", text).encode().split(b"\n")
    reading = _Reading(rules)
    try:
        return tuple(_call(node, lines, reading) for node in _elements(top))
    except RecursionError as error:
        raise UnreadableError("nested too deeply") from error


class _Reading:
    """The state of reading one reply: its rules, and the limits of its arithmetic."""

    __slots__ = ("folding", "rules")

    def __init__(self, rules: BfclRules) -> None:
        self.rules = rules
        self.folding = ConstantFolder()


def _elements(top: ast.expr) -> list[ast.expr]:
    if isinstance(top, ast.Call):
        return [top]
    if isinstance(top, ast.List | ast.Tuple | ast.Set):
        return top.elts
    raise UnreadableError("neither a call nor a list of calls")


def _call(node: ast.expr, lines: list[bytes], reading: _Reading) -> ToolCall:
    if not isinstance(node, ast.Call):
        raise UnreadableError(f"{_source(node, lines):.100} is not a call")
    return ToolCall(
        id="",
        name=_name(node.func, reading),
        arguments=_read_keyword_arguments(node, reading),
        positionals=_positionals(node, reading),
        raw=_source(node, lines),
    )


def _source(node: ast.expr, lines: list[bytes]) -> str:
    """Return the text of a node; the parser counts lines from one, and bytes within them."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    if last == first:
        return lines[first][node.col_offset : node.end_col_offset].decode()
    parts = [
        lines[first][node.col_offset :],
        *lines[first + 1 : last],
        lines[last][: node.end_col_offset],
    ]
    return b"\n".join(parts).decode()


def _name(callee: ast.expr, reading: _Reading) -> str:
    parts: list[str] = []
    while isinstance(callee, ast.Attribute):
        parts.append(callee.attr)
        callee = callee.value
    if isinstance(callee, ast.Name):
        parts.append(callee.id)
    elif reading.rules.odd_calls_are_unreadable:
        raise UnreadableError("the callee has no plain name")
    return ".".join(reversed(parts))


def _read_keyword_arguments(node: ast.Call, reading: _Reading) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for keyword in node.keywords:
        if reading.rules.odd_calls_are_unreadable and (
            keyword.arg is None or keyword.arg in arguments
        ):
            raise UnreadableError(f"argument {keyword.arg or '**'} is unpacked or given twice")
        arguments[keyword.arg or NAMELESS] = _value(keyword.value, reading)
    return arguments


def _positionals(node: ast.Call, reading: _Reading) -> tuple[object, ...]:
    if not reading.rules.positionals_are_bound:
        return ()
    return tuple(_value(argument, reading) for argument in node.args)


def _value(node: ast.expr, reading: _Reading) -> object:
    """Return the value of an argument; a name, and what is indexed or called, is its own text."""
    match node:
        case ast.Constant(value=value):
            return "..." if value is ... else value
        case ast.List(elts=elements):
            return [_value(element, reading) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(element, reading) for element in elements)
        case ast.Dict():
            return _entries(node, reading)
        case _:
            return _expression_value(node, reading)


def _expression_value(node: ast.expr, reading: _Reading) -> object:
    match node:
        case ast.Name(id=name):
            return name
        case ast.UnaryOp() if not reading.rules.signs_keep_their_meaning:
            return _negate_operand(node)
        case ast.UnaryOp() | ast.BinOp():
            return reading.folding.fold(node)
        case ast.Call(keywords=[_, *_]):
            return {_name(node.func, reading): _read_keyword_arguments(node, reading)}
        case ast.Call() | ast.Subscript():
            return ast.unparse(node)
        case _:
            raise UnreadableError(f"an argument is a {type(node).__name__}")


def _negate_operand(node: ast.UnaryOp) -> object:
    if not isinstance(node.operand, ast.Constant):
        raise UnreadableError("a sign stands before something that is not a constant")
    return negate(node.operand.value)


def _entries(node: ast.Dict, reading: _Reading) -> Mapping[object, object]:
    entries: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise UnreadableError("an object is unpacked")
        name = _value(key, reading)
        if isinstance(name, list | dict):
            raise UnreadableError("a list or an object cannot be a key")
        entries[name] = _value(value, reading)
    return entries


def read_literal(text: str) -> object:
    """Return the value of a Python literal, or raise UnreadableError."""
    return _literal(parse_expression(text.lstrip(" \t")))


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return dict(_literal_pair(key, value) for key, value in pairs)
        case ast.List(elts=elements):
            return [_literal(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_literal(element) for element in elements)
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float())):
            return ConstantFolder().fold(node)
        case _:
            raise UnreadableError(f"a {type(node).__name__} is not a literal")


def _literal_pair(key: ast.expr | None, value: ast.expr) -> tuple[object, object]:
    name = None if key is None else _literal(key)
    if key is None or isinstance(name, list | dict):
        raise UnreadableError("a list or an object cannot be a key")
    return name, _literal(value)
