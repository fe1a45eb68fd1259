"""Cards as data: one TOML file for each persona, and one of sayings that all of them share.

A card of one's own is a file of the same shape, in as many languages as it is played in.
"""

import functools
import importlib.resources
import re
from pathlib import Path

import msgspec

from dragoman.conditions.language.languages import SHIPPED
from dragoman.core.conditions import ENGLISH, NONE
from dragoman.core.errors import DataError, UsageError
from dragoman.core.personas import BY_TASK, Habits, Manner, Persona, Sayings, SpeechHabits, Traits
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.texts.toml_values import decode_toml

SHIPPED_CARDS = (
    NONE,
    "easy",
    "hard",
    "hurried",
    "elderly",
    "non-native",
    "code-switching",
    "angry",
    "chatty",
)
MAX_BYTES = 100_000
MAX_CHARS = 2_000
"""Characters of one text."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TABLES = frozenset({"about", "traits", "habits", "speech"})


class CardTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a card says in one language: to users that are models, to agents, and in its own words."""

    user: str
    agent: str
    openings: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()


class Shared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all personas say and are told in one language."""

    vague: tuple[str, ...]
    asks_back: tuple[str, ...]
    slip: str
    repeat: str
    fillers: tuple[str, ...]
    guardrails: str
    stated: str


class PersonaCard(msgspec.Struct, frozen=True):
    """One persona in all languages that it has texts in."""

    name: str
    about: str
    traits: Traits
    habits: Habits
    speech: SpeechHabits
    texts: dict[str, CardTexts]

    def persona(self, language: str) -> Persona:
        """Return the card in one language.

        Raises:
            UsageError: Where it has no texts in it.
        """
        texts, shared = self.texts.get(language), shared_sayings().get(language)
        if texts is None or shared is None:
            known = ", ".join(code for code in self.texts if code in shared_sayings())
            raise UsageError(f"the persona {self.name} has no texts in {language}: it has {known}")
        sayings = Sayings(
            shared.vague,
            shared.asks_back,
            texts.openings,
            texts.asides,
            shared.slip,
            shared.repeat,
        )
        return Persona(
            self.name,
            self.traits,
            f"{texts.user}\n{shared.guardrails}",
            texts.agent,
            Manner(self.habits, sayings),
            self.speech,
            shared.fillers,
        )


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    traits: Traits
    habits: Habits = Habits()
    speech: SpeechHabits = SpeechHabits()


def heading_of_stated(language: str) -> str:
    """Return what agents read before the persona that a task states; English where there is no other."""
    shared = shared_sayings()
    return shared.get(language, shared[ENGLISH]).stated


def find_card(name: str) -> PersonaCard:
    """Return the card of that name, or of that TOML file, whose stem is then its name.

    Raises:
        UsageError: Where there is none, with the names of those that ship.
        DataError: Where a file is no card.
    """
    if name.endswith(".toml"):
        return card_of_file(Path(name))
    if name not in SHIPPED_CARDS:
        raise UsageError(
            f"unknown persona {name!r}: choose {', '.join(SHIPPED_CARDS)}, or name a TOML file of "
            "your own"
        )
    return _shipped(name)


def card_of_file(path: Path) -> PersonaCard:
    """Read a card of one's own.

    Raises:
        UsageError: Where its name is no name, or one that ships.
        DataError: Where it cannot be read or is no card.
    """
    if path.stem in {*SHIPPED_CARDS, BY_TASK} or not _NAME.fullmatch(path.stem):
        raise UsageError(
            f"{path}: a card is called as its file: small letters, digits and hyphens, and not "
            f"{', '.join((BY_TASK, *SHIPPED_CARDS))}"
        )
    with OutsideErrors(DataError, f"{path}: the card cannot be read"), path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: a card takes at most {MAX_BYTES} bytes")
    return decode_card(path.stem, content, str(path))


def decode_card(name: str, content: bytes, where: str) -> PersonaCard:
    """Decode a card and check it.

    Raises:
        DataError: Where it is damaged or lacks what it needs: the first thing that is wrong.
    """
    with OutsideErrors(DataError, f"{where}: no persona card"):
        tables = decode_toml(content, dict[str, object])
        head = {key: value for key, value in tables.items() if key in _TABLES}
        spoken = {key: value for key, value in tables.items() if key not in _TABLES}
        read = msgspec.convert(head, _Head)
        texts = msgspec.convert(spoken, dict[str, CardTexts])
    card = PersonaCard(name, read.about, read.traits, read.habits, read.speech, texts)
    problem = _problem(card)
    if problem:
        raise DataError(f"{where}: {problem}")
    return card


@functools.cache
def shared_sayings() -> dict[str, Shared]:
    """Return by language what all personas say and are told."""
    content = importlib.resources.files(__package__).joinpath("sayings.toml").read_bytes()
    with OutsideErrors(DataError, "sayings.toml"):
        return msgspec.toml.decode(content, type=dict[str, Shared])


@functools.cache
def _shipped(name: str) -> PersonaCard:
    folder = importlib.resources.files(__package__) / "cards"
    return decode_card(name, folder.joinpath(f"{name}.toml").read_bytes(), f"{name}.toml")


def _problem(card: PersonaCard) -> str:
    """Return what a card lacks; "" where nothing."""
    if not card.texts:
        return "no language: it needs a table such as [en]"
    for language, texts in card.texts.items():
        if language not in SHIPPED:
            return f"[{language}]: cards have texts in {', '.join(SHIPPED)}"
        said = (texts.user, texts.agent, *texts.openings, *texts.asides)
        if not all(text.strip() and len(text) <= MAX_CHARS for text in said):
            return f"[{language}]: a text is empty, or longer than {MAX_CHARS} characters"
        if card.habits.asides and not texts.asides:
            return (
                f"[{language}]: it has no asides to say, and habits.asides is {card.habits.asides}"
            )
    return ""
