"""Verbalization of a text: values that must arrive exactly become words and letters.

Everything else stays unchanged, punctuation included, for the voice to read. A persona may add
pauses and fillers.
"""

import random
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

import msgspec

from dragoman.conditions.voice.verbalization.english_words import (
    english_words,
    heard_nato_words,
    nato_words,
    ordinal,
    spoken_amount,
    spoken_date,
    spoken_number,
    spoken_round_amount,
    spoken_time,
)
from dragoman.conditions.voice.verbalization.quantities import worded_text
from dragoman.conditions.voice.verbalization.spelling import (
    DEFAULT_STYLE,
    SpokenStyle,
    iter_groups,
    spoken_code,
    spoken_email,
    spoken_file,
    verbalize_spelling,
    with_small_words,
)
from dragoman.conditions.voice.verbalization.symbols import (
    named_signs,
    sign_wordings,
    without_marks,
    without_signs,
)
from dragoman.core.personas import Share
from dragoman.core.texts.entities import EntityKind, find_entities, sign_names

VERBALIZATION = "dragoman-verbalization-2"
"""Name of the verbalization rules; it changes whenever the same text gets other words."""

MAX_CHARACTERS = 20_000
"""Longest text that is verbalized, in characters; a longer one is cut."""

MIN_SIGNS = 3
"""Smallest number of hyphenated parts that count as spelled; fewer are an id (`B-7`)."""

_ORDINAL = re.compile(r"(?<![\w.])(\d{1,4})(?:st|nd|rd|th)\b")
_HYPHENATED = re.compile(r"(?<![\w-])[^\W_]+(?:-[^\W_]+)+(?![\w-])")
_NEXT_SPELLED = re.compile(r"(?<=-[A-Z])\ (?=[A-Z](?:-[A-Z])+\b)")
_ROUND_AMOUNT = re.compile(
    r"([$€£])\ ?([0-9][0-9,]{0,20}(?:\.[0-9]{1,9})?)\ (thousand|million|billion|trillion)\b"
)
_ARTICLE = re.compile(r"(?:^|(?<=[.?!] ))A(?= [A-Za-z]{2})")
_PERCENT = re.compile(r"\ ?%")


def verbalize(
    text: str,
    language: str = "en",
    style: SpokenStyle = DEFAULT_STYLE,
    spell: Collection[str] = (),
) -> str:
    """Verbalize a text as a caller says it.

    In English all kinds of values, formulas and signs are put into words. In other languages ids,
    phone numbers and acronyms are spelled (letters alone, digits apart) and the rest is left to the
    voice.

    Args:
        text: The text that the caller means to say.
        language: The tag of its language.
        style: The spelling style of the caller.
        spell: Names in the text that the caller first says and then spells.
    """
    text = text[:MAX_CHARACTERS]
    if language.replace("_", "-").split("-")[0].casefold() != "en":
        return _verbalize_entities(text, _non_english_verbalizers(style))
    text = _spelled_names(_ARTICLE.sub("a", without_marks(text)), spell)
    text = _NEXT_SPELLED.sub(", ", text)
    text = _HYPHENATED.sub(lambda match: _spelling(match.group(), style), text)
    text = with_small_words(named_signs(text))
    text = worded_text(text, sign_wordings(text, style))
    text = _ROUND_AMOUNT.sub(lambda match: spoken_round_amount(*match.groups()), text)
    text = _PERCENT.sub(" percent", text)
    text = _verbalize_entities(text, entity_verbalizers(style))
    return without_signs(_ORDINAL.sub(lambda match: ordinal(int(match[1])), text))


Speak = Callable[[str], str]


def entity_verbalizers(style: SpokenStyle) -> Mapping[EntityKind, Speak]:
    """Return what says a value of each kind in English words, as a caller of that style does."""
    return {
        "email": partial(spoken_email, style=style),
        "file": partial(spoken_file, style=style),
        "date": spoken_date,
        "time": spoken_time,
        "amount": spoken_amount,
        "number": spoken_number,
        "phone": partial(_phone, style=style),
        "code": partial(spoken_code, style=style),
        "acronym": partial(_acronym, style=style),
    }


def _non_english_verbalizers(style: SpokenStyle) -> Mapping[EntityKind, Speak]:
    apart = partial(_apart, group=style.group)
    return {"code": apart, "phone": apart, "acronym": apart}


def _verbalize_entities(text: str, speak: Mapping[EntityKind, Speak]) -> str:
    """Replace every value whose kind can be spoken."""
    parts, end = [], 0
    for found in find_entities(text):
        if found.kind in speak:
            value = found.text.rstrip(",")
            parts += [text[end : found.start], speak[found.kind](value)]
            end = found.start + len(value)
    return "".join((*parts, text[end:]))


def _phone(number: str, style: SpokenStyle) -> str:
    """Return a phone number in the groups in which it is written."""
    plain = SpokenStyle(group=style.group)
    groups = [verbalize_spelling(group, plain) for group in re.findall(r"\d+", number)]
    return f"{'plus ' if number.startswith('+') else ''}{', '.join(groups)}"


def _acronym(letters: str, style: SpokenStyle) -> str:
    if letters in english_words().capitals.words:
        return letters.lower()
    return verbalize_spelling(letters, SpokenStyle(letters=style.letters, group=0))


def _apart(value: str, group: int) -> str:
    """Return letters and digits one by one, as signs, for a voice that names them itself."""
    signs = [sign.upper() for sign in value if sign.isalnum()]
    return ", ".join(" ".join(one) for one in iter_groups(signs, group))


def _spelling(hyphenated: str, style: SpokenStyle) -> str:
    """Return the verbalization of a hyphenated spelling (`H-o-l-t`, `hotel-oscar`).

    Other text is unchanged.
    """
    known = {*nato_words().values(), *sign_names().signs.values(), *heard_nato_words()}
    parts = hyphenated.split("-")
    if len(parts) >= MIN_SIGNS and all(len(part) == 1 for part in parts):
        return verbalize_spelling("".join(parts), style)
    if len(parts) < MIN_SIGNS or not all(
        len(part) == 1 or part.casefold() in known for part in parts
    ):
        return hyphenated
    plain = SpokenStyle(group=style.group)
    return " ".join(
        verbalize_spelling(part, plain) if len(part) == 1 else part.lower() for part in parts
    )


def _spelled_names(text: str, names: Collection[str]) -> str:
    """Add to every name how it is spelled, with hyphens, the first time that it is said."""
    for name in names:
        letters = "-".join(sign for sign in name if sign.isalnum())
        text = re.sub(
            rf"(?<!\w){re.escape(name)}(?!\w)", f"{name}, spelled {letters},", text, count=1
        )
    return text


_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FIRST = re.compile(r"[A-Z][a-z]*(?:['\u2019][a-z]+)?(?![\w'\u2019])")
_MARKS = ".,;:!?"


class Hesitation(msgspec.Struct, frozen=True):
    """Hesitation of a speaker.

    Attributes:
        pauses: Share of words with a pause after them.
        fillers: Share of sentences with a filler before them.
        words: The fillers.
    """

    pauses: Share
    fillers: Share
    words: tuple[str, ...]


def add_hesitations(spoken: str, hesitation: Hesitation, seed: int) -> str:
    """Return verbalized text with pauses, as commas, and fillers.

    Args:
        spoken: Verbalized text.
        hesitation: The hesitation of the speaker.
        seed: Seed that alone determines the random draws.
    """
    draw = random.Random(seed)  # noqa: S311 - a word choice needs no secrecy
    said = []
    for sentence in filter(None, _SENTENCE.split(spoken)):
        paused = _insert_pauses(sentence, hesitation.pauses, draw)
        has_filler = hesitation.words and draw.random() < hesitation.fillers
        said.append(
            f"{draw.choice(hesitation.words)}, {_going_on(paused)}" if has_filler else paused
        )
    return " ".join(said)


def _going_on(sentence: str) -> str:
    """Return a sentence that something was said before: known words lose their capital."""
    word = _FIRST.match(sentence)
    is_known = word is not None and word.group().casefold() in english_words().openers
    return f"{sentence[0].lower()}{sentence[1:]}" if is_known else sentence


def _insert_pauses(sentence: str, share: float, draw: random.Random) -> str:
    *words, last = sentence.split(" ")
    paused = [
        f"{word}," if word and word[-1] not in _MARKS and draw.random() < share else word
        for word in words
    ]
    return " ".join((*paused, last))
