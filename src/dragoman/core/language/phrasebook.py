"""Phrasebook of one language: sentences and patterns of participants without a model."""

import re
from collections.abc import Mapping

import msgspec

Pattern = re.Pattern[str]


class Says(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences by their purpose, with slots in braces.

    `en.toml` of the phrasebooks explains each of them.
    """

    greeting: str
    unknown: str
    unable: str
    fact: str
    fact_spelled: str
    correction: str
    consent: str
    consent_to_all: str
    right: str
    deed_done: str
    deed_failed: str
    done: str
    ask: str
    question: str
    ask_parameter: str
    ask_parameter_about: str
    read_back: str
    read_back_fact: str
    spell: str
    digits: str
    your_part: str
    your_deeds: str
    deed: str
    asked_for: str
    all_done: str
    nothing_left: str
    anything_else: str
    proposal: str
    argument: str
    found: str
    finding: str
    nothing_found: str


class Joins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Separators of the parts of a slot."""

    sentences: str
    questions: str
    parameters: str
    facts: str
    labels: str
    things: str
    arguments: str
    findings: str


class Hears(msgspec.Struct, frozen=True):
    """Patterns of sentences, by their kind.

    Each pattern of `name` has the groups `name`, or `given` and `family`. Each pattern of `stated`
    has `label` and `value`. The pattern `value` has the group `value`: the stated value of a fact,
    directly behind its name.
    """

    request: Pattern
    question: Pattern
    open_question: Pattern
    consent: Pattern
    read_back: Pattern
    spell: Pattern
    nato: Pattern
    closing: Pattern
    own: Pattern
    agreed: Pattern
    refused: Pattern
    hand_over: Pattern
    spelled: Pattern
    example: Pattern
    name: tuple[Pattern, ...]
    stated: tuple[Pattern, ...]
    value: Pattern


class Words(msgspec.Struct, frozen=True):
    """Words of a question, words that judge a fact, empty words, and word endings."""

    asking: frozenset[str]
    judged: frozenset[str]
    stop: frozenset[str]
    endings: tuple[str, ...]


class Writing(msgspec.Struct, frozen=True):
    """The writing conventions of texts.

    Attributes:
        spaced: Whether words have spaces between them.
        clause_end: The pattern of the end of a clause.
        further_marks: Punctuation marks in addition to those of ASCII.
        sentence_break: The pattern of the break between two sentences.
        keyword_endings: Endings that may be added to a keyword.
        rejoined: Whether ids that were spelled are always heard as one word again.
    """

    spaced: bool
    clause_end: Pattern
    further_marks: str
    sentence_break: Pattern
    keyword_endings: tuple[str, ...]
    rejoined: bool


class Phrasebook(msgspec.Struct, frozen=True):
    """One language's phrases.

    Attributes:
        name: The language's code and a hash of the content: `th@1a2b3c4d`.
        says: The sentences to say.
        joins: The separators of their parts.
        hears: The patterns for understanding.
        words: Lists of words.
        writing: The writing conventions of texts.
        labels: The names of facts, parameters and fields in conversation, by name.
        verbs: Words for what tools do, by the first word of a tool's name.
        signs: The names of signs other than letters and digits when values are spelled.
    """

    name: str
    says: Says
    joins: Joins
    hears: Hears
    words: Words
    writing: Writing
    labels: Mapping[str, str]
    verbs: Mapping[str, str]
    signs: Mapping[str, str]

    def label(self, name: str) -> str:
        """Return the name of a fact, a parameter or a field in conversation."""
        return self.labels.get(name) or name.replace("_", " ")

    def agrees(self, text: str) -> bool:
        """Return whether a text agrees and does not also refuse."""
        return bool(self.hears.agreed.search(text)) and not self.hears.refused.search(text)
