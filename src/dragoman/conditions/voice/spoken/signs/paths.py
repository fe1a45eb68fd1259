"""Paths, addresses of pages, tags and names of accounts as they are said."""

import re
from collections.abc import Callable, Iterator

import msgspec

from dragoman.conditions.voice.spoken.signs.wording import SignWording
from dragoman.conditions.voice.spoken.spelling import SpokenStyle, spelled

SayPiece = Callable[[str], str]
"""Says letters and digits of a path: as words where they are, else letter by letter."""

_PATH = re.compile(
    r"(?<![\w/\\.~:@])(?:"
    r"(?P<url>(?:https?|ftp)://[^\s\"'<>`]{2,400})"
    r"|(?P<path>[A-Za-z]:[/\\]{1,2}[\w./\\%+-]{1,200}|(?:~|\.{1,2})?/(?=[A-Za-z0-9._])[\w./%+-]{0,200}[\w/]"
    r"|[\w.-]{1,60}(?:/[\w.+-]{1,60}){2,12}/?))"
)
_PIECES = re.compile(r"[A-Za-z0-9]+|[^\w\s]|_|\w+")
_PASSWORD = re.compile(
    r"(?<![\w@.#$/=<({\[\"*-])(?=[\w@*#$%&!]{0,60}[A-Za-z])(?=[\w@*#$%&!]{0,60}[0-9])"
    r"(?=[\w@*#$%&!]{0,60}[A-Za-z]\w{2}|[\w@*#$%&!]{0,60}\w{2}[A-Za-z])"
    r"[A-Za-z0-9]{1,40}(?:[@#$%&!*]{1,2}[A-Za-z0-9]{1,40}){1,6}(?![\w@*=^(+-]|\.\w)"
)
_CHUNKS = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]")
_TAG = re.compile(r"(?<![\w&/#])#(?=\w*[A-Za-z])(\w*[a-z]\w*|[A-Z]{3,})(?![\w-]*[-])\b")
_HANDLE = re.compile(r"(?<![\w@.])@([A-Za-z][A-Za-z0-9_]{1,40})(?![A-Za-z0-9_@]|\.\w)")
_PLACE_OF_A_VALUE = re.compile(r"<([A-Za-z][\w -]{0,40})>|\$?\{([A-Za-z]\w{0,40})\}")
_BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|_+")
_NAMES = {
    ".": "dot",
    "/": "slash",
    "\\": "backslash",
    ":": "colon",
    "-": "dash",
    "_": "underscore",
    "~": "tilde",
    "?": "question mark",
    "=": "equals",
    "&": "and",
    "%": "percent",
    "+": "plus",
    "#": "hash",
    "@": "at",
    "*": "star",
    "!": "exclamation mark",
    "$": "dollar",
}


def paths(text: str, say: SayPiece) -> Iterator[SignWording]:
    """Yield paths of files and addresses of pages, with signs by name.

    Args:
        text: The text.
        say: Says a piece without signs.
    """
    for match in _PATH.finditer(text):
        written = match.group().rstrip(".,;:!?)")
        if _is_path(written):
            said = " ".join(
                _NAMES.get(piece) or say(piece)
                for piece in _PIECES.findall(written)
                if piece in _NAMES or piece[0].isalnum()
            )
            yield SignWording(match.start(), match.start() + len(written), "path", said)


def tags(text: str, say: SayPiece) -> Iterator[SignWording]:
    """Yield tags, names of accounts and places of values: `#RoadTrip` is `hashtag road trip`."""
    for match in _TAG.finditer(text):
        words = [word.lower() for word in _BREAKS.split(match[1]) if word]
        yield SignWording(*match.span(), "tag", f"hashtag {' '.join(map(say, words))}")
    for match in _HANDLE.finditer(text):
        words = [word for word in _BREAKS.split(match[1]) if word]
        yield SignWording(*match.span(), "tag", f"at {' '.join(map(say, words))}")
    for match in _PLACE_OF_A_VALUE.finditer(text):
        words = [word for word in _BREAKS.split(match[1] or match[2]) if word]
        yield SignWording(*match.span(), "tag", " ".join(words))


def passwords(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    """Yield ids and passwords with signs among their letters and digits, sign by sign.

    Args:
        text: The text.
        style: How they are spelled.
    """
    plain = msgspec.structs.replace(style, twice=False)
    for match in _PASSWORD.finditer(text):
        said = (_NAMES.get(part) or spelled(part, plain) for part in _CHUNKS.findall(match.group()))
        yield SignWording(*match.span(), "code", " ".join(said))


def _is_path(written: str) -> bool:
    """Whether signs between words are of a path, and not of words that are alternatives or a date."""
    letters = [part for part in re.split(r"[/\\]", written) if re.search(r"[A-Za-z]", part)]
    is_rooted = written[0] in "/\\~." or written[1:2] == ":" or "://" in written
    return bool(letters) and (is_rooted or len(letters) > 1)
