"""What a check finds, and what each code means."""

from collections.abc import Mapping

import msgspec


class Defect(msgspec.Struct, frozen=True, omit_defaults=True):
    """One defect of one place.

    Attributes:
        code: The class of the defect, a key of `MEANINGS`.
        domain: The domain.
        language: The language's code.
        path: The file, by its name in the language's folder.
        place: Where in the file; "" where the whole file is meant.
        what: What is wrong, in one line.
        count: How often, where one place has several of the kind.
    """

    code: str
    domain: str
    language: str
    path: str
    what: str
    place: str = ""
    count: int = 1


MEANINGS: Mapping[str, str] = {
    "missing-file": "a file that the manifest names is absent",
    "stray-file": "a file that the manifest does not name",
    "unreadable": "a file is damaged or not of its format",
    "stale-by-hash": "the source has another hash than when the file was translated",
    "stale-by-content": "the source's hash is another, and lines that it has are not in the file",
    "source-unknown": "no source to compare the recorded hash with",
    "hand-patched": "edited after translation, with no record of what changed",
    "language-name": "the manifest calls the language otherwise than the registry",
    "label-equals-canonical": "a label is the world's own value: not translated",
    "label-collision": "one label for two values of a domain",
    "case-fold-collision": "two labels of a domain differ in letter case only",
    "one-canonical-two-labels": "one value has different labels in different value sets",
    "ambiguous-value-set": "a value set that has no way back",
    "schema-differs": "models or values are not those of the English side",
    "plain-string-enum": "labels are advertised for a parameter that the schema does not restrict",
    "literal-replaced": "a quoted literal of a tool's description is a label or was altered",
    "label-outside-value-set": "a label is advertised that belongs to no value set",
    "argument-translated": "a literal that calls must repeat is quoted translated",
    "value-swapped": "a text names another value of a field than the English text",
    "tool-missing": "a tool without a text, or a text without a tool",
    "docstring-structure": "headings or parameters are not those of the English docstring",
    "placeholder-lost": "a message's translation has other placeholders",
    "message-pattern": "a message's pattern is not that of its text",
    "message-missing": "a text that a tool says has no translation",
    "message-ambiguous": "a message that cannot be told from another in the language",
    "name-missing": "a name of the database has no label",
    "name-lost": "a task does not say a name as tools take it",
    "fact-untold": "a fact does not stand in the task's instructions, or nothing asks for it",
    "fixed-leaf-changed": "a value that must stay as in English is not",
    "untranslated-leaf": "a text is as in English",
    "identifier-lost": "an identifier of the English text is not in the translation",
    "number-lost": "a number of the English text is not in the translation as it is written there",
    "text-mostly-latin": "a text of a language with another script is mostly Latin letters",
    "one-text-two-translations": "one English text has different translations",
    "one-name-two-translations": "one English name has different translations",
    "two-names-merged": "two English names have one translation",
    "item-name-differs-from-product": "an ordered item is not called as its product is",
    "heading-lost": "the translation has fewer headings",
    "list-item-lost": "the translation has fewer list items",
    "code-span-lost": "the translation has fewer code spans",
    "line-lost": "the translation has fewer lines, though its source is the present one",
    "space-between-han": "a space between Chinese characters",
}
"""One line about each code, in the order in which tables show them."""
