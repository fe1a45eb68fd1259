"""Simulator of recognition errors: words are confused with words that sound alike.

It serves languages and scales without a recognizer. The number of errors is given; which errors
occur follows from how words sound and how often they occur. Values that must arrive exactly get
errors too. Results are simulated, and everything made from them is marked as simulated.
"""

import importlib.resources
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.conditions.voice.asr_error_simulation.pronunciation import (
    DIGITS,
    LETTERS,
    Phones,
    digit_words,
    phone_table,
    sign_sounds,
)
from dragoman.conditions.voice.asr_error_simulation.token_errors import (
    RecognitionError,
    Token,
    error_units,
    join_words,
    recognition_error,
    token_phones,
    tokenize_speech,
)
from dragoman.conditions.voice.asr_error_simulation.vocabulary import (
    Lexicon,
    base_language,
    build_lexicon,
)
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.core.texts.alignment import distance

MOST_OPTIONS = 24
CACHED = 20_000

_SHORT = 3
_FREQUENT = 60


class CandidateSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the competition between candidate words; see the table."""

    nearness: float
    slack: float
    frequency: float
    farthest: float
    sign_count: float
    burst: float


class ErrorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Frequencies of error types: the table next to this module."""

    candidates: CandidateSettings = msgspec.field(name="hearing")
    difficulty: dict[str, float]
    kinds: dict[str, dict[str, float]]


class ConfusionCandidate(msgspec.Struct, frozen=True):
    """A candidate word for an error: its weight in the draw, and its distance per phone."""

    text: str
    weight: float
    distance: float


class CandidateLookup:
    """Lookup of confusion candidates, with a cache."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._settings = error_settings().candidates
        self._shares = lexicon.counts / lexicon.counts.sum()
        self._found: dict[Phones, tuple[ConfusionCandidate, ...]] = {}

    def words(self, phones: Phones) -> tuple[ConfusionCandidate, ...]:
        """Return listed words that sound like a string of phones; none if nothing is near."""
        found = self._found.get(phones)
        if found is None:
            if len(self._found) >= CACHED:
                self._found.clear()
            found = self._found[phones] = self._look_up(phones)
        return found

    def signs(self, phones: Phones) -> tuple[ConfusionCandidate, ...]:
        """Return letters and digits that sound like a string of phones."""
        return tuple(
            option
            for text, sound in sign_sounds(self.lexicon.language).items()
            if (option := self._option(text, sound, phones)) is not None
        )

    def digits(self, phones: Phones) -> tuple[ConfusionCandidate, ...]:
        """Return digits by how much they sound like a string of phones, however little."""
        sounds = sign_sounds(self.lexicon.language)
        return tuple(
            ConfusionCandidate(text, self._weight(distance, self._settings.sign_count), distance)
            for text in digit_words(self.lexicon.language)
            for distance in (phone_table().per_phone(phones, sounds[text]),)
        )

    def short_words(self) -> tuple[ConfusionCandidate, ...]:
        """Return the short frequent words, which are candidates for insertions."""
        order = np.argsort(-self._shares, kind="stable")
        words = [self.lexicon.words[place] for place in order.tolist()]
        short = [word for word in words if 0 < len(self.lexicon.phones[word]) <= _SHORT]
        return tuple(
            ConfusionCandidate(word, 1.0 / rank, 1.0)
            for rank, word in enumerate(short[:_FREQUENT], start=1)
        )

    def _look_up(self, phones: Phones) -> tuple[ConfusionCandidate, ...]:
        if not phones:
            return ()
        table, found = phone_table(), []
        coded = table.coded(phones)
        reach = max(2, len(phones) // 3)
        for length in range(max(len(phones) - reach, 1), len(phones) + reach + 1):
            words = self.lexicon.lengths.get(length)
            if words is None:
                continue
            total = table.distances(coded, words.phones)
            longer = max(length, len(phones))
            apart = total / (longer + self._settings.slack)
            weights = self._weights(apart, self._shares[words.places])
            for at in np.argsort(-weights, kind="stable")[:MOST_OPTIONS].tolist():
                if apart[at] <= self._settings.farthest:
                    word = self.lexicon.words[int(words.places[at])]
                    found.append(
                        ConfusionCandidate(word, float(weights[at]), float(total[at]) / longer)
                    )
        return tuple(sorted(found, key=lambda option: -option.weight)[:MOST_OPTIONS])

    def _option(self, text: str, sound: Phones, phones: Phones) -> ConfusionCandidate | None:
        distance = phone_table().per_phone(phones, sound)
        if distance > self._settings.farthest:
            return None
        return ConfusionCandidate(text, self._weight(distance, self._settings.sign_count), distance)

    def _weight(self, distance: float, share: float) -> float:
        return float(self._weights(np.array(distance), np.array(share)))

    def _weights(
        self, distances: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        settings = self._settings
        result: NDArray[np.float64] = (
            np.exp(-distances / settings.nearness) * shares**settings.frequency
        )
        return result


@cache
def error_settings() -> ErrorSettings:
    """Return the shipped settings."""
    content = importlib.resources.files(__package__).joinpath("settings.toml").read_bytes()
    return msgspec.toml.decode(content, type=ErrorSettings)


def error_kind_rates(language: str) -> Mapping[str, float]:
    """Return how often each kind of error happens in a language."""
    return error_settings().kinds[language]


RECIPE = 1
"""Grows whenever the same text and seed begin to give other errors."""

MAX_CHARACTERS = 20_000
"""Longest text that is processed, in characters.

A longer one is cut, as in verbalization.
"""

_FEWEST_PHONES = 2

Words = tuple[str, ...]


class SimulatedTranscript(msgspec.Struct, frozen=True):
    """The simulated transcript: small letters without punctuation, and the errors in order.

    `units` is the number of words said (in Chinese: characters), `errors` the number of words that
    edits inserted, deleted or replaced; their ratio is the error rate.
    """

    text: str
    edits: tuple[RecognitionError, ...]
    units: int
    errors: int


class ErrorSimulator:
    """Simulator of recognition errors in the languages that have word lists."""

    def __init__(self, texts: Mapping[str, Sequence[str]] | None = None) -> None:
        """Prepare the simulator; a word list is read at the first text in its language.

        Args:
            texts: A suite's policy, tools and database by language; their words are further
                candidates.

        Raises:
            UsageError: For texts in a language without a word list.
        """
        self._texts = {base_language(tag): tuple(own) for tag, own in (texts or {}).items()}
        self._candidates: dict[str, CandidateLookup] = {}

    def identity(self, language: str) -> str:
        """Return the content key of everything that determines the errors in a language.

        Raises:
            UsageError: For a language without a word list, or without the extra that has it.
        """
        lexicon = self._candidates_in(language).lexicon
        return content_key("errors", RECIPE, lexicon.key, error_settings())

    def simulate(
        self, text: str, language: str, target_wer: float, seed: int
    ) -> SimulatedTranscript:
        """Return a text with recognition errors; the same arguments give the same errors.

        Args:
            text: The text, verbalized.
            language: Its tag.
            target_wer: Mean error rate, 0 to 1, over words (in Chinese: characters).
            seed: Seed of the errors.

        Raises:
            UsageError: For a language as in `identity`, and a rate outside its range.
        """
        if not 0.0 <= target_wer <= 1.0:
            raise UsageError(f"an error rate of {target_wer} cannot be simulated; give 0 to 1")
        candidates = self._candidates_in(language)
        key = content_key(RECIPE, candidates.lexicon.key, text, target_wer, seed)
        generator = random.Random(derive_seed(key, "errors"))  # noqa: S311 - keeps no secret
        tokens = tokenize_speech(text[:MAX_CHARACTERS], candidates.lexicon)
        return _Draft(tokens, candidates, generator).misrecognized(target_wer)

    def _candidates_in(self, language: str) -> CandidateLookup:
        short = base_language(language)
        if short not in self._candidates:
            self._candidates[short] = CandidateLookup(
                build_lexicon(short, self._texts.get(short, ()))
            )
        return self._candidates[short]


class _Change(msgspec.Struct, frozen=True):
    """Replacement of a sequence of words, and the number of errors that it makes."""

    start: int
    end: int
    heard: Words
    cost: int


class _Draft:
    """One text while errors are put into it."""

    def __init__(
        self, tokens: Sequence[Token], candidates: CandidateLookup, generator: random.Random
    ) -> None:
        self._tokens = tokens
        self._candidates = candidates
        self._random = generator
        self._language = candidates.lexicon.language
        self._changes: dict[int, _Change] = {}
        self._touched: set[int] = set()
        self._makers: Mapping[str, Callable[[int], tuple[int, Words] | None]] = {
            "substitution": self._substitution,
            "deletion": lambda at: (at + 1, ()),
            "insertion": self._insertion,
            "split": self._split,
            "merge": self._merge,
        }

    def misrecognized(self, rate: float) -> SimulatedTranscript:
        """Put in as many errors as a rate asks for; the rest below one is drawn for."""
        said = [token.text for token in self._tokens]
        units = len(error_units(said, self._language))
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
        is_unknown = token.kind == "word" and token.text not in self._candidates.lexicon.phones
        return error_settings().difficulty["unknown" if is_unknown else token.kind]

    def _goes_on(self, at: int) -> bool:
        """Draw whether the word after an error goes wrong too."""
        return at < len(self._tokens) and self._random.random() < error_settings().candidates.burst

    def _change(self, at: int, most: int) -> _Change | None:
        """Draw an error for a word, of the possible kinds and within the number of errors."""
        kinds = dict(error_kind_rates(self._language))
        sound = token_phones(self._tokens[at], self._candidates.lexicon)
        kinds["deletion"] *= 0.5 ** max(len(sound) - 1, 0)
        while kinds:
            kind = self._random.choices(tuple(kinds), tuple(kinds.values()))[0]
            del kinds[kind]
            made = self._makers[kind](at)
            if made is None:
                continue
            end, heard = made
            said = [token.text for token in self._tokens[at:end]]
            cost = distance(error_units(said, self._language), error_units(heard, self._language))
            if 0 < cost <= most:
                return _Change(at, end, heard, int(cost))
        return None

    def _result(self, units: int, errors: int) -> SimulatedTranscript:
        words: list[str] = []
        edits: list[RecognitionError] = []
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
        return SimulatedTranscript(join_words(words), tuple(edits), units, errors)

    def _edit(self, change: _Change) -> RecognitionError:
        said = self._tokens[change.start : change.end]
        if change.heard[:1] == (said[0].text,):
            return recognition_error(change.end, (), change.heard[1:], self._candidates.lexicon)
        return recognition_error(change.start, said, change.heard, self._candidates.lexicon)

    def _substitution(self, at: int) -> tuple[int, Words] | None:
        token = self._tokens[at]
        sound = token_phones(token, self._candidates.lexicon)
        options = self._candidates.words(sound)
        if token.text in DIGITS:
            words = (option for option in options if option.distance)
            options = (*words, *self._candidates.signs(sound))
        elif token.kind in {"letter", "digit"}:
            options = (*options, *self._candidates.signs(sound))
        elif any(sign in DIGITS for sign in token.text):
            options = self._respelled(token.text)
        return self._drawn(at + 1, options, token.text)

    def _insertion(self, at: int) -> tuple[int, Words] | None:
        drawn = self._drawn(at + 1, self._candidates.short_words(), self._tokens[at].text)
        return None if drawn is None else (at + 1, (self._tokens[at].text, *drawn[1]))

    def _split(self, at: int) -> tuple[int, Words] | None:
        """Hear two words for one that is long enough, cut where both are nearest."""
        token = self._tokens[at]
        if token.kind != "word":
            return None
        sound = token_phones(token, self._candidates.lexicon)
        cuts = [
            (first[0].distance + second[0].distance, first, second)
            for cut in range(_FEWEST_PHONES, len(sound) - _FEWEST_PHONES + 1)
            if (first := self._candidates.words(sound[:cut]))
            and (second := self._candidates.words(sound[cut:]))
        ]
        if not cuts:
            return None
        _, first, second = min(cuts, key=lambda cut: cut[0])
        return at + 1, (self._choice(first).text, self._choice(second).text)

    def _merge(self, at: int) -> tuple[int, Words] | None:
        both = self._tokens[at : at + 2]
        if len(both) == 1 or at + 1 in self._touched or any(one.kind != "word" for one in both):
            return None
        sound = tuple(
            phone for one in both for phone in token_phones(one, self._candidates.lexicon)
        )
        return self._drawn(at + 2, self._candidates.words(sound), "")

    def _respelled(self, text: str) -> tuple[ConfusionCandidate, ...]:
        """Return a value that has digits with one misrecognized letter or digit."""
        places = [at for at, sign in enumerate(text) if sign in DIGITS + LETTERS]
        at = self._random.choice(places)
        sign = self._written_as_sign(text[at])
        sound = sign_sounds(self._language)[sign]
        options = (
            self._candidates.digits(sound) if text[at] in DIGITS else self._candidates.signs(sound)
        )
        written = digit_words(self._language)
        return tuple(
            ConfusionCandidate(
                f"{text[:at]}{figure}{text[at + 1 :]}", option.weight, option.distance
            )
            for option in options
            if option.text != sign
            for figure in (
                DIGITS[written.index(option.text)] if option.text in written else option.text,
            )
        )

    def _written_as_sign(self, sign: str) -> str:
        return digit_words(self._language)[int(sign)] if sign in DIGITS else sign

    def _drawn(
        self, end: int, options: Sequence[ConfusionCandidate], but: str
    ) -> tuple[int, Words] | None:
        others = [option for option in options if option.text != but]
        return (end, (self._choice(others).text,)) if others else None

    def _choice(self, options: Sequence[ConfusionCandidate]) -> ConfusionCandidate:
        return self._random.choices(options, [option.weight for option in options])[0]
