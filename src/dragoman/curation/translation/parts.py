"""Long texts in parts, for a translator that loses something in the whole: cut at blank lines."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from dragoman.curation.translation.protection.placeholders import placeholders_in
from dragoman.curation.translation.translators.protocol import Item

MOST_CHARACTERS = 2_000
"""Of a part that has more than one paragraph."""

_AT_ONCE = 4
_ATTEMPTS = (0, -1, -2)
_BLANK_LINES = re.compile(r"(\n[ \t]*\n\s*)")

Ask = Callable[[Mapping[str, Item], int], Awaitable[Mapping[str, str]]]
"""Asks for texts by id, once more or not (an attempt below 0); returns those that came."""


def parts_of(text: str, most: int = MOST_CHARACTERS) -> tuple[str, ...]:
    """Return the parts of a text, which joined are the text: paragraphs, several where they are short."""
    parts = [""]
    for piece in _BLANK_LINES.split(text):
        is_blank = not piece.strip()
        if parts[-1] and not is_blank and len(parts[-1]) + len(piece) > most:
            parts.append("")
        parts[-1] += piece
    return tuple(parts)


async def translated_in_parts(item: Item, name: str, ask: Ask) -> str | None:
    """Return the translation of a long text, put together of its parts; None where one never came.

    Args:
        item: The text, with placeholders.
        name: Its id; those of its parts begin with it.
        ask: Asks for texts.
    """
    parts = {f"{name}-{number}": part for number, part in enumerate(parts_of(item.text), 1)}
    if len(parts) == 1:
        return None
    done = {part_id: part for part_id, part in parts.items() if not _has_words(part)}
    for attempt in _ATTEMPTS:
        left = [part_id for part_id in parts if part_id not in done]
        for start in range(0, len(left), _AT_ONCE):
            asked = {
                part_id: _part_item(item, parts[part_id], is_last=attempt < 0)
                for part_id in left[start : start + _AT_ONCE]
            }
            for part_id, answer in (await ask(asked, attempt)).items():
                if _numbers(answer) == _numbers(parts[part_id]):
                    done[part_id] = _with_space_of(parts[part_id], answer)
    if len(done) < len(parts):
        return None
    return "".join(done[part_id] for part_id in parts)


def _part_item(whole: Item, part: str, *, is_last: bool) -> Item:
    folded = part.casefold()
    terms = {value: label for value, label in whole.terms.items() if value.casefold() in folded}
    named = dict.fromkeys(part[at.start : at.end] for at in placeholders_in(part))
    text = part.strip()
    return msgspec.structs.replace(
        whole, text=text, terms=terms, placeholders=tuple(named) if is_last else ()
    )


def _numbers(text: str) -> Counter[int]:
    return Counter(placed.number for placed in placeholders_in(text))


def _has_words(part: str) -> bool:
    return any(sign.isalpha() for sign in part)


def _with_space_of(part: str, answer: str) -> str:
    before, after = len(part) - len(part.lstrip()), len(part.rstrip())
    return part[:before] + answer.strip() + part[after:]
