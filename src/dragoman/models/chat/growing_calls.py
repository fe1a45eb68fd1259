"""Puts the calls of a streamed reply together from their pieces.

OpenAI numbers calls by `index`, gives id and name once, and sends the arguments in pieces. Servers differ:
one index for all calls, none, or a text; another id with every piece, or the text "null"; a name that
comes late, in pieces, or with every piece; arguments as an object, once more as a whole at the end, or all
of them so far with every piece. A piece belongs to the call that it fits: by its id, then by its index, and
then by whether that call is already whole.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.texts.carried_fields import CALL_FIELDS
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.chat.message_parts import ARGUMENT_FIELDS
from dragoman.models.chat.surrogates import repaired_text
from dragoman.models.written_calls import MAX_ARGUMENT_CHARS

_NO_ID = frozenset({"", "null", "None"})
_MOST_CALLS = 1_000
_MOST_DIGITS = 10
_MOST_CHARS = 2 * MAX_ARGUMENT_CHARS
"""Of arguments: those that are longer are too long to be read, however much longer."""

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _GrowingCall:
    """A call while it grows."""

    __slots__ = ("_is_repeated", "_last", "_length", "_pieces", "id", "kept", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.kept: dict[str, object] = {}
        self._pieces: list[str] = []
        self._length = 0
        # Whether every piece repeated the one before it, and the last of them.
        self._is_repeated = True
        self._last = ""

    @property
    def told(self) -> str:
        """The arguments at the end: the last piece alone where each told all of them so far."""
        is_better = self._is_repeated and not self.is_whole and _is_object(self._last)
        return self._last if is_better else self.arguments

    @property
    def arguments(self) -> str:
        """The arguments so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are an object."""
        arguments = self.arguments
        return arguments.rstrip().endswith("}") and _is_object(arguments)

    def add(self, name: str, arguments: str) -> None:
        """Add a piece."""
        self._add_name(name)
        if not arguments or self._length > _MOST_CHARS:
            return
        self._length += len(arguments)
        self._is_repeated = self._is_repeated and arguments.startswith(self._last)
        self._last = arguments
        starts = arguments.lstrip().startswith("{")
        if starts and self._pieces and self.is_whole:
            if arguments == self.arguments:
                return  # it is said once more, as a whole
            if self.arguments.strip() == "{}":
                self._pieces = []
        elif starts and self._pieces and _repeats(self.arguments, arguments):
            self._pieces = []
        self._pieces.append(arguments)

    def _add_name(self, name: str) -> None:
        if not name or name == self.name or self._pieces:
            self.name = self.name or name
        elif name.startswith(self.name):
            self.name = name
        else:
            self.name += name


class GrowingCalls:
    """The calls of a reply while they grow."""

    def __init__(self) -> None:
        self._begun: list[_GrowingCall] = []
        self._by_index: dict[int, _GrowingCall] = {}
        self._by_id: dict[str, _GrowingCall] = {}

    @property
    def have_begun(self) -> bool:
        """Whether there is any."""
        return bool(self._begun)

    def add_all(self, pieces: Sequence[Mapping[str, object]]) -> None:
        """Add the pieces of one chunk; where several have neither index nor id, their places tell them apart."""
        are_placed = len(pieces) > 1 and all(piece.get("index") is None for piece in pieces)
        for place, piece in enumerate(pieces):
            self._add(piece, place if are_placed else _index_of(piece.get("index")))

    def _add(self, piece: Mapping[str, object], index: int | None) -> None:
        function = piece.get("function")
        if not isinstance(function, dict):
            function = piece
        name = function.get("name")
        name = name if isinstance(name, str) else ""
        call_id = _id_of(piece.get("id"))
        written = next((function[field] for field in ARGUMENT_FIELDS if field in function), None)
        arguments = _text_of(written)
        call = self._call_of(call_id, index, name, arguments)
        if call is None:
            if len(self._begun) >= _MOST_CALLS or not (call_id or name or arguments):
                return
            call = _GrowingCall()
            self._begun.append(call)
        if index is not None or not self._by_index:
            self._by_index[index or 0] = call
        if call_id:
            call.id = call.id or call_id
            self._by_id[call_id] = call
        call.kept |= {field: piece[field] for field in CALL_FIELDS if piece.get(field)}
        call.add(name, arguments)

    def _call_of(
        self, call_id: str, index: int | None, name: str, arguments: str
    ) -> _GrowingCall | None:
        """Return the call that a piece belongs to; None where it begins another."""
        last = self._begun[-1] if self._begun else None
        if call_id and (known := self._by_id.get(call_id)) is not None:
            # Some gateways give calls side by side one id: a new place begins another call.
            is_other_place = index is not None and self._by_index.get(index) is not known
            return None if is_other_place and name and known.is_whole else known
        current = last if index is None else self._by_index.get(index)
        if current is None and last is not None and not (call_id or name or last.is_whole):
            return last  # the rest of a call comes under another index than its beginning
        if current is None or not name:
            return current
        is_other = bool(call_id and current.id and call_id != current.id)
        return None if _begins_another(current, name, arguments, is_other=is_other) else current

    def wire(self) -> list[dict[str, object]]:
        """Return the calls as a completion holds them."""
        return [
            {
                **call.kept,
                "id": call.id,
                "type": "function",
                "function": {
                    "name": repaired_text(call.name),
                    "arguments": repaired_text(call.told),
                },
            }
            for call in self._begun
        ]


def _begins_another(call: _GrowingCall, name: str, arguments: str, *, is_other: bool) -> bool:
    """Whether a piece with a name and no known id begins another call than the one under way.

    Args:
        call: The call under way.
        name: The piece's name.
        arguments: The piece's arguments.
        is_other: Whether both have ids, and the ids differ.
    """
    if not call.name:
        return False
    if not call.arguments:
        return is_other
    if call.is_whole:
        return is_other or not (name == call.name and arguments in {"", call.arguments})
    # Some servers invent an id for every piece: a piece that ends what was begun is no other call.
    goes_on = bool(arguments) and not arguments.lstrip().startswith("{")
    return is_other and not (goes_on or _is_object(call.arguments + arguments))


def _repeats(begun: str, arguments: str) -> bool:
    """Whether arguments are said again as a whole before their pieces added up."""
    return (
        _is_object(arguments) and arguments.startswith(begun) and not _is_object(begun + arguments)
    )


def _is_object(text: str) -> bool:
    try:
        _OBJECT.decode(text)
    except UNREADABLE:
        return False
    return True


def _id_of(given: object) -> str:
    call_id = str(given) if isinstance(given, str | int) and given is not True else ""
    return "" if call_id in _NO_ID else call_id


def _index_of(given: object) -> int | None:
    """Return the place of a call; some servers write it as a text or with a decimal point."""
    if isinstance(given, str) and given.isdecimal() and len(given) < _MOST_DIGITS:
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int) else None


def _text_of(arguments: object) -> str:
    """Return a piece of arguments as text; some servers send the object itself."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else msgspec.json.encode(arguments).decode()
