"""What kind of thing an agent says: a request, a question of consent, a wish to spell, an end."""

import re

_REQUEST = re.compile(
    r"\?|\b(please|tell me|give me|let me know|provide|confirm|(i|we)( will|'ll)? need|what is your)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\b(what|which|who|whose|when|where|why|how)\b", re.IGNORECASE)
_CONSENT = re.compile(
    r"\b(shall|should) (i|we)\b"
    r"|\b(may|can) (i|we) (?!have|get|ask|know|take|please)"
    r"|\b(go ahead|proceed|please confirm|are you sure|do you agree|do you confirm)\b"
    r"|\b(do you want|would you like|do you wish)\b"
    r"|\b(right|correct|okay|ok|fine) ?\?",
    re.IGNORECASE,
)
_READ_BACK = re.compile(r"\b(right|correct)\s*\?", re.IGNORECASE)
_SPELL = re.compile(r"\b(spell|letter by letter|repeat|nato|phonetic)", re.IGNORECASE)
_NATO = re.compile(r"\b(nato|phonetic|alphabet)\b", re.IGNORECASE)
_CLOSING = re.compile(
    r"\b(anything|something) (else|more)\b|\b(good ?bye|have a (nice|good|great))\b", re.IGNORECASE
)
_OWN = re.compile(r"^\W*(i|we|thank|thanks)\b(?!.*\byou to\b)", re.IGNORECASE)
_AGREED = re.compile(r"\b(yes|yeah|right|correct)\b", re.IGNORECASE)
_REFUSED = re.compile(r"\b(no|not|wrong|incorrect)\b", re.IGNORECASE)


def is_request(text: str) -> bool:
    """Whether a text asks for an answer."""
    return _REQUEST.search(text) is not None


def is_open_question(text: str) -> bool:
    """Whether a text asks what, which, who, when, where, why or how."""
    return _OPEN.search(text) is not None


def asks_consent(text: str) -> bool:
    """Whether a text asks to be told yes."""
    return _CONSENT.search(text) is not None


def asks_if_right(text: str) -> bool:
    """Whether a text asks if what was understood is right."""
    return _READ_BACK.search(text) is not None


def asks_to_spell(text: str) -> bool:
    """Whether a text asks to spell or repeat something."""
    return _SPELL.search(text) is not None


def asks_for_nato(text: str) -> bool:
    """Whether a text asks to spell by the NATO alphabet."""
    return _NATO.search(text) is not None


def is_closing(text: str) -> bool:
    """Whether a text asks for anything else, or says goodbye."""
    return _CLOSING.search(text) is not None


def speaks_of_itself(sentence: str) -> bool:
    """Whether a sentence tells what its speaker does or thanks for, instead of asking for a deed."""
    return _OWN.search(sentence) is not None


def agrees(text: str) -> bool:
    """Whether a text says yes and nothing against it."""
    return _AGREED.search(text) is not None and _REFUSED.search(text) is None
