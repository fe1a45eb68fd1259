"""What a check of one translated text finds, and what each code means."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

Severity = Literal["refuse", "flag"]
"""`refuse`: the text is damaged and not to be used. `flag`: somebody should look at it."""


class Anomaly(msgspec.Struct, frozen=True):
    """Something about one translation that should not be.

    Attributes:
        code: Its class, a key of `MEANINGS`.
        address: The segment's address.
        what: What is wrong, in one line.
        severity: Whether the text is refused, or a reviewer's attention asked for.
        count: How often.
    """

    code: str
    address: str
    what: str
    severity: Severity
    count: int = 1


class Meaning(NamedTuple):
    """What a code means, and the share of an estimate of quality that one of it takes away."""

    severity: Severity
    weight: float
    what: str


MEANINGS: Mapping[str, Meaning] = {
    "placeholder-lost": Meaning("refuse", 0.5, "a placeholder did not come back"),
    "placeholder-doubled": Meaning("refuse", 0.5, "a placeholder came back more often than given"),
    "placeholder-invented": Meaning("refuse", 0.5, "a placeholder came back that was not given"),
    "empty": Meaning("refuse", 0.5, "nothing came back"),
    "id-lost": Meaning("refuse", 0.5, "an id of the source is not in the translation"),
    "id-invented": Meaning("refuse", 0.5, "an id or address that the source has not"),
    "address-lost": Meaning("refuse", 0.5, "an e-mail or web address or phone number is not kept"),
    "template-lost": Meaning("refuse", 0.5, "a name in braces is lost, doubled or invented"),
    "marker-lost": Meaning("refuse", 0.5, "a marker such as ###STOP### is not kept"),
    "identifier-lost": Meaning("refuse", 0.5, "the name of a tool or parameter is not kept"),
    "code-lost": Meaning("refuse", 0.5, "what stands in code is not kept"),
    "heading-lost": Meaning("refuse", 0.5, "the translation has another number of headings"),
    "list-item-lost": Meaning("refuse", 0.5, "the translation has another number of list items"),
    "code-span-lost": Meaning("refuse", 0.5, "the translation has another number of code spans"),
    "wrapped": Meaning("refuse", 0.5, "the translation is wrapped in words or marks of an answer"),
    "hidden-character": Meaning("refuse", 0.5, "a character that nobody sees, not in the source"),
    "wrong-script": Meaning("refuse", 0.5, "letters of a script that is not the target's"),
    "label-collision": Meaning("refuse", 0.5, "two values of one set have one label"),
    "id-swapped": Meaning("flag", 0.5, "ids of one shape stand in another order"),
    "value-swapped": Meaning("flag", 0.5, "another value of a field is named than in the source"),
    "number-lost": Meaning("flag", 0.5, "a number of the source is not in the translation"),
    "number-rewritten": Meaning("flag", 0.05, "a number is written as a word or with other signs"),
    "literal-lost": Meaning("flag", 0.4, "a quoted literal is not kept"),
    "name-lost": Meaning("flag", 0.2, "a name or date that calls must repeat is not kept"),
    "label-missing": Meaning("flag", 0.3, "a value is quoted otherwise than by its label"),
    "copied": Meaning("flag", 0.8, "the translation is the source"),
    "residual-english": Meaning("flag", 0.6, "much of the text is still English"),
    "wrong-language": Meaning("flag", 0.8, "a detector takes the text for another language"),
    "length-ratio": Meaning("flag", 0.4, "the translation is far shorter or longer than is usual"),
    "repeated-word": Meaning("flag", 0.3, "a word stands twice in a row, and not in the source"),
    "space-between-han": Meaning("flag", 0.1, "a space between Chinese characters"),
    "outer-space": Meaning("flag", 0.02, "white space around the text is not the source's"),
    "line-breaks": Meaning("flag", 0.1, "the text has another number of lines"),
}
"""Severity and one line about each code, in the order in which tables show them."""


def anomaly(code: str, address: str, what: str, count: int = 1) -> Anomaly:
    """Return an anomaly with its code's severity."""
    return Anomaly(code, address, what, MEANINGS[code].severity, count)
