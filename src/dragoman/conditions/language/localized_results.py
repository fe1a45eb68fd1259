"""Localized tool results: labels of values, names of database records, messages, refusals."""

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from dragoman.conditions.language.database_names import Path, TranslatedName, decode_database
from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import EMPTY_TREE, to_labels
from dragoman.conditions.language.tool_messages import translate_refusal, translate_success_message
from dragoman.conditions.language.tool_view_rules import ViewRules
from dragoman.conditions.language.value_sets import build_domain_labels
from dragoman.core.language.translated_domains import RecordKind
from dragoman.core.tools import Role, ToolCall, ToolResult

_NAME = re.compile(r"\w+")


class RecordNames:
    """The names that records of one side's database have in a language."""

    def __init__(self, surface: DomainSurface, side: Role) -> None:
        """Sort a database's translated names by record.

        Raises:
            DataError: If the database is damaged.
        """
        declared = surface.declared
        self._kinds, self._unions = declared.records, declared.unions
        self._by_record: dict[tuple[str, str], list[tuple[Path, TranslatedName]]] = {}
        names = surface.names.get(side)
        if names is None or not names.by_path:
            return
        in_lists = any(isinstance(key, int) for _, key, *_ in names.by_path)
        ids = _ids_of_lists(surface, side, self._kinds.values()) if in_lists else {}
        for (collection, key, *rest), name in names.by_path.items():
            record = ids.get((str(collection), key), key)
            place = self._by_record.setdefault((str(collection), str(record)), [])
            place.append((tuple(rest), name))

    def __bool__(self) -> bool:
        return bool(self._by_record)

    def kinds_in(self, annotation: str) -> tuple[RecordKind, ...]:
        """Return the kinds of records that an annotation of a result names."""
        named = {*_NAME.findall(annotation)}
        named |= {model for union in named & self._unions.keys() for model in self._unions[union]}
        return tuple(kind for model, kind in self._kinds.items() if model in named)

    def put_in(self, value: object, kinds: Iterable[RecordKind]) -> None:
        """Give the records of a result their names, in place; a name that was changed stays."""
        records: list[object] = value if isinstance(value, list) else [value]
        for record in records:
            for kind in kinds if isinstance(record, dict) else ():
                self._put_in_one(record, kind)

    def named_keys(self, value: object, collection: str) -> object:
        """Return a map of names to ids with its names in the language, in their order.

        A name that two records would share stays English, for the map could not hold both.
        """
        if not isinstance(value, dict):
            return value
        names = {key: self._own_name(collection, record) or key for key, record in value.items()}
        uses = Counter(names.values())
        shown = {
            key if uses[name] > 1 or name in names else name: value[key]
            for key, name in names.items()
        }
        return dict(sorted(shown.items()))

    def _put_in_one(self, record: object, kind: RecordKind) -> None:
        key = _part(record, kind.id)
        for path, name in self._by_record.get((kind.collection, str(key)), ()):
            holder = record
            for step in path[:-1]:
                holder = _part(holder, step)
            if isinstance(holder, dict) and holder.get(path[-1]) == name.english:
                holder[path[-1]] = name.localized

    def _own_name(self, collection: str, record: object) -> str | None:
        for path, name in self._by_record.get((collection, str(record)), ()):
            if path == ("name",):
                return name.localized
        return None


def _part(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _ids_of_lists(
    surface: DomainSurface, side: Role, kinds: Iterable[RecordKind]
) -> Mapping[tuple[str, str | int], str]:
    """Return the ids of records that a database keeps in lists, by list and position."""
    database = decode_database(
        surface.databases[side], f"{surface.domain}/{surface.language}: database of the {side}"
    )
    return {
        (kind.collection, at): str(record[kind.id])
        for kind in kinds
        if isinstance(records := database.get(kind.collection), list)
        for at, record in enumerate(records)
    }


_MAX_DEPTH = 64
_CACHED = 1_024

_as_text = json.JSONEncoder(ensure_ascii=False).encode
_as_ascii = json.JSONEncoder().encode


class ResultValues(Protocol):
    """Translation of the values in tool results."""

    def content(self, tool: str, decoded: object) -> object:
        """Return a structured result as it is shown; the value given may be changed."""
        ...

    def text(self, tool: str, content: str) -> str:
        """Return a result that is one text as it is shown."""
        ...


class LocalizedResults:
    """Localized results of one side's tools in one language."""

    def __init__(self, surface: DomainSurface, side: Role, rules: ViewRules) -> None:
        self._surface = surface
        self._rules = rules
        self._values: ResultValues = (
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
        self._cached = functools.lru_cache(maxsize=_CACHED)(self._answer)

    def shown(self, result: ToolResult, call: ToolCall) -> str:
        """Return the content of a result as its caller sees it; the call is in canonical values."""
        if not result.error:
            return self._cached(call.name, result.content)
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
        """Return a refusal in the language: by the artifacts, or by Dragoman's own texts."""
        said = self._surface.messages.label(content)
        return said or translate_refusal(self._surface.language, self._surface.domain, content)

    def _answer(self, tool: str, content: str) -> str:
        decoded = _decode_structured(content)
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
        # A lone half of a surrogate pair, which a caller may have written escaped, is not text.
        return text if text.isascii() or _is_unicode(text) else _as_ascii(value)


class FieldValues:
    """The localized values of tool results.

    A value has the label of its field; a message is a text or the field `message`.
    """

    def __init__(self, surface: DomainSurface, side: Role) -> None:
        self._trees = surface.results.get(side, {})
        self._surface = surface

    def content(self, tool: str, decoded: object) -> object:
        """Return a structured result with labels and its message in the language."""
        value = to_labels(decoded, self._trees.get(tool, EMPTY_TREE))
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            return {**value, "message": self._message(value["message"])}
        return value

    def text(self, tool: str, content: str) -> str:
        """Return a value's label, or a message in the language."""
        value_set = self._trees.get(tool, EMPTY_TREE).value_set
        return self._message(content) if value_set is None else value_set.label(content)

    def _message(self, text: str) -> str:
        found = self._surface.messages.label(text) or translate_success_message(
            self._surface.language, text
        )
        return text if found is None else found


class DomainValues:
    """Every text that equals a value or a message of the domain is replaced, wherever it stands."""

    def __init__(self, surface: DomainSurface) -> None:
        self._labels = build_domain_labels(surface.value_sets).labels
        self._messages = surface.messages

    def content(self, tool: str, decoded: object) -> object:  # noqa: ARG002 - all tools alike
        """Return a structured result with all its texts replaced; keys stay."""
        return self._replaced(decoded, 0)

    def text(self, tool: str, content: str) -> str:  # noqa: ARG002 - all tools alike
        """Return the replacement of a text."""
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


def _decode_structured(content: str) -> object:
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
