"""Request parameters of the simulated APIs: values read by type, or the reason for a refusal."""

import re
from collections.abc import Callable, Mapping

from dragoman.benchmarks.itc.world.api_data import ApiRow, ParameterRow

ParamValues = dict[str, object]
"""Values by parameter, defaults among them; a parameter without a value is not in it."""

_MOST_CHARACTERS = 2000
_NUMBERS: dict[str, tuple[re.Pattern[str], Callable[[str], float]]] = {
    "integer": (re.compile(r"-?[0-9]{1,18}"), int),
    "number": (re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,2})?"), float),
}
"""The number formats and the functions that read them.

Python's own parser accepts 1_000, nan and the digits of all scripts.
"""

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class InvalidParameter(Exception):  # noqa: N818 - says what is wrong with a request
    """A request lacks a parameter or gives a value that its type forbids."""

    def __init__(self, name: str, *, is_missing: bool) -> None:
        super().__init__(name)
        self.name = name
        self.is_missing = is_missing


def read_params(api: ApiRow, values: Mapping[str, object]) -> ParamValues:
    """Read the values of a request.

    Args:
        api: The API, which defines the parameters.
        values: Texts from path, query and headers; of a JSON body, values of JSON's types.

    Raises:
        InvalidParameter: If a parameter is missing or malformed.
    """
    given: ParamValues = {}
    for parameter in api.parameter:
        value = values.get(parameter.name)
        if value is None or value == "":
            if parameter.required or _must_be_sent(parameter):
                raise InvalidParameter(parameter.name, is_missing=True)
            value = parameter.default
        if value is not None:
            given[parameter.name] = _read(parameter, value)
    if api.one_of and not any(values.get(name) for name in api.one_of):
        raise InvalidParameter(" / ".join(api.one_of), is_missing=True)
    return given


def _must_be_sent(parameter: ParameterRow) -> bool:
    """Return whether the default is what a caller has to send, as a published key is."""
    return parameter.place == "header"


def _read(parameter: ParameterRow, value: object) -> object:
    try:
        read = _of_type(parameter.type, value)
    except ValueError:
        raise InvalidParameter(parameter.name, is_missing=False) from None
    if not _fits(parameter, read):
        raise InvalidParameter(parameter.name, is_missing=False)
    return read


def _of_type(kind: str, value: object) -> object:
    text = str(value)
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(kind)
    if kind in _NUMBERS:
        form, read = _NUMBERS[kind]
        if not form.fullmatch(text):
            raise ValueError(kind)
        return read(text)
    if kind == "boolean":
        if text.casefold() not in _TRUTHS:
            raise ValueError(text)
        return _TRUTHS[text.casefold()]
    return text


def _fits(parameter: ParameterRow, value: object) -> bool:
    if parameter.choices and value not in parameter.choices:
        return False
    if parameter.pattern and not re.fullmatch(parameter.pattern, str(value)):
        return False
    if isinstance(value, int | float):
        low, high = parameter.minimum, parameter.maximum
        return (low is None or value >= low) and (high is None or value <= high)
    return True
