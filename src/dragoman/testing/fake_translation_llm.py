"""A fake LLM for translation: made-up words in the right script, with drawn mistakes.

A request is a JSON object in the last message: `to` names the language, `items` has texts by `id`.
The translation keeps numbers, placeholders, code, marks and lines. It replaces every other word by
a made-up one in the language's script, always the same for the same word. The fake counts how often
each text was sent, and how often a correct answer to it reached the network.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from dragoman.core.content_keys import derive_seed
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fault_injection import chance
from dragoman.testing.request_log import OK
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered

SYLLABLES: Mapping[str, str] = {
    "Thai": "กา มี ดู เสา ไร คน ทาง น้ำ เมือง สอง ปลา เขียว โต๊ะ หลัง ใต้ ฟ้า ลม จัน แก้ว ศรี",
    "Vietnamese": "trong cho không chim khi sông xanh phố lên tay thu ăn cao trên cùng mưa nghe "
    "đi bay lá",
    "Chinese": "山 水 木 火 土 日 月 人 大 小 中 上 石 竹 雨 风 云 鱼 马 鸟 花 草 米 金",
}
OTHERS = "ba du ki lo me nu pa ri sa to vi za bor dal fen gim hul jat kos ler"
"""Syllables for languages that are not listed."""

UNSPACED = frozenset({"Thai", "Chinese"})

# Unchanged parts: placeholders, code, templates, marks, addresses, numbers, words with digits or
# marks in them. The remaining parts are words.
_KEPT = re.compile(
    r"(?P<placeholder>\u27e6\d+\u27e7)|`[^`\n]*`|\{[^{}\n]*\}|#{2,}\w*#*|[\w.+-]+@[\w.-]+"
    r"|[#\w]*(?:\d|_)[\w.,:/#-]*|[^\W\d_]+(?P<word>)",
)
_VALUE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_PLACEHOLDER = re.compile("\u27e6\\d+\u27e7")
_BETWEEN_WORDS = re.compile("(?<=[^\x00-\x7f\u27e7]) (?=[^\x00-\x7f\u27e6])")


class TranslationMistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mistakes, as shares from 0 to 1.

    Except for `stubborn`, a mistake is drawn again each time a text or a request comes again. After
    `most_in_a_row` mistakes, a text or a request gets a correct answer.

    Args:
        drops_placeholder: Texts that lose their last placeholder.
        stubborn: Texts that lose their last placeholder every time.
        other_language: Texts that come back in English.
        swaps_ids: Requests whose first two texts come back with swapped ids.
        leaves_out: Requests whose last text is missing in the answer.
        doubles_id: Requests whose first id comes back twice.
        invents_id: Requests that come back with an additional, unknown id.
        bad_json: Requests whose answer is truncated.
        fences: Requests whose answer is in a code fence, which is not a mistake.
        most_in_a_row: Number of mistakes in a row after which the next answer is correct.
    """

    drops_placeholder: float = 0.0
    stubborn: float = 0.0
    other_language: float = 0.0
    swaps_ids: float = 0.0
    leaves_out: float = 0.0
    doubles_id: float = 0.0
    invents_id: float = 0.0
    bad_json: float = 0.0
    fences: float = 0.0
    most_in_a_row: int = 3


class SentText(NamedTuple):
    """A text that was sent, and its target language."""

    language: str
    text: str


class _Item(msgspec.Struct):
    id: str
    text: str


class _Asked(msgspec.Struct):
    to: str
    items: list[_Item]


class _Answered(NamedTuple):
    id: str
    text: str
    is_sound: bool


class FakeTranslationLlm:
    """Answerer for translation requests.

    `sent` counts all texts, `delivered` those with a correct answer that was sent whole.
    """

    def __init__(self, mistakes: TranslationMistakes | None = None, seed: int = 0) -> None:
        self._mistakes = mistakes or TranslationMistakes()
        self._seed = seed
        self._drawn: Counter[str] = Counter()
        self._in_a_row: Counter[str] = Counter()
        self._under_way: dict[str, list[SentText]] = {}
        self.sent: Counter[SentText] = Counter()
        self.delivered: Counter[SentText] = Counter()
        self.mistakes: Counter[str] = Counter()

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the translations of a request's texts."""
        try:
            asked = msgspec.json.decode(request.messages[-1].text, type=_Asked)
        except DECODING_ERRORS as error:
            return Unanswered(f"the last message asks for no translations ({error})")
        # `Thai (ภาษาไทย)` is Thai.
        asked = msgspec.structs.replace(asked, to=asked.to.partition(" (")[0])
        self.sent.update(SentText(asked.to, item.text) for item in asked.items)
        answered = [self._answered(asked.to, item) for item in asked.items]
        text, answered = self._reply(answered)
        self._under_way[request.content] = [
            SentText(asked.to, item.text)
            for item, answer in zip(asked.items, answered, strict=True)
            if answer.is_sound
        ]
        return CannedReply(text)

    def ended(self, content: str, outcome: str) -> None:
        """Count the texts of an answer that reached the network whole."""
        texts = self._under_way.pop(content, ())
        if outcome in {OK, "slow"}:
            self.delivered.update(texts)

    def _answered(self, language: str, item: _Item) -> _Answered:
        text = pseudo_translation(item.text, language)
        is_stubborn = chance(self._seed, item.text, "stubborn") < self._mistakes.stubborn
        placeholders = list(_PLACEHOLDER.finditer(text))
        if placeholders and (is_stubborn or self._strikes("drops_placeholder", item.text)):
            last = placeholders[-1]
            return _Answered(item.id, text[: last.start()] + text[last.end() :], is_sound=False)
        if text != item.text and self._strikes("other_language", item.text):
            return _Answered(item.id, item.text, is_sound=False)
        return _Answered(item.id, text, is_sound=True)

    def _reply(self, answered: list[_Answered]) -> tuple[str, list[_Answered]]:
        """Return the answer's text, and those of its texts that are correct."""
        content = "\n".join(each.text for each in answered)
        given = list(answered)
        if len(given) > 1 and self._strikes("swaps_ids", content):
            first, second, *_ = given
            given[:2] = [
                _Answered(first.id, second.text, is_sound=False),
                _Answered(second.id, first.text, is_sound=False),
            ]
            answered = [*given[:2], *answered[2:]]
        if len(given) > 1 and self._strikes("leaves_out", content):
            answered = [*answered[:-1], answered[-1]._replace(is_sound=False)]
            given.pop()
        if self._strikes("doubles_id", content):
            given.append(given[0]._replace(text=given[-1].text))
            answered = [answered[0]._replace(is_sound=False), *answered[1:]]
        if self._strikes("invents_id", content):
            given.append(_Answered("nobody", given[0].text, is_sound=False))
        texts = {"translations": [{"id": each.id, "text": each.text} for each in given]}
        text = msgspec.json.encode(texts).decode()
        if self._strikes("bad_json", content):
            return text[: len(text) // 2], [each._replace(is_sound=False) for each in answered]
        return f"```json\n{text}\n```" if self._strikes("fences", content) else text, answered

    def _strikes(self, mistake: str, content: str) -> bool:
        """Return whether a mistake occurs this time."""
        rate = getattr(self._mistakes, mistake)
        if not rate:
            return False
        place = f"{mistake}\n{content}"
        self._drawn[place] += 1
        drawn = chance(self._seed, content, f"{mistake} {self._drawn[place]}")
        if drawn >= rate or self._in_a_row[place] >= self._mistakes.most_in_a_row:
            self._in_a_row[place] = 0
            return False
        self._in_a_row[place] += 1
        self.mistakes[mistake] += 1
        return True


def pseudo_translation(text: str, language: str) -> str:
    """Return a text whose words are replaced by meaningless words in a language's script."""

    def word(found: re.Match[str]) -> str:
        return found.group() if found["word"] is None else _made_up(found.group(), language)

    # A text that consists of one word with underscores is the name of a value, not an identifier of
    # a program.
    is_value = _VALUE.fullmatch(text) is not None
    translated = _KEPT.sub(word, text.replace("_", " ") if is_value else text)
    return _BETWEEN_WORDS.sub("", translated) if language in UNSPACED else translated


def _made_up(word: str, language: str) -> str:
    syllables = SYLLABLES.get(language, OTHERS).split()
    number = derive_seed(word.lower(), language)
    # The words are long enough that none is part of another by chance.
    count = 2 if len(word) < 6 else 3  # noqa: PLR2004 - letters
    made = ""
    for _ in range(count):
        number, at = divmod(number, len(syllables))
        made += syllables[at]
    return made.capitalize() if word[0].isupper() else made
