"""Model servers that people start themselves: how each shows itself, and which option mends what."""

from collections.abc import Mapping

import msgspec


class ServerKind(msgspec.Struct, frozen=True):
    """One kind of server.

    Attributes:
        name: Its name for people.
        owners: What its list of models says under `owned_by`.
        start: How it is started.
        tools: What makes it read calls of tools.
        reasoning: What makes it send reasoning apart from words.
        context: What sets the tokens of a conversation.
    """

    name: str
    owners: tuple[str, ...] = ()
    start: str = "start the server"
    tools: str = "start the server with the tool parser of this model"
    reasoning: str = "start the server with the reasoning parser of this model"
    context: str = "give the server more context"


UNKNOWN = ServerKind("a server of an unknown kind")

SERVERS: Mapping[str, ServerKind] = {
    "llamacpp": ServerKind(
        "llama.cpp",
        ("llamacpp",),
        "llama-server -m MODEL.gguf --port PORT -c TOKENS",
        "start llama-server with --jinja (the default of newer ones) and a model whose chat template "
        "has tools; --chat-template-file FILE gives it another template",
        "start llama-server with --reasoning-format auto",
        "start llama-server with -c TOKENS: the slots of -np share it",
    ),
    "ollama": ServerKind(
        "Ollama",
        ("library",),
        "ollama serve",
        "take a model for which `ollama show MODEL` lists the capability tools",
        "take a model for which `ollama show MODEL` lists the capability thinking, or switch thinking "
        "off: reasoning_effort=none",
        "OLLAMA_CONTEXT_LENGTH=TOKENS ollama serve; Ollama cuts what is longer and does not say so",
    ),
    "vllm": ServerKind(
        "vLLM",
        ("vllm",),
        "vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER",
        "start vllm serve with --enable-auto-tool-choice --tool-call-parser PARSER "
        "(hermes, llama3_json, mistral, openai, ...: each model has its own)",
        "start vllm serve with --reasoning-parser PARSER",
        "start vllm serve with --max-model-len TOKENS",
    ),
    "sglang": ServerKind(
        "SGLang",
        ("sglang",),
        "python -m sglang.launch_server --model-path MODEL --tool-call-parser PARSER",
        "start SGLang with --tool-call-parser PARSER (qwen25, llama3, mistral, gpt-oss, ...: each model has its own)",
        "start SGLang with --reasoning-parser PARSER",
        "start SGLang with --context-length TOKENS",
    ),
    "lmstudio": ServerKind(
        "LM Studio",
        ("organization_owner",),
        "lms server start",
        "take a model that LM Studio marks with a hammer: others only get a general prompt for tools",
        "have LM Studio send reasoning_content apart (its settings for developers)",
        "lms load MODEL --context-length TOKENS",
    ),
}
"""By the name of the provider in `PROVIDER/MODEL`; llama.cpp is reached as `compatible/MODEL`."""


def kind_of(provider: str, owners: frozenset[str], server_header: str) -> ServerKind:
    """Return what kind of server answers.

    Args:
        provider: What stands before the slash in the model's name.
        owners: What the list of models says under `owned_by`.
        server_header: The header `Server` of an answer.
    """
    if server_header.lower().startswith("llama.cpp"):
        return SERVERS["llamacpp"]
    told = next((each for each in SERVERS.values() if owners & {*each.owners}), None)
    return told or SERVERS.get(provider, UNKNOWN)
