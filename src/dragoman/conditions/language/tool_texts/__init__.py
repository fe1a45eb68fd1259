"""What tools say besides values, in each language: refusals and messages, one TOML file each.

No released artifact has them. Every text has a stable code; where a language lacks one, the code
stands before the English text, so that a reader can look it up and coverage can count it.
"""

import functools
import importlib.resources
import re
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.messages import fill, pattern_of, placeholders
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

UNKNOWN = "tool_error"
"""The code of a refusal that no English template fits."""

_ENGLISH = "en"
_EVERY = "every"
_MAX_REFUSAL = 4_000


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's texts.

    Attributes:
        error: How a refusal begins, with the place of its `{text}`.
        refusals: Templates by domain and code; those of `every` serve all domains.
        messages: Messages of success by code.
    """

    error: str = "Error: {text}"
    refusals: dict[str, dict[str, str]] = {}
    messages: dict[str, str] = {}

    def refusals_of(self, domain: str) -> dict[str, str]:
        """Return the templates that a domain uses, its own first."""
        own = self.refusals.get(domain, {})
        return {**own, **{f"{_EVERY}.{k}": v for k, v in self.refusals.get(_EVERY, {}).items()}}


class _Refusals(NamedTuple):
    """A domain's English refusals: codes by text, and templates by code."""

    fixed: dict[str, str]
    templates: tuple[tuple[str, re.Pattern[str]], ...]


@functools.cache
def texts_in(language: str) -> Texts:
    """Return a language's texts; one that has no file has none.

    Raises:
        DataError: Where the file is damaged, or a text lost a placeholder or has no English one.
    """
    file = importlib.resources.files(__name__).joinpath(f"{language}.toml")
    if not re.fullmatch(r"[\w-]+", language) or not file.is_file():
        return Texts()
    try:
        texts = msgspec.toml.decode(file.read_bytes(), type=Texts)
    except UNREADABLE as error:
        raise DataError(f"the tool texts in {language} are damaged: {error}") from error
    if language != _ENGLISH:
        _require_fitting(texts, texts_in(_ENGLISH), language)
    return texts


def refusal_in(language: str, domain: str, content: str) -> str:
    """Return what a tool refused with, in a language; unknown texts keep their English words."""
    english, texts = texts_in(_ENGLISH), texts_in(language)
    prefix = english.error.removesuffix("{text}")
    reason = content.removeprefix(prefix)
    code, values = _recognised(domain, reason)
    template = texts.refusals_of(domain).get(code)
    said = f"[{code}] {reason}" if template is None else fill(template, values)
    return fill(texts.error, {"text": said})


def message_in(language: str, message: str) -> str | None:
    """Return a message of success in a language, or None where there is none of this text."""
    for code, text in texts_in(_ENGLISH).messages.items():
        if text == message:
            return texts_in(language).messages.get(code)
    return None


def codes_without_text(language: str, domain: str) -> tuple[str, ...]:
    """Return the codes of a domain's refusals and messages that a language lacks."""
    english, texts = texts_in(_ENGLISH), texts_in(language)
    refusals = english.refusals_of(domain).keys() - texts.refusals_of(domain).keys()
    return tuple(sorted({*refusals, *(english.messages.keys() - texts.messages.keys())}))


def _recognised(domain: str, reason: str) -> tuple[str, dict[str, str]]:
    refusals = _english_refusals(domain)
    if reason in refusals.fixed:
        return refusals.fixed[reason], {}
    for code, pattern in refusals.templates if len(reason) <= _MAX_REFUSAL else ():
        found = pattern.fullmatch(reason)
        if found is not None:
            return code, found.groupdict()
    return UNKNOWN, {}


@functools.cache
def _english_refusals(domain: str) -> _Refusals:
    refusals = texts_in(_ENGLISH).refusals_of(domain)
    fixed = {text: code for code, text in refusals.items() if not placeholders(text)}
    # Those that begin with a placeholder fit nearly everything, and come last.
    templates = sorted(
        ((code, text) for code, text in refusals.items() if placeholders(text)),
        key=lambda entry: entry[1].startswith("{"),
    )
    return _Refusals(
        fixed,
        tuple((code, re.compile(pattern_of(text), re.DOTALL)) for code, text in templates),
    )


def _require_fitting(texts: Texts, english: Texts, language: str) -> None:
    known = {**_flat(english), "error": english.error}
    for code, text in {**_flat(texts), "error": texts.error}.items():
        if code not in known or placeholders(text) != placeholders(known[code]):
            raise DataError(f"tool texts in {language}: {code} has no English text with its fields")


def _flat(texts: Texts) -> dict[str, str]:
    return {
        f"{part}.{code}": text
        for part, group in {**texts.refusals, "messages": texts.messages}.items()
        for code, text in group.items()
    }
