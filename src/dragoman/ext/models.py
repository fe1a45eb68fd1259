"""Chat models: the protocol of a provider, its requests and completions, and model clients."""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.core.protocols import ChatModel, ChatRequest, Completion, IdentifiedModel
    from dragoman.core.usage import Usage
    from dragoman.registry.model_clients import ModelClients

__all__ = ["ChatModel", "ChatRequest", "Completion", "IdentifiedModel", "ModelClients", "Usage"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.core.protocols": (
                "ChatModel",
                "ChatRequest",
                "Completion",
                "IdentifiedModel",
            ),
            "dragoman.core.usage": ("Usage",),
            "dragoman.registry.model_clients": ("ModelClients",),
        },
    )
