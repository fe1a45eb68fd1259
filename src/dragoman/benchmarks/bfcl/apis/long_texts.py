"""What the long-context entries add to results and states, to make them long."""

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongList
from dragoman.benchmarks.bfcl.upstream import HINT
from dragoman.core.errors import DataError

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
            DataError: Where one is missing or has another form.
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
