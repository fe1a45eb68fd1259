"""Stored results become replies; what no record carries stays as it was stored."""

import msgspec
import pytest

from dragoman.benchmarks.bfcl.checking.judging import Written, read
from dragoman.benchmarks.bfcl.result_files import reply_of_result
from dragoman.benchmarks.bfcl.rules import DEFAULT_RULES
from dragoman.core.speech import Called, Unparsed


@pytest.mark.parametrize("value", [r'"\ud83d"', "NaN", "Infinity", r'{"\udc00": 1}'])
def test_items_that_no_record_carries_are_kept_as_they_were_stored(value: str) -> None:
    result = [{"f": f'{{"a": {value}}}'}]

    reply = reply_of_result(result, "items")

    assert isinstance(reply, Unparsed)
    stored = msgspec.json.decode(msgspec.json.encode(reply), type=Unparsed)
    assert msgspec.json.decode(stored.raw) == result
    (call,) = read(Written(msgspec.json.decode(stored.raw), "items"), DEFAULT_RULES)
    assert (call.name, list(call.arguments)) == ("f", ["a"])


@pytest.mark.parametrize("value", [r'"\ud83d\ude00"', "1e5", "[1, null, {}]", '"é"'])
def test_other_items_are_calls(value: str) -> None:
    reply = reply_of_result([{"f": f'{{"a": {value}}}'}], "items")

    assert isinstance(reply, Called)
    assert reply.calls[0].arguments == {"a": msgspec.json.decode(value)}
