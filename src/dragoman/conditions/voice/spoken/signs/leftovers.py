"""Signs that nobody says: escapes, marks of markdown and code; and names for those that somebody would."""

import re

from dragoman.conditions.voice.spoken.signs.wording import SignWording, apart

_ESCAPES = (
    (re.compile(r"\\+(?=['\"`\u2018\u2019\u201c\u201d])"), ""),
    (re.compile(r"(?:\\+[nrt](?![a-z]{2})|\\+n(?=[A-Za-z*#-]))+"), " "),
)
_BREAKS_OF_LINES = (
    (re.compile(r"^[ \t]{0,8}(?:>[ \t]?){1,8}", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}[*+\u2022][ \t]+(?=\S)", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}([-*_=~])\1{2,}[ \t]*$", re.MULTILINE), ""),
)
_MARKDOWN = (
    (re.compile(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]{1,400}?)(?<=\S)\*{1,3}(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_{1,2}(?=[A-Za-z])([^_\n]{1,200}?)(?<=\w)_{1,2}(?![\w_])"), r"\1"),
    (re.compile(r"~~([^~\n]{1,200})~~"), r"\1"),
    (re.compile(r"`+"), ""),
    (re.compile(r"\[([^\[\]\n]{1,200})\]\((?:https?://|/|#)[^()\s]{0,300}\)"), r"\1"),
)
_JOINED = re.compile(r"(?<=[a-z]{2}[.?!])(?=[A-Z][a-z]+(?:'[a-z]{1,2})?[\s,])")
_ALTERNATIVES = re.compile(
    r"\b(and/or|either/or|he/she|she/he|him/her|his/her|his/hers|yes/no|true/false)\b",
    re.IGNORECASE,
)
_NOTES = re.compile(r"(?<![\w#])([A-G])#(?![\w#])")
_PLUSES = re.compile(r"(?<=\bC)\+\+(?!\w)")
_LEFT = (
    (re.compile(r"(?<=\S)\ ?(?:={1,3}>|-{1,2}>|→)\ ?"), " to "),
    (re.compile(r"\ ?(?:!=|≠)\ ?"), " is not "),
    (re.compile(r"\ ?(?:>=|≥)\ ?(?=\S)"), " at least "),
    (re.compile(r"\ ?(?:<=|≤)\ ?(?=\S)"), " at most "),
    (re.compile(r"(?<=[\w)\]'\"])\ ?={1,3}\ ?(?=[\w(\[{'\"$-])"), " equals "),
    (re.compile(r"(?<=[\w)])\ >\ (?=\w)"), " greater than "),
    (re.compile(r"(?<=[\w)])\ <\ (?=\w)"), " less than "),
    (re.compile(r"(?<=\w)(?:<>|\ <>\ )(?=\w)"), " and "),
    (re.compile(r"(?<=[\])}]),(?=[\[({])"), ", "),
    (re.compile(r"(?<=\w)\ \+\ (?=\w)"), " plus "),
    (re.compile(r"(?<=\w)\+(?=[\s.,;!?]|$)"), " plus"),
    (re.compile(r"(?<=\ )\*(?=\ )"), "star"),
    (re.compile(r"(?<=\d)\ ?\*\ ?(?=\d)"), " times "),
    (re.compile(r"(?<![\w#])#\ ?(?=\w)"), "number "),
    (re.compile(r"\ ?&&\ ?"), " and "),
    (re.compile(r"\ ?\|\|\ ?"), " or "),
    (re.compile(r"(?<=\S)[ \t]{1,8}\|{1,4}[ \t]{1,8}(?=\S)"), ", "),
    (re.compile(r"(?<![\w])_{2,}(?!\w)"), "blank"),
    (re.compile(r"(?<=\w)\\+(?=\w)"), " backslash "),
    (re.compile(r"(?<=\w)[_^*](?=\w)"), " "),
    (re.compile(r"[{\[][\s{\[]{0,9}(?=[\]}])"), ""),
    (re.compile(r"(?<=[\w'\")])[\[{](?=[\w'\"])"), " "),
    (re.compile(r"[\]}](?=\w)"), " "),
    (re.compile(r"[\\^={}\[\]<>*~|_#`]|(?<!\w)/|/(?!\w)"), ""),
)
_SLASH = (re.compile(r"(?<=\w)\ ?/\ ?(?=\w)"), " slash ")
_EMPTY = ((re.compile(r"[ \t]{2,}"), " "), (re.compile(r"\ (?=[,.;:?!](?:\s|$))"), ""))
_ANY = re.compile(r"[\\+^={}\[\]<>*~|_#`/≠≥≤→]|&&")
_ANY_MARK = re.compile(r"[\\`*_#~>\u2022]|\]\(|[.?!][A-Z]|^[ \t]{0,8}[-=]{3,}", re.MULTILINE)


def without_marks(text: str) -> str:
    """Return a text without escapes and marks of markdown, with a space after each full stop."""
    if not _ANY_MARK.search(text):
        return text
    for pattern, said in (*_ESCAPES, *_BREAKS_OF_LINES, *_MARKDOWN):
        text = pattern.sub(said, text)
    return _JOINED.sub(" ", text)


def named_signs(text: str) -> str:
    """Return a text with words for alternatives, notes and languages: `C#` is `C sharp`."""
    text = _ALTERNATIVES.sub(_alternatives, text)
    return _PLUSES.sub(" plus plus", _NOTES.sub(r"\1 sharp", text))


def without_signs(text: str) -> str:
    """Return a text in which signs of formulas and code have a name, or are left out."""
    if not _ANY.search(text):
        return text
    for pattern, said in (_SLASH, *_LEFT, *_EMPTY):
        text = pattern.sub(said, text)
    return text.strip(" ")


def _alternatives(match: re.Match[str]) -> str:
    one, other = match.group().split("/")
    is_or = one.casefold() in {"and", "either"}
    return f"{one} {other}" if is_or else f"{one} or {other}"


def signs_left(text: str) -> list[SignWording]:
    """Return the signs that nobody says, each with what takes its place, in their order."""
    if not (_ANY.search(text) or _ANY_MARK.search(text)):
        return []
    patterns = (*_ESCAPES, *_BREAKS_OF_LINES, (_JOINED, " "), *_LEFT)
    return apart(
        (
            SignWording(*match.span(), "sign", said)
            for pattern, said in patterns
            for match in pattern.finditer(text)
            if match.group()
        ),
        len(text),
    )
