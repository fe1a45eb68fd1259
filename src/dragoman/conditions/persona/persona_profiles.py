"""Persona profiles of simulated users (elderly, hurried, code-switching, ...) as TOML files.

A custom profile is a file of the same form, in as many languages as it is played in.
"""

import functools
import importlib.resources
import re
from pathlib import Path

import msgspec

from dragoman.conditions.language.languages import SHIPPED
from dragoman.core.conditions import ENGLISH, NONE
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UnplayableConditionError, UsageError
from dragoman.core.layers import Layer
from dragoman.core.personas import (
    BY_TASK,
    Habits,
    Persona,
    PersonaPhrases,
    SpeechHabits,
    Traits,
    UserBehavior,
)
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import TranslatedErrors, decode_toml

BUNDLED_PROFILES = (
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


class ProfileTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of a card in one language.

    They are for users that are models, for agents, and in the persona's own words.
    """

    user: str
    agent: str
    openings: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()


class SharedPhrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases and instructions that all personas share in one language."""

    vague: tuple[str, ...]
    asks_back: tuple[str, ...]
    slip: str
    repeat: str
    fillers: tuple[str, ...]
    guardrails: str
    stated: str


class PersonaProfile(msgspec.Struct, frozen=True):
    """One persona in all languages that it has texts in."""

    name: str
    about: str
    traits: Traits
    habits: Habits
    speech: SpeechHabits
    texts: dict[str, ProfileTexts]

    def persona(self, language: str) -> Persona:
        """Return the persona in one language.

        Raises:
            UnplayableConditionError: If the profile has no texts in the language.
        """
        texts, shared = self.texts.get(language), shared_phrases().get(language)
        if texts is None or shared is None:
            known = ", ".join(code for code in self.texts if code in shared_phrases())
            raise UnplayableConditionError(
                f"the persona {self.name} has no texts in {language}: it has {known}"
            )
        persona_phrases = PersonaPhrases(
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
            UserBehavior(self.habits, persona_phrases),
            self.speech,
            shared.fillers,
        )


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    traits: Traits
    habits: Habits = Habits()
    speech: SpeechHabits = SpeechHabits()


def stated_persona_heading(language: str) -> str:
    """Return the agents' heading for a persona that a task states.

    It is in English if the language has no heading.
    """
    shared = shared_phrases()
    return shared.get(language, shared[ENGLISH]).stated


def find_profile(name: str) -> PersonaProfile:
    """Return the profile of that name, or of that TOML file, whose stem is then its name.

    Raises:
        UsageError: If the profile does not exist; the message names the bundled ones.
        DataError: If a file is not a persona profile.
    """
    if name.endswith(".toml"):
        return read_profile(Path(name))
    if name not in BUNDLED_PROFILES:
        raise UsageError(
            f"unknown persona {name!r}: choose {', '.join(BUNDLED_PROFILES)}, or name a TOML file "
            "of "
            "your own"
        )
    return _load_bundled_profile(name)


def read_profile(path: Path) -> PersonaProfile:
    """Read a custom profile.

    Raises:
        UsageError: If its name is invalid or is the name of a bundled profile.
        DataError: If it cannot be read or is not a persona profile.
    """
    if path.stem in {*BUNDLED_PROFILES, BY_TASK} or not _NAME.fullmatch(path.stem):
        raise UsageError(
            f"{path}: a card is called as its file: small letters, digits and hyphens, and not "
            f"{', '.join((BY_TASK, *BUNDLED_PROFILES))}"
        )
    with TranslatedErrors(DataError, f"{path}: the card cannot be read"), path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: a card takes at most {MAX_BYTES} bytes")
    return decode_profile(path.stem, content, str(path))


def decode_profile(name: str, content: bytes, where: str) -> PersonaProfile:
    """Decode a profile and check it.

    Raises:
        DataError: If it is damaged or lacks something; the message names the first problem.
    """
    with TranslatedErrors(DataError, f"{where}: no persona card"):
        tables = decode_toml(content, dict[str, object])
        head = {key: value for key, value in tables.items() if key in _TABLES}
        spoken = {key: value for key, value in tables.items() if key not in _TABLES}
        read = msgspec.convert(head, _Head)
        texts = msgspec.convert(spoken, dict[str, ProfileTexts])
    card = PersonaProfile(name, read.about, read.traits, read.habits, read.speech, texts)
    problem = _problem(card)
    if problem:
        raise DataError(f"{where}: {problem}")
    return card


@functools.cache
def shared_phrases() -> dict[str, SharedPhrases]:
    """Return the shared phrases and instructions of all personas, by language."""
    content = importlib.resources.files(__package__).joinpath("sayings.toml").read_bytes()
    with TranslatedErrors(DataError, "sayings.toml"):
        return msgspec.toml.decode(content, type=dict[str, SharedPhrases])


@functools.cache
def _load_bundled_profile(name: str) -> PersonaProfile:
    folder = importlib.resources.files(__package__) / "cards"
    return decode_profile(name, folder.joinpath(f"{name}.toml").read_bytes(), f"{name}.toml")


def _problem(card: PersonaProfile) -> str:
    """Return what a card lacks; "" if nothing."""
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


AXIS = "persona"


def persona_layer(persona: Persona) -> Layer:
    """Return what a persona changes on the surfaces of a conversation."""

    def with_persona(task: Task) -> Task:
        known = task.scenario.persona
        scenario = msgspec.structs.replace(
            task.scenario, persona=f"{known}\n{persona.user}" if known else persona.user
        )
        return msgspec.structs.replace(task, scenario=scenario)

    return Layer(
        name=AXIS,
        identity=content_key("persona-1", persona.user, persona.user_behavior),
        record={
            "persona": persona.name,
            "traits": msgspec.to_builtins(persona.traits),
            "user": persona.user,
        },
        task=with_persona,
        user_behavior=persona.user_behavior,
    )
