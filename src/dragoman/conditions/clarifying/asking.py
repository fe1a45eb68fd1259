"""What an agent's words ask to be confirmed, read by rules: topics, and what no whitelist has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from dragoman.conditions.clarifying.alike import LIKENESS, alike, folded
from dragoman.conditions.clarifying.words import words
from dragoman.core.voice.clarifications import ClarificationRequest, Whitelist

MOST_CHARS = 2_000
"""Characters of a message that are read; a longer one is no short question."""
MOST_EXTRA = 2
"""Words by which a value may be written in more pieces than it has."""

_SENTENCE = re.compile(r"(?<=[.?!])[\"')\]]*\s+|\n+")
_QUOTED = re.compile(
    r"[\"\u201c\u201d`]([^\"\u201c\u201d`]{1,100})[\"\u201c\u201d`]"
    r"|(?<!\w)['\u2018]([^'\u2018\u2019]{1,100})['\u2019](?!\w)"
)
_TOKEN = re.compile(r"[^\s,;:?!()\[\]{}\"\u201c\u201d`]+")
_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)
_VALUE_LIKE = re.compile(r"[0-9@_/\\#]|\w\.\w")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_EDGES = ".'\u2018\u2019*-"
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


class _Token(msgspec.Struct, frozen=True):
    """One word: as written, folded, folded without `'s`, and the topic of the value it is part of."""

    text: str
    word: str
    unowned: str
    topic: str = ""


def asked(request: ClarificationRequest) -> Enquiry:
    """Return what a message asks to be confirmed; sentences that ask nothing of the kind are left out."""
    if len(request.message) > MOST_CHARS:
        return Enquiry(False)
    sentences = list(dict.fromkeys(_questions(request.message)))
    if not sentences:
        return Enquiry(False)
    spoken = frozenset(map(folded, _TOKEN.findall(f"{request.intended} {request.heard}")))
    found = [_read(sentence, request.allowed, spoken) for sentence in sentences]
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


def _read(sentence: str, allowed: Whitelist, spoken: frozenset[str]) -> Enquiry:
    tokens = _with_values(_tokens(sentence), allowed)
    valued = tuple(token.topic for token in tokens if token.topic)
    named, ambiguous = _named(tokens, allowed, has_values=bool(valued))
    fitting = {piece for topic in (*named, *valued) for piece in topic_words(topic)}
    outside = [_quoted_outside(sentence, allowed), *_outside(tokens, fitting.union(ambiguous))]
    topics = (*named, *valued)
    return Enquiry(
        True,
        topics,
        tuple(filter(None, outside)),
        ambiguous,
        tuple(_unknown(tokens, fitting, spoken)),
        set(named) <= set(valued) and _is_exact(tokens, allowed),
    )


def _is_exact(tokens: Sequence[_Token], allowed: Whitelist) -> bool:
    """Whether values are read back, each as it is written: letter case and signs within it too."""
    read = [
        (topic, [token.text for token in span])
        for topic, span in groupby(tokens, key=lambda token: token.topic)
        if topic
    ]
    written = {
        topic: [text.strip(_EDGES) for text in _TOKEN.findall(allowed[topic])] for topic, _ in read
    }
    return bool(read) and all(texts == written[topic] for topic, texts in read)


def _tokens(sentence: str) -> list[_Token]:
    texts = (found.strip(_EDGES) for found in _TOKEN.findall(sentence))
    read = (_Token(text, folded(text), folded(unowned(text))) for text in texts)
    return [token for token in read if token.word]


def _with_values(tokens: list[_Token], allowed: Whitelist) -> list[_Token]:
    """Return the tokens, those that write a value of the whitelist marked with its topic.

    What is the value is marked before what is like it, so that no word beside it is taken with it.
    """
    values = {topic: folded(value) for topic, value in allowed.items()}
    longest = {topic: _longest(value) for topic, value in allowed.items()}
    for least in (1.0, LIKENESS):
        start = 0
        while start < len(tokens):
            end, topic = _value_from(tokens, start, values, longest, least)
            for place in range(start, end):
                tokens[place] = msgspec.structs.replace(tokens[place], topic=topic)
            start = max(end, start + 1)
    return tokens


def _value_from(
    tokens: Sequence[_Token],
    start: int,
    values: Mapping[str, str],
    longest: Mapping[str, int],
    least: float,
) -> tuple[int, str]:
    """Return where the value that begins at a token ends, and its topic: the one most alike."""
    plain, best, found = words().plain, 0.0, (start, "")
    for topic, value in values.items():
        for end in range(start + 1, min(len(tokens), start + longest[topic]) + 1):
            window = tokens[start:end]
            if window[-1].topic:
                break
            if all(token.word in plain for token in window):
                continue
            said = "".join(token.word for token in window[:-1]) + window[-1].unowned
            if said != value and (
                least == 1 or window[0].word in plain or window[-1].word in plain
            ):
                continue
            if (likeness := alike(said, value)) >= least and likeness > best:
                best, found = likeness, (end, topic)
    return found


def _longest(value: str) -> int:
    """Return how many words a value may be written in."""
    return max(len(_TOKEN.findall(value)), len(_PIECES.findall(value))) + MOST_EXTRA


def _named(
    tokens: Sequence[_Token], allowed: Whitelist, *, has_values: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the topics that are called by name, and the words that could be several."""
    said = {token.word for token in tokens if not token.topic} - words().plain
    whole = tuple(topic for topic in allowed if set(topic_words(topic)) <= said)
    if whole or has_values:
        return whole, ()
    named, ambiguous = dict[str, None](), dict[str, None]()
    for word in dict.fromkeys(token.word for token in tokens if token.word in said):
        having = [topic for topic in allowed if word in topic_words(topic)]
        if len(having) == 1 and (word not in _GENERIC or len(allowed) == 1):
            named[having[0]] = None
        elif having:
            ambiguous[word] = None
    return tuple(named), tuple(ambiguous)


def _outside(tokens: Sequence[_Token], fitting: set[str]) -> Iterator[str]:
    """Yield what is asked for beside the whitelist: nouns that name no value of it, and other values."""
    nouns = words().nouns
    for place, token in enumerate(tokens):
        if token.topic or token.word in fitting:
            continue
        if token.word in nouns:
            if not (_names_a_topic(tokens, place, fitting) or _names_a_value(tokens, place)):
                yield token.text
        elif _VALUE_LIKE.search(token.text):
            yield token.text


def _names_a_topic(tokens: Sequence[_Token], place: int, fitting: set[str]) -> bool:
    """Whether a noun stands beside a topic's name, as in "the source file"."""
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return any(not token.topic and token.word in fitting for token in beside)


def _names_a_value(tokens: Sequence[_Token], place: int) -> bool:
    """Whether a noun stands before or behind a value, as in "the file X" and "X is the file name"."""
    passing = words().links | words().nouns
    for token in tokens[place + 1 :]:
        if token.topic:
            return True
        if token.word not in passing:
            break
    for token in reversed(tokens[:place]):
        if token.topic:
            return not _POSSESSIVE.search(token.text)
        if token.word not in passing:
            break
    return False


def _quoted_outside(sentence: str, allowed: Whitelist) -> str:
    """Return the first thing in quotation marks that is no writing of an allowed value; "" for none."""
    values = [folded(value) for value in allowed.values()]
    for found in _QUOTED.finditer(sentence):
        text = found[1] or found[2]
        if not any(alike(folded(text), value) for value in values):
            return text
    return ""


def _unknown(tokens: Sequence[_Token], fitting: set[str], spoken: frozenset[str]) -> Iterator[str]:
    """Yield the words that neither say nothing by themselves, nor were said, nor name what is asked."""
    known_words = fitting | words().common | words().nouns | spoken
    for token in tokens:
        if not (token.topic or {token.word, token.unowned} & known_words):
            yield token.text


def topic_words(topic: str) -> tuple[str, ...]:
    """Return the words of a topic's name: `person_name` and `personName` are person and name."""
    pieces = _PIECES.findall(unnumbered(topic))
    found = [piece.casefold() for piece in pieces if piece.isalpha()]
    return tuple(found) or (folded(topic),)


def unowned(text: str) -> str:
    """Return a word without the ending of what owns something: `Liam's` as `Liam`."""
    return _POSSESSIVE.sub("", text)


def unnumbered(topic: str) -> str:
    """Return a topic without the number of a second value."""
    return re.sub(r"_[0-9]+$", "", topic)
