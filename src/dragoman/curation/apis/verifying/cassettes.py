"""Recorded exchanges in the place of the network: the same request gets the same answer."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from dragoman.core.errors import UsageError
from dragoman.curation.apis.verifying.records import EXCHANGE
from dragoman.curation.apis.verifying.vcr import read_vcr
from dragoman.store.dataset import FILE, Dataset
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import FetchRequest

_Key = tuple[str, str, tuple[tuple[str, str], ...], bytes]


class Cassettes:
    """Answers requests from exchanges; of several equal ones the last.

    Args:
        exchanges: What was recorded, without secrets.
    """

    def __init__(self, exchanges: Iterable[HttpExchange]) -> None:
        self._by_key = {_key(each): each for each in exchanges}

    def __len__(self) -> int:
        """Return how many different requests are answered."""
        return len(self._by_key)

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:  # noqa: ARG002 - a fetch's signature
        """Return what was recorded; where nothing was, an exchange that did not take place."""
        asked = HttpExchange(request.method, request.url, dict(request.headers), request.body)
        found = self._by_key.get(_key(redact_exchange(asked)))
        if found is not None:
            return found
        return HttpExchange(
            *(asked.method, asked.url, asked.request_headers, asked.request_body),
            failure="unasked: no cassette has this request",
        )


def open_cassettes(path: Path) -> Cassettes:
    """Read cassettes: a dataset's exchanges, a file of VCR, or a folder of such files.

    Raises:
        UsageError: Where there are none.
        DataError: Where a file is no cassette.
        StoreError: Where a dataset cannot be read.
    """
    if (path / FILE).is_file():
        with Dataset(path, write=False) as dataset:
            return Cassettes(item.record(HttpExchange) for item in dataset.items(EXCHANGE))
    files = sorted(each for each in path.glob("*") if each.suffix in {".yml", ".yaml"})
    files = files or ([path] if path.is_file() else [])
    if not files:
        raise UsageError(f"{path}: no cassettes: name a dataset, a file of VCR or a folder of them")
    return Cassettes(exchange for file in files for exchange in read_vcr(file))


def _key(exchange: HttpExchange) -> _Key:
    """Return what makes two requests the same: method, address, parameters in any order, body."""
    try:
        parts = urlsplit(exchange.url)
    except ValueError:
        return exchange.method, exchange.url, (), exchange.request_body
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    place = f"{parts.scheme}://{parts.netloc.lower()}{parts.path or '/'}"
    return exchange.method, place, query, exchange.request_body
