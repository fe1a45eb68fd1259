"""What requests will consume, estimated before anything is sent."""

import functools
import math
from collections.abc import Iterable, Mapping
from importlib.resources import files

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.core.usage import Usage
from dragoman.curation.translation.translators.chat import PURPOSE, size_of
from dragoman.curation.translation.translators.protocol import Request

_OTHER = "OTHER"


class ScriptEstimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long texts in a script are: for one character of English, and by token."""

    characters_for_one: float
    characters_per_token: float


class Estimates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tokens are estimated by, and what the source sends for a domain."""

    sent_characters_per_token: float
    characters_around_a_text: int
    scripts: Mapping[str, ScriptEstimate]
    source_sends: Mapping[str, int]


@functools.cache
def estimates() -> Estimates:
    """Return what tokens are estimated by."""
    content = files(__package__).joinpath("estimates.toml").read_bytes()
    return msgspec.toml.decode(content, type=Estimates)


def estimated(requests: Iterable[Request], language: Language, model: str) -> Usage:
    """Return what requests will consume about; answers that have to be asked for again are not in it."""
    known = estimates()
    script = known.scripts.get(language.script, known.scripts[_OTHER])
    calls, sent, received = 0, 0.0, 0.0
    for request in requests:
        calls += 1
        sent += size_of(request)
        for item in request.items.values():
            said = len(item.text) * script.characters_for_one / script.characters_per_token
            received += said + known.characters_around_a_text / known.sent_characters_per_token
    return Usage(
        PURPOSE,
        model,
        calls,
        math.ceil(sent / known.sent_characters_per_token),
        round(received),
    )


def explained(language: Language) -> str:
    """Return in words how tokens are estimated."""
    known = estimates()
    script = known.scripts.get(language.script, known.scripts[_OTHER])
    return (
        f"{known.sent_characters_per_token:g} characters sent are a token; "
        f"{language.name} has {script.characters_for_one:g} characters for one of English, "
        f"{script.characters_per_token:g} a token"
    )
