"""Results of tools in a language: labels of values, names of records, messages and refusals."""

import functools
import json
from collections.abc import Mapping
from typing import Protocol

from dragoman.conditions.language.domain_labels import domain_labels
from dragoman.conditions.language.field_trees import NOTHING, in_language
from dragoman.conditions.language.record_names import RecordNames
from dragoman.conditions.language.surface import DomainSurface
from dragoman.conditions.language.tool_texts import message_in, refusal_in
from dragoman.conditions.language.view_rules import ViewRules
from dragoman.core.language.declarations import RecordKind
from dragoman.core.tools import Role, ToolCall, ToolResult

_MAX_DEPTH = 64
_REMEMBERED = 1_024

_as_text = json.JSONEncoder(ensure_ascii=False).encode
_as_ascii = json.JSONEncoder().encode


class Values(Protocol):
    """How the values of results are shown."""

    def content(self, tool: str, decoded: object) -> object:
        """Return a structured result as it is shown; the value given may be changed."""
        ...

    def text(self, tool: str, content: str) -> str:
        """Return a result that is one text as it is shown."""
        ...


class ShownResults:
    """What one side's tools answer in one language."""

    def __init__(self, surface: DomainSurface, side: Role, rules: ViewRules) -> None:
        self._surface = surface
        self._rules = rules
        self._values: Values = (
            FieldValues(surface, side) if rules.values_keep_their_field else DomainValues(surface)
        )
        self._names = RecordNames(surface, side)
        declared = surface.declared
        self._kinds: Mapping[str, tuple[RecordKind, ...]] = {
            tool: self._names.kinds_in(annotation)
            for tool, annotation in declared.returns.get(side, {}).items()
        }
        self._lists = declared.name_lists
        # Most results of most conversations are the same records: each is put together once.
        self._remembered = functools.lru_cache(maxsize=_REMEMBERED)(self._answer)

    def shown(self, result: ToolResult, call: ToolCall) -> str:
        """Return the content of a result as its caller sees it; the call is in canonical values."""
        if not result.error:
            return self._remembered(call.name, result.content)
        if self._rules.errors_are_explained:
            return self._refusal(result.content)
        is_missing = "not found" in result.content.lower()
        return self._encoded(
            {
                "error": True,
                "error_code": "not_found" if is_missing else "tool_error",
                "tool_name": call.name,
                "arguments": call.arguments,
            }
        )

    def _refusal(self, content: str) -> str:
        """Return a refusal in the language: by the artifacts, or by our own texts."""
        said = self._surface.messages.label(content)
        return said or refusal_in(self._surface.language, self._surface.domain, content)

    def _answer(self, tool: str, content: str) -> str:
        decoded = _decoded(content)
        if decoded is None:
            return self._values.text(tool, content)
        if self._names:
            self._names.put_in(decoded, self._kinds.get(tool, ()))
            if tool in self._lists:
                decoded = self._names.named_keys(decoded, self._lists[tool])
        return self._encoded(self._values.content(tool, decoded))

    def _encoded(self, value: object) -> str:
        if not self._rules.output_is_utf8:
            return _as_ascii(value)
        text = _as_text(value)
        # A lone half of a pair, which a caller may have written escaped, is no text.
        return text if text.isascii() or _is_unicode(text) else _as_ascii(value)


class FieldValues:
    """A value has the label of the field it stands in; a message is a text or the field `message`."""

    def __init__(self, surface: DomainSurface, side: Role) -> None:
        self._trees = surface.results.get(side, {})
        self._surface = surface

    def content(self, tool: str, decoded: object) -> object:
        """Return a structured result with labels and its message in the language."""
        value = in_language(decoded, self._trees.get(tool, NOTHING))
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            return {**value, "message": self._message(value["message"])}
        return value

    def text(self, tool: str, content: str) -> str:
        """Return a value's label, or a message in the language."""
        value_set = self._trees.get(tool, NOTHING).value_set
        return self._message(content) if value_set is None else value_set.label(content)

    def _message(self, text: str) -> str:
        found = self._surface.messages.label(text) or message_in(self._surface.language, text)
        return text if found is None else found


class DomainValues:
    """Every text that equals a value or a message of the domain is replaced, wherever it stands."""

    def __init__(self, surface: DomainSurface) -> None:
        self._labels = domain_labels(surface.value_sets).labels
        self._messages = surface.messages

    def content(self, tool: str, decoded: object) -> object:  # noqa: ARG002 - all tools alike
        """Return a structured result with all its texts replaced; keys stay."""
        return self._replaced(decoded, 0)

    def text(self, tool: str, content: str) -> str:  # noqa: ARG002 - all tools alike
        """Return what stands for a text."""
        found = self._labels.get(content)
        if found is None and "\n" not in content:  # the released patterns end with the line
            found = self._messages.label(content)
        return found or content

    def _replaced(self, value: object, depth: int) -> object:
        if isinstance(value, str):
            return self.text("", value)
        if depth > _MAX_DEPTH:
            return value
        if isinstance(value, dict):
            return {key: self._replaced(part, depth + 1) for key, part in value.items()}
        if isinstance(value, list):
            return [self._replaced(part, depth + 1) for part in value]
        return value


def _decoded(content: str) -> object:
    """Return a structured result; None for one that is a text."""
    if content[:1] not in {"{", "["}:
        return None
    try:
        decoded: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return decoded


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
