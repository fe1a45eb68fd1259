"""Judges of clarification questions: one by rules, one by a chat model.

The rule judge allows a question only if it can prove that the whitelist answers it. The decision of
a chat model is checked afterwards: a reply that repeats the request, or that holds anything outside
the whitelist, is rejected.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

import msgspec

from dragoman.conditions.clarification.question_words import (
    EDGES,
    TOKEN,
    QuestionToken,
    fold_letters,
    is_possessive,
    parameter_of_topic,
    question_vocabulary,
    similarity,
    tokenize_question,
    topic_names,
    topic_words,
    topics_of_same_name,
)
from dragoman.core.clarifications import (
    ClarificationRequest,
    ClarificationVerdict,
    Reason,
    Whitelist,
)
from dragoman.core.content_keys import content_key
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.tools import NO_TOOLS

MOST_CHARS = 2_000
"""Longest message that is read, in characters; a longer one is not a short question."""

_SENTENCE = re.compile(r"(?<=[.?!])[\"')\]]*\s+|\n+")
_VALUE_LIKE = re.compile(r"[0-9@_/\\#]|\w\.\w")
# Without a question mark it tells what is done, as "I confirmed it" does.
_TELLS = re.compile(r"(?:i|we|it|that)\b(?!.d like| need| would)", re.IGNORECASE)
_GENERIC = frozenset({"code", "id", "name", "number", "type", "value"})


class ParsedQuestion(msgspec.Struct, frozen=True):
    """The parsed content of a message with a clarification question.

    Attributes:
        is_question: Whether any sentence asks to confirm something.
        topics: The topics of the whitelist that the message asks for, in the order of the
            whitelist.
        outside: Requested items that are not in the whitelist.
        ambiguous: Words that could mean several topics.
        unknown: Words whose meaning the rules cannot determine.
        is_right: Whether the message reads back every requested value exactly as it is written.
    """

    is_question: bool
    topics: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_right: bool = False


def parse_question(request: ClarificationRequest) -> ParsedQuestion:
    """Return the items that a message asks to confirm.

    Sentences that do not ask for a confirmation are excluded.
    """
    if len(request.message) > MOST_CHARS:
        return ParsedQuestion(False)
    sentences = list(dict.fromkeys(_questions(request.message)))
    if not sentences:
        return ParsedQuestion(False)
    heard = frozenset(map(fold_letters, TOKEN.findall(request.heard)))
    spoken = heard.union(map(fold_letters, TOKEN.findall(request.intended)))
    found = [_read(sentence, request.allowed, heard, spoken) for sentence in sentences]
    named = {topic for each in found for topic in each.topics}
    return ParsedQuestion(
        True,
        tuple(topic for topic in request.allowed if topic in named),
        tuple(word for each in found for word in each.outside),
        tuple(word for each in found for word in each.ambiguous),
        tuple(word for each in found for word in each.unknown),
        all(each.is_right for each in found),
    )


def _questions(message: str) -> Iterator[str]:
    """Yield the sentences that ask to confirm something, with those that they are about."""
    known, before = question_vocabulary(), ""
    for sentence in filter(None, map(str.strip, _SENTENCE.split(message.strip()))):
        if known.tags.search(sentence):
            yield before
        elif _asks(sentence):
            yield sentence
        before = sentence


def _asks(sentence: str) -> bool:
    """Return whether a sentence asks only to confirm something."""
    known = question_vocabulary()
    if known.other.search(sentence) or not known.asks.search(sentence):
        return False
    return "?" in sentence or not _TELLS.match(sentence)


def _read(
    sentence: str, allowed: Whitelist, heard: frozenset[str], spoken: frozenset[str]
) -> ParsedQuestion:
    tokens = tokenize_question(sentence, allowed, heard)
    valued = tuple(token.topic for token in tokens if token.topic)
    named, ambiguous = _find_named_topics(tokens, allowed, frozenset(valued))
    fitting = {piece for topic in (*named, *valued) for piece in topic_words(topic)}
    known = fitting | question_vocabulary().common | question_vocabulary().nouns | spoken
    return ParsedQuestion(
        True,
        (*named, *valued),
        (*_quoted_outside(tokens, allowed), *_outside(tokens, fitting.union(ambiguous))),
        ambiguous,
        tuple(_unknown(tokens, known)),
        set(named) <= set(valued) and _is_exact(tokens, allowed),
    )


def _is_exact(tokens: Sequence[QuestionToken], allowed: Whitelist) -> bool:
    """Return whether values are read back exactly, including letter case and inner signs."""
    read = [
        (topic, [token.text for token in span])
        for topic, span in groupby(tokens, key=lambda token: token.topic)
        if topic
    ]
    written = {
        topic: [text.strip(EDGES) for text in TOKEN.findall(allowed[topic])] for topic, _ in read
    }
    return bool(read) and all(texts == written[topic] for topic, texts in read)


def _find_named_topics(
    tokens: Sequence[QuestionToken], allowed: Whitelist, valued: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the topics that are called by name, and the words that could be several."""
    ambiguous = [token.text for token in tokens if _is_of_two(token, allowed)]
    said = {token.word for token in tokens if not token.topic and not token.read_for}
    said -= question_vocabulary().plain
    times = _times_named(tokens)
    whole = [name for name in topic_names(allowed) if times[name] or set(topic_words(name)) <= said]
    named: list[str] = []
    for name in whole:
        own = topics_of_same_name(name, allowed)
        read = valued.intersection(own)
        if len(own) == 1 or max(times[name], 1) >= len(own):
            named += own
        elif len(read) < max(times[name], 1):
            ambiguous.append(name)
    if whole or valued or ambiguous:
        return tuple(named), tuple(ambiguous)
    return _named_in_part(said, allowed)


def _named_in_part(said: set[str], allowed: Whitelist) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return topics that share a word with the text, and words shared by several topics.

    A topic's word must belong to that topic alone.
    """
    named, ambiguous = dict[str, None](), dict[str, None]()
    for word in sorted(said):
        having = [topic for topic in allowed if word in topic_words(topic)]
        if len(having) == 1 and (word not in _GENERIC or len(allowed) == 1):
            named[having[0]] = None
        elif having:
            ambiguous[word] = None
    return tuple(named), tuple(ambiguous)


def _times_named(tokens: Sequence[QuestionToken]) -> Counter[str]:
    """Return how often each name stands in full."""
    words_named = Counter(token.name for token in tokens if token.name and not token.is_certain)
    times = {name: count // len(topic_words(name)) for name, count in words_named.items()}
    return Counter(times) + Counter(token.name for token in tokens if token.is_certain)


def _is_of_two(token: QuestionToken, allowed: Whitelist) -> bool:
    """Return whether a word is a value of one topic and stands behind the name of another."""
    return bool(token.topic and token.read_for) and token.topic not in topics_of_same_name(
        token.read_for, allowed
    )


def _outside(tokens: Sequence[QuestionToken], fitting: set[str]) -> Iterator[str]:
    """Yield the requested items that are not on the whitelist.

    These are nouns that do not name a whitelist value, and other values.
    """
    nouns = question_vocabulary().nouns
    for place, token in enumerate(tokens):
        if token.topic or token.name or token.read_for or token.word in fitting:
            continue
        if token.word in nouns:
            if not (_names_a_topic(tokens, place, fitting) or _names_a_value(tokens, place)):
                yield token.text
        elif _VALUE_LIKE.search(token.text):
            yield token.text


def _names_a_topic(tokens: Sequence[QuestionToken], place: int, fitting: set[str]) -> bool:
    """Return whether a noun stands next to a topic's name, as in "the source file"."""
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return any(not token.topic and token.word in fitting for token in beside)


def _names_a_value(tokens: Sequence[QuestionToken], place: int) -> bool:
    """Return whether a noun stands next to a value.

    It stands before or after the value, as in "the file X" and "X is the file name".
    """
    passing = question_vocabulary().links | question_vocabulary().nouns
    for token in tokens[place + 1 :]:
        if token.topic:
            return True
        if token.word not in passing:
            break
    for token in reversed(tokens[:place]):
        if token.topic:
            return not is_possessive(token.text)
        if token.word not in passing:
            break
    return False


def _quoted_outside(tokens: Sequence[QuestionToken], allowed: Whitelist) -> Iterator[str]:
    """Yield quoted items that are not spellings of an allowed value and do not name a topic."""
    values = [fold_letters(value) for value in allowed.values()]
    for number, group in groupby(tokens, key=lambda token: token.quoted):
        span = list(group)
        if not number or all(token.name or token.read_for for token in span):
            continue
        if not any(similarity("".join(token.word for token in span), value) for value in values):
            yield " ".join(token.text for token in span)


def _unknown(tokens: Sequence[QuestionToken], known: frozenset[str] | set[str]) -> Iterator[str]:
    """Yield words that have meaning, were not heard, and do not name the requested item."""
    for token in tokens:
        if not (token.topic or token.name or {token.word, token.unowned} & known):
            yield token.text


class RuleClarificationJudge:
    """Reads English questions; whatever it cannot prove is rejected, with the reason."""

    def __init__(self) -> None:
        self.name = f"rule-2@{question_vocabulary().digest[:8]}"

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the decision."""
        found = parse_question(request)
        reason = _reason(found)
        reply = confirmed_values(found.topics, request.allowed) if reason == "allowed" else ""
        if reply and found.is_right:
            reply = f"Yes, {reply}"
        return ClarificationVerdict(reason, reply, self.name)


def _reason(found: ParsedQuestion) -> Reason:
    if not found.is_question:
        return "no question"
    if found.outside:
        return "outside"
    if found.ambiguous:
        return "ambiguous"
    if not found.topics:
        return "no topic"
    return "unproven" if found.unknown else "allowed"


def confirmed_values(topics: tuple[str, ...], allowed: Whitelist) -> str:
    """Return the user's answer: the value alone, or several with their topics, each value once."""
    values = dict.fromkeys(allowed[topic] for topic in topics)
    if len(values) == 1:
        return next(iter(values))
    first = {value: topic for topic in reversed(topics) for value in (allowed[topic],)}
    return "; ".join(f"{_label(first[value], allowed)}: {value}" for value in values)


def _label(topic: str, allowed: Whitelist) -> str:
    return parameter_of_topic(topic, allowed).replace("_", " ")


PROMPT = "judge-1.md"
VERSION = "chat-2"
"""The version of the prompt and of the checks of what a model answers."""
PURPOSE = "clarification judge"
MAX_REPLY = 300
"""Characters of a reply that is brief."""
MAX_ANSWER = 2_000
"""Characters of a model's answer that are kept."""
MOST_REPEATED = 4
"""Words of the request in a row, values aside, that a reply may have."""

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"allowed": {"type": "boolean"}, "message": {"type": "string"}},
    "required": ["allowed", "message"],
    "additionalProperties": False,
}
"""JSON schema of a judge's answer for providers that support schemas.

Without one, the answer is read just as strictly.
"""

_MARK = re.compile(
    r"<(/?(?:intended_request|asr_text|assistant_message|allowed_clarifications))>", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    allowed: bool
    message: str


class ChatClarificationJudge:
    """Asks a chat model.

    Args:
        model: Whom.
        version: Tells models of one name apart; it is part of the judge's name.
    """

    def __init__(self, model: ChatModel, version: str = "") -> None:
        self._model = model
        name = f"{VERSION}-{content_key(_prompt())[:8]}:{model.name}"
        self.name = f"{name}@{version}" if version else name

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the model's decision, or a rejection where it may not stand."""
        messages = [
            {"role": "system", "content": _prompt()},
            {"role": "user", "content": _question(request)},
        ]
        chat = ChatRequest(
            messages, NO_TOOLS, 0, request.label, draw=request.draw, reply_schema=SCHEMA
        )
        completion = await self._model.complete(chat, PURPOSE)
        said = completion.reply.text if isinstance(completion.reply, TextReply) else ""
        reason, reply = check_judge_answer(said, request)
        return ClarificationVerdict(reason, reply, self.name, said[:MAX_ANSWER], completion.usage)


def check_judge_answer(answer: str, request: ClarificationRequest) -> tuple[Reason, str]:
    """Return what comes of a model's answer: the reason, and the reply where it is allowed."""
    try:
        decided = msgspec.json.decode(strip_code_fence(answer), type=_Answer)
    except DECODING_ERRORS:
        return "unreadable", ""
    if not decided.allowed:
        return "judge", ""
    reply = decided.message.strip()
    reason = _objection(reply, request)
    return (reason, "") if reason else ("allowed", reply)


def _objection(reply: str, request: ClarificationRequest) -> Reason | None:
    """Return why an approval cannot stand; None if it can."""
    if _leaks(reply, request):
        return "leak"
    if parse_question(request).outside:
        return "outside"
    if len(reply) > MAX_REPLY or not any(value in reply for value in request.allowed.values()):
        return "reply outside"
    return "reply outside" if any(_foreign(reply, request.allowed)) else None


def _leaks(reply: str, request: ClarificationRequest) -> bool:
    """Return whether a reply says the request, or a stretch of it that is more than the values."""
    said = fold_letters(reply)
    for text in (request.intended, request.heard):
        whole = fold_letters(text)
        is_value = any(whole == fold_letters(value) for value in request.allowed.values())
        if whole and not is_value and whole in said:
            return True
    left, reported = (_without_values(text, request.allowed) for text in (reply, request.intended))
    runs = set(_runs(_words(reported)))
    return any(run in runs for run in _runs(_words(left)))


def _runs(found: Sequence[str]) -> Iterator[tuple[str, ...]]:
    length = MOST_REPEATED + 1
    return (tuple(found[start : start + length]) for start in range(len(found) - length + 1))


def _foreign(reply: str, allowed: Whitelist) -> Iterator[str]:
    """Yield the words of a reply that have meaning and do not belong to the whitelist."""
    named = {word for topic in allowed for word in topic_words(topic)}
    spelled = {sign for value in allowed.values() for sign in fold_letters(value)}
    for word in _words(_without_values(reply, allowed)):
        if word not in question_vocabulary().common and word not in named | spelled:
            yield word


def _without_values(text: str, allowed: Whitelist) -> str:
    """Return a text without the allowed values, which are removed longest first.

    The rest keeps its order.
    """
    for value in sorted(allowed.values(), key=len, reverse=True):
        cut = rf"(?<!\w){re.escape(value)}(?!\w)"
        text = re.sub(cut, " | ", text, flags=re.IGNORECASE)
    return text


def _words(text: str) -> list[str]:
    return [
        fold_letters(word) for word in _WORD.findall(text.replace("'", "")) if fold_letters(word)
    ]


def _question(request: ClarificationRequest) -> str:
    parts = {
        "intended_request": request.intended,
        "asr_text": request.heard,
        "assistant_message": request.message,
        "allowed_clarifications": msgspec.json.encode(request.allowed).decode(),
    }
    return "\n".join(f"<{name}>\n{_inert(text)}\n</{name}>" for name, text in parts.items())


def _inert(text: str) -> str:
    """Return a text in which nothing can pose as one of the marks around it."""
    return _MARK.sub("(\\1)", text)


@cache
def _prompt() -> str:
    return files(__package__).joinpath(PROMPT).read_text("utf-8")
