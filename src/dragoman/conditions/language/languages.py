"""Language definitions: one TOML file each, the shared instructions, and tools per language.

A custom language is a file of the same form. Agents and users get one text with a slot for the
name of the language, so that the instructions are the same in every language.
"""

import functools
import importlib.resources
import random
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.language.localized_values import MONTHS, DateFormat, NumberFormat
from dragoman.core.texts.decoding import TranslatedErrors, decode_toml
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
        own_name: Its name in the language itself.
        script: Its script, as Unicode names the letters (`THAI`).
        detector: The label that language detection gives it.
        relatives: Labels of languages that detection confuses with it.
        greeting: The agent's first words.
        numbers: Format of numbers.
        dates: Format of dates.
    """

    code: str
    name: str
    own_name: str
    script: str
    detector: str
    greeting: str
    numbers: NumberFormat
    dates: DateFormat
    relatives: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """Its English name and its own, or the one name that both are."""
        return self.name if self.name == self.own_name else f"{self.name} ({self.own_name})"


class LanguageInstructions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts that tell agents and users to use a language.

    `{language}` stands for its name.
    """

    version: str
    agent: str
    user: str

    @property
    def name(self) -> str:
        """Version and content in one word."""
        return f"{self.version}@{content_key(self.agent, self.user)[:8]}"

    def text(self, side: Role, language: Language) -> str:
        """Return the instructions for a side."""
        template = self.agent if side == "agent" else self.user
        return template.replace("{language}", language.full_name).strip()


def find_language(name: str) -> Language:
    """Return the language with that code, or of that TOML file.

    Raises:
        UsageError: If no language has the code; the message names the bundled languages.
        DataError: If the file cannot be read or does not describe a language.
    """
    if name.endswith(".toml"):
        return _language_of_file(Path(name))
    if name not in SHIPPED:
        raise UsageError(
            f"unknown language {name!r}: choose {', '.join(SHIPPED)}, or name a TOML file of your "
            "own"
        )
    return _shipped_language(name)


def shared_instructions() -> LanguageInstructions:
    """Return the directives that all languages share."""
    return _load_instructions()


@functools.cache
def _shipped_language(code: str) -> Language:
    return decode_language(_read_bundled_file(f"{code}.toml"), f"{code}.toml")


@functools.cache
def _load_instructions() -> LanguageInstructions:
    return msgspec.toml.decode(_read_bundled_file("directives.toml"), type=LanguageInstructions)


def _read_bundled_file(name: str) -> bytes:
    return (
        (importlib.resources.files("dragoman.conditions.language") / "language_files")
        .joinpath(name)
        .read_bytes()
    )


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
        DataError: If it is damaged or contradicts itself; the message says where and how.
    """
    with TranslatedErrors(DataError, f"{where}: not a language"):
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
        (not _CODE.fullmatch(language.code), f"code {language.code!r} is not a language tag"),
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


TOOLS_PER_LANGUAGE = 3
"""Number of tools that each language after the first is assigned, as in SEATauBench."""

MOST_LANGUAGES = 5


def assign_tools_to_languages(
    names: Iterable[str], languages: Sequence[str], seed: int
) -> Mapping[str, str]:
    """Return the language of each tool, by name in order.

    The tools are shuffled by the seed. The second language takes the first three, the third the
    next three, and so on; the first language keeps the rest. One language has them all.

    Args:
        names: The tools.
        languages: One to five, without repetition.
        seed: Shuffles the tools.
    """
    ordered = sorted(names)
    shuffled = list(ordered)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - deals tools, keeps no secret
    base, *added = languages
    dealt = {
        tool: language
        for at, language in enumerate(added)
        for tool in shuffled[at * TOOLS_PER_LANGUAGE : (at + 1) * TOOLS_PER_LANGUAGE]
    }
    return {tool: dealt.get(tool, base) for tool in ordered}
