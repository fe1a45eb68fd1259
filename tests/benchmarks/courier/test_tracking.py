import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.courier.company_database import check_digit, require_tracking_number
from dragoman.core.errors import ToolError

DIGITS = st.text("0123456789", min_size=8, max_size=8)


def test_the_check_digit_is_that_of_a_published_example() -> None:
    assert check_digit("47312482") == "9"


@given(DIGITS)
def test_a_number_with_its_check_digit_is_accepted(digits: str) -> None:
    require_tracking_number(f"PB{digits}{check_digit(digits)}")


@given(DIGITS, st.integers(0, 7), st.sampled_from("0123456789"))
def test_one_misrecognized_digit_is_noticed_or_leaves_the_same_check_digit(
    digits: str, at: int, heard: str
) -> None:
    other = digits[:at] + heard + digits[at + 1 :]
    number = f"PB{other}{check_digit(digits)}"
    if check_digit(other) == check_digit(digits):
        require_tracking_number(number)
    else:
        with pytest.raises(ToolError, match="misheard"):
            require_tracking_number(number)


@pytest.mark.parametrize(
    "number", ["", "PB41505013", "pb415050137", "PB 415050137", "P4150501377", "PB41505013\u0667"]
)
def test_what_has_another_shape_is_refused(number: str) -> None:
    with pytest.raises(ToolError, match=re.escape("two capital letters and nine digits")):
        require_tracking_number(number)
