import gzip

import pytest

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import decompress, strip_code_fence

MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f", bytes(range(32, 127))])
def test_content_is_unpacked_and_loses_its_byte_order_mark(content: bytes) -> None:
    for given in (content, MARK + content, gzip.compress(content), gzip.compress(MARK + content)):
        assert decompress(given, 100) == content


def test_a_file_packed_in_parts_is_one() -> None:
    assert decompress(gzip.compress(b"a") + gzip.compress(b"b"), 2) == b"ab"


def test_what_would_grow_beyond_the_bound_is_refused_before_it_does() -> None:
    packed = gzip.compress(bytes(10**6))
    assert len(decompress(packed, 10**6)) == 10**6
    for content in (packed, gzip.compress(b"a") + packed):
        with pytest.raises(DataError, match="more than 999999 bytes unpacked"):
            decompress(content, 10**6 - 1)


def test_damaged_packing_is_refused() -> None:
    packed = gzip.compress(b"some text")
    for content in (packed[:-3], packed[:12], b"\x1f\x8bnothing", packed[:-8] + bytes(8)):
        with pytest.raises(DataError, match="damaged gzip"):
            decompress(content, 100)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        (' ``` {"a": "```"} ```\n', '{"a": "```"}'),
        ("``````", ""),
        ("`````", "`````"),
        ("```json {", "```json {"),
    ],
)
def test_json_is_taken_out_of_its_fence(text: str, inner: str) -> None:
    assert strip_code_fence(text) == inner


def test_a_fence_that_is_never_closed_takes_no_time() -> None:
    text = f"```{' ' * 1_000_000}x"
    assert strip_code_fence(text) == text
