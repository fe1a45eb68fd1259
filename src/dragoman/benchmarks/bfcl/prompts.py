"""Prompts of BFCL's prompting mode: function documents and a system message asking for calls.

Documents are written as JSON, Python docstrings or XML, exactly as upstream writes them. The texts
come from the downloaded data.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

import msgspec

from dragoman.benchmarks.bfcl.entry_files import Language
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS

ReturnFormat = Literal["python", "json", "verbose_xml", "concise_xml"]
"""Form in which calls are requested."""

Layout = Literal["plaintext", "markdown"]
"""Layout of the parts of a prompt."""

Style = Literal["classic", "experimental"]
"""Wording of a prompt."""


class StyleTexts(msgspec.Struct, frozen=True):
    """The parts of a prompt in one wording; `{name}` is filled in."""

    persona: str
    task: str
    tool_call_no_tag: str
    tool_call_with_tag: str
    multiturn_behavior: str
    available_tools: str


class PromptWording(msgspec.Struct, frozen=True):
    """The texts that prompts are composed from, under the names of upstream's constants.

    `more_tools` is the user's message when functions appear in mid-conversation; `more_functions`
    is the message for functions that are offered as text.
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
    """Notes that are added to every function's description, by the functions' language."""

    python: str
    java: str
    javascript: str

    def of(self, language: Language) -> str:
        """Return the note for a language."""
        return {"python": self.python, "java": self.java, "javascript": self.javascript}[language]


class SourceNotes(msgspec.Struct, frozen=True):
    """Notes added to the description of a value that is wanted as source text.

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

    `has_escapes` says whether all but ASCII is escaped where functions are written as JSON, as
    upstream does it: a model would read another language than English letter by letter.
    """

    wording: PromptWording = msgspec.field(name="constants")
    language_notes: LanguageNotes
    parameter_notes: ParameterNotes
    float_note: str
    has_escapes: bool = True

    def for_functions(self, *, are_english: bool) -> "PromptTexts":
        """Return the texts for functions that are as upstream has them, or in another language."""
        return msgspec.structs.replace(self, has_escapes=are_english)


def read_prompt_texts(content: bytes) -> PromptTexts:
    """Read a pulled `prompts.json`.

    Raises:
        DataError: If the file does not hold the texts.
    """
    try:
        return msgspec.json.decode(content, type=PromptTexts)
    except DECODING_ERRORS as error:
        raise DataError(f"prompts.json: {error}; run `dragoman data pull bfcl` again") from error


_LISTS = {"ArrayList", "Array", "array"}

Schema = dict[str, object]
"""Schema of a value in a document, with all of upstream's keys in upstream's order."""


class ShownDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function document as upstream has it; `parameters` keeps keys that only models see.

    `response` is the schema of the result, if the document has one.
    """

    name: str
    description: str
    parameters: Schema
    response: Schema | msgspec.UnsetType = msgspec.UNSET

    @property
    def properties(self) -> Mapping[str, Schema]:
        """The schemas of the parameters by name, in the order of the signature."""
        return properties_of(self.parameters)


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return the schemas inside an object's schema; none where it names none."""
    return msgspec.convert(schema.get("properties", {}), dict[str, Schema])


def type_of(schema: Schema) -> str:
    """Return the type name in a schema, or `string` if the schema has none."""
    return str(schema.get("type", "string"))


def add_language_notes(
    document: ShownDocument, language: Language, texts: PromptTexts
) -> ShownDocument:
    """Return a document with what a model is told of its language.

    Values of Java and JavaScript are wanted as source text, so that all their types are `string`
    and their descriptions tell the rest.
    """
    description = document.description + texts.language_notes.of(language)
    if language == "python":
        return msgspec.structs.replace(document, description=description)
    notes = texts.parameter_notes.of(language)
    properties = {
        name: _as_text(schema, notes, has_escapes=texts.has_escapes)
        for name, schema in document.properties.items()
    }
    return ShownDocument(
        document.name, description, {**document.parameters, "properties": properties}
    )


def _as_text(schema: Schema, notes: SourceNotes, *, has_escapes: bool) -> Schema:
    kind = type_of(schema)
    description = f"{schema['description']}"
    description += notes.any if kind == "any" else notes.typed.replace("{}", kind)
    dropped: set[str] = set()
    if kind in _LISTS and "items" in schema:
        description += notes.elements.replace(
            "{}", type_of(msgspec.convert(schema["items"], Schema))
        )
        dropped = {"items"}
    elif kind == "dict" and notes.entries and "properties" in schema:
        description += notes.entries.replace(
            "{}", json.dumps(schema["properties"], ensure_ascii=has_escapes)
        )
        dropped = {"properties"}
    kept = {key: value for key, value in schema.items() if key not in dropped}
    return {**kept, "type": "string", "description": description}


DocumentFormat = Literal["python", "xml", "json"]
"""Format of function documents in a prompt."""

_PYTHON_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_INDENT = "    "


def format_documents(
    documents: Sequence[ShownDocument], form: DocumentFormat, *, has_escapes: bool = True
) -> str:
    """Return function documents as the text that a prompt holds.

    Args:
        documents: The documents.
        form: The composition of the prompt.
        has_escapes: Whether all but ASCII is escaped in JSON.
    """
    match form:
        case "json":
            # The standard encoder, for its escapes and white space are part of the prompt.
            return json.dumps(msgspec.to_builtins(documents), indent=4, ensure_ascii=has_escapes)
        case "python":
            return "\n\n".join(part for each in documents for part in (_docstring(each), "\n"))
        case "xml":
            return "\n".join(map(_element, documents))


# Python


def _docstring(document: ShownDocument) -> str:
    lines = [
        f"# Function: {document.name}",
        f'{_INDENT}"""',
        f"{_INDENT}{document.description}",
        "",
    ]
    if document.properties:
        lines.append(f"{_INDENT}Args:")
        lines.extend(_arguments(document.properties, _INDENT * 2))
    return "\n".join([*lines, f'{_INDENT}"""', ""])


def _arguments(properties: Mapping[str, Schema], margin: str) -> Iterator[str]:
    for name, schema in properties.items():
        default = f", default={schema['default']!r}" if "default" in schema else ""
        yield f"{margin}{name} ({_python_type(schema)}{default}): {_describe_schema(schema)}"
        yield from _arguments(properties_of(schema), margin + _INDENT)


def _python_type(schema: Schema) -> str:
    kind = type_of(schema)
    if kind in {"array", "list", "tuple"} and "items" in schema:
        return f"list[{_python_type(_inner(schema, 'items'))}]"
    if kind in {"object", "dict"}:
        if "additionalProperties" in schema:
            return f"dict[str, {_python_type(_inner(schema, 'additionalProperties'))}]"
        return "dict"
    return _PYTHON_TYPES.get(kind, kind)


# XML


def _element(document: ShownDocument) -> str:
    return "\n".join(
        [
            f'<function name="{document.name}">',
            f"  <desc>{document.description}</desc>",
            "  <params>",
            *_parameters(document.parameters, _INDENT),
            "  </params>",
            "</function>",
            "",
        ]
    )


def _parameters(level: Schema, margin: str) -> Iterator[str]:
    required = level.get("required")
    for name, schema in properties_of(level).items():
        is_required = required is None or (isinstance(required, list) and name in required)
        head = f'name="{name}" type="{_xml_type(schema)}" required="{str(is_required).lower()}"'
        if "default" in schema:
            head += f' default="{schema["default"]!r}"'
        yield f"{margin}<param {head.replace(',', '')}>"
        yield f"{margin}  <desc>{_describe_schema(schema)}</desc>"
        if "properties" in schema:
            yield f"{margin}  <params>"
            yield from _parameters(schema, margin + _INDENT)
            yield f"{margin}  </params>"
        yield f"{margin}</param>"


def _xml_type(schema: Schema) -> str:
    kind = type_of(schema)
    if "items" in schema:
        return f"{kind}[{type_of(_inner(schema, 'items'))}]"
    if "additionalProperties" in schema:
        return f"{kind}[{type_of(_inner(schema, 'additionalProperties'))}]"
    return kind


# Both


def _describe_schema(schema: Schema) -> str:
    choices = f" Enum values: {schema['enum']!r}." if "enum" in schema else ""
    return f"{schema.get('description', '')}{choices}"


def _inner(schema: Schema, key: str) -> Schema:
    return msgspec.convert(schema[key], Schema)


_PLACE = re.compile(r"\{(\w+)\}")


class PromptMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message of a question."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptFormat(NamedTuple):
    """The composition of a prompt, and the form in which it asks for calls."""

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
    documents: Sequence[ShownDocument], texts: PromptTexts, form: PromptFormat = DEFAULT_FORMAT
) -> str:
    """Return the system prompt that offers functions.

    Args:
        documents: The functions as a model is shown them.
        texts: The texts that prompts are composed from.
        form: The composition of the prompt.
    """
    wording, style = texts.wording, texts.wording.styles[form.style]
    asking = style.tool_call_with_tag if form.tagged else style.tool_call_no_tag
    calls = {
        "output_format": wording.return_formats[form.calls],
        "param_types": wording.type_hints[form.calls],
    }
    tools = {
        "format": form.documents,
        "functions": format_documents(documents, form.documents, has_escapes=texts.has_escapes),
    }
    parts = {
        "persona": style.persona,
        "task": style.task,
        "tool_call_format": fill_template(asking, calls),
        "multiturn_behavior": style.multiturn_behavior,
        "available_tools": fill_template(style.available_tools, tools),
    }
    return fill_template(wording.layouts[form.layout], parts)


def place_prompt(prompt: str, messages: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """Return the messages with a system prompt before them; a system message follows it in one."""
    if messages and messages[0].role == "system":
        first = PromptMessage("system", f"{prompt}\n\n{messages[0].content}")
        return (first, *messages[1:])
    return (PromptMessage("system", prompt), *messages)


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """Fill a template in one pass: what is filled in may hold braces."""

    def part(place: re.Match[str]) -> str:
        name = place.group(1)
        if name not in parts:
            raise DataError(
                f"prompts.json: {{{name}}} is unknown; run `dragoman data pull bfcl` again"
            )
        return parts[name]

    return _PLACE.sub(part, template)
