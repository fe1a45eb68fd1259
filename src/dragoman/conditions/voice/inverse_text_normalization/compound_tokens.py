"""ITN of compound tokens: e-mail addresses, file names, and ids with signs inside.

Each of the three is a row of pieces (a word, or spelled letters and digits) joined by named signs.
"""

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.numbers import Heard, Reading, text_at
from dragoman.conditions.voice.inverse_text_normalization.spelling import sign_at, signs_at
from dragoman.conditions.voice.verbalization.english_words import english_words, sign_words

_LIKE_AT = frozenset({"and", "an", "act", "as", "add"})
"""Misrecognitions of `at` between spelled letters and a host."""
_MAX_LABEL_WORDS = 3
_MAX_PIECES = 12


class Piece(msgspec.Struct, frozen=True):
    """A part between signs, the word after it, and whether it was spelled."""

    text: str
    end: int
    is_spelled: bool


def compound_at(words: Heard, at: int) -> Reading | None:
    """Return the address, file name or id with signs that begins at a word.

    An address goes first: its pieces may look like a file name with words behind it.
    """
    whole = _compound(words, at, ends_files=False)
    if whole is not None and whole.kind == "email":
        return whole
    return _compound(words, at, ends_files=True)


def _compound(words: Heard, at: int, *, ends_files: bool) -> Reading | None:
    """Return the reading of pieces and signs as a compound.

    With `ends_files`, the first known ending ends a file name.
    """
    first = _piece_at(words, at)
    if first is None:
        return None
    text, end, all_spelled = first.text, first.end, first.is_spelled
    for _ in range(_MAX_PIECES):
        sign = _joining(text_at(words, end))
        if sign == "." and ends_files:
            ending = _ending_at(words, end + 1, english_words().endings.files)
            if ending is not None:
                return Reading(f"{text}.{ending.text}", ending.end, "file")
        following = _piece_at(words, end + 1) if sign else None
        if following is None:
            break
        text += sign + following.text
        end, all_spelled = following.end, all_spelled and following.is_spelled
    return _address(words, text, end, is_spelled=all_spelled) or _code(
        text, end, all_spelled=all_spelled
    )


def _address(words: Heard, local: str, end: int, *, is_spelled: bool) -> Reading | None:
    is_at = text_at(words, end) == "at" or (is_spelled and text_at(words, end) in _LIKE_AT)
    host = _host_at(words, end + 1) if is_at else None
    if host is None:
        return None
    return Reading(f"{_as_letters(local)}@{host.text}", host.end, "email")


def _code(text: str, end: int, *, all_spelled: bool) -> Reading | None:
    """Return an id: with an underscore, or spelled ones with a hyphen."""
    if "_" in text or ("-" in text and all_spelled):
        return Reading(text.upper() if all_spelled else text, end, "code")
    return None


def _as_letters(local: str) -> str:
    """Return what stands before the `@`, with an 8 among letters as the `a` that it was.

    A lone `a` is often recognized as `eight`; in an address, digits come last, not among letters.
    """
    return "".join(
        "a"
        if sign == "8"
        and (local[:at] == "" or local[at - 1].isalpha())
        and local[at + 1 : at + 2].isalpha()
        else sign
        for at, sign in enumerate(local)
    )


def _host_at(words: Heard, at: int) -> Piece | None:
    """Return the host that begins at a word: labels, each before a `dot`, and a known ending."""
    text, place = "", at
    while (label := _label_at(words, place)) is not None:
        text += f"{label.text}."
        ending = _ending_at(words, label.end + 1, english_words().endings.hosts)
        if ending is None:
            place = label.end + 1
            continue
        end = ending.end
        national = None
        if _joining(text_at(words, end)) == ".":
            national = _ending_at(words, end + 1, english_words().endings.hosts)
        if national is None:
            return Piece(text + ending.text, end, is_spelled=False)
        return Piece(f"{text}{ending.text}.{national.text}", national.end, is_spelled=False)
    return None


def _label_at(words: Heard, at: int) -> Piece | None:
    """Return the words up to `dot`, at most a few of them, as one."""
    text, place, count = "", at, 0
    while text_at(words, place) and _joining(text_at(words, place)) != ".":
        sign = sign_at(words, place)
        is_sign = sign is not None and sign.is_sure and not sign.is_nato
        if sign is not None and is_sign:
            text, place = text + sign.text, sign.end
        else:
            word = text_at(words, place)
            text, place, count = text + (_joining(word) or word), place + 1, count + 1
        if count > _MAX_LABEL_WORDS:
            return None
    return Piece(text, place, is_spelled=False) if text and text_at(words, place) else None


def _ending_at(words: Heard, at: int, known: tuple[str, ...]) -> Piece | None:
    """Return the longest known ending that begins at a word, said or spelled."""
    if text_at(words, at) in known:
        return Piece(words[at].text, at + 1, is_spelled=False)
    text, place, found = "", at, None
    while len(text) < max(map(len, known)) and (sign := sign_at(words, place)) is not None:
        text, place = text + sign.text, sign.end
        if text in known:
            found = Piece(text, place, is_spelled=True)
    return found


def _piece_at(words: Heard, at: int) -> Piece | None:
    """Return a word with digits after it, or spelled signs with a word after them."""
    signs = signs_at(words, at, is_name=True)
    if len(signs) == 1 and signs[0].is_nato:
        signs = []
    if signs:
        text, end = "".join(sign.text for sign in signs), signs[-1].end
        if _is_plain(words, end) and text[-1].isalpha() and _joins(words, end + 1):
            return Piece(text + words[end].text, end + 1, is_spelled=False)
        return Piece(text, end, is_spelled=True)
    if not _is_plain(words, at):
        return None
    text, end = words[at].text, at + 1
    digits = [sign for sign in signs_at(words, end) if sign.is_sure]
    if digits and all(sign.text.isdecimal() for sign in digits):
        text, end = text + "".join(sign.text for sign in digits), digits[-1].end
    return Piece(text, end, is_spelled=False)


def _is_plain(words: Heard, at: int) -> bool:
    word = text_at(words, at)
    return bool(word) and word not in english_words().around and not _joining(word)


def _joins(words: Heard, at: int) -> bool:
    return bool(_joining(text_at(words, at))) or text_at(words, at) == "at"


def _joining(word: str) -> str:
    """Return the sign that a word names inside a value; "" if it names none."""
    names = {name: sign for sign, name in sign_words().items() if sign != "#"}
    named = names.get(word) or english_words().heard_signs.get(word, "")
    return named if named != "#" else ""
