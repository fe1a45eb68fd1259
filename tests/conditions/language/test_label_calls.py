import pytest

from dragoman.conditions.language.view_checks import set_argument


@pytest.mark.parametrize(
    ("arguments", "path", "changed"),
    [
        ({"a": 1}, ("b",), {"a": 1, "b": "x"}),
        ({"a": 1}, ("a",), {"a": "x"}),
        ({}, ("a", "b"), {"a": {"b": "x"}}),
        ({"a": {"c": 1}}, ("a", "b"), {"a": {"c": 1, "b": "x"}}),
        ({}, ("a", "*"), {"a": ["x"]}),
        ({"a": [{"c": 1}, {"c": 2}]}, ("a", "*", "b"), {"a": [{"c": 1, "b": "x"}]}),
        ({"a": 1}, ("a", "b"), {"a": {"b": "x"}}),
    ],
)
def test_a_text_is_put_in_its_place(
    arguments: dict[str, object], path: tuple[str, ...], changed: dict[str, object]
) -> None:
    before = repr(arguments)
    assert set_argument(arguments, path, "x") == changed
    assert repr(arguments) == before
