"""Prompts of prompting mode: one system message that asks for calls as text."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

import msgspec

from dragoman.benchmarks.bfcl.prompts.document_formats import DocumentFormat, written
from dragoman.benchmarks.bfcl.prompts.documents import Document
from dragoman.benchmarks.bfcl.prompts.texts import Layout, PromptTexts, ReturnFormat, Style
from dragoman.core.errors import DataError, UsageError

_PLACE = re.compile(r"\{(\w+)\}")


class PromptMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message of a question."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptFormat(NamedTuple):
    """How a prompt is composed, and in which form it asks for calls."""

    calls: ReturnFormat = "python"
    tagged: bool = False
    documents: DocumentFormat = "json"
    layout: Layout = "plaintext"
    style: Style = "classic"

    @property
    def name(self) -> str:
        """The name that upstream gives the format."""
        return (
            f"ret_fmt={self.calls}&tool_call_tag={self.tagged}&func_doc_fmt={self.documents}"
            f"&prompt_fmt={self.layout}&style={self.style}"
        )


DEFAULT_FORMAT = PromptFormat()

CHOICES: Mapping[str, tuple[str, ...]] = {
    "calls": get_args(ReturnFormat),
    "tags": ("off", "on"),
    "documents": get_args(DocumentFormat),
    "layout": get_args(Layout),
    "style": get_args(Style),
}
"""The options by which a format is chosen, and their values."""


def read_format(options: Mapping[str, str]) -> PromptFormat:
    """Return the format that options choose; what is not given is as in the default.

    Raises:
        UsageError: For an option or a value that does not exist.
    """
    for name, value in options.items():
        if value not in CHOICES.get(name, ()):
            known = ", ".join(CHOICES.get(name, CHOICES))
            raise UsageError(f"{name}={value}: choose {known}")
    given = dict(options)
    tagged = given.pop("tags", "off") == "on"
    chosen = msgspec.convert(given, _Chosen)
    return PromptFormat(chosen.calls, tagged, chosen.documents, chosen.layout, chosen.style)


class _Chosen(msgspec.Struct, frozen=True):
    calls: ReturnFormat = DEFAULT_FORMAT.calls
    documents: DocumentFormat = DEFAULT_FORMAT.documents
    layout: Layout = DEFAULT_FORMAT.layout
    style: Style = DEFAULT_FORMAT.style


FORMATS = (
    *map(
        PromptFormat._make,
        product(
            ("python", "json", "verbose_xml", "concise_xml"),
            (True, False),
            ("python", "xml", "json"),
            ("plaintext",),
            ("classic",),
        ),
    ),
    DEFAULT_FORMAT._replace(layout="markdown"),
    DEFAULT_FORMAT._replace(style="experimental"),
)
"""The formats of which sensitivity is measured, in upstream's order."""


def compose_prompt(
    documents: Sequence[Document], texts: PromptTexts, form: PromptFormat = DEFAULT_FORMAT
) -> str:
    """Return the system prompt that offers functions.

    Args:
        documents: The functions as a model is shown them.
        texts: What prompts are composed of.
        form: How.
    """
    wording, style = texts.wording, texts.wording.styles[form.style]
    asking = style.tool_call_with_tag if form.tagged else style.tool_call_no_tag
    calls = {
        "output_format": wording.return_formats[form.calls],
        "param_types": wording.type_hints[form.calls],
    }
    tools = {
        "format": form.documents,
        "functions": written(documents, form.documents, has_escapes=texts.has_escapes),
    }
    parts = {
        "persona": style.persona,
        "task": style.task,
        "tool_call_format": filled(asking, calls),
        "multiturn_behavior": style.multiturn_behavior,
        "available_tools": filled(style.available_tools, tools),
    }
    return filled(wording.layouts[form.layout], parts)


def place_prompt(prompt: str, messages: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """Return the messages with a system prompt before them; a system message follows it in one."""
    if messages and messages[0].role == "system":
        first = PromptMessage("system", f"{prompt}\n\n{messages[0].content}")
        return (first, *messages[1:])
    return (PromptMessage("system", prompt), *messages)


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill a template in one pass: what is filled in may hold braces."""

    def part(place: re.Match[str]) -> str:
        name = place.group(1)
        if name not in parts:
            raise DataError(
                f"prompts.json: {{{name}}} is unknown; run `dragoman data pull bfcl` again"
            )
        return parts[name]

    return _PLACE.sub(part, template)
