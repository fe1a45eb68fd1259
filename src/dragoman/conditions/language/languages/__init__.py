"""Languages as data: one TOML file each, and the directives that all of them share.

A language of one's own is a file of the same form. What is said to agents and users of the language
that they speak is one text with a slot for its name, so that every language is told the same.
"""

import functools
import importlib.resources
import re
import unicodedata
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.keys import content_key
from dragoman.core.language.wording import MONTHS, DateHabits, NumberHabits
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.texts.toml_values import decode_toml
from dragoman.core.tools import Role

SHIPPED = ("en", "vi", "th", "id", "tl", "zh")

_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_SLOT = re.compile(r"\{(\w*)\}")
_SLOTS = {"day", "month", "month_name", "year"}
_MAX_BYTES = 100_000


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language.

    Attributes:
        code: Its tag, which also names the folder of its artifacts.
        name: Its English name.
        own_name: Its name in itself.
        script: Its script, as Unicode names the letters (`THAI`).
        detector: The label that language detection gives it.
        relatives: Labels of languages that detection takes for it.
        greeting: The agent's first words.
        numbers: How numbers are written.
        dates: How dates are written.
    """

    code: str
    name: str
    own_name: str
    script: str
    detector: str
    greeting: str
    numbers: NumberHabits
    dates: DateHabits
    relatives: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """Its English name and its own, or the one name that both are."""
        return self.name if self.name == self.own_name else f"{self.name} ({self.own_name})"


class Directives(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What agents and users are told of the language; `{language}` stands for its name."""

    version: str
    agent: str
    user: str

    @property
    def name(self) -> str:
        """Version and content in one word."""
        return f"{self.version}@{content_key(self.agent, self.user)[:8]}"

    def text(self, side: Role, language: Language) -> str:
        """Return what a side is told."""
        template = self.agent if side == "agent" else self.user
        return template.replace("{language}", language.full_name).strip()


def find_language(name: str) -> Language:
    """Return the language with that code, or of that TOML file.

    Raises:
        UsageError: Where no language has the code; those that ship are named.
        DataError: Where the file cannot be read or does not describe a language.
    """
    if name.endswith(".toml"):
        return _language_of_file(Path(name))
    if name not in SHIPPED:
        raise UsageError(
            f"unknown language {name!r}: choose {', '.join(SHIPPED)}, or name a TOML file of your own"
        )
    return _shipped_language(name)


def directives() -> Directives:
    """Return the directives that all languages share."""
    return _directives()


@functools.cache
def _shipped_language(code: str) -> Language:
    return decode_language(_shipped(f"{code}.toml"), f"{code}.toml")


@functools.cache
def _directives() -> Directives:
    return msgspec.toml.decode(_shipped("directives.toml"), type=Directives)


def _shipped(name: str) -> bytes:
    return importlib.resources.files(__name__).joinpath(name).read_bytes()


def _language_of_file(path: Path) -> Language:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise DataError(
            f"{path}: the language cannot be read ({error.strerror}): name a TOML file"
        ) from error
    if len(content) > _MAX_BYTES:
        raise DataError(f"{path}: a language takes at most {_MAX_BYTES} bytes")
    return decode_language(content, str(path))


def decode_language(content: bytes, where: str) -> Language:
    """Decode a language's file and check it.

    Raises:
        DataError: Where it is damaged or contradicts itself; the line says where and what.
    """
    with OutsideErrors(DataError, f"{where}: not a language"):
        language = decode_toml(content, Language)
    problems = _problems(language)
    if problems:
        raise DataError(f"{where}: {problems[0]}")
    return language


def _problems(language: Language) -> list[str]:
    """Return what is wrong with a language, the gravest first."""
    dates, numbers = language.dates, language.numbers
    slots = {slot for form in dates.forms for slot in _SLOT.findall(form)}
    found = (
        (not _CODE.fullmatch(language.code), f"code {language.code!r} is no language tag"),
        (not language.greeting.strip(), "the greeting is empty"),
        (
            not _is_in_script(language.greeting, language.script),
            f"the greeting is not in the script {language.script}",
        ),
        (
            numbers.decimal == numbers.thousands or not (numbers.decimal and numbers.thousands),
            "numbers need two different signs, for decimals and for thousands",
        ),
        (len(set(dates.months)) != MONTHS, f"dates need {MONTHS} different names of months"),
        (not dates.forms, "dates need a form"),
        (bool(slots - _SLOTS), f"the forms of dates know {', '.join(sorted(_SLOTS))} only"),
        (
            not all(_names_a_day(form) for form in dates.forms),
            "each form of dates needs {day}, {year} and {month} or {month_name}",
        ),
    )
    return [problem for is_wrong, problem in found if is_wrong]


def _names_a_day(form: str) -> bool:
    slots = set(_SLOT.findall(form))
    return {"day", "year"} <= slots and bool(slots & {"month", "month_name"})


def _is_in_script(text: str, script: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    fitting = sum(unicodedata.name(letter, "").split(" ")[0] == script for letter in letters)
    return bool(letters) and fitting == len(letters)
