"""The name of a translator becomes a chat model."""

from dragoman.core.protocols import ChatModel
from dragoman.wiring.chat_models import model_identity, named_chat_model
from dragoman.wiring.connections import Connections


def translation_model(written: str, connections: Connections) -> ChatModel:
    """Return the chat model of that name, which answers as steadily as it can: at temperature 0.

    Raises:
        UsageError: Where there is no such model, or its key or address is missing.
    """
    return named_chat_model(written, connections, steady=True)[0]


def model_name(written: str) -> str:
    """Return a model's name in prices and ledgers; its key and address may be missing.

    Raises:
        UsageError: Where there is no such model.
    """
    return model_identity(written)[0]
