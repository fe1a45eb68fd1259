"""How much context each suite needs, and which suites one server's context is enough for."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.cli.setting_up.checkup.model.servers import ServerKind

PAGE = "docs/local_models.md"


class _Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: Mapping[str, int]


@cache
def needed_tokens() -> Mapping[str, int]:
    """Return the context in tokens that a suite's longest conversation was measured to need."""
    content = (files("dragoman.cli.setting_up.checkup.model") / "needs.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Needs).tokens


def context_finding(part: str, size: int | None, kind: ServerKind) -> CheckedThing:
    """Return what a context is enough for.

    Args:
        part: What the finding belongs to.
        size: Tokens of one conversation; None where the server does not tell.
        kind: The kind of server.
    """
    if size is None:
        todo = f"what each suite needs: {PAGE}"
        return CheckedThing(part, "context", "missing", "the server does not tell", todo, "untold")
    short = [suite for suite, tokens in needed_tokens().items() if tokens > size]
    found = f"{size:,} tokens"
    if not short:
        return CheckedThing(part, "context", "ok", f"{found}, enough for every suite")
    most = max(needed_tokens()[suite] for suite in short)
    todo = f"{kind.context} (up to {most:,}; {PAGE})"
    return CheckedThing(
        part,
        "context",
        "missing",
        f"{found}, too few for {', '.join(short)}",
        todo,
        "small_context",
    )
