"""Word-level parsing of English clarification questions: values and topics of the whitelist.

Contains the fuzzy match between a value and its possible misrecognitions (the same letters, nearly
the same, or the same sound) and the vocabulary in `words.toml`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.clarifications import Whitelist
from dragoman.core.conditions import ENGLISH
from dragoman.core.content_keys import content_key
from dragoman.core.texts.characters import strip_accents
from dragoman.core.value_matching.matcher import find_value

MIN_SIMILARITY = 0.75
"""Of the letters of two writings, in order, that are the same in near matches."""
SHORTEST = 3
"""Signs of a value that anything else can be near to."""
MOST_SIGNS = 200
"""Longer writings are only ever equal."""

_SOUNDS = (
    (re.compile(r"ph"), "f"),
    (re.compile(r"ck|[cq]"), "k"),
    (re.compile(r"z"), "s"),
    (re.compile(r"[aeiouyhw]"), ""),
    (re.compile(r"(.)\1+"), r"\1"),
)


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text.

    Accents, letter case, and the characters between them are removed.
    """
    return "".join(filter(str.isalnum, strip_accents(text)))


def similarity(said: str, value: str) -> float:
    """Return the similarity of a folded spelling and a folded value.

    It is 0 if one cannot stand for the other, and 1 for the same letters; a homophone has the
    similarity of the weakest near match.
    """
    if said == value:
        return float(bool(value))
    shorter, longer = sorted((len(said), len(value)))
    is_too_short = 2 * shorter < MIN_SIMILARITY * (shorter + longer)
    if is_too_short or shorter < SHORTEST or longer > MOST_SIGNS:
        return 0.0
    matcher = SequenceMatcher(None, said, value, autojunk=False)
    if matcher.quick_ratio() >= MIN_SIMILARITY and (ratio := matcher.ratio()) >= MIN_SIMILARITY:
        return ratio
    sound = _sound(value)
    is_homophone = said[0] == value[0] and len(sound) > 1 and _sound(said) == sound
    return MIN_SIMILARITY if is_homophone else 0.0


def _sound(text: str) -> str:
    for pattern, kept in _SOUNDS:
        text = pattern.sub(kept, text)
    return text


class QuestionVocabulary(msgspec.Struct, frozen=True):
    """The vocabulary table, compiled for lookups.

    Attributes:
        asks: Pattern of a sentence that asks to confirm something.
        other: Pattern of a sentence that asks for something different.
        tags: Pattern of a question about the sentence before it.
        nouns: Things that a question may ask for.
        links: Words between a noun and the value that it names.
        plain: Words without a meaning of their own.
        common: Folded words of `links` and `plain`.
        digest: The table's content key.
    """

    asks: re.Pattern[str]
    other: re.Pattern[str]
    tags: re.Pattern[str]
    nouns: frozenset[str]
    links: frozenset[str]
    plain: frozenset[str]
    common: frozenset[str]
    digest: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    asks: tuple[str, ...]
    other: tuple[str, ...]
    tags: tuple[str, ...]
    nouns: frozenset[str]
    links: frozenset[str]
    plain: frozenset[str]


@cache
def question_vocabulary() -> QuestionVocabulary:
    """Return the table that ships."""
    content = files(__package__).joinpath("words.toml").read_text("utf-8")
    table = msgspec.toml.decode(content, type=_Table)
    return QuestionVocabulary(
        _any_of(table.asks),
        _any_of(table.other),
        _any_of(table.tags),
        table.nouns,
        table.links,
        table.plain,
        frozenset(map(fold_letters, table.plain | table.links)),
        content_key(content),
    )


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


MOST_EXTRA = 2
"""Words by which a value may be written in more pieces than it has."""

TOKEN = re.compile(r"[^\s,;:?!()\[\]{}\"\u201c\u201d`]+")
EDGES = ".'\u2018\u2019*-"
_QUOTED = re.compile(
    r"[\"\u201c\u201d`]([^\"\u201c\u201d`]{1,100})[\"\u201c\u201d`]"
    r"|(?<!\w)['\u2018]([^'\u2018\u2019]{1,100})['\u2019](?!\w)"
)
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)
_AND = frozenset({"and", "or"})
_SPLIT_NAME = re.compile(r"_|[a-z][A-Z]")


class QuestionToken(msgspec.Struct, frozen=True):
    """One word of a question.

    Attributes:
        text: The word as it is written.
        word: The folded word.
        unowned: The folded word without `'s`.
        quoted: Number of the quotation that the word is part of, from 1; 0 outside of quotations.
        topic: The topic of the value that the word is part of.
        name: The topic name that the word is part of, without the number of a second value.
        is_certain: Whether that name cannot be another word: it is in quotation marks, or in one
            piece.
        read_for: The topic name directly before the word, if the word is the understood value of
            the topic.

    Words of a value of another topic right behind a name that may be another word have both `topic`
    and `read_for`, and it is not clear what is asked.
    """

    text: str
    word: str
    unowned: str
    quoted: int = 0
    topic: str = ""
    name: str = ""
    is_certain: bool = False
    read_for: str = ""


def tokenize_question(
    sentence: str, allowed: Whitelist, heard: frozenset[str]
) -> list[QuestionToken]:
    """Return the words of a sentence with the topics or values that they stand for.

    Exact values are marked before names, and names before words that only resemble a value, so that
    no word next to a value or in a name is marked with it.

    Args:
        sentence: The question.
        allowed: The whitelist.
        heard: The folded words that reached the agent.
    """
    tokens = list(_plain_tokens(sentence, allowed))
    _mark_values(tokens, allowed, 1.0)
    _mark_other_forms(tokens, sentence, allowed)
    _mark_names(tokens, allowed)
    _mark_readings(tokens, allowed, heard)
    _mark_values(tokens, allowed, MIN_SIMILARITY)
    return tokens


def topics_of_same_name(name: str, allowed: Whitelist) -> tuple[str, ...]:
    """Return the topics of one name: `city` and `city_2`."""
    return tuple(topic for topic in allowed if parameter_of_topic(topic, allowed) == name)


def topic_names(allowed: Whitelist) -> tuple[str, ...]:
    """Return the names of all topics, each once."""
    return tuple(dict.fromkeys(parameter_of_topic(topic, allowed) for topic in allowed))


def topic_words(topic: str) -> tuple[str, ...]:
    """Return the words of a topic's name: `person_name` and `personName` are person and name."""
    pieces = _PIECES.findall(topic)
    found = [piece.casefold() for piece in pieces if piece.isalpha()]
    return tuple(found) or (fold_letters(topic),)


def without_possessive(text: str) -> str:
    """Return a word without the ending of what owns something: `Liam's` as `Liam`."""
    return _POSSESSIVE.sub("", text)


def is_possessive(text: str) -> bool:
    """Return whether a word owns something: `Liam's`."""
    return _POSSESSIVE.search(text) is not None


def parameter_of_topic(topic: str, allowed: Whitelist) -> str:
    """Return the parameter that a topic is of: `city` of `city_2`, where there is a `city`."""
    name = re.sub(r"_[0-9]+$", "", topic)
    return name if name in allowed else topic


def _plain_tokens(sentence: str, allowed: Whitelist) -> Iterator[QuestionToken]:
    """Yield the words; a name of a topic in quotation marks is one word."""
    names = {name.casefold(): name for name in topic_names(allowed)}
    start = 0
    for number, found in enumerate(_QUOTED.finditer(sentence), 1):
        yield from _split(sentence[start : found.start()], 0)
        text = (found[1] or found[2]).strip()
        name = names.get(text.casefold(), "")
        if name:
            yield QuestionToken(
                text, fold_letters(text), fold_letters(text), number, name=name, is_certain=True
            )
        else:
            yield from _split(text, number)
        start = found.end()
    yield from _split(sentence[start:], 0)


def _split(text: str, quoted: int) -> Iterator[QuestionToken]:
    for found in TOKEN.findall(text):
        bare = found.strip(EDGES)
        if word := fold_letters(bare):
            yield QuestionToken(bare, word, fold_letters(without_possessive(bare)), quoted)


def _mark_values(tokens: list[QuestionToken], allowed: Whitelist, least: float) -> None:
    """Mark the words that write a value of the whitelist, with its topic."""
    values = {topic: fold_letters(value) for topic, value in allowed.items()}
    longest = {topic: _longest(value) for topic, value in allowed.items()}
    start = 0
    while start < len(tokens):
        read_for = tokens[start].read_for
        of = topics_of_same_name(read_for, allowed) if read_for else tuple(allowed)
        own = {topic: values[topic] for topic in of}
        end, topic = _value_from(tokens, start, own, longest, least)
        for place in range(start, end):
            tokens[place] = msgspec.structs.replace(tokens[place], topic=topic)
        start = max(end, start + 1)


def _mark_other_forms(tokens: list[QuestionToken], sentence: str, allowed: Whitelist) -> None:
    """Mark the words that state a value in another notation: `five percent` for 0.05."""
    for topic, value in allowed.items():
        found = find_value(value, sentence, ENGLISH)
        if found is None or any(token.topic == topic for token in tokens):
            continue
        stated = [token.word for token in _split(sentence[found.start : found.end], 0)]
        if all(word in question_vocabulary().plain for word in stated):
            continue  # "all of it" does not say the value `all`
        for place in _places_of(stated, tokens):
            tokens[place] = msgspec.structs.replace(tokens[place], topic=topic)


def _places_of(stated: Sequence[str], tokens: Sequence[QuestionToken]) -> range:
    """Return the positions of a stated value's words among the free tokens.

    Free tokens have no topic and no name yet.
    """
    size = len(stated)
    for start in range(len(tokens) - size + 1 if size else 0):
        window = tokens[start : start + size]
        is_free = not any(token.topic or token.name for token in window)
        if is_free and [token.word for token in window] == stated:
            return range(start, start + size)
    return range(0)


def _value_from(
    tokens: Sequence[QuestionToken],
    start: int,
    values: Mapping[str, str],
    longest: Mapping[str, int],
    least: float,
) -> tuple[int, str]:
    """Return where the value that begins at a token ends, and its topic: the one most alike."""
    plain, best, found = question_vocabulary().plain, 0.0, (start, "")
    for topic, value in values.items():
        for end in range(start + 1, min(len(tokens), start + longest[topic]) + 1):
            window = tokens[start:end]
            if window[-1].topic or window[-1].name or window[-1].read_for != window[0].read_for:
                break
            if all(token.word in plain for token in window):
                continue
            said = "".join(token.word for token in window[:-1]) + window[-1].unowned
            if said != value and (
                least == 1 or window[0].word in plain or window[-1].word in plain
            ):
                continue
            if (closeness := similarity(said, value)) >= least and closeness > best:
                best, found = closeness, (end, topic)
    return found


def _longest(value: str) -> int:
    """Return how many words a value may be written in."""
    return max(len(TOKEN.findall(value)), len(_PIECES.findall(value))) + MOST_EXTRA


def _mark_names(tokens: list[QuestionToken], allowed: Whitelist) -> None:
    """Mark the words that name a topic in full, longest names first.

    The words stand one after the other or in one piece.
    """
    names = sorted(topic_names(allowed), key=lambda name: (-len(topic_words(name)), name))
    for name in names:
        written = topic_words(name)
        for start in range(len(tokens)):
            is_certain = _is_in_one_piece(tokens[start], name)
            end = start + (1 if is_certain else len(written))
            window = tokens[start:end]
            if any(token.topic or token.name for token in window):
                continue
            if is_certain or _is_name(window, written):
                for place in range(start, end):
                    marked = tokens[place]
                    tokens[place] = msgspec.structs.replace(
                        marked, name=name, is_certain=is_certain
                    )


def _is_in_one_piece(token: QuestionToken, name: str) -> bool:
    return bool(_SPLIT_NAME.search(name)) and token.text.casefold() == name.casefold()


def _is_name(window: Sequence[QuestionToken], written: Sequence[str]) -> bool:
    if [token.word for token in window] != list(written):
        return False
    return len(written) > 1 or window[0].word not in question_vocabulary().plain


def _mark_readings(tokens: list[QuestionToken], allowed: Whitelist, heard: frozenset[str]) -> None:
    """Mark received words directly after a topic's name as its understood value."""
    links, naming, is_open = question_vocabulary().links, QuestionToken("", "", ""), False
    for place, token in enumerate(tokens):
        if token.name:
            naming, is_open = token, True
        elif is_open and token.word in links and not token.topic:
            continue
        elif naming.name and _may_be_read(token, naming, heard):
            is_open = False
            tokens[place] = _read_for(token, naming, allowed)
        else:
            naming = QuestionToken("", "", "")


def _may_be_read(token: QuestionToken, naming: QuestionToken, heard: frozenset[str]) -> bool:
    """Return whether a word may be part of an understood value.

    After a certain name, every received word may be part of it.
    """
    if token.topic:
        return True
    if token.word not in heard or token.word in _AND:
        return False
    return (
        naming.is_certain
        or token.word not in question_vocabulary().plain | question_vocabulary().nouns
    )


def _read_for(token: QuestionToken, naming: QuestionToken, allowed: Whitelist) -> QuestionToken:
    """Return a word after a name, marked as read for that name.

    The word keeps a topic of that name if it can; otherwise it belongs to no other topic. After
    an uncertain name, it belongs to both.
    """
    own = topics_of_same_name(naming.name, allowed)
    if not token.topic or token.topic in own:
        return msgspec.structs.replace(token, read_for=naming.name)
    value = fold_letters(allowed[token.topic])
    same = next((topic for topic in own if fold_letters(allowed[topic]) == value), "")
    kept = same if same or naming.is_certain else token.topic
    return msgspec.structs.replace(token, topic=kept, read_for=naming.name)
