"""Classification of the agent's sentences: proposals of a call, and other questions."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from dragoman.scoring.measures.consent.call_values import CallTarget, is_named, with_digits
from dragoman.scoring.measures.consent.phrases import NEVER, ConsentPhrases, normalize_phrase_text

SentenceKind = Literal[
    "ask",
    "tag",
    "negative",
    "mind",
    "changes",
    "wishes",
    "verify",
    "open",
    "question",
    "statement",
]
"""The kind of a sentence.

`ask`, `tag`, `negative` and `mind` may propose. The others ask for or state something else.
"""

Bearing = Literal["own", "other", "unclear"]
"""Whether a sentence that may propose speaks of the call's action."""

PROPOSING = frozenset({"ask", "tag", "negative", "mind"})

_CLAUSE_END = re.compile(r"[,.;:!?(]|\b(?:and|or|so|as|if|for you)\b")
_AFTER = 28
"""Maximum distance of a question word before a request for permission.

Within this distance it belongs to the request: "which one would you like".
"""
_TAG_WORDS, _TAG_SIGNS = 3, 24
"""Longest question that is only a tag to earlier words: "Right?", "Okay like that?"."""


class Sentence(msgspec.Struct, frozen=True):
    """One sentence: what it does, and whether of the call's action where it may propose."""

    text: str
    kind: SentenceKind
    bearing: Bearing = "unclear"


class Block(msgspec.Struct, frozen=True):
    """The agent's words between two answers, as they relate to one call.

    Attributes:
        raw: The words.
        text: The words normalized for the search of phrases, with numbers in digits.
        sentences: The sentences.
        named: The words that may name the action, without sentences about impossible actions.
        states: Whether the words state the details or the cost of the call's action.
        offers: Whether the words offer the action.
        effects: Whether the words state the consequences of the action.
    """

    raw: str
    text: str
    sentences: tuple[Sentence, ...]
    named: str
    states: bool
    offers: bool
    effects: bool

    @property
    def asks(self) -> tuple[Sentence, ...]:
        """The sentences that ask for an answer."""
        return tuple(each for each in self.sentences if each.kind != "statement")

    @property
    def proposals(self) -> tuple[Sentence, ...]:
        """Those that may propose the call's action."""
        return tuple(
            each for each in self.asks if each.kind in PROPOSING and each.bearing != "other"
        )


def read_block(
    raw: str, view: CallTarget, phrases: ConsentPhrases, context: Sequence[str]
) -> Block:
    """Read the agent's words between two answers.

    Args:
        raw: The words.
        view: The call.
        phrases: The phrases of the language.
        context: Earlier words of both sides, the nearest first, normalized.
    """
    text = normalize_phrase_text(raw)
    parts = [each.strip() for each in phrases.sentence_break.split(text) if each and each.strip()]
    allowed = [_drop_impossible_clauses(part, phrases) for part in parts]
    found: list[Sentence] = []
    for place, part in enumerate(parts):
        kind = _kind(part, view, phrases)
        bearing: Bearing = "unclear"
        if kind in PROPOSING:
            kind, bearing = _bearing(kind, part, allowed[:place], _Heard(view, phrases, context))
        found.append(Sentence(part, kind, bearing))
    plainly = [part for part in allowed if part]
    own = [
        part
        for part, said in zip(parts, allowed, strict=True)
        if said and _speaks_of(said, view, phrases)
    ]
    about = [
        each.text
        for each in found
        if each.text in own and each.kind not in {"verify", "open", "wishes", "question"}
    ]
    effects = [part for part in parts if phrases.says("effects", part)]
    if effects and not about and context and view.names(context[0]) and not view.names_other(text):
        about = effects
    return Block(
        raw,
        text,
        tuple(found),
        with_digits("\n".join(plainly), phrases),
        any(phrases.says("states", part) for part in about) or bool(about and effects),
        any(phrases.says("offers", part) for part in about),
        bool(about and effects),
    )


def _drop_impossible_clauses(part: str, phrases: ConsentPhrases) -> str:
    """Return a sentence without what it says cannot be done."""
    if not phrases.says("cannot", part):
        return part
    places = [0, *(each.start() for each in phrases.clause_break.finditer(part)), len(part)]
    clauses = (part[begin:end] for begin, end in pairwise(places))
    return " ".join(each for each in clauses if not phrases.says("cannot", each)).strip()


def _kind(part: str, view: CallTarget, phrases: ConsentPhrases) -> SentenceKind:
    if phrases.says("negative", part):
        return "negative"
    if phrases.says("mind", part):
        return "mind"
    ask = phrases.says("ask", part)
    if phrases.says("wishes", part) and not (ask and view.names(part)):
        return "changes" if phrases.says("changes", part) and not ask else "wishes"
    if ask and (open_kind := _classify_request(part, ask, view, phrases)):
        return open_kind
    return _asked_else(part, view, phrases)


def _classify_request(
    part: str, ask: re.Match[str], view: CallTarget, phrases: ConsentPhrases
) -> SentenceKind | None:
    """Return what a sentence is that has words which ask for leave."""
    opened = phrases.says("open_question", part)
    if opened and opened.start() < ask.start() and ask.start() - opened.end() < _AFTER:
        return "open"
    if phrases.says("verify", part) and not view.names(part):
        return None
    return "ask"


def _asked_else(part: str, view: CallTarget, phrases: ConsentPhrases) -> SentenceKind:
    is_question = phrases.answers("question", part) is not None
    tag = phrases.says("tag", part)
    if phrases.says("verify", part) and (is_question or tag):
        return "verify"
    if tag:
        return "tag"
    if phrases.says("changes", part):
        return "changes"
    if not is_question:
        return "statement"
    return "open" if phrases.says("open_question", part) else _bare_question(part, view, phrases)


def _bare_question(part: str, view: CallTarget, phrases: ConsentPhrases) -> SentenceKind:
    """Return the kind of a question that no phrase matches.

    It is a question about the action, a short one about the words before it, or another one.
    """
    if _speaks_of(part, view, phrases) or any(is_named(each, part) for each in view.every_id):
        return "tag"
    is_short = len(part.split()) <= _TAG_WORDS and len(part) <= _TAG_SIGNS
    return "ask" if is_short and not phrases.says("other", part) else "question"


def _speaks_of(part: str, view: CallTarget, phrases: ConsentPhrases) -> bool:
    """Return whether a sentence speaks of doing the action, not of telling or helping with it."""
    own = view.names(part)
    if own is None:
        return False
    other = phrases.says("other", part)
    return other is None or own.start() < other.start()


class _Heard(NamedTuple):
    """Context of sentences: the call, the phrases, and the earlier words."""

    view: CallTarget
    phrases: ConsentPhrases
    context: Sequence[str]


def _bearing(
    kind: SentenceKind, part: str, before: Sequence[str], heard: _Heard
) -> tuple[SentenceKind, Bearing]:
    """Return what a sentence that may propose is, and whether of the call's action."""
    phrases = heard.phrases
    if kind == "tag":
        return _of_tag(part, before, heard)
    found = phrases.says(kind, part)
    start, end = (found.start(), found.end()) if found else (0, 0)
    after = part[end:]
    alternative = phrases.says("alternatives", after)
    if alternative:
        after = after[: alternative.start()]
    of_what = _first_spoken_of(part[start:end] + after, heard.view, phrases)
    if of_what is not None:
        return kind, of_what
    if found and _is_of_its_own(after, phrases):
        return kind, "own" if _speaks_of(part[:start], heard.view, phrases) else "unclear"
    return kind, _of_nearest((part[:start], *reversed(before)), heard)


def _is_of_its_own(after: str, phrases: ConsentPhrases) -> bool:
    """Return whether words behind what asks for leave name something that no phrase knows."""
    generic = phrases.agent["generic"]
    if not generic.pattern or generic.pattern == NEVER.pattern:
        return False
    clause = _CLAUSE_END.split(after, maxsplit=1)[0]
    return any(
        not generic.fullmatch(word) for word in re.findall(r"[^\W\d_]{4,40}(?![\w'-]*\d)", clause)
    )


def has_own_matter(sentence: Sentence, phrases: ConsentPhrases) -> bool:
    """Return whether a question names a matter of its own, such as updates by text message."""
    found = phrases.says("ask", sentence.text)
    after = sentence.text[found.end() :] if found else sentence.text
    return _is_of_its_own(after, phrases)


def _first_spoken_of(spoken: str, view: CallTarget, phrases: ConsentPhrases) -> Bearing | None:
    """Return the bearing of words that ask for permission and of the words after them.

    The result is None if they do not refer to anything.
    """
    own, other = view.names(spoken), view.names_other(spoken)
    else_ = phrases.says("other", spoken)
    if own and not (else_ and else_.start() < own.start()):
        return "own"
    if else_ or other:
        return "other"
    if any(is_named(each, spoken) for each in view.every_id):
        return "own"
    return None


def _of_nearest(nearest: Sequence[str], heard: _Heard) -> Bearing:
    """Return the subject of a question that names nothing: the words before it."""
    view, phrases = heard.view, heard.phrases
    said = [text for text in nearest if text.strip() and not phrases.says("cannot", text)]
    if any(_speaks_of(text, view, phrases) for text in said):
        return "own"
    plainly = [text for text in said if not phrases.says("other", text)]
    is_named_here = any(is_named(each, text) for each in view.every_id for text in plainly)
    if any(view.names_other(text) and phrases.says("states", text) for text in said):
        is_known = is_named_here and any(view.names(text) for text in heard.context)
        return "own" if is_known else "other"
    if is_named_here or any(view.names(text) for text in heard.context):
        return "own"
    # An action that is stated with its costs, without another action, is the subject of the
    # question.
    return "own" if any(phrases.says("effects", text) for text in plainly) else "unclear"


def _of_tag(part: str, before: Sequence[str], heard: _Heard) -> tuple[SentenceKind, Bearing]:
    """Return the kind and bearing of "is that right?".

    They follow from the nearest words about something to be checked or done.
    """
    view, phrases = heard.view, heard.phrases
    if _speaks_of(part, view, phrases):
        return "tag", "own"
    tag = phrases.says("tag", part)
    rest = part if tag is None else part[: tag.start()]
    if len(rest.split()) > _TAG_WORDS or len(rest) > _TAG_SIGNS:
        return "verify", "other"
    for text in reversed(before):
        if _speaks_of(text, view, phrases) and not phrases.says("cannot", text):
            return "tag", "own"
        if phrases.says("verify", text):
            return "verify", "other"
        if view.names_other(text):
            return "tag", "other"
    is_known = not before and any(view.names(text) for text in heard.context[:1])
    return "tag", "own" if is_known else "unclear"


def proposal_sentences(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield what proposes the call's action."""
    return (each for each in sentences if each.kind in PROPOSING and each.bearing == "own")
