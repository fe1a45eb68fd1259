"""What a server says of itself when it is only looked at: its models, and their context."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import msgspec

from dragoman.cli.setting_up.checkup.model.servers import ServerKind
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.http.transport import OK
from dragoman.wiring.probing import ModelProbe, Probed

MODELS = "/models"
MOST_MODELS = 1_000
MOST_NAME_CHARS = 200

_CONTEXT_KEYS = (
    "max_model_len",  # vLLM, SGLang
    "loaded_context_length",  # LM Studio
    "context_length",  # OpenRouter, Ollama's list of loaded models
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
    "n_ctx",  # llama.cpp
)
_MOST_CONTEXT = 1_000_000_000


class ListedModels(msgspec.Struct, frozen=True):
    """What a list of models says.

    Attributes:
        names: The names, in the server's order.
        owners: What stands under `owned_by`.
        context: Tokens of a conversation by name, as far as they are told.
    """

    names: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()
    context: Mapping[str, int] = {}


def listed_models(answer: Probed) -> ListedModels | None:
    """Return what a list of models says; None where an answer is none."""
    data = _member(_object(answer), "data")
    if not isinstance(data, list):
        return None
    entries = [each for each in data[:MOST_MODELS] if isinstance(each, dict)]
    named = [(name, each) for each in entries if (name := _name(each))]
    context = {name: size for name, each in named if (size := _context_in(each))}
    owners = {str(each["owned_by"])[:MOST_NAME_CHARS] for each in entries if "owned_by" in each}
    return ListedModels(tuple(name for name, _ in named), frozenset(owners), context)


async def look_for_models(probe: ModelProbe) -> tuple[Probed, ListedModels | None]:
    """Return how the list of models answered, and what it says; nothing where litellm is between."""
    if probe.is_by_litellm:
        return Probed(error="litellm lists no models"), None
    answer = await probe.look(probe.base + MODELS)
    return answer, listed_models(answer)


async def better_address(probe: ModelProbe) -> str:
    """Return an address of the same server at which a list of models is; "" where none is found."""
    for address in _addresses_near(probe.base):
        if listed_models(await probe.look(address + MODELS)) is not None:
            return address
    return ""


def _addresses_near(base: str) -> Iterator[str]:
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(base))
    near = [base.removesuffix("/chat/completions"), base.removesuffix("/completions")]
    near += [f"{base}/v1", f"{origin}/v1", f"{origin}/api/v1", f"{origin}/openai/v1"]
    return (each for each in dict.fromkeys(near) if each != base)


async def context_of(
    probe: ModelProbe, model: str, kind: ServerKind, listed: ListedModels | None
) -> int | None:
    """Return how many tokens a conversation may have; None where the server does not tell.

    The server's own interface is asked where it knows more than its list of models: what a model was
    loaded with is less than what it was made for.
    """
    root = probe.base.removesuffix("/v1")
    if kind.name == "llama.cpp":
        settings = _member(
            _object(await probe.look(f"{root}/props")), "default_generation_settings"
        )
        if size := _context_in(settings):
            return size
    if kind.name == "Ollama":
        loaded = _member(_object(await probe.look(f"{root}/api/ps")), "models")
        return _context_among(loaded, model)
    if kind.name == "LM Studio":
        for path, member in (("/api/v1/models", "models"), ("/api/v0/models", "data")):
            known = _member(_object(await probe.look(f"{root}{path}")), member)
            if size := _context_among(known, model):
                return size
    if listed is None:
        return None
    return listed.context.get(model) or (
        next(iter(listed.context.values()), None) if len(listed.names) == 1 else None
    )


def _context_among(entries: object, model: str) -> int | None:
    for each in entries[:MOST_MODELS] if isinstance(entries, list) else ():
        if isinstance(each, dict) and _name(each).removesuffix(":latest") == model.removesuffix(
            ":latest"
        ):
            return _loaded_with(each) or _context_in(each)
    return None


def _loaded_with(entry: Mapping[str, object]) -> int | None:
    """Return the context that LM Studio loaded a model with."""
    instances = entry.get("loaded_instances")
    first = instances[0] if isinstance(instances, list) and instances else None
    return _context_in(_member(first, "config"))


def _context_in(entry: object) -> int | None:
    if not isinstance(entry, dict):
        return None
    for place in (entry, entry.get("meta")):
        for key in _CONTEXT_KEYS:
            size = place.get(key) if isinstance(place, dict) else None
            if isinstance(size, int) and not isinstance(size, bool) and 0 < size < _MOST_CONTEXT:
                return size
    return None


def _name(entry: Mapping[str, object]) -> str:
    name = entry.get("id") or entry.get("key") or entry.get("name") or entry.get("model")
    return name[:MOST_NAME_CHARS] if isinstance(name, str) else ""


def _object(answer: Probed) -> object:
    if answer.status != OK:
        return None
    try:
        return msgspec.json.decode(answer.body)
    except UNREADABLE:
        return None


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None
