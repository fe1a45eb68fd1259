from dragoman.conditions.language.tool_docstrings import discover_enums, quoted_literals
from dragoman.core.tools import Toolset, ToolSpec

SETS = {"Reason": ("no longer needed", "ordered by mistake"), "Answer": ("yes", "no")}


def tool(description: str, **schema: object) -> Toolset:
    properties = {"reason": {"description": description, "type": "string", **schema}}
    return Toolset((ToolSpec("cancel", "Cancels.", {"properties": properties}),))


def test_literals_in_single_quotes_are_found_and_apostrophes_are_not() -> None:
    assert quoted_literals("Either 'a b' or 'c'; the user's and the users' choice.") == ("a b", "c")
    assert quoted_literals("应为'不再需要'或'误操作下单'。") == ("不再需要", "误操作下单")


def test_a_parameter_whose_description_quotes_values_of_one_set_has_that_set() -> None:
    (found,) = discover_enums(tool("'no longer needed' or 'ordered by mistake'."), SETS)
    assert (found.tool, found.parameter, found.value_set) == ("cancel", "reason", "Reason")
    assert not found.in_schema


def test_a_schema_that_lists_values_is_told() -> None:
    (found,) = discover_enums(tool("Such as 'yes'.", enum=["yes", "no"]), SETS)
    assert found.in_schema


def test_a_literal_of_no_set_or_of_two_finds_nothing() -> None:
    assert discover_enums(tool("Such as 'yes' or 'perhaps'."), SETS) == ()
    assert discover_enums(tool("Such as 'yes'."), {**SETS, "Flag": ("yes",)}) == ()
    assert discover_enums(tool("A reason."), SETS) == ()
