import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.benchmarks.kit.calculator import MAX_LENGTH, calculate
from dragoman.core.errors import ToolError

NUMBERS = st.integers(0, 999).map(str) | st.decimals(
    0, 999, places=2, allow_nan=False, allow_infinity=False
).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", " + ", " - "]), inner).map(
            "".join
        ),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}"),
    ),
    max_leaves=8,
)


def by_python(expression: str) -> str | None:
    """Return Python's result of an expression that holds digits and operators only."""
    try:
        return str(round(float(eval(expression, {"__builtins__": {}})), 2))  # noqa: S307 - generated from digits and operators
    except (ArithmeticError, SyntaxError):
        return None


def by_tool(expression: str) -> str | None:
    try:
        return calculate(expression)
    except ToolError:
        return None


@given(EXPRESSIONS)
def test_values_are_those_of_python(expression: str) -> None:
    assert by_tool(expression) == by_python(expression)


@given(st.integers(-9, 9), st.integers(0, 20))
def test_powers_are_those_of_python(base: int, exponent: int) -> None:
    assert calculate(f"({base})**{exponent}") == by_python(f"({base})**{exponent}")


@settings(max_examples=2 * settings().max_examples)
@given(st.text("0123456789+-*/(). ", max_size=40))
def test_any_text_of_allowed_characters_gets_an_answer_or_a_refusal(text: str) -> None:
    value = by_tool(text)
    assert value is None or isinstance(float(value), float)


@given(st.text(max_size=30))
def test_any_text_gets_an_answer_or_a_refusal(text: str) -> None:
    value = by_tool(text)
    assert value is None or isinstance(float(value), float)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", "4.0"),
        ("1 / 3", "0.33"),
        ("  7", "7.0"),
        ("2**10", "1024.0"),
        ("7 // 2", "3.0"),
        ("-7 // 2", "-4.0"),
        ("(100.5 - 0.5) * 3", "300.0"),
        ("1.005 * 1", "1.0"),
        ("0.1 + 0.2", "0.3"),
        ("+5", "5.0"),
    ],
)
def test_the_value_is_rounded_to_cents(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "refusal"),
    [
        ("2 + x", "Invalid characters in expression"),
        ("__import__('os')", "Invalid characters in expression"),
        ("1e5", "Invalid characters in expression"),
        ("1\n", "Invalid characters in expression"),
        ("1 / 0", "division by zero"),
        ("08 + 1", "invalid syntax"),
        ("1 2", "invalid syntax"),
        ("", "invalid syntax"),
        ("()", "not an arithmetic expression"),
        ("1(2)", "not an arithmetic expression"),
        ("(-8)**0.5", "not a real number"),
    ],
)
def test_what_is_no_arithmetic_is_refused(expression: str, refusal: str) -> None:
    with pytest.raises(ToolError, match=refusal.replace("(", r"\(").replace(")", r"\)")):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "9**9**9**9",
        "(9**999)*(9**999)*(9**999)",
        "9" * MAX_LENGTH,
        "1" + "+1" * MAX_LENGTH,
        "(" * 400 + "1" + ")" * 400,
        "-" * (MAX_LENGTH - 1) + "1",
        "9**" * 300 + "9",
        "10.0**400",
    ],
)
def test_nothing_large_long_or_deep_is_worked_out(expression: str) -> None:
    with pytest.raises(ToolError):
        calculate(expression)
