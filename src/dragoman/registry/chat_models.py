"""Registry of chat models and translators, each with the content key of its settings.

`provider/model` is an endpoint, `scripted/FILE` a script. Other packages add kinds as entry points
of the group `dragoman.models`. The entry point's name is the part before the slash. It refers to a
function that takes the whole text and returns a `core.protocols.IdentifiedModel`. Dragoman's own
kind is `local/FOLDER`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from dragoman.core.content_keys import content_key
from dragoman.core.protocols import ChatModel, IdentifiedModel
from dragoman.models.model_spec import parse_model_spec, with_default_parameter
from dragoman.models.prices import strip_price
from dragoman.registry.entry_points import find_entry_points, load_entry_point
from dragoman.registry.model_clients import ModelClients

ENTRY_POINTS = "dragoman.models"
SCRIPTED = "scripted/"


def resolve_chat_model(
    written: str, connections: ModelClients | None, *, greeted: int = 0, steady: bool = False
) -> tuple[ChatModel, str]:
    """Return the chat model of that name with its content key.

    Args:
        written: Its name with parameters.
        connections: The resources that the models of a run share.
        greeted: Number of an agent's messages that are not its own; a script does not count them.
        steady: Whether an endpoint is asked at temperature 0 unless its name sets another one.

    Raises:
        UsageError: If the model does not exist, or its key or address is missing.
    """
    shared, written = connections or ModelClients(), strip_price(written)
    if written.startswith(SCRIPTED):
        from dragoman.models.chat.scripted import ScriptedModel, load_script

        script = load_script(Path(written.removeprefix(SCRIPTED)))
        return ScriptedModel(written, script, greeted), content_key(script)
    added = _open_plugin_model(written)
    if added is not None:
        return shared.added_model(added), added.identity
    read = parse_model_spec(written)
    spec = with_default_parameter(read, "temperature", 0) if steady else read
    return shared.chat_model(spec), spec.identity


def model_identity(written: str) -> tuple[str, str]:
    """Return a model's name in usage ledgers and its content key.

    The model's key and address may be missing.

    Raises:
        UsageError: If the model does not exist.
    """
    written = strip_price(written)
    if written.startswith(SCRIPTED):
        model, key = resolve_chat_model(written, None)
        return model.name, key
    added = _open_plugin_model(written)
    if added is not None:
        return added.name, added.identity
    read = parse_model_spec(written)
    return read.name, read.identity


def plugin_model_kinds() -> dict[str, str]:
    """Return the prefixes of model names that other packages provide.

    A prefix is the part before the slash. It is mapped to the reference of the function that opens
    such a model.
    """
    return {entry.name: entry.value for entry in find_entry_points(ENTRY_POINTS)}


def _open_plugin_model(written: str) -> IdentifiedModel | None:
    kind, slash, _ = written.partition("?")[0].partition("/")
    if not slash:
        return None
    for entry in find_entry_points(ENTRY_POINTS, kind):
        opening = cast(
            "Callable[[str], IdentifiedModel]", load_entry_point(entry, f"models {kind}/...")
        )
        return opening(written)
    return None


def translation_model(written: str, connections: ModelClients) -> ChatModel:
    """Return the chat model of that name at temperature 0, for steady answers.

    Raises:
        UsageError: If the model does not exist, or its key or address is missing.
    """
    return resolve_chat_model(written, connections, steady=True)[0]


def model_name(written: str) -> str:
    """Return a model's name in prices and usage ledgers.

    The model's key and address may be missing.

    Raises:
        UsageError: If the model does not exist.
    """
    return model_identity(written)[0]
