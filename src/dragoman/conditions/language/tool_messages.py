"""Messages and refusals of tools in a language, with placeholders, and translation back.

Messages of a domain come from released artifacts, or from the constant of a Python module, which
is parsed and never run. Texts that no released artifact has are in one TOML file for each
language, with a stable code. Without a translation the code precedes the English text, so that a
reader can look it up and coverage can count it.
"""

import ast
import functools
import importlib.resources
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from dragoman.conditions.language.artifacts import Template, ToolReturns, TranslatedMessage
from dragoman.conditions.language.value_sets import ValueSet
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS

PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MAX_MESSAGE = 4_000
_QUOTES = "'\""

_Translate = Callable[[str], str | None]


class PlaceholderValues(msgspec.Struct, frozen=True):
    """Values that fill placeholders of messages, by placeholder.

    Any other content is language-neutral.

    Attributes:
        values: Placeholders that hold a value, bare or in quotes, with its value set.
        words: Placeholders that hold one of several messages.
        nested: Placeholders that hold another message; if the content is not a message, the whole
            text is not one either.
    """

    values: Mapping[str, ValueSet] = {}
    words: Mapping[str, tuple[str, ...]] = {}
    nested: frozenset[str] = frozenset()


class MessageTranslations:
    """The messages of a domain's tools and their translations, reversible message by message."""

    def __init__(
        self, returns: ToolReturns, where: str, filling: PlaceholderValues | None = None
    ) -> None:
        """Take messages from an artifact.

        Args:
            returns: The artifact.
            where: Its name, for messages.
            filling: Contents of placeholders; without it, they are language-neutral.

        Raises:
            DataError: If two messages share a text, or a translation lost a placeholder.
        """
        self._returns, self._where = returns, where
        self._filling = PlaceholderValues() if filling is None else filling
        self._labels = {each.source: each.localized for each in returns.exact.values()}
        self._sources = {label: source for source, label in self._labels.items()}
        if not len(self._labels) == len(self._sources) == len(returns.exact):
            raise DataError(f"{where}: two messages share a text: give one another translation")
        for key, each in returns.templates.items():
            if placeholders(each.source) != placeholders(each.localized):
                raise DataError(
                    f"{where}: {key}: the translation has other placeholders than the message"
                )
        self._shown = {
            **{name: values.labels for name, values in self._filling.values.items()},
            **{
                name: {text: self._labels.get(text, text) for text in texts}
                for name, texts in self._filling.words.items()
            },
        }
        self._meant = {
            name: {label: text for text, label in labels.items()}
            for name, labels in self._shown.items()
        }

    @cached_property
    def _to_language(self) -> list["_TemplateMapping"]:
        pairs = [(each.source, each.localized) for each in self._returns.templates.values()]
        return _template_mappings(pairs, self._shown)

    @cached_property
    def _to_environment(self) -> list["_TemplateMapping"]:
        pairs = [(each.localized, each.source) for each in self._returns.templates.values()]
        return _template_mappings(pairs, self._meant)

    def filled_from(self, filling: PlaceholderValues) -> "MessageTranslations":
        """Return the same messages with other value sets for what is filled in."""
        return MessageTranslations(self._returns, self._where, filling)

    @property
    def filling(self) -> PlaceholderValues:
        """Contents of placeholders."""
        return self._filling

    def label(self, text: str) -> str | None:
        """Return a message in the language, or None if it is none that has a way back.

        A text whose lines are messages is one.
        """
        return _by_line(text, self._label)

    def canon(self, text: str) -> str | None:
        """Return the message that a text in the language stands for, or None."""
        return _by_line(text, self._canon)

    def _label(self, text: str) -> str | None:
        found = self._labels.get(text)
        if found is None:
            found = self._filled(text, self._to_language, self._shown, self.label)
        return found if found is not None and self._canon(found) == text else None

    def _canon(self, text: str) -> str | None:
        found = self._sources.get(text)
        if found is None:
            found = self._filled(text, self._to_environment, self._meant, self.canon)
        return found

    def _filled(
        self,
        text: str,
        ways: Iterable["_TemplateMapping"],
        words: Mapping[str, Mapping[str, str]],
        say: _Translate,
    ) -> str | None:
        """Return the other side of the first template that a text fills."""
        if len(text) > _MAX_MESSAGE:
            return None
        for way in ways:
            found = way.pattern.fullmatch(text)
            contents = None if found is None else self._contents(found.groupdict(), words, say)
            if contents is not None:
                return fill_template(way.template, contents)
        return None

    def _contents(
        self, found: Mapping[str, str], words: Mapping[str, Mapping[str, str]], say: _Translate
    ) -> dict[str, str] | None:
        contents: dict[str, str] = {}
        for name, content in found.items():
            said = (
                say(content)
                if name in self._filling.nested
                else _translate_quoted(content, words.get(name, {}))
            )
            if said is None:
                return None
            contents[name] = said
        return contents


class _TemplateMapping(NamedTuple):
    """From a filled template to the other side's."""

    pattern: re.Pattern[str]
    template: str


def _template_mappings(
    pairs: Iterable[tuple[str, str]], words: Mapping[str, Mapping[str, str]]
) -> list[_TemplateMapping]:
    """Return mappings from the first to the second template of pairs, specific ones first.

    A template that begins with a placeholder fits nearly everything and comes last. A template is
    tried with its known words alone before anything may stand in their places: a language without
    spaces has no other sign of where a word ends.
    """
    ways: list[_TemplateMapping] = []
    for template, other in sorted(pairs, key=lambda pair: _breadth(pair[0])):
        known = {name: words[name] for name in placeholders(template) if words.get(name)}
        if known:
            ways.append(_TemplateMapping(_compile_template(template, known), other))
        ways.append(_TemplateMapping(_compile_template(template, {}), other))
    return ways


def source_messages(returns: ToolReturns) -> ToolReturns:
    """Return messages before they are translated, their patterns made of their sources."""
    return ToolReturns(
        exact={key: replace(each, localized=each.source) for key, each in returns.exact.items()},
        templates={
            key: replace(each, pattern=pattern_of(each.source), localized=each.source)
            for key, each in returns.templates.items()
        },
    )


def _breadth(template: str) -> tuple[bool, int]:
    """Return how much a template fits, for sorting: the least first."""
    return template.startswith("{"), -len(PLACEHOLDER.sub("", template))


def placeholders(template: str) -> frozenset[str]:
    """Return the names in braces of a template."""
    return frozenset(PLACEHOLDER.findall(template))


def pattern_of(template: str) -> str:
    """Return the anchored pattern that a filled template matches, as released files write it.

    A name that stands twice must be filled alike.
    """
    parts: list[str] = []
    seen: set[str] = set()
    end = 0
    for found in PLACEHOLDER.finditer(template):
        name = found.group(1)
        parts.append(re.escape(template[end : found.start()]))
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+)")
        seen.add(name)
        end = found.end()
    return f"^{''.join(parts)}{re.escape(template[end:])}$"


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders filled in; every one must have a value."""
    return PLACEHOLDER.sub(lambda name: values[name.group(1)], template)


def _by_line(text: str, say: _Translate) -> str | None:
    """Return a text said line by line where each line can be said, otherwise as a whole."""
    if "\n" in text and len(text) <= _MAX_MESSAGE:
        lines = [said for line in text.split("\n") if (said := say(line)) is not None]
        if len(lines) == text.count("\n") + 1:
            return "\n".join(lines)
    return say(text)


def _translate_quoted(content: str, words: Mapping[str, str]) -> str:
    """Return the replacement of a value, in the same quotes."""
    if len(content) > 1 and content[0] in _QUOTES and content[0] == content[-1]:
        return f"{content[0]}{words.get(content[1:-1], content[1:-1])}{content[-1]}"
    return words.get(content, content)


def _compile_template(template: str, words: Mapping[str, Iterable[str]]) -> re.Pattern[str]:
    """Return the pattern of a template in which some placeholders hold one of some words."""
    pattern = pattern_of(template)
    for name, known in words.items():
        choices = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        quote = f"{name}__quote"
        quoted = f"(?P<{quote}>[{_QUOTES}]?)(?:{choices})(?P={quote})"
        pattern = pattern.replace(f"(?P<{name}>.+)", f"(?P<{name}>{quoted})")
    return re.compile(pattern, re.DOTALL)


CONSTANT = "TOOL_RETURN_MESSAGES"
"""The constant of a module of tools that holds messages by key, as in SEATauBench."""

_NAMED = re.compile(rf"\b{CONSTANT}\b")


def messages_of_module(text: str, where: str) -> ToolReturns:
    """Return the messages in a module's constant; nothing if it has no such constant.

    Args:
        text: The module.
        where: The module, for messages.

    Raises:
        DataError: If it is not valid Python.
    """
    if not _NAMED.search(text):
        return ToolReturns()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{where}: not valid Python: {reason}") from error
    found = _constant(module)
    return ToolReturns(
        exact={
            key: TranslatedMessage(source, source)
            for key, source in found.items()
            if not placeholders(source)
        },
        templates={
            key: Template(pattern_of(source), source, source)
            for key, source in found.items()
            if placeholders(source)
        },
    )


def _constant(module: ast.Module) -> dict[str, str]:
    """Return the texts of the constant by their keys, without entries that are not texts."""
    for node in module.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value)
            ) if name == CONSTANT:
                return {
                    key.value: text.value
                    for key, text in zip(value.keys, value.values, strict=True)
                    if isinstance(key, ast.Constant)
                    and isinstance(key.value, str)
                    and isinstance(text, ast.Constant)
                    and isinstance(text.value, str)
                }
    return {}


UNKNOWN = "tool_error"
"""The code of a refusal that no English template fits."""

_ENGLISH = "en"
_EVERY = "every"
_MAX_REFUSAL = 4_000


class RefusalTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's texts.

    Attributes:
        error: Beginning of a refusal, with the place of its `{text}`.
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
def load_refusal_texts(language: str) -> RefusalTexts:
    """Return the texts of a language; a language without a file has none.

    Raises:
        DataError: If the file is damaged, or a text lost a placeholder or has no English
            counterpart.
    """
    file = (
        importlib.resources.files("dragoman.conditions.language") / "tool_message_files"
    ).joinpath(f"{language}.toml")
    if not re.fullmatch(r"[\w-]+", language) or not file.is_file():
        return RefusalTexts()
    try:
        texts = msgspec.toml.decode(file.read_bytes(), type=RefusalTexts)
    except DECODING_ERRORS as error:
        raise DataError(f"the tool texts in {language} are damaged: {error}") from error
    if language != _ENGLISH:
        _require_fitting(texts, load_refusal_texts(_ENGLISH), language)
    return texts


def translate_refusal(language: str, domain: str, content: str) -> str:
    """Return what a tool refused with, in a language; unknown texts keep their English words."""
    english, texts = load_refusal_texts(_ENGLISH), load_refusal_texts(language)
    prefix = english.error.removesuffix("{text}")
    reason = content.removeprefix(prefix)
    code, values = _recognize_refusal(domain, reason)
    template = texts.refusals_of(domain).get(code)
    said = f"[{code}] {reason}" if template is None else fill_template(template, values)
    return fill_template(texts.error, {"text": said})


def translate_success_message(language: str, message: str) -> str | None:
    """Return a message of success in a language, or None if there is none of this text."""
    for code, text in load_refusal_texts(_ENGLISH).messages.items():
        if text == message:
            return load_refusal_texts(language).messages.get(code)
    return None


def codes_without_text(language: str, domain: str) -> tuple[str, ...]:
    """Return the codes of a domain's refusals and messages that a language lacks."""
    english, texts = load_refusal_texts(_ENGLISH), load_refusal_texts(language)
    refusals = english.refusals_of(domain).keys() - texts.refusals_of(domain).keys()
    return tuple(sorted({*refusals, *(english.messages.keys() - texts.messages.keys())}))


def _recognize_refusal(domain: str, reason: str) -> tuple[str, dict[str, str]]:
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
    refusals = load_refusal_texts(_ENGLISH).refusals_of(domain)
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


def _require_fitting(texts: RefusalTexts, english: RefusalTexts, language: str) -> None:
    known = {**_flat(english), "error": english.error}
    for code, text in {**_flat(texts), "error": texts.error}.items():
        if code not in known or placeholders(text) != placeholders(known[code]):
            raise DataError(f"tool texts in {language}: {code} has no English text with its fields")


def _flat(texts: RefusalTexts) -> dict[str, str]:
    return {
        f"{part}.{code}": text
        for part, group in {**texts.refusals, "messages": texts.messages}.items()
        for code, text in group.items()
    }
