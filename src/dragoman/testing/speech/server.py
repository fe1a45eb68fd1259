"""A local server that speaks and listens by the protocols of all providers, and misbehaves on demand.

In a test, `with SpeechServer() as server:` and ask at `server.url("deepgram")`. It listens on the
loopback address only.
"""

from collections.abc import Mapping
from pathlib import Path

from dragoman.testing.behaviour import Behaviour
from dragoman.testing.local_server import LocalServer
from dragoman.testing.request_log import RequestLog
from dragoman.testing.speech.endpoint import CodedSpeaker, Speaker, SpeechService
from dragoman.testing.speech.requests import Protocol

PATHS: Mapping[Protocol, str] = {
    "openai": "/v1",
    "elevenlabs": "/v1",
    "deepgram": "/v1",
    "cartesia": "",
    "gemini": "/v1beta",
    "qwen": "/api/v1",
}


class SpeechServer(LocalServer):
    """Providers of speech as a context manager: `with` uses a thread, `async with` none.

    A server is entered once.
    """

    def __init__(
        self,
        speaker: Speaker | None = None,
        behaviour: Behaviour | None = None,
        *,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        """Prepare a server; entering it starts it.

        Args:
            speaker: Speaks and listens; where not given, in a code that it understands itself.
            behaviour: What goes wrong; nothing where not given.
            port: Where to listen; 0 takes a free port.
            log_file: A file to append a line to whenever a request starts or ends.

        Raises:
            UsageError: Where the log file cannot be written.
        """
        behaviour = behaviour or Behaviour()
        endpoint = SpeechService(speaker or CodedSpeaker(), behaviour, RequestLog(log_file))
        outages = behaviour.capacity.outages
        super().__init__(endpoint.application(), endpoint.exchange, outages, port)

    def url(self, protocol: Protocol) -> str:
        """Return the base address for clients of a protocol."""
        return f"{self.origin}{PATHS[protocol]}"
