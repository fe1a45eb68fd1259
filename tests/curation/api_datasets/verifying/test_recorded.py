"""Recorded exchanges of others are read unchanged, and replace the network."""

import asyncio
import gzip
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.errors import DataError, UsageError
from dragoman.curation.api_datasets.pipeline import run_step
from dragoman.curation.api_datasets.probing.api_client import Cassettes, open_cassettes, read_vcr
from dragoman.curation.api_datasets.probing.verify import VerifySettings, verify_step
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.web.fetcher import FetchRequest
from dragoman.web.response_bodies import body_text

KEY = "0123456789abcdef"
NOW = datetime(2026, 3, 16, tzinfo=UTC)


def cassette(tmp_path: Path, body: str, encoding: str = "UTF-8") -> Path:
    path = tmp_path / "one.yml"
    path.write_text(
        f"""---
http_interactions:
- request:
    method: get
    uri: https://api.example/v1?b=2&api_key={KEY}&a=1
    body: {{encoding: US-ASCII, string: ''}}
    headers: {{Accept: ["*/*"], Authorization: [Bearer {KEY}]}}
  response:
    status: {{code: 200, message: OK}}
    headers:
      Content-Type: [text/xml; charset=windows-1251]
      Content-Length: [95]
      Set-Cookie: [a=1, b=2]
    body:
      encoding: {encoding}
      string: {body}
  recorded_at: Sun, 26 Apr 2026 22:00:58 GMT
recorded_with: VCR 6.4.0
""",
        "utf-8",
    )
    return path


def test_a_recorded_exchange_is_read_without_its_secrets(tmp_path: Path) -> None:
    cyrillic = b64encode("<имя/>".encode("windows-1251")).decode()
    (came,) = read_vcr(cassette(tmp_path, f"!binary |-\n        {cyrillic}", "ASCII-8BIT"))
    assert (came.method, came.status) == ("GET", 200)
    assert came.url == "https://api.example/v1?b=2&api_key=***&a=1"
    assert came.request_headers["Authorization"] == "***"
    assert came.headers["set-cookie"] == "***"
    assert came.headers["content-length"] == "95"
    read = body_text(came.body, came.headers)
    assert (read.text, read.charset, read.known_by) == ("<имя/>", "cp1251", "header")


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("UTF-8", "é".encode()), ("ISO-8859-1", b"\xe9"), ("klingon", "é".encode())],
)
def test_a_text_is_the_bytes_that_it_was(tmp_path: Path, encoding: str, expected: bytes) -> None:
    assert read_vcr(cassette(tmp_path, "é", encoding))[0].body == expected


def test_a_body_that_was_kept_compressed_is_unpacked(tmp_path: Path) -> None:
    packed = b64encode(gzip.compress(b"text")).decode()
    assert read_vcr(cassette(tmp_path, f"!binary {packed}"))[0].body == b"text"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("- just a list", "no cassette of VCR"),
        ("http_interactions: [{request: {method: get}}]", "no cassette of VCR"),
        ("http_interactions: !ruby/object:Gem::Installer {}", "no cassette of VCR|is not read"),
        ("a: [", "no YAML"),
        ("x: &a [1,1]\ny: &b [*a,*a]\nz: [" + "*b," * 200_000 + "]", "more than"),
    ],
)
def test_what_is_no_cassette_is_refused_with_its_reason(
    tmp_path: Path, content: str, why: str
) -> None:
    path = tmp_path / "none.yml"
    path.write_text(content, "utf-8")
    with pytest.raises(DataError, match=why):
        read_vcr(path)


def test_a_bomb_in_a_cassette_is_refused(tmp_path: Path) -> None:
    bomb = b64encode(gzip.compress(b"\0" * (17 << 20))).decode()
    with pytest.raises(DataError):
        read_vcr(cassette(tmp_path, f"!binary {bomb}"))


def test_a_request_is_answered_by_its_cassette_in_any_order_of_parameters(tmp_path: Path) -> None:
    tape = open_cassettes(cassette(tmp_path, "text"))
    ask = FetchRequest(f"https://API.example/v1?a=1&b=2&api_key={KEY}")
    assert asyncio.run(tape.fetch(ask)).body == b"text"
    other = asyncio.run(tape.fetch(FetchRequest("https://api.example/v1?a=2")))
    assert other.failure == "unasked: no cassette has this request"


def test_a_folder_without_cassettes_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no cassettes"):
        open_cassettes(tmp_path)


def test_a_dataset_is_verified_again_from_its_own_exchanges(tmp_path: Path) -> None:
    operation = Operation("Rain", "https://api.example/v1")
    document = ApiDocument("rain", "Rain", api_list=(operation,))
    line = StepLine("collect", "file", "rain", "kept", source="mine")
    recorded = cassette(tmp_path, "'{\"mm\": 3}'").read_text("utf-8")
    (tmp_path / "one.yml").write_text(recorded.replace(f"?b=2&api_key={KEY}&a=1", ""), "utf-8")

    def verified(folder: Path, tape: Cassettes) -> list[tuple[str, str]]:
        with Dataset(folder) as dataset:
            dataset.put([StepOutcome(line, (NewItem("document", "rain", document),))])
            step = verify_step(tape.fetch, lambda: NOW, VerifySettings())
            asyncio.run(run_step(dataset, step))
            return [(each.verdict, each.reason) for each in dataset.ledger("verify")]

    assert verified(tmp_path / "first", open_cassettes(tmp_path / "one.yml")) == [("kept", "")]
    again = open_cassettes(tmp_path / "first")
    assert len(again) == 1
    assert verified(tmp_path / "second", again) == [("kept", "")]
