"""Arithmetic on literals, folded within bounds: no name is looked up and nothing is executed."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

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


class Folding:
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
                return _applied(_UNARY[type(operation)], self.fold(operand))
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _BINARY:
                operands = self.fold(left), self.fold(right)
                _check_size(operation, *operands)
                return self._bounded(_applied(_BINARY[type(operation)], *operands))
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


def negated(value: object) -> object:
    """Return a constant with a minus before it, or raise UnreadableError."""
    return _applied(operator.neg, value)


def _applied(operation: Callable[..., object], *operands: object) -> object:
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
