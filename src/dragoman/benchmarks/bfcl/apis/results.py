"""Results of API calls as text by the reference's rule, and texts that make contexts long."""

import json
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from dragoman.benchmarks.bfcl.upstream_data import HINT
from dragoman.core.errors import DataError

Value = TypeVar("Value")

MAX_RESULT = 1_000_000
"""Characters of a result; the longest that the data lead to has some 50,000."""

_slowly = json.JSONEncoder().encode


def _encoder() -> Callable[[object], str]:
    """Return the interpreter's own JSON encoder, which `json` would make for every text."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _slowly
    quoted = json.encoder.encode_basestring_ascii
    chunks = make(None, None, quoted, None, ": ", ", ", False, False, True)

    def encode(value: object) -> str:
        try:
            return "".join(chunks(value, 0))
        except RecursionError:
            return _slowly(value)  # distinguishes circular values from deep ones

    return encode


_encode = _encoder()


class LongList(list[Value]):
    """A long list that many results contain, with its JSON text made once; not to be changed."""

    __slots__ = ("text",)

    def __init__(self, elements: Iterable[Value]) -> None:
        super().__init__(elements)
        self.text = _encode(list(self))


class ApiRefusal(Exception):  # noqa: N818 - says what the interface did
    """An interface's refusal; its text is what the caller is told went wrong."""


def result_text(value: object) -> str:
    """Return a call's value as text.

    Texts stay as they are, objects become JSON if JSON can hold them, and any other value is
    written as by `str`.

    Raises:
        ApiRefusal: If the text would be longer than MAX_RESULT characters.
        ValueError: For a number with more digits than Python writes.
    """
    text = _object_text(value) if isinstance(value, dict) else str(value)
    if len(text) > MAX_RESULT:
        raise ApiRefusal(f"the result has {len(text)} characters, more than {MAX_RESULT}")
    return text


def _object_text(value: dict[object, object]) -> str:
    try:
        return _encode_object(value) if LongList in map(type, value.values()) else _encode(value)
    except (TypeError, ValueError):
        return str(value)


def _encode_object(value: dict[object, object]) -> str:
    """Return the JSON text of an object with names as keys.

    Some of its values are long lists.
    """
    members = (
        f"{_encode(name)}: {entry.text if isinstance(entry, LongList) else _encode(entry)}"
        for name, entry in value.items()
    )
    return "{" + ", ".join(members) + "}"


def error_text(error: Exception | str) -> str:
    """Return what the caller is told of a call that failed."""
    return f"Error during execution: {error}"


_ELLIPSIS = {"__ellipsis__": True}


class LongTexts(msgspec.Struct, frozen=True, rename="upper"):
    """The constants of the reference's long-context module, under their names in lower case.

    They are shared by all worlds and must not be written to. `watch_list_extension` ends with a
    Python Ellipsis, as the reference's does.
    """

    watch_list_extension: list[object]
    transaction_history_extension: list[dict[str, object]]
    ma_5_extension: list[float]
    ma_20_extension: list[float]
    technology_extension: list[str]
    automobile_extension: list[str]
    order_detail_extension: dict[str, str]
    file_content_extension: str
    populate_file_extension: list[str]
    car_status_metadata_extension: str
    long_weather_extension: dict[str, dict[str, object]]
    parking_brake_instruction: str
    intermediary_cities: list[str]
    credit_card_extension: dict[str, dict[str, object]]
    booking_record_extension: dict[str, dict[str, object]]
    files_tail_used: list[str]

    @classmethod
    def convert(cls, constants: object) -> "LongTexts":
        """Return the record of the constants as pulled, one JSON object by upper-case names.

        Raises:
            DataError: If a constant is missing or has another form.
        """
        try:
            read = msgspec.convert(constants, cls)
        except msgspec.ValidationError as error:
            raise DataError(f"the long-context constants are damaged: {error}; {HINT}") from error
        watched: list[object] = [
            ... if item == _ELLIPSIS else item for item in read.watch_list_extension
        ]
        return msgspec.structs.replace(
            read,
            watch_list_extension=watched,
            ma_5_extension=LongList(read.ma_5_extension),
            ma_20_extension=LongList(read.ma_20_extension),
            intermediary_cities=LongList(read.intermediary_cities),
        )
