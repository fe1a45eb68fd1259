"""What a model is shown of an entry: messages that offer functions as text, or native tools."""

from dragoman.benchmarks.bfcl.entries.single import Entry
from dragoman.benchmarks.bfcl.prompts.documents import Document, with_notes
from dragoman.benchmarks.bfcl.prompts.native_tools import native_tools
from dragoman.benchmarks.bfcl.prompts.prompting import (
    PromptFormat,
    PromptMessage,
    compose_prompt,
    place_prompt,
)
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.core.tools import ToolSpec


def shown_messages(entry: Entry, texts: PromptTexts) -> tuple[PromptMessage, ...]:
    """Return the messages of prompting mode: the functions stand in the system message."""
    return place_prompt(offer(entry, texts, entry.prompt_format), entry.messages)


def offer(entry: Entry, texts: PromptTexts, form: PromptFormat) -> str:
    """Return the system text that offers an entry's functions in a format."""
    return compose_prompt(shown_documents(entry, texts), texts, form)


def shown_tools(entry: Entry, texts: PromptTexts) -> tuple[ToolSpec, ...]:
    """Return the functions as tools for native calling."""
    return native_tools(shown_documents(entry, texts), texts.float_note)


def shown_documents(entry: Entry, texts: PromptTexts) -> tuple[Document, ...]:
    """Return the functions with the notes on their language."""
    language = entry.question.language
    return tuple(with_notes(document, language, texts) for document in entry.documents)
