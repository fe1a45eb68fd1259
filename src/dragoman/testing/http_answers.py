"""An HTTP answer as a value: what is sent, how fast, and how it ends."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from dragoman.testing.chat_requests import Refusal

JSON = "application/json"
EVENTS = "text/event-stream"


class HttpAnswer(msgspec.Struct, frozen=True):
    """What goes over the wire in answer to one request.

    Args:
        status: The status code.
        pieces: The body; a stream's pieces are its events.
        content_type: `text/event-stream` makes it a stream, whose length is not announced.
        headers: Sent as well.
        wait: Seconds before the first byte.
        pause: Seconds between two pieces.
        ending: `cut` closes the connection after the pieces; `reset` closes it before any byte;
            `endless` sends the pieces again and again, until the client leaves.
        missing: Bytes that are announced but not sent, where the connection is cut.
    """

    status: int
    pieces: tuple[bytes, ...]
    content_type: str = JSON
    headers: Mapping[str, str] = {}
    wait: float = 0.0
    pause: float = 0.0
    ending: Literal["whole", "cut", "reset", "endless"] = "whole"
    missing: int = 0

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of events."""
        return self.content_type == EVENTS

    @property
    def body(self) -> bytes:
        """The pieces together."""
        return b"".join(self.pieces)


def error_answer(refusal: Refusal, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """Return an error in the shape of OpenAI's."""
    error = {
        "message": refusal.message,
        "type": refusal.type,
        "param": refusal.param,
        "code": refusal.code,
    }
    body = msgspec.json.encode({"error": error})
    return HttpAnswer(refusal.status, (body,), headers=headers or {})
