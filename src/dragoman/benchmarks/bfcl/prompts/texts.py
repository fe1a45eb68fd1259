"""The texts of prompting mode, as pulled: a record of what a model is told around the functions."""

from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.questions import Language
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

ReturnFormat = Literal["python", "json", "verbose_xml", "concise_xml"]
"""The form in which calls are asked for."""

Layout = Literal["plaintext", "markdown"]
"""How the parts of a prompt are set."""

Style = Literal["classic", "experimental"]
"""The wording of a prompt."""


class StyleTexts(msgspec.Struct, frozen=True):
    """The parts of a prompt in one wording; `{name}` is filled in."""

    persona: str
    task: str
    tool_call_no_tag: str
    tool_call_with_tag: str
    multiturn_behavior: str
    available_tools: str


class PromptWording(msgspec.Struct, frozen=True):
    """What prompts are composed of, under the names that upstream gives its constants.

    `more_tools` is what the user says when functions appear in mid-conversation; `more_functions`
    is the same where they are offered as text.
    """

    return_formats: dict[ReturnFormat, str] = msgspec.field(name="OUTPUT_FORMAT_MAPPING")
    type_hints: dict[ReturnFormat, str] = msgspec.field(name="PARAM_TYPE_MAPPING")
    styles: dict[Style, StyleTexts] = msgspec.field(name="PROMPT_STYLE_TEMPLATES")
    layouts: dict[Layout, str] = msgspec.field(name="PROMPT_TEMPLATE_MAPPING")
    more_tools: str = msgspec.field(name="DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC")
    more_functions: str = msgspec.field(
        name="DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING"
    )


class LanguageNotes(msgspec.Struct, frozen=True):
    """What is added to every function's description, by the language of the functions."""

    python: str
    java: str
    javascript: str

    def of(self, language: Language) -> str:
        """Return what is added for a language."""
        return {"python": self.python, "java": self.java, "javascript": self.javascript}[language]


class SourceNotes(msgspec.Struct, frozen=True):
    """What is added to the description of a value that is wanted as source text.

    `{}` is filled with the type, the type of the elements or the schema of the entries.
    """

    any: str
    typed: str
    elements: str
    entries: str = ""


class ParameterNotes(msgspec.Struct, frozen=True):
    """The notes on values by language."""

    java: SourceNotes
    javascript: SourceNotes

    def of(self, language: Literal["java", "javascript"]) -> SourceNotes:
        """Return the notes of a language."""
        return self.java if language == "java" else self.javascript


class PromptTexts(msgspec.Struct, frozen=True):
    """All texts of prompting mode and of native tool calling.

    `has_escapes` says whether all but ASCII is escaped where functions are written as JSON, as upstream
    does it: a model would read another language than English letter by letter.
    """

    wording: PromptWording = msgspec.field(name="constants")
    language_notes: LanguageNotes
    parameter_notes: ParameterNotes
    float_note: str
    has_escapes: bool = True

    def for_functions(self, *, are_english: bool) -> "PromptTexts":
        """Return the texts for functions that are as upstream has them, or in another language."""
        return msgspec.structs.replace(self, has_escapes=are_english)


def read_texts(content: bytes) -> PromptTexts:
    """Read a pulled `prompts.json`.

    Raises:
        DataError: Where it does not hold the texts.
    """
    try:
        return msgspec.json.decode(content, type=PromptTexts)
    except UNREADABLE as error:
        raise DataError(f"prompts.json: {error}; run `dragoman data pull bfcl` again") from error
