"""What an agent's words ask to be confirmed, read by rules: topics, and what no whitelist has."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from dragoman.conditions.clarifying.alike import alike, folded
from dragoman.conditions.clarifying.question_words import (
    EDGES,
    TOKEN,
    QuestionWord,
    is_owning,
    names_in,
    siblings,
    tokens_of,
    topic_words,
)
from dragoman.conditions.clarifying.words import words
from dragoman.core.voice.clarifications import ClarificationRequest, Whitelist

MOST_CHARS = 2_000
"""Characters of a message that are read; a longer one is no short question."""

_SENTENCE = re.compile(r"(?<=[.?!])[\"')\]]*\s+|\n+")
_VALUE_LIKE = re.compile(r"[0-9@_/\\#]|\w\.\w")
# Without a question mark it tells what is done, as "I confirmed it" does.
_TELLS = re.compile(r"(?:i|we|it|that)\b(?!.d like| need| would)", re.IGNORECASE)
_GENERIC = frozenset({"code", "id", "name", "number", "type", "value"})


class Enquiry(msgspec.Struct, frozen=True):
    """What a message asks.

    Attributes:
        is_question: Whether any sentence asks to confirm something.
        topics: The topics of the whitelist that are asked for, in its order.
        outside: What is asked for and not in the whitelist.
        ambiguous: What could be several topics.
        unknown: Words of which rules cannot tell what they ask.
        is_right: Whether it reads back all that it asks for, each value exactly as it is written.
    """

    is_question: bool
    topics: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_right: bool = False


def asked(request: ClarificationRequest) -> Enquiry:
    """Return what a message asks to be confirmed; sentences that ask nothing of the kind are left out."""
    if len(request.message) > MOST_CHARS:
        return Enquiry(False)
    sentences = list(dict.fromkeys(_questions(request.message)))
    if not sentences:
        return Enquiry(False)
    heard = frozenset(map(folded, TOKEN.findall(request.heard)))
    spoken = heard.union(map(folded, TOKEN.findall(request.intended)))
    found = [_read(sentence, request.allowed, heard, spoken) for sentence in sentences]
    named = {topic for each in found for topic in each.topics}
    return Enquiry(
        True,
        tuple(topic for topic in request.allowed if topic in named),
        tuple(word for each in found for word in each.outside),
        tuple(word for each in found for word in each.ambiguous),
        tuple(word for each in found for word in each.unknown),
        all(each.is_right for each in found),
    )


def _questions(message: str) -> Iterator[str]:
    """Yield the sentences that ask to confirm something, with those that they are about."""
    known, before = words(), ""
    for sentence in filter(None, map(str.strip, _SENTENCE.split(message.strip()))):
        if known.tags.search(sentence):
            yield before
        elif _asks(sentence):
            yield sentence
        before = sentence


def _asks(sentence: str) -> bool:
    """Whether a sentence asks to confirm something, and nothing else."""
    known = words()
    if known.other.search(sentence) or not known.asks.search(sentence):
        return False
    return "?" in sentence or not _TELLS.match(sentence)


def _read(
    sentence: str, allowed: Whitelist, heard: frozenset[str], spoken: frozenset[str]
) -> Enquiry:
    tokens = tokens_of(sentence, allowed, heard)
    valued = tuple(token.topic for token in tokens if token.topic)
    named, ambiguous = _named(tokens, allowed, frozenset(valued))
    fitting = {piece for topic in (*named, *valued) for piece in topic_words(topic)}
    known = fitting | words().common | words().nouns | spoken
    return Enquiry(
        True,
        (*named, *valued),
        (*_quoted_outside(tokens, allowed), *_outside(tokens, fitting.union(ambiguous))),
        ambiguous,
        tuple(_unknown(tokens, known)),
        set(named) <= set(valued) and _is_exact(tokens, allowed),
    )


def _is_exact(tokens: Sequence[QuestionWord], allowed: Whitelist) -> bool:
    """Whether values are read back, each as it is written: letter case and signs within it too."""
    read = [
        (topic, [token.text for token in span])
        for topic, span in groupby(tokens, key=lambda token: token.topic)
        if topic
    ]
    written = {
        topic: [text.strip(EDGES) for text in TOKEN.findall(allowed[topic])] for topic, _ in read
    }
    return bool(read) and all(texts == written[topic] for topic, texts in read)


def _named(
    tokens: Sequence[QuestionWord], allowed: Whitelist, valued: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the topics that are called by name, and the words that could be several."""
    ambiguous = [token.text for token in tokens if _is_of_two(token, allowed)]
    said = {token.word for token in tokens if not token.topic and not token.read_for}
    said -= words().plain
    times = _times_named(tokens)
    whole = [name for name in names_in(allowed) if times[name] or set(topic_words(name)) <= said]
    named: list[str] = []
    for name in whole:
        own = siblings(name, allowed)
        read = valued.intersection(own)
        if len(own) == 1 or max(times[name], 1) >= len(own):
            named += own
        elif len(read) < max(times[name], 1):
            ambiguous.append(name)
    if whole or valued or ambiguous:
        return tuple(named), tuple(ambiguous)
    return _named_in_part(said, allowed)


def _named_in_part(said: set[str], allowed: Whitelist) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the topics of which one word is said that no other has, and the words that several have."""
    named, ambiguous = dict[str, None](), dict[str, None]()
    for word in sorted(said):
        having = [topic for topic in allowed if word in topic_words(topic)]
        if len(having) == 1 and (word not in _GENERIC or len(allowed) == 1):
            named[having[0]] = None
        elif having:
            ambiguous[word] = None
    return tuple(named), tuple(ambiguous)


def _times_named(tokens: Sequence[QuestionWord]) -> Counter[str]:
    """Return how often each name stands in full."""
    words_named = Counter(token.name for token in tokens if token.name and not token.is_certain)
    times = {name: count // len(topic_words(name)) for name, count in words_named.items()}
    return Counter(times) + Counter(token.name for token in tokens if token.is_certain)


def _is_of_two(token: QuestionWord, allowed: Whitelist) -> bool:
    """Whether a word is a value of one topic and stands behind the name of another."""
    return bool(token.topic and token.read_for) and token.topic not in siblings(
        token.read_for, allowed
    )


def _outside(tokens: Sequence[QuestionWord], fitting: set[str]) -> Iterator[str]:
    """Yield what is asked for beside the whitelist: nouns that name no value of it, and other values."""
    nouns = words().nouns
    for place, token in enumerate(tokens):
        if token.topic or token.name or token.read_for or token.word in fitting:
            continue
        if token.word in nouns:
            if not (_names_a_topic(tokens, place, fitting) or _names_a_value(tokens, place)):
                yield token.text
        elif _VALUE_LIKE.search(token.text):
            yield token.text


def _names_a_topic(tokens: Sequence[QuestionWord], place: int, fitting: set[str]) -> bool:
    """Whether a noun stands beside a topic's name, as in "the source file"."""
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return any(not token.topic and token.word in fitting for token in beside)


def _names_a_value(tokens: Sequence[QuestionWord], place: int) -> bool:
    """Whether a noun stands before or behind a value, as in "the file X" and "X is the file name"."""
    passing = words().links | words().nouns
    for token in tokens[place + 1 :]:
        if token.topic:
            return True
        if token.word not in passing:
            break
    for token in reversed(tokens[:place]):
        if token.topic:
            return not is_owning(token.text)
        if token.word not in passing:
            break
    return False


def _quoted_outside(tokens: Sequence[QuestionWord], allowed: Whitelist) -> Iterator[str]:
    """Yield the things in quotation marks that are no writing of an allowed value and name no topic."""
    values = [folded(value) for value in allowed.values()]
    for number, group in groupby(tokens, key=lambda token: token.quoted):
        span = list(group)
        if not number or all(token.name or token.read_for for token in span):
            continue
        if not any(alike("".join(token.word for token in span), value) for value in values):
            yield " ".join(token.text for token in span)


def _unknown(tokens: Sequence[QuestionWord], known: frozenset[str] | set[str]) -> Iterator[str]:
    """Yield the words that neither say nothing by themselves, nor were said, nor name what is asked."""
    for token in tokens:
        if not (token.topic or token.name or {token.word, token.unowned} & known):
            yield token.text
