"""Reads what a caller wrote into records, as leniently as the reference does.

Keys that a record does not have are ignored. A whole number may be written as an integral float or
as text, and true counts as 1; text is never made of anything else. Refusals are worded as the
reference's parser words them, for its stored conversations are replayed and compared by text.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.tau2.airline.records import FlightChoice, Passenger, Payment
from dragoman.core.errors import ToolError

_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.0+)?")
_LARGEST_FLOAT = 2.0**63
_LONGEST_WHOLE = 4_300
_HELP = "For further information visit https://errors.pydantic.dev/2.14/v/"
# How much of a refused value is shown, in bytes: all, or so much of its start and of its end.
_SHOWN, _SHOWN_START, _SHOWN_END = 50, 25, 24

Fields = Mapping[str, object]


class Form:
    """The fields of one record as a caller filled them in.

    A field that cannot be read counts as empty until `check` refuses the record, so that a refusal
    names everything that is wrong.
    """

    def __init__(self, fields: Fields, problems: list[str] | None = None, path: str = "") -> None:
        self._fields = fields
        self._problems = [] if problems is None else problems
        self._path = path

    def check(self, title: str) -> None:
        """Refuse the record, named by its title, if anything is wrong with it."""
        if self._problems:
            count = len(self._problems)
            heading = f"{count} validation error{'s' if count > 1 else ''} for {title}"
            raise ToolError("\n".join((heading, *self._problems)))

    def text(self, name: str) -> str:
        """Return a field that must be a string."""
        value = self._fields.get(name)
        if isinstance(value, str):
            return value
        self._refuse(name, "string_type", "Input should be a valid string")
        return ""

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return a field that must be one of a few strings."""
        value = self._fields.get(name)
        if isinstance(value, str) and value in choices:
            return value
        *others, last = map(repr, choices)
        self._refuse(name, "literal_error", f"Input should be {', '.join(others)} or {last}")
        return ""

    def whole(self, name: str) -> int:
        """Return a field that must be a whole number."""
        value = self._fields.get(name)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_FLOAT:
            return int(value)
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            digits = value.strip().partition(".")[0]
            if len(digits) <= _LONGEST_WHOLE:
                return int(digits)
        self._refuse(name, *_why_not_whole(value))
        return 0

    def number(self, name: str) -> float:
        """Return a field that must be a number."""
        value = self._fields.get(name)
        wanted = "Input should be a valid number"
        if isinstance(value, str):
            try:
                return _float(value.strip())
            except ValueError:
                wanted = f"{wanted}, unable to parse string as a number"
                self._refuse(name, "float_parsing", wanted)
                return 0.0
        try:
            if isinstance(value, int | float):
                return float(value)
        except OverflowError:
            pass
        self._refuse(name, "float_type", wanted)
        return 0.0

    def records(self, name: str, title: str, parse: "Callable[[Form], object]") -> None:
        """Check that a field is a list of records; objects among them count, if they parse."""
        values = self._fields.get(name)
        if not isinstance(values, list):
            self._refuse(name, "list_type", "Input should be a valid list")
            return
        for index, value in enumerate(values):
            place = f"{name}.{index}"
            if isinstance(value, dict):
                parse(Form(value, self._problems, f"{place}."))
            elif not isinstance(value, msgspec.Struct):
                wanted = f"Input should be a valid dictionary or instance of {title}"
                self._problems.append(_problem(place, "model_type", wanted, value))

    def _refuse(self, name: str, kind: str, wanted: str) -> None:
        place = f"{self._path}{name}"
        if name in self._fields:
            self._problems.append(_problem(place, kind, wanted, self._fields[name]))
        else:
            self._problems.append(_problem(place, "missing", "Field required", self._fields))


def parse_flight(fields: Fields) -> FlightChoice:
    """Return the flight that a caller chose."""
    form = Form(fields)
    flight = FlightChoice(form.text("flight_number"), form.text("date"))
    form.check("FlightInfo")
    return flight


def parse_passenger(fields: Fields) -> Passenger:
    """Return a passenger."""
    form = Form(fields)
    passenger = read_passenger(form)
    form.check("Passenger")
    return passenger


def parse_payment(fields: Fields) -> Payment:
    """Return a payment."""
    form = Form(fields)
    payment = read_payment(form)
    form.check("Payment")
    return payment


def read_passenger(form: Form) -> Passenger:
    """Return a passenger, unchecked."""
    return Passenger(form.text("first_name"), form.text("last_name"), form.text("dob"))


def read_payment(form: Form) -> Payment:
    """Return a payment, unchecked."""
    return Payment(form.text("payment_id"), form.whole("amount"))


def _why_not_whole(value: object) -> tuple[str, str]:
    """Return kind and wording of what is wrong with a number that is not whole."""
    wanted = "Input should be a valid integer"
    too_large = "Unable to parse input string as an integer, exceeded maximum size"
    if isinstance(value, str):
        if len(value) > _LONGEST_WHOLE:
            return "int_parsing_size", too_large
        return "int_parsing", f"{wanted}, unable to parse string as an integer"
    if not isinstance(value, float):
        return "int_type", wanted
    if value.is_integer():
        return "int_parsing_size", too_large
    if value - value != 0:  # not a number, or infinite
        return "finite_number", "Input should be a finite number"
    return "int_from_float", f"{wanted}, got a number with a fractional part"


def _float(digits: str) -> float:
    if not digits.isascii() or "__" in digits or digits != digits.strip("_"):
        raise ValueError(digits)
    return float(digits.replace("_", ""))


def _problem(place: str, kind: str, wanted: str, value: object) -> str:
    shown = f"input_value={_shortened(repr(value))}, input_type={type(value).__name__}"
    return f"{place}\n  {wanted} [type={kind}, {shown}]\n    {_HELP}{kind}"


def _shortened(text: str) -> str:
    content = text.encode("utf-8", "surrogatepass")
    if len(content) <= _SHOWN:
        return text
    start, end = content[:_SHOWN_START], content[-_SHOWN_END:]
    return f"{start.decode('utf-8', 'ignore')}...{end.decode('utf-8', 'ignore')}"
