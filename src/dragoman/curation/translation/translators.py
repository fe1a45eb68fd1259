"""Translators: the protocol, chat-model and glossary translators, and token estimates.

A chat model gets texts as JSON and its answers are matched by id. Long texts that lose something as
a whole are split at blank lines.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib.resources import files
from typing import Protocol

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import DragomanError
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage
from dragoman.curation.translation.placeholders import placeholders_in
from dragoman.curation.translation.segments import Mode


class Item(msgspec.Struct, frozen=True):
    """One text of a request.

    Attributes:
        text: The text to translate, with placeholders for terms that must stay.
        terms: Labels that values already have in the target language, by value.
        placeholders: The placeholders of the text, if the request should name them.
        taken: Labels that are not allowed because other values have them.
    """

    text: str
    terms: Mapping[str, str] = {}
    placeholders: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True):
    """Texts of one request.

    Attributes:
        mode: Whether they are labels or prose.
        source_language: The English name of the source language.
        target_language: The English name of the target language.
        items: The texts by id.
        attempt: Number of earlier attempts; each draws another answer.
    """

    mode: Mode
    source_language: str
    target_language: str
    items: Mapping[str, Item]
    attempt: int = 0


class Reply(msgspec.Struct, frozen=True):
    """A reply: translations by id, each only once and only of requested texts.

    Attributes:
        texts: Translations by id; unanswered texts and those with several answers are absent.
        odd: Irregularities in words: ids that were not requested, ids that came twice.
        usage: Its usage; None if no request was sent.
    """

    texts: Mapping[str, str]
    odd: tuple[str, ...] = ()
    usage: Usage | None = None


class UnusableReply(DragomanError):  # noqa: N818 - says what came back
    """A reply that is not the requested JSON; `usage` is its usage."""

    def __init__(self, reason: str, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.usage = usage


class Translator(Protocol):
    """A translator of texts."""

    @property
    def name(self) -> str:
        """The model's name, as in manifests and prices."""
        ...

    @property
    def version(self) -> str:
        """The name and content of its prompts; "" if it has none."""
        ...

    @property
    def is_model(self) -> bool:
        """Return whether the translator may answer differently when it is asked again.

        The answers of such a translator are worth keeping.
        """
        ...

    async def translate(self, request: Request) -> Reply:
        """Return the translations of a request.

        Raises:
            UnusableReply: If the reply cannot be parsed.
            ParticipantError: If no reply came.
            RunHalted: If no reply can be expected any more.
        """
        ...


MOST_CHARACTERS = 2_000
"""Longest part with more than one paragraph, in characters."""

_AT_ONCE = 4
_ATTEMPTS = (0, -1, -2)
_BLANK_LINES = re.compile(r"(\n[ \t]*\n\s*)")

Ask = Callable[[Mapping[str, Item], int], Awaitable[Mapping[str, str]]]
"""A function that requests texts by id and returns the received translations.

An attempt below 0 marks a repeated request.
"""


def split_text(text: str, most: int = MOST_CHARACTERS) -> tuple[str, ...]:
    """Return the parts of a text: one or more paragraphs each.

    Short paragraphs share a part. The concatenated parts are the text.
    """
    parts = [""]
    for piece in _BLANK_LINES.split(text):
        is_blank = not piece.strip()
        if parts[-1] and not is_blank and len(parts[-1]) + len(piece) > most:
            parts.append("")
        parts[-1] += piece
    return tuple(parts)


async def translate_in_parts(item: Item, name: str, ask: Ask) -> str | None:
    """Translate a long text in parts and join them; None if a part never came.

    Args:
        item: The text, with placeholders.
        name: Its id; those of its parts begin with it.
        ask: Requests texts.
    """
    parts = {f"{name}-{number}": part for number, part in enumerate(split_text(item.text), 1)}
    if len(parts) == 1:
        return None
    done = {part_id: part for part_id, part in parts.items() if not _has_words(part)}
    for attempt in _ATTEMPTS:
        left = [part_id for part_id in parts if part_id not in done]
        for start in range(0, len(left), _AT_ONCE):
            asked = {
                part_id: _part_item(item, parts[part_id], is_last=attempt < 0)
                for part_id in left[start : start + _AT_ONCE]
            }
            for part_id, answer in (await ask(asked, attempt)).items():
                if _numbers(answer) == _numbers(parts[part_id]):
                    done[part_id] = _with_space_of(parts[part_id], answer)
    if len(done) < len(parts):
        return None
    return "".join(done[part_id] for part_id in parts)


def _part_item(whole: Item, part: str, *, is_last: bool) -> Item:
    folded = part.casefold()
    terms = {value: label for value, label in whole.terms.items() if value.casefold() in folded}
    named = dict.fromkeys(part[at.start : at.end] for at in placeholders_in(part))
    text = part.strip()
    return msgspec.structs.replace(
        whole, text=text, terms=terms, placeholders=tuple(named) if is_last else ()
    )


def _numbers(text: str) -> Counter[int]:
    return Counter(placed.number for placed in placeholders_in(text))


def _has_words(part: str) -> bool:
    return any(sign.isalpha() for sign in part)


def _with_space_of(part: str, answer: str) -> str:
    before, after = len(part) - len(part.lstrip()), len(part.rstrip())
    return part[:before] + answer.strip() + part[after:]


NAME = "glossary"


class GlossaryTranslator:
    """A translator that only knows the labels of values; it never gets texts in the memory."""

    name = NAME
    version = ""
    is_model = False

    async def translate(self, request: Request) -> Reply:
        """Return the labels of texts that are values."""
        return Reply(
            {
                name: item.terms[item.text]
                for name, item in request.items.items()
                if item.text in item.terms and not any(placeholders_in(item.text))
            }
        )


PURPOSE = "translation"
PROMPTS: Mapping[Mode, str] = {"label": "label-1", "text": "text-1"}
MOST_SHOWN = 5

REPLY_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "translations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
                "required": ["id", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["translations"],
    "additionalProperties": False,
}
"""The JSON schema of replies for providers that enforce schemas.

Replies of other providers are parsed just as strictly.
"""

_encode = msgspec.json.Encoder().encode


class _Text(msgspec.Struct):
    id: str | int
    text: str


class _Texts(msgspec.Struct):
    translations: list[_Text]


class ChatTranslator:
    """A translator that sends all items to a chat model in one request."""

    is_model = True

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def version(self) -> str:
        """The names of the prompts, and a hash of their texts."""
        return prompts_version()

    async def translate(self, request: Request) -> Reply:
        """Return the model's translations.

        Raises:
            UnusableReply: If the reply is not the requested JSON.
            ParticipantError: If no reply came.
            RunHalted: If the endpoint refuses all requests or the budget is spent.
        """
        asked = request_json(request)
        messages = [
            {"role": "system", "content": translator_prompt(PROMPTS[request.mode])},
            {"role": "user", "content": asked},
        ]
        key = content_key(PURPOSE, self.version, asked, request.attempt)
        chat = ChatRequest(
            messages,
            NO_TOOLS,
            derive_seed(key, PURPOSE),
            PURPOSE,
            key=key,
            reply_schema=REPLY_SCHEMA,
        )
        completion = await self._model.complete(chat, PURPOSE)
        try:
            return read_reply(_words(completion), request, completion)
        except UnusableReply as error:
            error.usage = completion.usage
            raise


@functools.cache
def translator_prompt(name: str) -> str:
    """Return the prompt of that name."""
    return (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")


@functools.cache
def prompts_version() -> str:
    """Return the names of the prompts, with a hash of their texts."""
    names = "+".join(PROMPTS.values())
    return f"{names}@{content_key(*map(translator_prompt, PROMPTS.values()))[:8]}"


def request_json(request: Request) -> str:
    """Return a request as one JSON object, in which empty parts are omitted."""
    items = [
        {"id": name}
        | {part: value for part, value in msgspec.structs.asdict(item).items() if value}
        for name, item in request.items.items()
    ]
    asked = {"from": request.source_language, "to": request.target_language, "items": items}
    return _encode(asked).decode()


def request_size(request: Request) -> int:
    """Return the number of characters of a request, including its prompt."""
    return len(translator_prompt(PROMPTS[request.mode])) + len(request_json(request))


def read_reply(text: str, request: Request, completion: Completion) -> Reply:
    """Parse a model's JSON, fenced or not, and match its texts to the request by id.

    Raises:
        UnusableReply: If it is not such JSON.
    """
    try:
        given = msgspec.json.decode(strip_code_fence(text), type=_Texts).translations
    except DECODING_ERRORS as error:
        raise UnusableReply(f"the reply is not the JSON asked for ({error})") from error
    counts = Counter(str(each.id) for each in given)
    texts = {
        str(each.id): each.text
        for each in given
        if str(each.id) in request.items and counts[str(each.id)] == 1 and each.text.strip()
    }
    return Reply(texts, tuple(_odd(counts, request)), completion.usage)


def _odd(counts: Counter[str], request: Request) -> list[str]:
    invented = [name for name in counts if name not in request.items]
    doubled = [name for name, count in counts.items() if count > 1 and name in request.items]
    missing = [name for name in request.items if name not in counts]
    found = {"invented": invented, "given twice": doubled, "missing": missing}
    return [
        f"{len(names)} {what} ({', '.join(name[:40] for name in names[:MOST_SHOWN])})"
        for what, names in found.items()
        if names
    ]


def _words(completion: Completion) -> str:
    if not isinstance(completion.reply, TextReply):
        raise UnusableReply("the reply has no text")
    return completion.reply.text


_OTHER = "OTHER"


class ScriptEstimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The length of texts in a script: for one character of English, and for one token."""

    characters_for_one: float
    characters_per_token: float


class Estimates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers for estimating tokens, and the number that the source sends for a domain."""

    sent_characters_per_token: float
    characters_around_a_text: int
    scripts: Mapping[str, ScriptEstimate]
    source_sends: Mapping[str, int]


@functools.cache
def token_estimates() -> Estimates:
    """Return the numbers for estimating tokens."""
    content = files(__package__).joinpath("estimates.toml").read_bytes()
    return msgspec.toml.decode(content, type=Estimates)


def estimate_usage(requests: Iterable[Request], language: Language, model: str) -> Usage:
    """Return the estimated usage of requests.

    Repeated requests are not included.
    """
    known = token_estimates()
    script = known.scripts.get(language.script, known.scripts[_OTHER])
    calls, sent, received = 0, 0.0, 0.0
    for request in requests:
        calls += 1
        sent += request_size(request)
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


def explain_estimates(language: Language) -> str:
    """Explain in words how tokens are estimated."""
    known = token_estimates()
    script = known.scripts.get(language.script, known.scripts[_OTHER])
    return (
        f"{known.sent_characters_per_token:g} characters sent are a token; "
        f"{language.name} has {script.characters_for_one:g} characters for one of English, "
        f"{script.characters_per_token:g} a token"
    )
