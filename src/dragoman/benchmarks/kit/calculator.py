"""Calculator tool: parses arithmetic on number literals and folds it within bounds.

Nothing is evaluated as code.
"""

import ast
import operator
from collections.abc import Callable

from dragoman.core.errors import ToolError

MAX_LENGTH = 1_000
MAX_BITS = 4_096

_ALLOWED = frozenset("0123456789+-*/(). ")
_Number = int | float

_BINARY: dict[type[ast.operator], Callable[[_Number, _Number], _Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def calculate(expression: str) -> str:
    """Return the value of an arithmetic expression, rounded to two decimals, as text.

    Raises:
        ToolError: For characters outside digits, operators, parentheses, dot and space, for bad
            syntax, for division by zero and for values out of bounds.
    """
    if not all(char in _ALLOWED for char in expression):
        raise ToolError("Invalid characters in expression")
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"expression longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return str(round(float(_fold(tree.body)), 2))
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ToolError("invalid syntax") from error
    except ArithmeticError as error:
        raise ToolError(str(error)) from error


def _fold(node: ast.expr) -> _Number:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_fold(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _fold(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_fold(left), _fold(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _require_bounded(_BINARY[type(op)](_fold(left), _fold(right)))
    raise ToolError("not an arithmetic expression")


def _power(base: _Number, exponent: _Number) -> _Number:
    if isinstance(base, int) and abs(base) > 1 and exponent * base.bit_length() > MAX_BITS:
        raise ToolError("value out of bounds")
    value = base**exponent
    if isinstance(value, complex):
        raise ToolError("not a real number")
    return _require_bounded(value)


def _require_bounded(value: _Number) -> _Number:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ToolError("value out of bounds")
    return value
