from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import DataError, StoreError
from dragoman.core.texts.decoding import TranslatedErrors


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (Path("none-such").read_bytes, "No such file or directory"),
        (lambda: msgspec.json.decode(b"{]"), "JSON is malformed: object keys must be strings"),
        (b"\xff".decode, "'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_errors_from_outside_become_one_line_of_ours(work: Callable[[], object], why: str) -> None:
    with pytest.raises(DataError) as raised, TranslatedErrors(DataError, "notes: cannot be read"):
        work()
    assert str(raised.value).startswith(f"notes: cannot be read ({why}")
    assert "\n" not in str(raised.value)


def test_our_own_errors_and_those_of_code_pass() -> None:
    with pytest.raises(StoreError, match=r"^ours$"), TranslatedErrors(DataError, "outer"):
        raise StoreError("ours")
    with pytest.raises(ZeroDivisionError), TranslatedErrors(DataError, "outer"):
        raise ZeroDivisionError
