"""Calls of nested queries are made: live through the guard, or from what the dataset has recorded."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dragoman.core.errors import UsageError
from dragoman.curation.apis.answering.asking import Execute
from dragoman.curation.apis.answering.step import ANSWER
from dragoman.curation.apis.known import known_operations
from dragoman.curation.apis.observations import standing_documents
from dragoman.curation.apis.verifying.calls import CALLED
from dragoman.curation.apis.verifying.keys import ApiKey, exchanged, prepared
from dragoman.curation.apis.verifying.line import ApiLine, CallTerms
from dragoman.store.dataset import Dataset
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import FetchRequest
from dragoman.web.response_bodies import body_text

CALLS = ("live", "recorded", "none")
"""How calls can be made: over the network, from the dataset's exchanges, not at all."""


def line_for(calls: str, folder: Path, terms: CallTerms) -> ApiLine | None:
    """Return what calls are made over; None for none.

    Raises:
        UsageError: For a way that does not exist.
    """
    if calls not in CALLS:
        raise UsageError(f"--calls {calls}: choose {', '.join(CALLS)}")
    if calls == "none":
        return None
    return ApiLine(replace(terms, cassettes=folder) if calls == "recorded" else terms)


def executing(
    dataset: Dataset,
    fetch: Callable[[FetchRequest, str], Awaitable[HttpExchange]],
    keys: Sequence[ApiKey] = (),
) -> Execute:
    """Return what makes calls of the operations that stand.

    What comes back is text without secrets; where nothing does, a JSON object says so under `error`.

    Args:
        dataset: Whose operations they are.
        fetch: Asks.
        keys: What callers configure, by host and name.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    known = known_operations(standing_documents(dataset, ANSWER))

    async def execute(name: str, arguments: Mapping[str, object]) -> str:
        if name not in known:
            return _error("there is no such tool")
        operation = known[name].operation
        if operation.method not in CALLED:
            return _error(f"{operation.method} is not called: it may change something")
        try:
            call = prepared(operation, arguments, keys)
        except ValueError as error:
            return _error(str(error))
        came = redact_exchange(await exchanged(fetch, call))
        if came.failure:
            return _error(came.failure)
        return body_text(came.body, came.headers).text

    return execute


def _error(reason: str) -> str:
    return msgspec.json.encode({"error": reason}).decode()
