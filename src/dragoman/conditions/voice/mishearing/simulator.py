"""What a recognizer might have heard: hearing errors drawn by sound, without any audio.

For languages and scales without a recognizer. How many errors there are is given, which ones they are
follows from how words sound and how often they occur; values that must arrive exactly are not spared.
Results are simulated, and everything made from them says so.
"""

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.conditions.voice.mishearing.hearing import (
    HeardCandidate,
    Hearing,
    error_settings,
    kinds_of,
)
from dragoman.conditions.voice.mishearing.kinds import Edit, edit_of, sound_of
from dragoman.conditions.voice.mishearing.lexicons import known_language, lexicon_of
from dragoman.conditions.voice.mishearing.spelling import DIGITS, LETTERS, digit_words, sign_sounds
from dragoman.conditions.voice.mishearing.tokens import Token, joined, tokens_of, units_of
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.texts.alignment import distance

RECIPE = 1
"""Grows whenever the same text and seed begin to give other errors."""

MAX_CHARACTERS = 20_000
"""What is longer is cut, as in the spoken form."""

_FEWEST_PHONES = 2

Words = tuple[str, ...]


class Misheard(msgspec.Struct, frozen=True):
    """What was heard: small letters without punctuation, and the errors in their order.

    `units` is how many words were said (in Chinese: characters), `errors` how many words edits put
    in, took out or replaced; their ratio is the error rate.
    """

    text: str
    edits: tuple[Edit, ...]
    units: int
    errors: int


class ErrorSimulator:
    """Mishears texts in the languages that there are word lists for."""

    def __init__(self, texts: Mapping[str, Sequence[str]] | None = None) -> None:
        """Prepare; word lists are read when a language is first heard.

        Args:
            texts: A suite's policy, tools and database by language: their words may be heard too.

        Raises:
            UsageError: For texts in a language without a word list.
        """
        self._texts = {known_language(tag): tuple(own) for tag, own in (texts or {}).items()}
        self._hearing: dict[str, Hearing] = {}

    def identity(self, language: str) -> str:
        """Return the content key of everything that decides what is heard in a language.

        Raises:
            UsageError: For a language without a word list, or without the extra that has it.
        """
        lexicon = self._hearing_in(language).lexicon
        return content_key("errors", RECIPE, lexicon.key, error_settings())

    def simulate(self, text: str, language: str, target_wer: float, seed: int) -> Misheard:
        """Return what is heard of a text; the same arguments give the same errors.

        Args:
            text: What is said, in spoken form.
            language: Its tag.
            target_wer: The error rate on average, 0 to 1: words, or characters in Chinese.
            seed: Another seed draws other errors.

        Raises:
            UsageError: For a language as in `identity`, and a rate outside its range.
        """
        if not 0.0 <= target_wer <= 1.0:
            raise UsageError(f"an error rate of {target_wer} cannot be simulated; give 0 to 1")
        hearing = self._hearing_in(language)
        key = content_key(RECIPE, hearing.lexicon.key, text, target_wer, seed)
        generator = random.Random(derive_seed(key, "errors"))  # noqa: S311 - keeps no secret
        tokens = tokens_of(text[:MAX_CHARACTERS], hearing.lexicon)
        return _Draft(tokens, hearing, generator).misheard(target_wer)

    def _hearing_in(self, language: str) -> Hearing:
        short = known_language(language)
        if short not in self._hearing:
            self._hearing[short] = Hearing(lexicon_of(short, self._texts.get(short, ())))
        return self._hearing[short]


class _Change(msgspec.Struct, frozen=True):
    """What stands for a stretch of words, and how many errors that is."""

    start: int
    end: int
    heard: Words
    cost: int


class _Draft:
    """One text while errors are put into it."""

    def __init__(self, tokens: Sequence[Token], hearing: Hearing, generator: random.Random) -> None:
        self._tokens = tokens
        self._hearing = hearing
        self._random = generator
        self._language = hearing.lexicon.language
        self._changes: dict[int, _Change] = {}
        self._touched: set[int] = set()
        self._makers: Mapping[str, Callable[[int], tuple[int, Words] | None]] = {
            "substitution": self._substitution,
            "deletion": lambda at: (at + 1, ()),
            "insertion": self._insertion,
            "split": self._split,
            "merge": self._merge,
        }

    def misheard(self, rate: float) -> Misheard:
        """Put in as many errors as a rate asks for; the rest below one is drawn for."""
        said = [token.text for token in self._tokens]
        units = len(units_of(said, self._language))
        wanted = int(rate * units + self._random.random())
        spent = 0
        places = deque(self._order())
        while places and spent < wanted:
            at = places.popleft()
            change = None if at in self._touched else self._change(at, wanted - spent)
            if change is None:
                continue
            spent += change.cost
            self._changes[at] = change
            self._touched.update(range(change.start, change.end))
            if self._goes_on(change.end):
                places.appendleft(change.end)
        return self._result(units, spent)

    def _order(self) -> list[int]:
        """Return all places, drawn one after the other by how likely each goes wrong."""
        return sorted(
            range(len(self._tokens)),
            key=lambda place: self._random.expovariate(self._difficulty(self._tokens[place])),
        )

    def _difficulty(self, token: Token) -> float:
        is_unknown = token.kind == "word" and token.text not in self._hearing.lexicon.phones
        return error_settings().difficulty["unknown" if is_unknown else token.kind]

    def _goes_on(self, at: int) -> bool:
        """Draw whether the word after an error goes wrong too."""
        return at < len(self._tokens) and self._random.random() < error_settings().hearing.burst

    def _change(self, at: int, most: int) -> _Change | None:
        """Draw what is heard for a word, of the kinds that are possible and not too many errors."""
        kinds = dict(kinds_of(self._language))
        sound = sound_of(self._tokens[at], self._hearing.lexicon)
        kinds["deletion"] *= 0.5 ** max(len(sound) - 1, 0)
        while kinds:
            kind = self._random.choices(tuple(kinds), tuple(kinds.values()))[0]
            del kinds[kind]
            made = self._makers[kind](at)
            if made is None:
                continue
            end, heard = made
            said = [token.text for token in self._tokens[at:end]]
            cost = distance(units_of(said, self._language), units_of(heard, self._language))
            if 0 < cost <= most:
                return _Change(at, end, heard, int(cost))
        return None

    def _result(self, units: int, errors: int) -> Misheard:
        words: list[str] = []
        edits: list[Edit] = []
        at = 0
        while at < len(self._tokens):
            change = self._changes.get(at)
            if change is None:
                words.append(self._tokens[at].text)
                at += 1
                continue
            words += change.heard
            edits.append(self._edit(change))
            at = change.end
        return Misheard(joined(words), tuple(edits), units, errors)

    def _edit(self, change: _Change) -> Edit:
        said = self._tokens[change.start : change.end]
        if change.heard[:1] == (said[0].text,):
            return edit_of(change.end, (), change.heard[1:], self._hearing.lexicon)
        return edit_of(change.start, said, change.heard, self._hearing.lexicon)

    def _substitution(self, at: int) -> tuple[int, Words] | None:
        token = self._tokens[at]
        sound = sound_of(token, self._hearing.lexicon)
        options = self._hearing.words(sound)
        if token.text in DIGITS:
            words = (option for option in options if option.distance)
            options = (*words, *self._hearing.signs(sound))
        elif token.kind in {"letter", "digit"}:
            options = (*options, *self._hearing.signs(sound))
        elif any(sign in DIGITS for sign in token.text):
            options = self._respelled(token.text)
        return self._drawn(at + 1, options, token.text)

    def _insertion(self, at: int) -> tuple[int, Words] | None:
        drawn = self._drawn(at + 1, self._hearing.short_words(), self._tokens[at].text)
        return None if drawn is None else (at + 1, (self._tokens[at].text, *drawn[1]))

    def _split(self, at: int) -> tuple[int, Words] | None:
        """Hear two words for one that is long enough, cut where both are nearest."""
        token = self._tokens[at]
        if token.kind != "word":
            return None
        sound = sound_of(token, self._hearing.lexicon)
        cuts = [
            (first[0].distance + second[0].distance, first, second)
            for cut in range(_FEWEST_PHONES, len(sound) - _FEWEST_PHONES + 1)
            if (first := self._hearing.words(sound[:cut]))
            and (second := self._hearing.words(sound[cut:]))
        ]
        if not cuts:
            return None
        _, first, second = min(cuts, key=lambda cut: cut[0])
        return at + 1, (self._choice(first).text, self._choice(second).text)

    def _merge(self, at: int) -> tuple[int, Words] | None:
        both = self._tokens[at : at + 2]
        if len(both) == 1 or at + 1 in self._touched or any(one.kind != "word" for one in both):
            return None
        sound = tuple(phone for one in both for phone in sound_of(one, self._hearing.lexicon))
        return self._drawn(at + 2, self._hearing.words(sound), "")

    def _respelled(self, text: str) -> tuple[HeardCandidate, ...]:
        """Return a value with digits in it with one letter or digit heard wrongly."""
        places = [at for at, sign in enumerate(text) if sign in DIGITS + LETTERS]
        at = self._random.choice(places)
        sign = self._written_as_sign(text[at])
        sound = sign_sounds(self._language)[sign]
        options = self._hearing.digits(sound) if text[at] in DIGITS else self._hearing.signs(sound)
        written = digit_words(self._language)
        return tuple(
            HeardCandidate(f"{text[:at]}{figure}{text[at + 1 :]}", option.weight, option.distance)
            for option in options
            if option.text != sign
            for figure in (
                DIGITS[written.index(option.text)] if option.text in written else option.text,
            )
        )

    def _written_as_sign(self, sign: str) -> str:
        return digit_words(self._language)[int(sign)] if sign in DIGITS else sign

    def _drawn(
        self, end: int, options: Sequence[HeardCandidate], but: str
    ) -> tuple[int, Words] | None:
        others = [option for option in options if option.text != but]
        return (end, (self._choice(others).text,)) if others else None

    def _choice(self, options: Sequence[HeardCandidate]) -> HeardCandidate:
        return self._random.choices(options, [option.weight for option in options])[0]
