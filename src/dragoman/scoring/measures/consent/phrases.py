"""Phrases of consent: one data file for each language, compiled and checked on reading.

`phrases/en.toml` documents the format.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.language.phrasebook import Phrasebook

Pattern = re.Pattern[str]

AGENT_KINDS = (
    *("ask", "tag", "negative", "mind", "changes", "wishes", "verify", "other", "states"),
    *("offers", "effects", "generic", "cannot", "done", "open_question", "alternatives"),
)
USER_KINDS = (
    *(
        "strong",
        "yes",
        "weak",
        "no",
        "no_word",
        "stop",
        "harmless",
        "hedge",
        "sarcasm",
        "condition",
        "polite",
    ),
    *("change", "unchanged", "question", "request", "only", "all", "first", "second", "third"),
    *("last", "first_two", "last_two", "rest", "aside", "lead"),
)
_NEEDED = frozenset({"ask", "verify", "wishes", "strong", "yes", "no", "stop", "question"})
"""Kinds that no language does without."""

_WIDE = "\u3002\uff01\uff1f\uff1b"
"""The full stop and the marks ! ? ; as Chinese writes them."""

_SENTENCE_BREAKS = (r"(?<=[.!?\u2026])\s+", r"[;\n]+", rf"(?<=[{_WIDE}])")
_CLAUSE_BREAKS = (*_SENTENCE_BREAKS, r"[,\uff0c\u3001\u2013\u2014]+\s*", r"\s-+\s")
_MOST = 6_000
"""Number of last signs of a text that are read."""

NEVER = re.compile(r"(?!)")
"""The pattern of a kind that a language does not have."""

_SPACE = re.compile(r"\s+")
_STRAIGHT = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "`": "'"})
_APOSTROPHE = re.compile(
    r"\b(don|doesn|didn|won|wouldn|shouldn|couldn|isn|wasn|aren|haven|hasn|can)t\b"
    r"|\b(that|what|it|let|here|there)s\b(?= )|\b(i)m\b|\b(i|you|we)(ve)\b"
)


class _Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: list[str]
    tools: list[str] = []
    needs: list[str] = []
    not_tools: list[str] = []


class _Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: dict[str, int] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: str
    reviewed: bool
    agent: dict[str, list[str]]
    user: dict[str, list[str]]
    actions: dict[str, _Action]
    spaced: bool = True
    common: list[str] = []
    clause_breaks: list[str] = []
    sentence_breaks: list[str] = []
    payments: dict[str, list[str]] = {}
    units: dict[str, list[str]] = {}
    choices: dict[str, dict[str, list[str]]] = {}
    numbers: _Numbers = _Numbers()
    examples: dict[str, list[str]] = {}


class ActionWords(msgspec.Struct, frozen=True):
    """Names of one kind of action in conversation, and words for it in names of tools.

    A tool's name has one of `tools`, all of `needs` and none of `not_tools`.
    """

    name: str
    words: Pattern
    tools: frozenset[str]
    needs: frozenset[str]
    not_tools: frozenset[str]

    def is_of(self, tool_words: frozenset[str]) -> bool:
        """Return whether a tool with these words in its name does this action."""
        return (
            bool(self.tools & tool_words)
            and self.needs <= tool_words
            and not self.not_tools & tool_words
        )


class ConsentPhrases(msgspec.Struct, frozen=True):
    """One language's phrases of consent.

    Attributes:
        language: The language's code.
        reviewed: Whether speakers of the language reviewed the file.
        agent: Functions of agents' sentences, by kind.
        user: Functions of clauses in answers, by kind.
        actions: Kinds of actions, by name.
        sentence_break: Separator of two sentences.
        clause_break: Separator of two clauses of an answer.
        payments: Words for kinds of payment, by the beginning of their ids.
        units: Words after numbers, by the arguments that have such numbers.
        choices: Words for values of which one is chosen, by argument and value.
        numbers: Numbers by their words.
        number_word: Pattern of these words.
        lead: Pattern of everything that may stand before a requested action.
        common: Words that do not distinguish things.
    """

    language: str
    reviewed: bool
    agent: Mapping[str, Pattern]
    user: Mapping[str, Pattern]
    actions: Mapping[str, ActionWords]
    sentence_break: Pattern
    clause_break: Pattern
    payments: Mapping[str, Pattern]
    units: Mapping[str, Pattern]
    choices: Mapping[str, Mapping[str, Pattern]]
    numbers: Mapping[str, int]
    number_word: Pattern
    lead: Pattern
    common: frozenset[str] = frozenset()

    def says(self, kind: str, sentence: str) -> re.Match[str] | None:
        """Return what a sentence of the agent has of a kind."""
        return self.agent[kind].search(sentence)

    def answers(self, kind: str, clause: str) -> re.Match[str] | None:
        """Return what a clause of the user has of a kind."""
        return self.user[kind].search(clause)


def consent_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have phrases of consent."""
    folder = files("dragoman.scoring.measures.consent") / "phrases"
    names = (entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in names))


@cache
def consent_phrases(language: str) -> ConsentPhrases | None:
    """Return the phrases of a language's tag, or of its language alone.

    The result is None if there are none.

    Raises:
        DataError: If a file is not valid.
    """
    known = {name.casefold(): name for name in consent_languages()}
    tag = language.replace("_", "-").casefold()
    short = tag.partition("-")[0]
    like = (name for low, name in known.items() if low.partition("-")[0] == short)
    name = known.get(tag) or known.get(short) or next(like, None)
    if name is None:
        return None
    text = (files("dragoman.scoring.measures.consent") / "phrases" / f"{name}.toml").read_text(
        "utf-8"
    )
    return read_consent_phrases(text, name)


def read_consent_phrases(text: str, name: str) -> ConsentPhrases:
    """Read and check one language's phrases.

    Args:
        text: A file's content.
        name: Name of the file in messages.

    Raises:
        DataError: If it has another structure, a pattern does not compile, a kind is unknown or
            missing, or an example is not found by its kind.
    """
    try:
        file = msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"phrases of consent {name}: {error}") from error
    for part, known, given in (
        ("agent", AGENT_KINDS, file.agent),
        ("user", USER_KINDS, file.user),
    ):
        odd = sorted(set(given) - set(known)) or sorted(_NEEDED & set(known) - set(given))
        if odd:
            raise DataError(f"phrases of consent {name}: [{part}] has, or lacks, {', '.join(odd)}")
    phrases = ConsentPhrases(
        language=file.language,
        reviewed=file.reviewed,
        agent={kind: _join_patterns(file.agent.get(kind, ()), name) for kind in AGENT_KINDS},
        user={kind: _join_patterns(file.user.get(kind, ()), name) for kind in USER_KINDS},
        lead=_lead(file.user.get("lead", ()), name, spaced=file.spaced),
        actions={key: _action(key, entry, name) for key, entry in file.actions.items()},
        sentence_break=_join_patterns((*_SENTENCE_BREAKS, *file.sentence_breaks), name),
        clause_break=_join_patterns((*_CLAUSE_BREAKS, *file.clause_breaks), name),
        payments={key: _join_patterns(words, name) for key, words in file.payments.items()},
        units={key: _join_patterns(words, name) for key, words in file.units.items()},
        choices={
            key: {value: _join_patterns(words, name) for value, words in entry.items()}
            for key, entry in file.choices.items()
        },
        numbers=file.numbers.words,
        number_word=_number_word(file.numbers.words),
        common=frozenset(file.common),
    )
    _check_examples(phrases, file.examples, name)
    return phrases


def phrases_from_phrasebook(book: Phrasebook) -> ConsentPhrases:
    """Return what a phrasebook alone knows of consent, for a language without a file of its own."""
    hears = book.hears
    agent = {
        "ask": hears.consent,
        "tag": hears.read_back,
        "wishes": hears.closing,
        "verify": hears.spell,
        "open_question": hears.open_question,
    }
    user = {"yes": hears.agreed, "no": hears.refused, "question": hears.question}
    return ConsentPhrases(
        language=book.name.partition("@")[0],
        reviewed=False,
        agent={kind: agent.get(kind, NEVER) for kind in AGENT_KINDS},
        user={kind: user.get(kind, NEVER) for kind in USER_KINDS},
        actions={},
        sentence_break=book.writing.sentence_break,
        clause_break=_join_patterns(_CLAUSE_BREAKS, book.name),
        payments={},
        units={},
        choices={},
        numbers={},
        number_word=NEVER,
        lead=NEVER,
    )


def normalize_phrase_text(text: str) -> str:
    """Return a text in the form in which phrases are searched.

    The form has NFC, lower-case letters, straight quotation marks, and single spaces.
    """
    straight = unicodedata.normalize("NFC", text[-_MOST:]).translate(_STRAIGHT).casefold()
    lines = (_SPACE.sub(" ", line).strip(" *_#-•>") for line in straight.split("\n"))
    return _APOSTROPHE.sub(_apostrophe, "\n".join(lines)).strip()


def _apostrophe(found: re.Match[str]) -> str:
    word = found.group()
    if word.endswith("ve"):
        return f"{word[:-2]}'ve"
    return f"{word[:-1]}'{word[-1]}"


def _join_patterns(patterns: Sequence[str], name: str) -> Pattern:
    if not patterns:
        return NEVER
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise DataError(f"phrases of consent {name}: {pattern!r}: {error}") from error
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _lead(words: Sequence[str], name: str, *, spaced: bool) -> Pattern:
    """Return a pattern that matches only such words and marks, without backtracking."""
    inner = _join_patterns(words, name).pattern
    word = rf"\b(?:{inner})\b" if spaced else f"(?:{inner})"
    return re.compile(rf"(?>{word}|[\W_])*+", re.IGNORECASE)


def _action(key: str, entry: _Action, name: str) -> ActionWords:
    sets = (frozenset(words) for words in (entry.tools, entry.needs, entry.not_tools))
    return ActionWords(key, _join_patterns(entry.words, name), *sets)


def _number_word(words: Mapping[str, int]) -> Pattern:
    if not words:
        return NEVER
    longest = sorted(words, key=len, reverse=True)
    ends = r"\b" if all(word.isascii() for word in words) else ""
    return re.compile(f"{ends}({'|'.join(map(re.escape, longest))}){ends}", re.IGNORECASE)


def _check_examples(
    phrases: ConsentPhrases, examples: Mapping[str, Sequence[str]], name: str
) -> None:
    patterns = {**phrases.agent, **phrases.user}
    for kind, sentences in examples.items():
        if kind not in patterns:
            raise DataError(
                f"phrases of consent {name}: [examples] has {kind!r}, which is not a kind"
            )
        for sentence in sentences:
            if not patterns[kind].search(normalize_phrase_text(sentence)):
                raise DataError(f"phrases of consent {name}: {kind!r} does not find {sentence!r}")
