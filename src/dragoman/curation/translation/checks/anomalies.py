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
    """What a code means."""

    severity: Severity
    what: str


MEANINGS: Mapping[str, Meaning] = {
    "placeholder-lost": Meaning("refuse", "a placeholder did not come back"),
    "placeholder-doubled": Meaning(
        "refuse", "a placeholder came back more often than it was given"
    ),
    "placeholder-invented": Meaning("refuse", "a placeholder came back that was not given"),
    "empty": Meaning("refuse", "nothing came back"),
    "id-lost": Meaning("refuse", "an id of the source is not in the translation"),
    "id-invented": Meaning("refuse", "the translation has an id that the source has not"),
    "id-swapped": Meaning("refuse", "an id stands in the place of another"),
    "address-lost": Meaning("refuse", "an e-mail or web address or a phone number is not kept"),
    "template-lost": Meaning("refuse", "a name in braces is lost, doubled or invented"),
    "marker-lost": Meaning("refuse", "a marker such as ###STOP### is not kept"),
    "identifier-lost": Meaning("refuse", "the name of a tool or parameter is not kept"),
    "heading-lost": Meaning("refuse", "the translation has another number of headings"),
    "list-item-lost": Meaning("refuse", "the translation has another number of list items"),
    "code-span-lost": Meaning("refuse", "the translation has another number of code spans"),
    "wrapped": Meaning("refuse", "the translation is wrapped in words or marks of an answer"),
    "wrong-script": Meaning("refuse", "letters of a script that is neither source's nor target's"),
    "label-collision": Meaning("refuse", "two values of one set have one label"),
    "number-lost": Meaning("flag", "a number of the source is not in the translation"),
    "literal-lost": Meaning("flag", "a quoted literal is not kept"),
    "name-lost": Meaning("flag", "a name or date that calls must repeat is not kept"),
    "label-missing": Meaning("flag", "a value is quoted otherwise than by its label"),
    "copied": Meaning("flag", "the translation is the source"),
    "residual-english": Meaning("flag", "much of the text is still English"),
    "wrong-language": Meaning("flag", "a detector takes the text for another language"),
    "length-ratio": Meaning("flag", "the translation is far shorter or longer than is usual"),
    "repeated-word": Meaning("flag", "a word stands twice in a row that does not in the source"),
    "space-between-han": Meaning("flag", "a space between Chinese characters"),
    "outer-space": Meaning(
        "flag", "white space before or after the text is not that of the source"
    ),
    "line-breaks": Meaning("flag", "the text has another number of lines"),
}
"""Severity and one line about each code, in the order in which tables show them."""


def anomaly(code: str, address: str, what: str, count: int = 1) -> Anomaly:
    """Return an anomaly with its code's severity."""
    return Anomaly(code, address, what, MEANINGS[code].severity, count)
