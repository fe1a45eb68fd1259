"""A loopback file server with faults, and a miniature of a benchmark's upstream repository.

Both replace an upstream that cannot be reached or must not be disturbed.
"""

import contextlib
import functools
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.benchmarks.downloads.pinned_sources import Derived, PinnedSource, SourceFile
from dragoman.benchmarks.tau2.upstream_data import derive_schemas
from dragoman.core.content_keys import content_key

_MAX_DELAY = 60.0


class UpstreamFault(msgspec.Struct, frozen=True):
    """Answer to a path other than its file.

    Args:
        status: The status code; the body is empty unless `body` is given.
        body: Bytes in place of the file's.
        headers: Additional headers, for example `Location` or `Content-Encoding`.
        cut: Number of bytes after which the connection closes; the whole length is announced.
        delay: Seconds before the answer, at most a minute.
        pace: Seconds before each byte of the body.
    """

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    cut: int | None = None
    delay: float = 0.0
    pace: float = 0.0


_PLAIN = UpstreamFault()


@contextlib.contextmanager
def serve_folder(
    files: Mapping[str, bytes], faults: Mapping[str, UpstreamFault] | None = None
) -> Iterator[str]:
    """Serve files by path on a free port of the loopback address.

    Args:
        files: The bodies by path, without a leading slash.
        faults: Faults by path; their paths need not be among the files.

    Yields:
        The base address, with a slash at its end.
    """
    closing = threading.Event()
    handler = functools.partial(_Handler, files, faults or {}, closing)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = False  # so that the exit waits for the last answer
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            closing.set()
            server.shutdown()
            thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    timeout = 10

    def __init__(
        self,
        files: Mapping[str, bytes],
        faults: Mapping[str, UpstreamFault],
        closing: threading.Event,
        *connection: object,
    ) -> None:
        self._files = files
        self._faults = faults
        self._closing = closing
        super().__init__(*connection)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        fault = self._faults.get(path, _PLAIN)
        if path not in self._files and fault is _PLAIN:
            fault = UpstreamFault(status=404)
        self._closing.wait(min(fault.delay, _MAX_DELAY))
        with contextlib.suppress(ConnectionError):  # the client may have gone
            self._answer(fault, self._body(path, fault))

    def _body(self, path: str, fault: UpstreamFault) -> bytes:
        if fault.body is not None:
            return fault.body
        return self._files.get(path, b"") if fault.status == _PLAIN.status else b""

    def _answer(self, fault: UpstreamFault, body: bytes) -> None:
        self.send_response(fault.status)
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        sent = body[: fault.cut]
        step = 1 if fault.pace else len(sent) or 1
        for start in range(0, len(sent), step):
            self._closing.wait(fault.pace)
            self.wfile.write(sent[start : start + step])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Log nothing: a test reads its own output."""


def upstream_stand_in() -> tuple[PinnedSource, dict[str, bytes]]:
    """Return a miniature of the tau2-bench upstream: pins, and files by upstream path."""
    files = {path: text.encode() for path, text in _STAND_IN.items()}
    listed = tuple(_make_pinned_file(path, content) for path, content in files.items())
    entry = Derived("retail/tools_openai.json", ("retail/tools.py", "retail/data_model.py"))
    texts = {file.name: files[file.path].decode() for file in listed if not file.kept}
    source = PinnedSource(
        name="stand-in",
        commit="0" * 40,
        url="https://upstream.invalid/",
        licence="MIT",
        notice="Copyright (c) 2025 The Stand-in Authors",
        files=listed,
        derived=(
            msgspec.structs.replace(entry, content_key=content_key(derive_schemas(entry, texts))),
        ),
    )
    return source, files


_KINDS = {"LICENSE": "licence", "tools.py": "module", "data_model.py": "module"}


def _make_pinned_file(path: str, content: bytes) -> SourceFile:
    return msgspec.convert(
        {
            "path": path,
            "name": path.partition("/domains/")[2] or path,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "kind": _KINDS.get(path.rpartition("/")[2], "data"),
        },
        SourceFile,
    )


_LICENCE = """\
MIT License

Copyright (c) 2025 The Stand-in Authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""

_MODELS = '''\
from typing import Literal

from pydantic import BaseModel, Field

CancelReason = Literal["ordered by mistake", "no longer needed"]


class Order(BaseModel):
    """One order of a shop."""

    order_id: str = Field(description="The order's number")
    status: str
'''

_TOOLS = '''\
from stand_in.data_model import CancelReason, Order
from stand_in.toolkit import ToolKitBase, ToolType, is_tool


class ShopTools(ToolKitBase):
    """What a clerk of the shop can do."""

    @is_tool(ToolType.READ)
    def get_order_details(self, order_id: str) -> Order:
        """Look an order up.

        Args:
            order_id: The order's number, such as '#W0000001'.

        Returns:
            The order.
        """

    @is_tool(ToolType.WRITE)
    def cancel_pending_order(self, order_id: str, reason: CancelReason) -> Order:
        """Call off an order that was not sent yet.

        The money goes back to where it came from.

        Args:
            order_id: The order's number.
            reason: Why the customer calls it off.

        Returns:
            The order as it is afterwards.
        """
'''

_ADDRESS = {
    "address1": "1 Quay Street",
    "address2": "",
    "city": "Galata",
    "country": "USA",
    "state": "CO",
    "zip": "80001",
}
_ITEM = {"item_id": "2000000001", "price": 12.5, "options": {"colour": "blue"}}
_DATABASE = {
    "products": {
        "1000000001": {
            "name": "Tea Glass",
            "product_id": "1000000001",
            "variants": {"2000000001": _ITEM | {"available": True}},
        }
    },
    "users": {
        "ada_stand_1": {
            "user_id": "ada_stand_1",
            "name": {"first_name": "Ada", "last_name": "Stand"},
            "address": _ADDRESS,
            "email": "ada@example.com",
            "payment_methods": {"paypal_1": {"source": "paypal", "id": "paypal_1"}},
            "orders": ["#W0000001"],
        }
    },
    "orders": {
        "#W0000001": {
            "order_id": "#W0000001",
            "user_id": "ada_stand_1",
            "address": _ADDRESS,
            "items": [_ITEM | {"name": "Tea Glass", "product_id": "1000000001"}],
            "status": "pending",
            "fulfillments": [],
            "payment_history": [
                {"transaction_type": "payment", "amount": 12.5, "payment_method_id": "paypal_1"}
            ],
        }
    },
}
_TASKS = [
    {
        "id": "0",
        "user_scenario": {
            "persona": None,
            "instructions": {
                "task_instructions": "Be brief.",
                "domain": "retail",
                "reason_for_call": "You want to call off order #W0000001, ordered by mistake.",
                "known_info": "You are Ada Stand, zip code 80001.",
                "unknown_info": None,
            },
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": "0_0",
                    "name": "cancel_pending_order",
                    "arguments": {"order_id": "#W0000001", "reason": "ordered by mistake"},
                    "info": None,
                }
            ],
            "communicate_info": [],
            "nl_assertions": None,
            "reward_basis": ["DB", "COMMUNICATE"],
        },
    }
]

_STAND_IN = {
    "LICENSE": _LICENCE,
    "data/tau2/domains/retail/db.json": json.dumps(_DATABASE, indent=2),
    "data/tau2/domains/retail/policy.md": "# The shop\n\nCall off pending orders only.\n",
    "data/tau2/domains/retail/split_tasks.json": json.dumps({"train": [], "test": ["0"]}),
    "data/tau2/domains/retail/tasks.json": json.dumps(_TASKS, indent=2),
    "src/tau2/domains/retail/data_model.py": _MODELS,
    "src/tau2/domains/retail/tools.py": _TOOLS,
}
