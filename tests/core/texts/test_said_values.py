from dragoman.core.texts.entities import StatedArgument, stated_arguments

TURN = "I am Ines Carvalho. Book 3 seats on May 5, 2026 for $20.50, order #W2378156."


def test_values_that_fill_arguments_are_found_as_the_turn_writes_them() -> None:
    arguments = {
        "name": {"first": "Ines", "last": "Carvalho"},
        "date": "2026-05-05",
        "seats": 3,
        "price": 20.5,
        "orders": ["#W2378156"],
    }
    assert stated_arguments(arguments, TURN) == (
        StatedArgument("name", "name", "Ines", "Ines"),
        StatedArgument("name", "name", "Carvalho", "Carvalho"),
        StatedArgument("date", "date", "2026-05-05", "May 5, 2026"),
        StatedArgument("seats", "number", "3", "3"),
        StatedArgument("price", "number", "20.5", "$20.50"),
        StatedArgument("orders", "code", "#W2378156", "#W2378156"),
    )


def test_what_the_turn_does_not_say_fills_nothing() -> None:
    assert stated_arguments({"id": "user_77", "on": True, "none": None, "empty": " "}, TURN) == ()


def test_what_is_nested_too_deep_is_not_looked_into() -> None:
    deep: object = "Ines"
    for _ in range(30):
        deep = [deep]
    assert stated_arguments({"deep": deep}, TURN) == ()


def test_long_and_small_numbers_are_looked_for_as_plain_decimals() -> None:
    turn = "Move 1234567.5 and 0.00005, please."
    found = stated_arguments({"amount": 1234567.5, "rate": 0.00005, "whole": 2.0}, turn)
    assert [each.value for each in found] == ["1234567.5", "0.00005"]
