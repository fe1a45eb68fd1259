"""References to other hosts, if requests to these hosts are allowed."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile, read_source
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import Fetch, guarded_fetch, open_source

PAGES = {
    "/parts/p.yaml": b"year: {$ref: 'deep/q.json#/year'}\nlocal: {$ref: '../../secret.yaml'}\n",
    "/parts/deep/q.json": b'{"year": {"name": "year", "in": "query", "schema": {"type": "integer"}}}',
}


class _Pages(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        body = PAGES.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def host() -> Iterator[tuple[str, list[str]]]:
    """A host with two files, and the requests that it got."""
    asked: list[str] = []
    handler = type("Pages", (_Pages,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


Read = Callable[[str, Fetch | None], ReadSourceFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def call(reference: str, fetch: Fetch | None) -> ReadSourceFile:
        (tmp_path / "secret.yaml").write_text("name: secret\nin: query\n")
        path = tmp_path / "api.yaml"
        path.write_text(
            "openapi: 3.0.0\ninfo: {title: T}\nservers: [{url: https://a.example}]\npaths:\n  /a: {get: {}}\n"
            f"  /b: {{get: {{parameters: [{{$ref: '{reference}'}}]}}}}\n"
            f"  /c: {{get: {{parameters: [{{$ref: '{reference}'}}]}}}}\n"
        )
        (reading,) = read_source(open_source(path, fetch), SourceFacts("mine"))
        return reading

    return call


def test_files_of_another_host_are_asked_for_once(read: Read, host: tuple[str, list[str]]) -> None:
    address, asked = host
    (entry,) = read(f"{address}/parts/p.yaml#/year", guarded_fetch(lambda _: "")).entries
    assert entry.document is not None
    assert [
        [parameter.name for parameter in each.parameters] for each in entry.document.api_list
    ] == [[], ["year"], ["year"]]
    assert asked == ["/parts/p.yaml", "/parts/deep/q.json"]
    assert entry.remark == f"with 2 files of {address.removeprefix('http://')}"


def test_what_comes_from_another_host_refers_to_no_file_here(
    read: Read, host: tuple[str, list[str]]
) -> None:
    address, asked = host
    (entry,) = read(f"{address}/parts/p.yaml#/local", guarded_fetch(lambda _: "")).entries
    assert "secret.yaml: its host answered with status 404" in entry.remark
    assert asked == ["/parts/p.yaml", "/secret.yaml"]


def test_an_address_inside_is_refused(read: Read, host: tuple[str, list[str]]) -> None:
    address, asked = host
    (entry,) = read(f"{address}/parts/p.yaml#/year", guarded_fetch()).entries
    assert "refused: " in entry.remark
    assert asked == []


def test_without_leave_nobody_is_asked(read: Read, host: tuple[str, list[str]]) -> None:
    address, asked = host
    (entry,) = read(f"{address}/parts/p.yaml#/year", None).entries
    assert "it is on another host, asked only with --fetch-refs" in entry.remark
    assert asked == []
