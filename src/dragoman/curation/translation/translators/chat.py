"""A chat model as a translator: texts go out as JSON, and come back matched by id."""

import functools
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files

import msgspec

from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.tools import NO_TOOLS
from dragoman.curation.translation.segments import Mode
from dragoman.curation.translation.translators.protocol import Reply, Request, UnusableReply

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
"""What providers that take schemas hold a model to; its reply is read as strictly without."""

_encode = msgspec.json.Encoder().encode


class _Text(msgspec.Struct):
    id: str | int
    text: str


class _Texts(msgspec.Struct):
    translations: list[_Text]


class ChatTranslator:
    """Asks a chat model, in one request for all items."""

    is_model = True

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def version(self) -> str:
        """The names of the prompts, and what they say."""
        return prompts_version()

    async def translate(self, request: Request) -> Reply:
        """Return what the model answered.

        Raises:
            UnusableReply: Where the reply is not the JSON that was asked for.
            ParticipantError: Where no reply could be had.
            RunHalted: Where the endpoint refuses everything, or the budget is spent.
        """
        asked = question(request)
        messages = [
            {"role": "system", "content": prompt(PROMPTS[request.mode])},
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
def prompt(name: str) -> str:
    """Return what a translator is told: the file of that name."""
    return (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")


@functools.cache
def prompts_version() -> str:
    """Return the names of the prompts, with a hash of what they say."""
    names = "+".join(PROMPTS.values())
    return f"{names}@{content_key(*map(prompt, PROMPTS.values()))[:8]}"


def question(request: Request) -> str:
    """Return what is asked: one JSON object, in which empty parts are left out."""
    items = [
        {"id": name}
        | {part: value for part, value in msgspec.structs.asdict(item).items() if value}
        for name, item in request.items.items()
    ]
    asked = {"from": request.source_language, "to": request.target_language, "items": items}
    return _encode(asked).decode()


def size_of(request: Request) -> int:
    """Return how many characters a request has, with all that is said around its texts."""
    return len(prompt(PROMPTS[request.mode])) + len(question(request))


def read_reply(text: str, request: Request, completion: Completion) -> Reply:
    """Read a model's JSON, fenced or not, and match its texts to what was asked by id.

    Raises:
        UnusableReply: Where it is not such JSON.
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
    found = {"invented": invented, "given twice": doubled, "left out": missing}
    return [
        f"{len(names)} {what} ({', '.join(name[:40] for name in names[:MOST_SHOWN])})"
        for what, names in found.items()
        if names
    ]


def _words(completion: Completion) -> str:
    if not isinstance(completion.reply, TextReply):
        raise UnusableReply("the reply has no text")
    return completion.reply.text
