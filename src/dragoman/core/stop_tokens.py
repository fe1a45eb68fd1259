"""Stop tokens with which a simulated user ends a conversation, and empty replies.

Models do not always write the tokens of tau2-bench's prompts exactly. `normalize_stop_tokens` finds
texts that can only be meant as a token and replaces them with the exact token. In doubt the words
stay words: "STOP!", a heading, a hashtag or the name of a button is not changed.
"""

import re
import unicodedata
from collections.abc import Mapping

import msgspec

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"
OUT_OF_SCOPE = "###OUT-OF-SCOPE###"
STOP_TOKENS = (STOP, TRANSFER, OUT_OF_SCOPE)

MARKS = "###"
MARKER = re.compile(rf"{MARKS}[^#\n]{{1,40}}{MARKS}")
"""Any text in the form of such a token; it is for the harness and is not spoken."""

MAX_WRITTEN = 60
"""Longest inexact spelling of a token that is kept, in characters."""

_TOKENS: Mapping[str, str] = {re.sub(r"\W", "", token).casefold(): token for token in STOP_TOKENS}
"""The stop tokens by their letters."""

_FOLDED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord(sign): ord(plain)
    for signs, plain in (
        ("\ufe5f\u266f", "#"),
        ("\u3000\u00a0\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad", " "),
        ("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        ("\u2018\u2019\u201c\u201d\u00ab\u00bb\u300c\u300d", '"'),
        ("\u3002", "."),
    )
    for sign in signs
}
"""Variants of plain signs and spaces; single characters, so that positions stay."""

_HINT = re.compile(r"[#<\[{]")
_WORD = re.compile(r"stop|transfer|out[-_ ]?of[-_ ]?scope", re.IGNORECASE)
_AROUND = "# \t\\*_~`\"'-:|.!"
"""Signs that may stand between the number signs and the word, or wrap both."""

_WRAPPED = "*_~`\"'\\"
_CLOSING = re.compile(r"[*_~`\"'.!?)\]\s]{0,40}+\Z")
_LINE_ENDS = re.compile(r"[*_~`\"'.!?)\]]{0,40}+[ \t]{0,40}+(?:\n|\Z)")
_SENTENCE_ENDS = re.compile(r"(?:[.!?…][\"')*_`]*\s*|\n\s*|\A\s*)\Z")
_OPENING_FENCE = re.compile(r"```\w*[ \t]*\n[ \t]*\Z")
_CLOSING_FENCE = re.compile(r"[ \t]*\n[ \t]*```")
_BRACKETS = {"<": ">", "[": "]", "{": "}"}
_INSIDE_BRACKETS = "|/ "

_GLUED = "#*_`"
_REACH = 40
_MOST = 20_000
"""Length of the end of a text that is searched for tokens, in characters."""

_MOST_ALONE = 80
_FEWEST_SIGNS = 3
"""Fewest number signs, in total, that make a word between them a token."""


class NormalizedStopTokens(msgspec.Struct, frozen=True):
    """Words in which every stop token is written exactly.

    Attributes:
        text: The words.
        written: The first token as it was written, if not exactly; otherwise "".
    """

    text: str
    written: str = ""


def has_stop(words: str) -> bool:
    """Return whether a message contains a stop token."""
    return any(token in words for token in STOP_TOKENS)


def normalize_stop_tokens(words: str) -> NormalizedStopTokens:
    """Return words with the exact token in place of one that was written almost correctly.

    A word of the tokens, in letters of any case, is a token if it stands:

    - between number signs, three or more in all;
    - in capitals, with two or more number signs on one side, at the end of the words, or of a line
      if nothing stands between them;
    - in capitals and in brackets, at the end of the words and behind a whole sentence;
    - alone, with two number signs or in angle brackets; in other brackets, in capitals.
    """
    if len(words) > _MOST:
        last = normalize_stop_tokens(words[-_MOST:])
        return NormalizedStopTokens(words[:-_MOST] + last.text, last.written)
    folded = words.translate(_FOLDED)
    if _HINT.search(folded) is None:
        return NormalizedStopTokens(words)
    token = _token_alone(folded)
    if token is not None:
        written = words.strip()
        return NormalizedStopTokens(token, "" if written == token else written[:MAX_WRITTEN])
    parts: list[str] = []
    first, end = "", 0
    for found in _WORD.finditer(folded):
        span = _span_of(folded, found)
        if span is None or span[0] < end:
            continue
        token = _TOKENS[re.sub(r"[\W_]", "", found.group()).casefold()]
        written = words[span[0] : span[1]].strip()
        parts += (words[end : span[0]], token)
        end = span[1]
        if written != token:
            first = first or written[:MAX_WRITTEN]
    return (
        NormalizedStopTokens("".join((*parts, words[end:])), first)
        if first
        else NormalizedStopTokens(words)
    )


def _token_alone(folded: str) -> str | None:
    """Return the token if the words hold only the token and signs."""
    if len(folded) > _MOST_ALONE:
        return None
    letters = "".join(filter(str.isalnum, folded))
    token = _TOKENS.get(letters.casefold())
    if token is None:
        return None
    before, behind = folded[: folded.index(letters[0])], folded[folded.rindex(letters[-1]) + 1 :]
    brackets = {a for a, b in _BRACKETS.items() if a in before and b in behind}
    is_meant = folded.count("#") > 1 or "<" in brackets or (brackets and letters.isupper())
    return token if is_meant else None


def _span_of(folded: str, found: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of a token around a word; None if the word does not form a token."""
    start, end = found.span()
    left = start
    while left > max(0, start - _REACH) and folded[left - 1] in _AROUND:
        left -= 1
    right = end
    while right < min(len(folded), end + _REACH) and folded[right] in _AROUND:
        right += 1
    before, behind = folded[left:start], folded[end:right]
    signs_before, signs_behind = before.count("#"), behind.count("#")
    if signs_before and signs_behind:
        is_token = signs_before + signs_behind >= _FEWEST_SIGNS
    elif signs_before or signs_behind:
        is_token = found.group().isupper() and _is_half(folded, found, signs_before, signs_behind)
    else:
        return _expand_to_brackets(folded, found)
    if not is_token:
        return None
    if signs_before:
        start = left + before.index("#")
    if signs_behind:
        end += behind.rindex("#") + 1
    return _expand_to_markup(folded, start, end)


def _is_half(folded: str, found: re.Match[str], before: int, behind: int) -> bool:
    """Return whether a word in capitals with number signs on one side can only be a token."""
    start, end = found.span()
    if before:
        return before > 1 and _ends(folded, end, is_near=folded[start - 1] in _GLUED)
    is_joined = start > 0 and (folded[start - 1].isupper() or folded[start - 1] in "-_0123456789")
    is_near = folded[end] in _GLUED
    while end < len(folded) and folded[end] in _AROUND:
        end += 1
    return behind > 1 and not is_joined and _ends(folded, end, is_near=is_near)


def _ends(folded: str, at: int, *, is_near: bool) -> bool:
    """Return whether the words end at a position.

    The end of the line also counts if nothing stands between word and signs.
    """
    if _CLOSING.match(folded, at) is not None:
        return True
    return is_near and _LINE_ENDS.match(folded, at) is not None


def _expand_to_brackets(folded: str, found: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of a word in capitals and brackets that ends the words."""
    if not found.group().isupper():
        return None
    start, end = found.span()
    while start and folded[start - 1] in _INSIDE_BRACKETS and found.start() - start < _REACH:
        start -= 1
    while end < len(folded) and folded[end] in _INSIDE_BRACKETS and end - found.end() < _REACH:
        end += 1
    depth = 0
    while (
        start > 0
        and end < len(folded)
        and depth < _REACH
        and _BRACKETS.get(folded[start - 1]) == folded[end]
    ):
        start, end, depth = start - 1, end + 1, depth + 1
    if not depth or _CLOSING.match(folded, end) is None:
        return None
    start, end = _expand_to_markup(folded, start, end)
    behind_sentence = _SENTENCE_ENDS.search(folded, max(0, start - _REACH), start)
    return None if behind_sentence is None else (start, end)


def _expand_to_markup(folded: str, start: int, end: int) -> tuple[int, int]:
    """Return a token's span with the markup, the full stop and the fence that belong to it."""
    least, most = start - _REACH, end + _REACH
    while start > max(0, least) and folded[start - 1] in _WRAPPED:
        start -= 1
    while end < min(len(folded), most) and folded[end] in f"{_WRAPPED}.!":
        end += 1
    opening = _OPENING_FENCE.search(folded, max(0, start - _REACH), start)
    closing = _CLOSING_FENCE.match(folded, end)
    return (opening.start(), closing.end()) if opening and closing else (start, end)


_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc\ufffd")
"""Letters and symbols that are invisible, or stand for lost characters."""


def is_silent(words: str) -> bool:
    """Return whether words have neither a letter nor a digit nor a pictograph.

    Spaces, punctuation, markup and invisible characters are silent. So are marks for the harness
    that no turn protocol knows (`###END###`). A stop token is not silent: it says that the
    conversation is over.
    """
    if has_stop(words):
        return False
    return not any(map(_is_spoken, MARKER.sub("", words)))


def _is_spoken(character: str) -> bool:
    if character.isalnum():
        return character not in _FILLERS
    return unicodedata.category(character) == "So" and character not in _FILLERS
