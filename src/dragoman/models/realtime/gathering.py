"""One response as it comes in: samples, words and calls, and what they amount to as a reply."""

from collections.abc import Iterable, Iterator

import msgspec

from dragoman.core.agent_answers import Tokens
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.core.voice.audio import MAX_SECONDS, Audio
from dragoman.models.realtime.pcm import BYTES_PER_SECOND, RATE_HZ, samples_of
from dragoman.models.realtime.server_events import (
    AudioDelta,
    FinishedResponse,
    ItemDone,
    OutputItem,
    WordsDelta,
)
from dragoman.models.wire.transport import CHAT_BYTES, Fault
from dragoman.models.written_calls import told_apart, written_call

MOST_REASON_CHARS = 40
CALL = "function_call"


class HeardShare(msgspec.Struct, frozen=True):
    """How much of a spoken item was heard: so many milliseconds."""

    item_id: str
    milliseconds: int


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None
    audio_tokens: Tokens | None = None


class _Tokens(msgspec.Struct):
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    input_token_details: _Details | None = None
    output_token_details: _Details | None = None


_USAGE = msgspec.json.Decoder(_Tokens | None)


class Gathering:
    """Takes the events of one response, in the order in which items begin."""

    def __init__(self) -> None:
        self._samples: dict[str, bytearray] = {}
        self._words: dict[str, list[str]] = {}
        self._items: dict[str, OutputItem] = {}
        self._audio_bytes = self._text_chars = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come yet."""
        return not (self._samples or self._words or self._items)

    @property
    def audio_seconds(self) -> float:
        """How long what was said lasts so far."""
        return self._audio_bytes / BYTES_PER_SECOND

    def add(self, event: AudioDelta | WordsDelta | ItemDone) -> None:
        """Take an event.

        Raises:
            Fault: Where a response grows without end.
            Unreadable: For audio that is none.
        """
        match event:
            case AudioDelta(item_id=item, delta=delta):
                pcm = samples_of(delta)
                self._samples.setdefault(item, bytearray()).extend(pcm)
                self._audio_bytes += len(pcm)
            case WordsDelta(item_id=item, delta=delta):
                self._words.setdefault(item, []).append(delta)
                self._text_chars += len(delta)
            case ItemDone(item=item):
                self._items[item.id] = item
        if self.audio_seconds > MAX_SECONDS or self._text_chars > CHAT_BYTES:
            raise Fault("oversized", "a response without end", may_pass=False)

    def finish(self, response: FinishedResponse) -> None:
        """Take the whole items that a response names at its end."""
        self._items |= {item.id: item for item in response.output}

    def cuts(self, seconds: float) -> tuple[HeardShare, ...]:
        """Return how much was heard of each spoken item of which not all was, after so many seconds."""
        left, found = int(seconds * BYTES_PER_SECOND), []
        for item, pcm in self._samples.items():
            if len(pcm) > left:
                found.append(HeardShare(item, left * 1_000 // BYTES_PER_SECOND))
            left = max(0, left - len(pcm))
        return tuple(found)

    def audio(self, cuts: Iterable[HeardShare] = ()) -> Audio | None:
        """Return what was heard; None where nothing was."""
        ends = {cut.item_id: cut.milliseconds * RATE_HZ // 1_000 * 2 for cut in cuts}
        pcm = b"".join(bytes(each[: ends.get(item)]) for item, each in self._samples.items())
        return Audio(pcm, RATE_HZ) if pcm else None

    def words(self, cuts: Iterable[HeardShare] = ()) -> str:
        """Return what was said, of an item that was cut the share of its words that was heard."""
        shares = {
            cut.item_id: cut.milliseconds
            * BYTES_PER_SECOND
            / 1_000
            / len(self._samples[cut.item_id])
            for cut in cuts
        }
        texts = (
            (item, self._text_of(item)) for item in dict.fromkeys((*self._words, *self._items))
        )
        said = (_share(text, shares[item]) if item in shares else text for item, text in texts)
        return " ".join(text for text in said if text.strip())

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls."""
        return told_apart(
            [
                written_call(item.call_id, item.name, item.arguments, index)
                for index, item in enumerate(self._called())
            ]
        )

    def _called(self) -> Iterator[OutputItem]:
        return (item for item in self._items.values() if item.type == CALL)

    def _text_of(self, item_id: str) -> str:
        item = self._items.get(item_id)
        parts = () if item is None else item.content or ()
        whole = "".join(part.transcript or part.text or "" for part in parts)
        return whole or "".join(self._words.get(item_id, ()))


def reply_of(
    gathered: Gathering, response: FinishedResponse, cuts: Iterable[HeardShare] = ()
) -> Reply:
    """Return a response as a reply; one that says and calls nothing is unusable, and says why."""
    words = gathered.words(cuts)
    if calls := gathered.calls():
        return Called(calls, words or None)
    if words:
        return say(words)
    details = response.status_details
    reason = (details.reason if details is not None else None) or response.status
    return Unparsed("", f"the reply has neither words nor calls ({reason[:MOST_REASON_CHARS]})")


def usage_of(response: FinishedResponse, purpose: str, model: str) -> Usage:
    """Return what a response consumed; what makes no sense is unknown."""
    try:
        told = _USAGE.decode(response.usage) or _Tokens()
    except UNREADABLE:
        told = _Tokens()
    sent = told.input_token_details or _Details()
    received = told.output_token_details or _Details()
    return Usage(
        purpose,
        model,
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        cached_tokens=sent.cached_tokens,
        input_audio_tokens=sent.audio_tokens,
        output_audio_tokens=received.audio_tokens,
    )


def _share(text: str, share: float) -> str:
    """Return about the beginning of a text, whole words where it has any."""
    at = int(len(text) * min(share, 1.0))
    beginning = text[:at]
    if at >= len(text) or text[at].isspace() or " " not in text:
        return beginning.rstrip()
    return beginning.rpartition(" ")[0].rstrip()
