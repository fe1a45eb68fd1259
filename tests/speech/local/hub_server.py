"""A stand-in for the Hugging Face hub on this machine, with the files of models.

As the hub does, it answers a request for a file with a redirect to the address of the bytes. That
address accepts ranges.
"""

import contextlib
import hashlib
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from dragoman.speech.local.hub_models import HubFile, HubModel

REVISION = "0123456789abcdef0123456789abcdef01234567"


def hub_model(name: str, files: Mapping[str, bytes]) -> HubModel:
    """Return the description of a model that has these files."""
    described = tuple(
        HubFile(each, len(content), hashlib.sha256(content).hexdigest())
        for each, content in files.items()
    )
    return HubModel(name, f"Systran/faster-whisper-{name}", REVISION, described)


class HubServer:
    """Serves the files of one model; a context manager.

    Attributes:
        asked: Requested files, each with its first requested byte.
        first_asked: Time of the first request, by the monotonic clock.
        cut_after: Bytes that are sent before the connection is cut; 0 for all.
        cuts: Number of further answers that are cut.
        status: Status of all answers; 0 for the right one.
        takes_ranges: Whether a part of a file can be requested.
        silent_seconds: Seconds before an answer begins.
        chunk_seconds: Seconds that each 1,000 bytes take.
    """

    def __init__(self, files: Mapping[str, bytes], revision: str = REVISION) -> None:
        self.files = dict(files)
        self.revision = revision
        self.asked: list[tuple[str, int]] = []
        self.first_asked = 0.0
        self.cut_after = self.cuts = self.status = 0
        self.takes_ranges = True
        self.silent_seconds = self.chunk_seconds = 0.0
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with contextlib.suppress(ConnectionError):
                    hub.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        time.sleep(self.silent_seconds)
        *front, name = request.path.strip("/").split("/")
        if self.status or name not in self.files:
            request.send_error(self.status or 404)
        elif front[:1] == ["bytes"]:
            self._send(request, name)
        else:
            assert front[2:] == ["resolve", self.revision], request.path
            request.send_response(302)
            request.send_header("Location", f"/bytes/{name}")
            request.send_header("Content-Length", "0")
            request.end_headers()

    def _send(self, request: BaseHTTPRequestHandler, name: str) -> None:
        content, wanted = self.files[name], request.headers.get("Range", "")
        start = int(wanted[6:-1]) if wanted and self.takes_ranges else 0
        self.first_asked = self.first_asked or time.monotonic()
        self.asked.append((name, start))
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(content) - start))
        request.end_headers()
        body = content[start:]
        if self.cuts and len(body) > self.cut_after:
            self.cuts -= 1
            body = body[: self.cut_after]
        for at in range(0, len(body), 1_000) if self.chunk_seconds else ():
            request.wfile.write(body[at : at + 1_000])
            time.sleep(self.chunk_seconds)
        if not self.chunk_seconds:
            request.wfile.write(body)
