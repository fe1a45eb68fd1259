"""The name of a translator becomes a chat model."""

from dragoman.core.protocols import ChatModel
from dragoman.models.spec import read_spec, with_default
from dragoman.wiring.connections import Connections
from dragoman.wiring.participants import SCRIPTED, named_chat_model


def translation_model(written: str, connections: Connections) -> ChatModel:
    """Return the chat model of that name, which answers as steadily as it can: at temperature 0.

    Raises:
        UsageError: Where there is no such model, or its key or address is missing.
    """
    if written.startswith(SCRIPTED):
        return named_chat_model(written, connections)[0]
    return connections.chat_model(with_default(read_spec(written), "temperature", 0))


def model_name(written: str) -> str:
    """Return a model's name in prices and ledgers; its key and address may be missing.

    Raises:
        UsageError: Where there is no such model.
    """
    return written if written.startswith(SCRIPTED) else read_spec(written).name
