"""Verbalization of formulas: `2x^2 + 3x - 5` becomes `two x squared plus three x minus five`.

A formula is a sequence of numbers, variables and operators with at least one sign that marks it as
a formula.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from dragoman.conditions.voice.verbalization.quantities import (
    NUMBER,
    SignWording,
    spoken_figures,
    spoken_power,
    unit_at,
    units_table,
)

MAX_TOKENS = 100
"""A longer formula stays as it is."""

_OPERATORS = {
    "+": "plus",
    "-": "minus",
    "\u2212": "minus",
    "*": "times",
    "\u00d7": "times",
    "·": "times",
    "/": "over",
    "÷": "divided by",
    "±": "plus or minus",
    "=": "equals",
    "==": "equals",
    ":=": "equals",
    "!=": "is not equal to",
    "≠": "is not equal to",
    ">=": "is greater than or equal to",
    "≥": "is greater than or equal to",
    "<=": "is less than or equal to",
    "≤": "is less than or equal to",
    ">": "is greater than",
    "<": "is less than",
    "≈": "is approximately",
}
_FUNCTIONS = {
    "sin": "sine of",
    "cos": "cosine of",
    "tan": "tangent of",
    "log": "log of",
    "ln": "natural log of",
    "exp": "the exponential of",
    "sqrt": "the square root of",
}
_RELATIONS = frozenset(_OPERATORS) - frozenset("+-\u2212*\u00d7·/÷±")
_SIGNS = frozenset("+-\u2212")
_SURE = frozenset({"^", "**", "raised", "root"}) | _RELATIONS | frozenset("\u00d7÷±")
_TOKEN = re.compile(
    rf"""(?P<number>{NUMBER})
    | (?P<name>(?:{"|".join(_FUNCTIONS)})(?=\ ?\()|(?:sin|cos|tan|log|ln)(?=\ [xyztn](?![A-Za-z])))
    | (?P<variable>(?:[A-Za-z]{{2,3}}(?=\^|[²³])|[A-Za-z\u03b1-ωΔΘΩ])(?:_?[0-9])?
      (?:'(?=\ ?[-(=+*^]))?(?![A-Za-z_0-9@#]|[.'\u2019][A-Za-z0-9]))
    | (?P<operator>\*\*|==|:=|!=|>=|<=|[-+*/=<>\u00d7÷±≈≠≤≥·^\u2212])
    | (?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹ⁿ]{{1,3}})
    | (?P<root>√)
    | (?P<open>[(])
    | (?P<close>[)])""",
    re.VERBOSE,
)
_BEGIN = re.compile(r"(?<![\w./@#$€£\\<>^=*-])(?<!\w['\u2019])(?=[-\w(√\u2212.])")
_APPLIED = frozenset("fghFGHPpuvyO")
_ARROWS = re.compile(r"[-=]>|<[-=]>|<!|</|<[A-Za-z][^<>]{0,80}>")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def formulas(text: str) -> Iterator[SignWording]:
    """Yield the formulas of a text; what cannot be said stays as it is."""
    at = 0
    while (match := _BEGIN.search(text, at)) is not None:
        found = _tokens(text, match.start())
        tokens = _trim_formula(found)
        if not tokens or len(found) > MAX_TOKENS:
            at = found[-1].end if len(found) > MAX_TOKENS else match.start() + 1
            continue
        at = tokens[-1].end
        if _is_formula(tokens) and not _ARROWS.search(text, tokens[0].start, tokens[-1].end):
            said = _verbalize_formula(tokens)
            if said is not None:
                end, unit = _unit_behind(text, tokens)
                yield SignWording(tokens[0].start, end, "formula", f"{said}{unit}")
                at = max(at, end)


def _tokens(text: str, start: int) -> list[_Token]:
    """Return the tokens from a place up to the first one that does not belong to a formula."""
    tokens: list[_Token] = []
    at = start
    while len(tokens) <= MAX_TOKENS:
        is_apart = bool(tokens) and text.startswith(" ", at)
        match = _TOKEN.match(text, at + is_apart)
        if match is None:
            break
        token = _Token(match.lastgroup or "", match.group(), *match.span())
        if tokens and not _follows(tokens[-1], token, is_apart=is_apart):
            break
        tokens.append(token)
        at = token.end
    ends = text[at : at + 1]
    if tokens and ends and (ends.isalnum() or ends == "_"):
        _drop_word(tokens, at)
    return tokens


def _drop_word(tokens: list[_Token], at: int) -> None:
    """Leave out tokens that are the beginning of a word."""
    while tokens and tokens[-1].end == at and tokens[-1].kind in {"number", "variable"}:
        at = tokens.pop().start


def _follows(before: _Token, token: _Token, *, is_apart: bool) -> bool:
    """Return whether a token can come after another in one formula."""
    is_operand = token.kind in {"number", "variable", "name", "open", "root"}
    if token.kind == "raised":
        return not is_apart and before.kind in {"number", "variable", "close"}
    if is_operand and before.kind in {"number", "variable", "close", "raised"}:
        if before.kind == "variable" and token.kind == "variable":
            return False
        return not is_apart and not (before.kind == "variable" and token.kind == "number")
    return True


def _trim_formula(tokens: list[_Token]) -> list[_Token]:
    """Leave out what cannot end or begin a formula, and parentheses without a partner."""
    kept = list(tokens)
    while kept and not _can_end(kept[-1]):
        kept.pop()
    while kept and (
        kept[0].kind in {"close", "raised"}
        or (kept[0].kind == "operator" and kept[0].text not in _SIGNS)
    ):
        kept.pop(0)
    depth, good = 0, 0
    for at, token in enumerate(kept):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0:
            break
        if depth == 0 and _can_end(token):
            good = at + 1
    if good == 0 and kept and kept[0].kind == "open" and len(kept) <= MAX_TOKENS:
        return _trim_formula(kept[1:])
    return kept[:good]


def _can_end(token: _Token) -> bool:
    return token.kind in {"number", "variable", "close", "raised"}


def _is_formula(tokens: Sequence[_Token]) -> bool:
    """Return whether signs show that a stretch is a formula and no sentence, date or id."""
    kinds = {token.kind for token in tokens}
    if not {"number", "variable"} & kinds:
        return False
    is_sure = any(
        token.text in _SURE or token.kind in {"raised", "root", "name"} for token in tokens[1:]
    )
    if is_sure or tokens[0].kind in {"root", "name"} or _applies(tokens, 0):
        return True
    operands = sum(token.kind in {"number", "variable"} for token in tokens)
    return operands > 1 and _operates(tokens, kinds)


def _operates(tokens: Sequence[_Token], kinds: AbstractSet[str]) -> bool:
    """Return whether plus, minus, times or over stand in a stretch as in a formula."""
    places = [at for at, token in enumerate(tokens) if token.kind == "operator" and at]
    signs = {tokens[at].text for at in places}
    if "+" in signs or ("*" in signs and "number" in kinds):
        return True
    has_coefficient = any(
        one.kind == "number" and other.kind == "variable" for one, other in pairwise(tokens)
    )
    is_spaced = any(
        tokens[at - 1].end < tokens[at].start < tokens[at].end < tokens[at + 1].start
        for at in places
        if at + 1 < len(tokens)
    )
    if is_spaced and (has_coefficient or ("/" not in signs and "number" in kinds)):
        return True
    return bool(signs) and {"open", "number"} <= kinds


def _applies(tokens: Sequence[_Token], at: int) -> bool:
    """Return whether a function is applied at a place: `f(x)`."""
    pair = tokens[at : at + 3]
    if len(pair) < 3 or pair[0].end != pair[1].start or pair[1].kind != "open":  # noqa: PLR2004
        return False
    return pair[0].kind == "name" or (
        pair[0].kind == "variable" and pair[0].text.rstrip("'") in _APPLIED
    )


def _verbalize_formula(tokens: Sequence[_Token]) -> str | None:
    """Return a formula in words; None for what is none."""
    said: list[str] = []
    at = 0
    while at < len(tokens):
        words, at = _next(tokens, at)
        if words is None:
            return None
        said.append(words)
    return " ".join(filter(None, said)).replace(" ,", ",")


def _next(tokens: Sequence[_Token], at: int) -> tuple[str | None, int]:
    """Return the verbalization at a place, and the place after it."""
    token = tokens[at]
    if token.text in {"^", "**"}:
        return _power(tokens, at + 1)
    if token.kind == "open":
        return _verbalize_parenthesis(tokens, at)
    if token.kind == "variable":
        return _variable(token.text) + (" of" if _applies(tokens, at) else ""), at + 1
    if token.kind in {"operator", "close"}:
        say = _pause_after_quantity if token.kind == "close" else _operator
        return say(tokens, at), at + 1
    return _value(token), at + 1


def _value(token: _Token) -> str:
    """Return a number, a function, a root or a raised sign in words."""
    if token.kind == "number":
        return spoken_figures(token.text)
    if token.kind == "name":
        return _FUNCTIONS[token.text]
    return "the square root of" if token.kind == "root" else _verbalize_power(token.text)


def _operator(tokens: Sequence[_Token], at: int) -> str | None:
    token = tokens[at]
    is_first = at == 0 or tokens[at - 1].kind in {"operator", "open"}
    if is_first:
        return {"+": "plus"}.get(token.text, "minus") if token.text in _SIGNS else None
    return _OPERATORS[token.text]


def _variable(text: str) -> str:
    letters = re.sub(r"[^A-Za-z\u03b1-ωΔΘΩ]", "", text)
    said = " ".join("A" if letter == "a" else letter for letter in letters)
    digit = re.search(r"[0-9]", text)
    prime = " prime" if text.endswith("'") else ""
    return f"{said}{f' {spoken_figures(digit.group())}' if digit else ''}{prime}"


def _verbalize_power(text: str) -> str:
    if text in {"²", "³"}:
        return "squared" if text == "²" else "cubed"
    return "to the power of n" if text == "ⁿ" else f"to the power of {spoken_power(text)}"


def _power(tokens: Sequence[_Token], at: int) -> tuple[str | None, int]:
    """Return the power whose exponent begins at a place."""
    exponent = tokens[at] if at < len(tokens) else None
    if exponent is None:
        return None, at
    is_alone = (
        at + 1 == len(tokens)
        or tokens[at + 1].start > exponent.end
        or not (tokens[at + 1].kind in {"variable", "open"} and exponent.kind == "number")
    )
    if exponent.text in {"2", "3"} and is_alone:
        return ("squared" if exponent.text == "2" else "cubed"), at + 1
    if exponent.kind in {"number", "variable", "open", "name"} or exponent.text in _SIGNS:
        return "to the power of", at
    return None, at


def _verbalize_parenthesis(tokens: Sequence[_Token], at: int) -> tuple[str, int]:
    """Return what a parenthesis is: nothing around one value, else a quantity of its own."""
    close = _partner(tokens, at)
    is_applied = at > 0 and (tokens[at - 1].kind in {"name", "root"} or _applies(tokens, at - 1))
    before = tokens[at - 1] if at else None
    times = (
        "times "
        if before and before.kind in {"number", "variable", "close"} and not is_applied
        else ""
    )
    inner = [token for token in tokens[at + 1 : close] if token.kind != "operator"]
    if len(inner) <= 1 or is_applied:
        return times.strip(), at + 1
    after = tokens[close + 1] if close + 1 < len(tokens) else None
    is_quantity = bool(times) or (
        after is not None and after.text in {"^", "**", "*", "/", "²", "³"}
    )
    is_quantity |= before is not None and before.text in {"*", "/", "-", "^", "**"}
    return f"{times}the quantity" if is_quantity else "", at + 1


def _pause_after_quantity(tokens: Sequence[_Token], at: int) -> str:
    """Return the pause after a quantity that goes on."""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    return (
        "," if after is not None and (after.text in {"^", "**"} or after.kind == "raised") else ""
    )


def _partner(tokens: Sequence[_Token], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place].kind == "open") - (tokens[place].kind == "close")
        if depth == 0:
            return place
    return len(tokens)


def _unit_behind(text: str, tokens: Sequence[_Token]) -> tuple[int, str]:
    """Return where a formula with its unit ends, and the unit after a space."""
    end = tokens[-1].end
    start = end + text.startswith(" ", end)
    unit = unit_at(text, start) if tokens[-1].kind in {"number", "raised"} else None
    is_word = unit is not None and text[start : unit.end] in units_table().words
    if unit is None or is_word or (unit.is_capital and unit.parts == 1):
        return end, ""
    return unit.end, f" {unit.several}"
