"""XML calls: `<functions><function name="f"><param name="a" type="integer">1</param>...`."""

import re
from collections.abc import Callable, Mapping
from xml.etree import ElementTree as ET

from dragoman.benchmarks.bfcl.call_parsers.limits import MAX_DEPTH, UnreadableError, check_length
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_literal
from dragoman.core.tools import ToolCall

_OPENING, _CLOSING = "<functions>", "</functions>"
_TAG = re.compile(r"<(/?)[^<>]*+>")


def read_xml_calls(text: str, *, verbose: bool) -> tuple[ToolCall, ...]:
    """Return the calls of the first `<functions>` element.

    Raises:
        UnreadableError: If the element is missing or not XML, or a value does not have its declared
            type.
    """
    root = _parse_element(_element(text))
    return tuple(_call(function, verbose=verbose) for function in root.findall("function"))


def _element(text: str) -> str:
    check_length(text)
    start = text.find(_OPENING)
    end = text.find(_CLOSING, start)
    if start < 0 or end < 0:
        raise UnreadableError(f"no {_OPENING} with its {_CLOSING}")
    return text[start : end + len(_CLOSING)]


def _parse_element(element: str) -> ET.Element:
    """Parse an element; no document type, and so no entity, can stand inside one."""
    depth = 0
    for tag in _TAG.finditer(element):
        depth += -1 if tag.group(1) else not tag.group().endswith("/>")
        if depth > MAX_DEPTH:
            raise UnreadableError(f"nested more than {MAX_DEPTH} deep")
    try:
        return ET.fromstring(element)  # noqa: S314 - bounded, and without entities
    except (ET.ParseError, ValueError) as error:
        raise UnreadableError(f"no XML: {error}") from error


def _call(function: ET.Element, *, verbose: bool) -> ToolCall:
    holder = function.find("params")
    arguments = dict(
        _argument(parameter, verbose=verbose)
        for parameter in (function if holder is None else holder).findall("param")
    )
    raw = ET.tostring(function, encoding="unicode")
    return ToolCall("", _attribute(function, "name"), arguments, raw=raw)


def _argument(parameter: ET.Element, *, verbose: bool) -> tuple[str, object]:
    text = _attribute(parameter, "value") if verbose else (parameter.text or "").strip()
    kind = parameter.get("type", "string")
    read = _READERS.get(kind)
    try:
        return _attribute(parameter, "name"), text if read is None else read(text)
    except ValueError as error:
        raise UnreadableError(f"{text!r:.50} is no {kind}") from error


def _attribute(element: ET.Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise UnreadableError(f"<{element.tag:.50}> has no {name}")
    return value


def _is_true(text: str) -> bool:
    return text.lower() == "true"


def _nothing(text: str) -> None:  # noqa: ARG001 - the type alone says it
    return None


_READERS: Mapping[str, Callable[[str], object]] = {
    "integer": int,
    "float": float,
    "boolean": _is_true,
    "null": _nothing,
    "array": read_literal,
    "tuple": read_literal,
    "object": read_literal,
    "dict": read_literal,
}
