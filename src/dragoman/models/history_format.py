"""Message history in the format that an endpoint accepts, adapted when an endpoint rejects it.

A history holds the model's replies and its input. Servers are strict about the history that comes
back: some parse arguments of earlier calls, some check names and ids, some require the reasoning,
others refuse it. The record keeps the model's own text; its history holds a valid form of invalid
parts. An error response can name another format: the request is then sent again in that format.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.texts.model_output import CALL_FIELDS, REASONING_FIELDS, WHOLE_CONTENT
from dragoman.core.usage import RemarkKind
from dragoman.models.endpoints.error_responses import ErrorDetails

HistoryMessage = Mapping[str, object]

ReasoningReturn = Literal["never", "with_calls", "always", "filled"]
"""The replies that go back with their reasoning: none, those that call tools, or all of them.

With `filled`, a reply without reasoning goes back with a placeholder.
"""

WordlessCalls = Literal["null", "empty", "filled"]
"""The content of a reply that consists of calls only: null, an empty text, or a placeholder."""

NO_REASONING = "(none)"
"""Placeholder for missing reasoning, for endpoints that require reasoning in every reply."""

INVALID_ARGUMENTS = "invalid_arguments"
"""Name of the one argument that replaces arguments that are not a JSON object.

The argument holds the text that the model wrote.
"""

EMPTY_CONTENT = "(empty)"
"""Placeholder for empty content, for endpoints that refuse it."""

BEGINNING = "(The conversation begins.)"
"""The user's message before a history that begins with the assistant.

It is added where roles must alternate.
"""

FILLED_FIELD = "reasoning_content"
"""The field in which endpoints require the reasoning of every reply."""

_NINE = 9
_PLAIN_FIELDS = 2
"""Number of fields of a message without calls: role and content."""
_CALL_FIELDS = frozenset(CALL_FIELDS)
_MOST_NAME = 64
_MOST_SHOWN = 2_000
_NINE_SIGNS = re.compile(r"[A-Za-z0-9]{9}")
_KIMI_ID = re.compile(r"functions\.[\w-]{1,64}:\d{1,6}")
_PRINTABLE = re.compile(r"[!-~]{1,64}")
_ILLEGAL_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_OBJECT = msgspec.json.Decoder(dict[str, object])


class HistoryFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of a history that an endpoint accepts.

    Attributes:
        reasoning: The replies that go back with their reasoning.
        keeps_ids: Whether ids of calls stay as the server gave them. Otherwise they become nine
            letters and digits, which every provider accepts (Mistral accepts only these).
        keeps_tied_ids: Whether ids stay that the server itself may parse: Kimi's ids, and ids of
            calls with a signature.
        keeps_extras: Whether fields such as thought signatures go back.
        keeps_content: Whether content goes back unchanged, including reasoning within the text.
        takes_empty: Whether a message without text is accepted.
        wordless_calls: The content of a reply that consists of calls only.
        names_results: Whether results of functions contain the functions' names.
        takes_system: Whether a system message is accepted.
        takes_any_order: Whether roles may come in any order.
    """

    reasoning: ReasoningReturn = "with_calls"
    keeps_ids: bool = False
    keeps_tied_ids: bool = True
    keeps_extras: bool = True
    keeps_content: bool = False
    takes_empty: bool = False
    wordless_calls: WordlessCalls = "null"
    names_results: bool = False
    takes_system: bool = True
    takes_any_order: bool = True

    @property
    def grows(self) -> bool:
        """Whether a growing history keeps its earlier messages unchanged."""
        return self.takes_system and self.takes_any_order

    def writer(self) -> Callable[[Sequence[HistoryMessage]], list[HistoryMessage]]:
        """Return a function that writes the messages of one history, each once and in order."""
        return _Writer(self).written


class _Writer:
    """Writer of one history; ids are unique within it."""

    def __init__(self, form: HistoryFormat) -> None:
        self._form = form
        self._used: set[str] = set()
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._count = 0

    def written(self, messages: Sequence[HistoryMessage]) -> list[HistoryMessage]:
        """Return messages in the endpoint's format."""
        written = [self._one(message) for message in messages]
        if not self._form.takes_system:
            written = _with_system_as_user(written)
        return written if self._form.takes_any_order else _alternating(written)

    def _one(self, message: HistoryMessage) -> HistoryMessage:
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            is_plain = (
                len(message) == _PLAIN_FIELDS and content and self._form.reasoning != "filled"
            )
            message = message if is_plain else self._of_assistant(message)
        elif role == "tool":
            given = message.get("tool_call_id")
            call_id = self._ids.get(str(given), given)
            message = message if call_id == given else {**message, "tool_call_id": call_id}
            if self._form.names_results and (name := self._names.get(str(given))):
                message = {**message, "name": name}
        if content or self._form.takes_empty or message.get("content") or message.get("tool_calls"):
            return message
        return {**message, "content": EMPTY_CONTENT}

    def _of_assistant(self, message: HistoryMessage) -> HistoryMessage:
        form, calls = self._form, message.get("tool_calls")
        written = dict(message)
        if len(message) > _PLAIN_FIELDS + ("tool_calls" in message):
            whole = written.pop(WHOLE_CONTENT, None)
            wants_all = form.reasoning in {"always", "filled"}
            wants = wants_all or (form.reasoning == "with_calls" and bool(calls))
            for name in () if wants else REASONING_FIELDS:
                written.pop(name, None)
            if not form.keeps_extras:
                written.pop("extra_content", None)
            if form.keeps_content and whole:
                written["content"] = whole
        if form.reasoning == "filled" and not written.get(FILLED_FIELD):
            own = next((each for each in map(written.get, REASONING_FIELDS) if each), None)
            written[FILLED_FIELD] = own if isinstance(own, str) else NO_REASONING
        if calls and form.wordless_calls != "null" and not written.get("content"):
            written["content"] = "" if form.wordless_calls == "empty" else EMPTY_CONTENT
        if isinstance(calls, list):
            is_tied = bool(message.get("reasoning_details") or message.get("extra_content"))
            self._ids, self._names = {}, {}
            written["tool_calls"] = [self._call(call, is_tied=is_tied) for call in calls]
        return written

    def _call(self, call: Mapping[str, object], *, is_tied: bool) -> HistoryMessage:
        written = dict(call)
        given, function = str(call.get("id")), call.get("function")
        if not _CALL_FIELDS.isdisjoint(call):
            is_tied = True
            for name in () if self._form.keeps_extras else CALL_FIELDS:
                written.pop(name, None)
        written["id"] = self._ids[given] = self._id(given, is_tied=is_tied)
        if isinstance(function, Mapping):
            self._names[given] = legal_function_name(str(function.get("name")))
            written["function"] = {
                **function,
                "name": self._names[given],
                "arguments": ensure_json_object(str(function.get("arguments"))),
            }
        return written

    def _id(self, given: str, *, is_tied: bool) -> str:
        """Return the id under which a call goes back; a repeated id is replaced."""
        self._count += 1
        is_tied = is_tied or _KIMI_ID.fullmatch(given) is not None
        may_stay = self._form.keeps_ids or (is_tied and self._form.keeps_tied_ids)
        is_legal = (_PRINTABLE if may_stay else _NINE_SIGNS).fullmatch(given) is not None
        call_id = given
        while not is_legal or call_id in self._used:
            call_id, is_legal = nine_character_id(f"{self._count}:{call_id}"), True
        self._used.add(call_id)
        return call_id


def nine_character_id(text: str) -> str:
    """Return nine letters and digits that are derived from a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()[:_NINE]


def legal_function_name(name: str) -> str:
    """Return a function's name in the characters that every provider accepts.

    For example, `functions.track` is written with an underscore.
    """
    if len(name) <= _MOST_NAME and name.isascii() and name.isidentifier():
        return name
    legal = _ILLEGAL_IN_NAME.sub("_", name)[:_MOST_NAME]
    return legal if legal.strip("_") else "unnamed_function"


def ensure_json_object(arguments: str) -> str:
    """Return arguments that are a JSON object.

    Other arguments become the one value of an object.
    """
    try:
        _OBJECT.decode(arguments)
    except DECODING_ERRORS:
        return msgspec.json.encode({INVALID_ARGUMENTS: arguments[:_MOST_SHOWN]}).decode()
    return arguments


def _with_system_as_user(messages: Iterable[HistoryMessage]) -> list[HistoryMessage]:
    return [
        {**message, "role": "user"} if message.get("role") == "system" else message
        for message in messages
    ]


def _alternating(messages: Sequence[HistoryMessage]) -> list[HistoryMessage]:
    """Return messages in which user and assistant alternate, the user first.

    Consecutive messages of one side become one; results of tools stay in place.
    """
    written: list[HistoryMessage] = []
    for message in messages:
        role = message.get("role")
        before = written[-1] if written else {}
        if role == "assistant" and before.get("role") in {None, "system"}:
            written.append({"role": "user", "content": BEGINNING})
        if role in {"user", "assistant"} and before.get("role") == role:
            if before.get("tool_calls") or message.get("tool_calls"):
                written.append(message)
            else:
                contents = (before.get("content"), message.get("content"))
                written[-1] = {**before, "content": _together(*contents)}
        else:
            written.append(message)
    return written


def _together(one: object, other: object) -> object:
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    return [*_parts(one), *_parts(other)]


def _parts(content: object) -> list[object]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


class AdaptedFormat(NamedTuple):
    """A format for the next attempt, and the remark about the change."""

    form: HistoryFormat
    remark: RemarkKind


def adapt_history_format(reason: ErrorDetails, form: HistoryFormat) -> AdaptedFormat | None:
    """Return the format that a refusal asks for.

    The result is None if it asks for none, or for the format that it refused.

    Args:
        reason: The parsed refusal.
        form: The refused format.
    """
    found = (
        adapted for way in _ADAPTATIONS for adapted in way(reason, form) if adapted.form != form
    )
    return next(found, None)


def _of_roles(reason: ErrorDetails, form: HistoryFormat) -> Iterator[AdaptedFormat]:
    if reason.refuses_system and form.takes_system:
        # The policy is then a user's message, next to the user's own text.
        yield AdaptedFormat(
            msgspec.structs.replace(form, takes_system=False, takes_any_order=False),
            "system_as_user",
        )
    elif reason.wants_alternating_roles:
        yield AdaptedFormat(
            msgspec.structs.replace(form, takes_any_order=False), "alternating_roles"
        )


def _of_reasoning(reason: ErrorDetails, form: HistoryFormat) -> Iterator[AdaptedFormat]:
    if reason.wants_reasoning:
        if form.reasoning in {"never", "with_calls"}:
            yield AdaptedFormat(
                msgspec.structs.replace(form, reasoning="always"), "reasoning_returned"
            )
        else:
            yield AdaptedFormat(
                msgspec.structs.replace(form, reasoning="filled"), "reasoning_filled"
            )
    elif reason.refuses_reasoning:
        is_extra = any(name in reason.said for name in ("extra_content", *CALL_FIELDS))
        changed = {"keeps_extras": False} if is_extra else {"reasoning": "never"}
        yield AdaptedFormat(msgspec.structs.replace(form, **changed), "reasoning_left_out")


def _of_content(reason: ErrorDetails, form: HistoryFormat) -> Iterator[AdaptedFormat]:
    if reason.refuses_empty and form.takes_empty:
        yield AdaptedFormat(
            msgspec.structs.replace(form, takes_empty=False), "empty_content_replaced"
        )
    elif reason.refuses_null and form.wordless_calls == "null":
        yield AdaptedFormat(
            msgspec.structs.replace(form, wordless_calls="empty"), "null_content_replaced"
        )
    elif reason.refuses_null or reason.refuses_empty:
        yield AdaptedFormat(
            msgspec.structs.replace(form, wordless_calls="filled"), "empty_calls_filled"
        )


def _of_calls(reason: ErrorDetails, form: HistoryFormat) -> Iterator[AdaptedFormat]:
    if reason.wants_names and not form.names_results:
        yield AdaptedFormat(msgspec.structs.replace(form, names_results=True), "results_named")
    elif reason.refuses_ids:
        yield AdaptedFormat(
            msgspec.structs.replace(form, keeps_ids=False, keeps_tied_ids=False), "ids_replaced"
        )


def _of_other_fields(reason: ErrorDetails, form: HistoryFormat) -> Iterator[AdaptedFormat]:
    if reason.refuses_extras:
        changed = msgspec.structs.replace(form, reasoning="never", keeps_extras=False)
        yield AdaptedFormat(changed, "reasoning_left_out")


_ADAPTATIONS: tuple[Callable[[ErrorDetails, HistoryFormat], Iterator[AdaptedFormat]], ...] = (
    _of_roles,
    _of_reasoning,
    _of_content,
    _of_calls,
    _of_other_fields,
)
"""Adaptations, in the order in which the wording of a refusal is matched."""
