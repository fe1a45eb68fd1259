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
    """What stands between the parts of a slot."""

    sentences: str
    questions: str
    parameters: str
    facts: str
    labels: str
    things: str
    arguments: str
    findings: str


class Hears(msgspec.Struct, frozen=True):
    """What is found in a sentence of a kind, by the kind.

    Each of `name` has the groups `name`, or `given` and `family`; each of `stated` has `label` and
    `value`, and `value` has `value`: what a fact is said to be, right behind its name.
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
    """How texts are written.

    Attributes:
        spaced: Whether words have spaces between them.
        clause_end: What ends a clause.
        further_marks: Marks of punctuation beside those of ASCII.
        sentence_break: What stands between two sentences.
        keyword_endings: What may be added to a keyword.
        rejoined: Whether ids that were said sign by sign are always heard as one word again.
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
        says: What is said.
        joins: What stands between parts of what is said.
        hears: What is understood.
        words: Lists of words.
        writing: How texts are written.
        labels: What facts, parameters and fields are called, by name.
        verbs: Words for what tools do, by the first word of a tool's name.
        signs: What signs that are no letter or digit are called where values are spelled.
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
        """Return what a fact, a parameter or a field is called in conversation."""
        return self.labels.get(name) or name.replace("_", " ")

    def agrees(self, text: str) -> bool:
        """Whether a text says yes and nothing against it."""
        return bool(self.hears.agreed.search(text)) and not self.hears.refused.search(text)
