"""Model clients of one run, which share connections, rate limits and keys per endpoint.

Keys are read here, sent in headers, and redacted in everything that an endpoint returns.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from dragoman.config.environment import (
    cache_folder,
    disable_litellm_network,
    key_values,
    proxy_for,
    proxy_secrets,
)
from dragoman.core.content_keys import content_key
from dragoman.core.costs import BATCHED
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel, IdentifiedModel
from dragoman.core.renamed_members import renamed_arguments
from dragoman.models.budget import BudgetedModel, SpendTracker
from dragoman.models.catalog import LITELLM
from dragoman.models.chat.openai import ChatEndpoint, OpenAIModel
from dragoman.models.embeddings import EmbeddingModel
from dragoman.models.endpoints.rate_limit import PacingOptions, first_given, rate_limiter_for
from dragoman.models.http.transport import (
    LOCAL_TIMEOUTS,
    RetryPolicy,
    Timeouts,
    Transport,
    is_local_address,
)
from dragoman.models.model_spec import EQUAL, ModelSpec, sent_settings
from dragoman.registry.providers import (
    COMPLETIONS,
    EMBEDDINGS,
    KeyedSpec,
    addresses_of,
    asked_as,
    key_of,
    lacks_key,
    limited_as,
    origin_of,
)

if TYPE_CHECKING:
    from dragoman.models.batch_client import BatchClient
    from dragoman.models.endpoints.endpoint_client import EndpointClient
    from dragoman.models.http.http_client import HttpClient
    from dragoman.models.http.websocket import WebSocketConnector
    from dragoman.store.reply_cache import ReplyCache


class ModelClients:
    """Factory of models that share the limits of each endpoint; close it after the run.

    Args:
        timeouts: Time-outs for answers; None to choose them by address, longer ones for servers on
            this machine.
        retry_policy: Limits after which calls and endpoints are given up.
        budget: The spend tracker; None for no limit.
        pacing: Rate limits, batches and hedging of calls.
        cache_enabled: Whether replies of chat models are cached and taken from the cache.
        sends_calls: Whether calls are sent; a plan sends none, so that it needs no key.

    Attributes:
        missing_keys: The environment variables of keys that are not set, by model; a plan collects
            them.
    """

    @renamed_arguments(patience="retry_policy", remembers="cache_enabled")
    def __init__(  # noqa: PLR0913 - the resources of a run's models
        self,
        timeouts: Timeouts | None = None,
        retry_policy: RetryPolicy | None = None,
        budget: SpendTracker | None = None,
        pacing: PacingOptions | None = None,
        *,
        cache_enabled: bool = False,
        sends_calls: bool = True,
    ) -> None:
        self.timeouts = timeouts or Timeouts()
        self._local_timeouts = timeouts or LOCAL_TIMEOUTS
        self._retry_policy = retry_policy or RetryPolicy()
        self._budget = budget
        self._cache_enabled = cache_enabled
        self._sends_calls = sends_calls
        self.missing_keys: dict[str, str] = {}
        self._pacing = pacing or PacingOptions()
        self._memory: ReplyCache | None = None
        self._http: HttpClient | None = None
        self._local_http: HttpClient | None = None
        self._litellm: Transport | None = None
        self._sockets: WebSocketConnector | None = None
        self._clients: dict[tuple[tuple[str, ...], str], EndpointClient] = {}
        self._batches: dict[tuple[str, str, str], BatchClient] = {}
        self._added: dict[str, IdentifiedModel] = {}

    def chat_model(self, spec: ModelSpec) -> ChatModel:
        """Return a model that is ready to be asked.

        Raises:
            UsageError: If its address or its key is missing.
        """
        urls, endpoint = addresses_of(spec), chat_endpoint(spec, self.key_for(spec))
        client = self.pooled_client(urls, endpoint.key, spec.name)
        quiet = self._quiet(spec, urls)
        if quiet is None:
            model = self.budgeted(OpenAIModel(spec.name, endpoint, client))
        else:
            sender = self._batch_sender(spec, endpoint, client, quiet)
            model = self.budgeted(OpenAIModel(spec.name + BATCHED, endpoint, sender))
        return self._remembering(model, content_key(spec.identity, EQUAL.join(urls)))

    def _quiet(self, spec: ModelSpec, urls: Sequence[str]) -> float | None:
        """Return how long a model's batches wait for more calls; None without batches."""
        quiet = first_given(self._pacing.batches, limited_as(spec.name, urls))
        if quiet is not None and (len(urls) > 1 or urls[0].startswith(LITELLM) or spec.streams):
            raise UsageError(
                f"{spec.written}: batches are for one OpenAI-compatible address without stream=on"
            )
        return quiet

    def _batch_sender(
        self, spec: ModelSpec, endpoint: ChatEndpoint, client: "EndpointClient", quiet: float
    ) -> "BatchClient":
        """Return the client that asks a model in batches; agent, user and judge share it."""
        from dragoman.models.batch_client import BatchApi, BatchClient
        from dragoman.store.pending_batches import FILE, PendingBatches

        held = (endpoint.url, endpoint.key, spec.name)
        if held not in self._batches:
            base = endpoint.url.removesuffix(COMPLETIONS)
            web = self._connections()
            at = BatchApi(base, endpoint.headers, web, client, proxy_for(base))
            pending = PendingBatches(cache_folder() / FILE)
            self._batches[held] = BatchClient(spec.name, at, client, pending, quiet)
        return self._batches[held]

    def added_model(self, model: IdentifiedModel) -> ChatModel:
        """Return a model that another package provides.

        There is one object for models of the same identity, and it is closed here.

        Raises:
            UsageError: If the budget is in money and the model has no price.
        """
        held = self._added.setdefault(model.identity, model)
        return self._remembering(self.budgeted(held), held.identity)

    def _remembering(self, model: ChatModel, identity: str) -> ChatModel:
        memory = self.memory()
        if memory is None:
            return model
        from dragoman.models.chat.cached_model import CachedModel

        return CachedModel(model, memory, identity)

    def embedding_model(self, spec: ModelSpec) -> EmbeddingModel:
        """Return a model that makes embeddings.

        Raises:
            UsageError: If its address or its key is missing, or the model would need litellm.
        """
        urls, key = addresses_of(spec, EMBEDDINGS), self.key_for(spec)
        if urls[0].startswith(LITELLM):
            raise UsageError(f"{spec.written}: embeddings are for OpenAI-compatible endpoints")
        budget = self.budget_for(spec.name)
        settings = sent_settings(spec.settings)
        endpoint = ChatEndpoint(
            url=urls[0], headers=_headers(key), model=spec.model, settings=settings
        )
        return EmbeddingModel(spec.name, endpoint, self.pooled_client(urls, key, spec.name), budget)

    def key_for(self, spec: KeyedSpec) -> str:
        """Return the key of a model's calls; "" if none is needed, or if a plan lacks it.

        Raises:
            UsageError: If calls are sent, and a key is needed or was named, and is not set.
        """
        if not self._sends_calls and lacks_key(spec):
            self.missing_keys[spec.name] = spec.key_env
            return ""
        return key_of(spec)

    def budget_for(self, model: str) -> SpendTracker | None:
        """Return the run's budget for calls of a model; None for no limit.

        Raises:
            UsageError: If the budget is in money and the model has no price.
        """
        if self._budget is not None:
            self._budget.require_prices([model])
        return self._budget

    def budgeted(self, model: ChatModel) -> ChatModel:
        """Return a model that keeps to the run's budget.

        Raises:
            UsageError: If the budget is in money and the model has no price.
        """
        budget = self.budget_for(model.name)
        return model if budget is None else BudgetedModel(model, budget)

    def client(self, url: str, secret: str = "", name: str = "") -> "EndpointClient":
        """Return the client of the endpoint at an address, one for each key.

        `name` is the name of a model behind the endpoint. A limit of the model's provider holds for
        the endpoint.
        """
        return self.pooled_client((url,), secret, name)

    def pooled_client(
        self, urls: Sequence[str], secret: str = "", name: str = ""
    ) -> "EndpointClient":
        """Return the client of endpoints that give the same answers, one for each key."""
        origins = tuple(map(origin_of, urls))
        if (origins, secret) not in self._clients:
            self._clients[origins, secret] = self._new_client(urls, origins, secret, name)
        return self._clients[origins, secret]

    def _new_client(
        self, urls: Sequence[str], origins: tuple[str, ...], secret: str, name: str
    ) -> "EndpointClient":
        from dragoman.models.endpoints.endpoint_client import EndpointClient, EndpointPacing
        from dragoman.models.endpoints.endpoint_pool import Endpoint, loop_time

        by_litellm = urls[0].startswith(LITELLM)
        wires = [self._litellm_wire() if by_litellm else self._wire(url) for url in urls]
        outage = self._retry_policy.outage
        proxies = [None if by_litellm else proxy_for(url) for url in urls]
        endpoints = [
            Endpoint(origin, wire, proxy, outage, url if len(urls) > 1 else "")
            for origin, url, proxy, wire in zip(origins, urls, proxies, wires, strict=True)
        ]
        # litellm itself decides which of its keys it sends, so all are redacted.
        others = key_values() if by_litellm else chain.from_iterable(map(proxy_secrets, proxies))
        secrets = (secret, *others)
        allowance = rate_limiter_for(self._pacing.rates, limited_as(name, urls), loop_time)
        pace = EndpointPacing(
            allowance, self._pacing.hedge_after, self._timeouts_for(urls[0]).description
        )
        return EndpointClient(" | ".join(origins), endpoints, secrets, self._retry_policy, pace)

    def sockets(self) -> "WebSocketConnector":
        """Return the connector that opens WebSockets."""
        if self._sockets is None:
            from dragoman.models.http.websocket import WebSocketConnector

            self._sockets = WebSocketConnector(self.timeouts)
        return self._sockets

    async def close(self) -> None:
        """Close all connections and models, and then the reply cache.

        The cache is closed once everything is written.
        """
        for model in self._added.values():
            await model.close()
        for sender in self._batches.values():
            sender.close()
        try:
            for transport in (self._http, self._local_http, self._litellm, self._sockets):
                if transport is not None:
                    await transport.close()
        finally:
            # After the connections: their last answers may say that a reply is to be dropped.
            if self._memory is not None:
                self._memory.close()

    def memory(self) -> "ReplyCache | None":
        """Return the cache of replies; None if there is none."""
        if self._memory is None and self._cache_enabled:
            from dragoman.store.reply_cache import DEFAULT_BYTES, FILE, ReplyCache

            self._memory = ReplyCache(cache_folder() / FILE, DEFAULT_BYTES)
        return self._memory

    def _litellm_wire(self) -> Transport:
        if self._litellm is None:
            disable_litellm_network()
            from dragoman.models.chat.litellm_client import LitellmClient

            self._litellm = LitellmClient(self.timeouts.total, self._connections(), proxy_for)
        return self._litellm

    def _timeouts_for(self, url: str) -> Timeouts:
        """Return the time-outs for the server at an address."""
        return self._local_timeouts if is_local_address(url) else self.timeouts

    def _wire(self, url: str) -> "HttpClient":
        """Return the HTTP client for calls to an address."""
        if self._timeouts_for(url) == self.timeouts:
            return self._connections()
        if self._local_http is None:
            from dragoman.models.http.http_client import HttpClient

            self._local_http = HttpClient(self._local_timeouts)
        return self._local_http

    def _connections(self) -> "HttpClient":
        if self._http is None:
            from dragoman.models.http.http_client import HttpClient

            self._http = HttpClient(self.timeouts)
        return self._http


def chat_endpoint(spec: ModelSpec, key: str | None = None) -> ChatEndpoint:
    """Return a model's endpoint and request options; of equal endpoints, the first one.

    Args:
        spec: The model.
        key: The key of its calls; None for the one in the environment.

    Raises:
        UsageError: If its address or its key is missing.
    """
    key = key_of(spec) if key is None else key
    return ChatEndpoint(
        url=addresses_of(spec)[0],
        headers=_headers(key),
        model=asked_as(spec),
        settings=sent_settings(spec.settings),
        key=key,
        seeds=spec.seeds,
        streams=spec.streams,
        schemas=spec.schemas,
        audio=spec.audio,
        history=spec.history,
    )


def _headers(key: str) -> Mapping[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return headers | {"Authorization": f"Bearer {key}"} if key else headers
